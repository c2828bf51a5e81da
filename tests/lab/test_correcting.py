"""Claims drawn to be labelled, and FP as people would give it."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail import open_world, run
from drretail.cli.lab import lab_app
from drretail.errors import DrretailError, UserError
from drretail.eval.ballots import cast, read_plan
from drretail.eval.families.faithfulness.score import METRIC
from drretail.eval.scores.file import derive_scores
from drretail.lab.correction import Cited, correction_of, fp_items, fr_items
from drretail.lab.judged_claims import ExtractedClaim, draw_claims, extracted_claims, sheet_name
from drretail.lab.people_findings import CorrectedValue
from drretail.records.query import Query
from drretail.records.vote import Choice, PairItem, Vote
from drretail.stats.clusters import Clusters
from drretail.stats.prediction_powered import corrected_mean, labels_alone
from drretail.viewer.voting.plan import planned, sheet_rows
from tests.build import experiment, known, scripted_judge
from tests.eval.families.pairwise.judging import A, B, C, compared, prefers_a, reports, two
from tests.lab.test_opinions import NOON, judge_of_both, votes
from tests.shop import build_shop
from tests.viewer.conftest import answered, exp
from tests.viewer.experiment import judge_by_hand
from tests.viewer.voting.agents import AGENTS

__all__ = ["answered", "exp"]
QUERIES = 21


def judged_claims(experiment: Path) -> list[ExtractedClaim]:
    return [claim for claim in extracted_claims(experiment) if claim.has_verdict]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems on 21 queries, each report with one claim that has a verdict, and others without."""
    home = tmp_path_factory.mktemp("judged")
    queries = [
        Query(query_id=f"q{n:02}", text=f"Which bird feeder for garden {n}?", mode="generic", source="test")
        for n in range(QUERIES)
    ]
    with open_world(build_shop(home / "world")) as world:
        run(world, queries, AGENTS, to=home / "exp", baselines=False)
    judge_by_hand(home / "exp")
    return home / "exp"


@pytest.fixture
def large(judged: Path, tmp_path: Path) -> Path:
    """The same, for one test to label."""
    return Path(shutil.copytree(judged, tmp_path / "large"))


@pytest.fixture(scope="module")
def compared_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each of three systems twice on each of ten queries, by a judge that prefers a, and sees b and c level."""
    folder = tmp_path_factory.mktemp("three") / "exp"
    experiment(folder, {name: reports(name[0], 10, 2) for name in (A, B, C)})
    judge, _ = scripted_judge(prefers_a)
    compared(folder, judge)
    return folder


@pytest.fixture
def three(compared_once: Path, tmp_path: Path) -> Path:
    """The same, for one test to vote on."""
    return Path(shutil.copytree(compared_once, tmp_path / "three"))


def called(*given: object) -> str:
    ended = CliRunner().invoke(lab_app, [*map(str, given)])
    assert ended.exception is None, ended.exception
    return ended.stdout


def sheet_of(experiment: Path) -> list[list[str]]:
    with (experiment / "lab" / "sample.csv").open(encoding="utf-8-sig", newline="") as file:
        return [*csv.reader(file)]


def filled(experiment: Path, answers: dict[str, str], column: str = "label") -> Path:
    path = experiment / "filled.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", column), *answers.items()])
    return path


def as_judged(experiment: Path) -> dict[str, str]:
    """People who say of each claim just what its judge says."""
    first = min(claim.judge for claim in judged_claims(experiment))
    words = {1.0: "full", 0.5: "partial", 0.0: "none"}
    return {
        sheet_name(claim.about): words[claim.support or 0.0]
        for claim in judged_claims(experiment)
        if claim.judge == first
    }


def test_a_sheet_has_the_claims_of_the_plan_without_whose_they_are_or_what_was_ruled(exp: Path) -> None:
    called("sample", exp, "--n", 6)
    plan = known(read_plan(exp))
    assert (plan.pairs, plan.reports, len(plan.claims)) == ((), (), 6)
    assert planned(exp).claims[:6] == plan.claims
    head, *rows = sheet_of(exp)
    assert head == ["item", "question", "claim", "sources", "label"]
    assert [row[0] for row in rows] == [sheet_name(claim.about) for claim in plan.claims]
    assert not any(row[-1] for row in rows)
    assert not any(system in row[0] for row in rows for system in {claim.system for claim in judged_claims(exp)})
    ended = CliRunner().invoke(lab_app, ["sample", str(exp)])
    assert isinstance(ended.exception, UserError), "a sheet that may hold labels is not written over"


def test_with_every_claim_labelled_the_value_is_that_of_the_labels(large: Path) -> None:
    made = correction_of(large, None, [filled(large, as_judged(large))])
    assert len(made.values) == 3
    assert made.missing == ()
    for row in made.values:
        assert row.what == "FP"
        assert row.value == pytest.approx(row.judged)
        assert row.labels_alone == pytest.approx(row.judged)
        assert (row.value, row.high) == (1, 1)
        assert 0.8 < known(row.low) < 0.9, "equal labels have an interval with a width"


def test_below_20_labels_nothing_is_corrected_and_the_missing_are_counted(large: Path) -> None:
    quartz = [sheet_name(claim.about) for claim in judged_claims(large) if claim.system == "quartz"]
    path = filled(large, dict.fromkeys(quartz[:19], "full"))
    made = correction_of(large, None, [path])
    assert made.values == ()
    assert "quartz: no corrected FP from 19 labels; 1 more is needed" in made.summary()
    assert "quartz: no corrected FP from 19 labels; 1 more is needed." in " ".join(
        called("correct", large, "--labels", path).split()
    )
    (row,) = correction_of(large, None, [filled(large, dict.fromkeys(quartz[:20], "full"))]).values
    assert (row.system, row.n_labels, row.high) == ("quartz", 20, 1)


def test_labels_that_meet_no_verdict_are_counted_by_why(exp: Path) -> None:
    without = next(sheet_name(claim.about) for claim in extracted_claims(exp) if not claim.has_verdict)
    known = as_judged(exp)
    gone = " ".join(correction_of(exp, None, [filled(exp, known | {"gone": "none"})]).notes)
    unruled = " ".join(correction_of(exp, None, [filled(exp, known | {without: "full"})]).notes)
    assert ("1 label of no claim that stands here" in gone, "without a verdict" in gone) == (True, False)
    assert ("no claim that stands here" in unruled, "1 label of a claim without a verdict" in unruled) == (False, True)


def test_labels_are_as_many_of_each_system_and_in_proportion_to_its_verdicts() -> None:
    claims = [
        a_claim(f"{system} {at}", f"q{at}", float(at < 180), system=system)
        for system in ("a", "b")
        for at in range(200)
    ]
    drawn = draw_claims((), claims, 100, "7")
    assert Counter(claim.stratum for claim in drawn) == {"a 1.0": 45, "a 0.0": 5, "b 1.0": 45, "b 0.0": 5}
    assert draw_claims((), claims, 60, "7") == drawn[:60]
    assert draw_claims(drawn[:60], claims, 100, "7") == drawn
    assert {claim.about for claim in draw_claims((), claims, 100, "8")} != {claim.about for claim in drawn}
    assert len(draw_claims((), claims, 1000, "7")) == 400


@pytest.mark.parametrize(
    ("labels", "message"),
    [({}, "Nobody has labelled"), ({"gone": "full"}, "No label .1 were read"), ({"gone": "perhaps"}, "perhaps")],
)
def test_labels_that_can_not_be_used_are_told_in_a_sentence(exp: Path, labels: dict[str, str], message: str) -> None:
    with pytest.raises(DrretailError, match=message):
        correction_of(exp, None, [filled(exp, labels)])
    with pytest.raises(DrretailError, match="row 2"):
        correction_of(exp, None, [filled(exp, {"gone": "perhaps"}, "cited")])


def test_the_result_is_kept_and_is_one_document(large: Path) -> None:
    path = filled(large, as_judged(large))
    document = json.loads(called("correct", large, "--labels", path, "--json"))
    assert document == json.loads((large / "lab" / "correct.json").read_text(encoding="utf-8"))
    value = document["values"][0]
    assert {"value", "low", "high", "labels_alone"} <= value.keys()
    assert document["line"].startswith(f"FP as people would give it: {value['system']} ")
    assert f"by {value['judge']} alone " in document["line"]


def test_wins_are_corrected_by_the_votes_of_people(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(20))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, judge)
    chosen: dict[str, Choice] = {f"q{n}": "a" if n > 8 else "tie" if n > 4 else "b" for n in range(1, 21)}
    vote_all(exp, lambda pair: chosen[pair.query_id])
    (row,) = correction_of(exp, None).values
    assert (row.system, row.n_labels, row.n_items) == (min(A, B), 20, 20)
    assert row.value == row.labels_alone == pytest.approx((12 + 2) / 20)
    assert known(row.low) < 0.5
    assert row.what.endswith("depth")


def test_a_judge_with_settings_is_named_as_score_names_it_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, replace(judge, ref=judge.ref.model_copy(update={"params_hash": "0123456789"})))
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    assert len(correction_of(exp, judge.ref.spec).missing) == 1
    with pytest.raises(UserError, match="There is no judge"):
        correction_of(exp, "scripted:other")


def test_votes_on_pairs_that_no_judge_compared_are_told_and_leave_what_was_kept(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    with pytest.raises(UserError, match="no judge compared"):
        correction_of(exp, None)


def voted_wins(exp: Path, choose: Callable[[PairItem], Choice]) -> dict[tuple[str, str], CorrectedValue]:
    """Everybody's rows of the dimension depth, by system and whom it meets."""
    vote_all(exp, choose)
    rows = [value for value in correction_of(exp, None).values if value.what.endswith("depth")]
    return {(row.system, row.what.removeprefix("wins over ").partition(",")[0]): row for row in rows}


def vote_all(exp: Path, choose: Callable[[PairItem], Choice]) -> None:
    for item in planned(exp, 100).pairs:
        about: dict[str, Any] = {"pair_id": item.pair_id, "query_id": item.query_id, "a": item.a, "b": item.b}
        choice = choose(item)
        cast(exp, Vote(**about, shown_left="b", dimension="depth", choice=choice, annotator="ann", at=NOON), None)


def test_wins_of_three_systems_stand_pair_by_pair_with_queries_as_clusters(three: Path) -> None:
    rows = voted_wins(three, lambda pair: "a" if pair.a == A else "b")
    assert rows.keys() == {(A, B), (A, C), (B, C)}
    assert {(row.n_labels, row.n_items, row.n_clusters) for row in rows.values()} == {(20, 20, 10)}
    assert [rows[pair].labels_alone for pair in ((A, B), (A, C), (B, C))] == [1, 1, 0]
    assert [rows[pair].judged for pair in ((A, B), (A, C), (B, C))] == [1, 1, 0.5]


def test_a_tie_is_half_a_win_and_two_repeats_alike_are_no_more_than_one(three: Path) -> None:
    by_query: dict[str, Choice] = {f"q{n}": "a" if n > 4 else "tie" if n > 2 else "b" for n in range(1, 11)}
    row = voted_wins(three, lambda pair: by_query[pair.query_id])[A, B]
    assert row.labels_alone == pytest.approx((6 + 1) / 10)
    # Clopper and Pearson of 7 in 10 is .35 to .93; of 14 in 20 it would be .46 to .88.
    assert (row.low, row.high) == (pytest.approx(0.33, abs=0.04), pytest.approx(0.94, abs=0.04))


def a_claim(
    about: str, query: str, support: float | None, *, system: str = "a", cited: bool | None = None
) -> ExtractedClaim:
    """A claim in a stratum of its verdict, or of its being cited."""
    stratum = f"{system} {support if cited is None else cited}"
    return ExtractedClaim(about, "j", system, query, f"{system}/{query}", stratum, support, True, bool(cited))


def claims_of(query: str, supports: Sequence[float]) -> list[ExtractedClaim]:
    return [a_claim(f"{query} {at}", query, support) for at, support in enumerate(supports)]


def test_every_report_counts_once_however_many_claims_it_makes() -> None:
    claims = [*claims_of("q1", [1.0] * 8), *claims_of("q2", [0.0] * 2)]
    items = fp_items(claims, {claim.about: claim.support or 0.0 for claim in claims}, Clusters())["a"]
    assert [found.value for found in (corrected_mean(items), labels_alone(items)) if found] == [pytest.approx(0.5)] * 2


def test_a_label_stands_for_as_many_claims_as_its_stratum_holds() -> None:
    claims = [*claims_of("q1", [1.0] * 8 + [0.0] * 2), *claims_of("q2", [1.0] * 8 + [0.0] * 2)]
    labelled = [claim for claim in claims if claim.about.rpartition(" ")[2] in ("0", "8")]
    items = fp_items(claims, {claim.about: claim.support or 0.0 for claim in labelled}, Clusters())["a"]
    assert [found.value for found in (corrected_mean(items), labels_alone(items)) if found] == [pytest.approx(0.8)] * 2


def test_queries_of_one_user_are_one_cluster() -> None:
    claims = [claim for n in range(12) for claim in claims_of(f"q{n}", [1.0, 0.0])]
    items = fp_items(claims, {}, Clusters({f"q{n}": f"u{n // 3}" for n in range(12)}))["a"]
    assert {item.cluster for item in items} == {"u0", "u1", "u2", "u3"}


def test_the_terminal_says_that_fr_is_the_judges_own_where_nobody_was_asked(exp: Path) -> None:
    result = called("correct", exp, "--labels", filled(exp, as_judged(exp)))
    assert "FR is not corrected" in result


def cited_as_extracted(experiment: Path) -> dict[str, str]:
    first = min(claim.judge for claim in extracted_claims(experiment))
    own = [claim for claim in extracted_claims(experiment) if claim.judge == first]
    return {sheet_name(claim.about): "yes" if claim.cited else "no" for claim in own}


def test_a_sheet_with_uncited_claims_asks_of_each_claim_whether_it_is_cited(exp: Path) -> None:
    called("sample", exp, "--n", 6, "--uncited", 4)
    head, *rows = sheet_of(exp)
    assert head == ["item", "question", "claim", "sources", "label", "passage", "cited"]
    extracted = {sheet_name(claim.about): claim for claim in extracted_claims(exp)}
    assert [extracted[row[0]].has_verdict for row in rows] == [True] * 6 + [False] * (len(rows) - 6)
    assert len(rows) > 6
    assert all(row[5] and not row[6] for row in rows)
    assert not any(row[3] for row in rows[6:])
    assert [sheet_name(claim.about) for claim in planned(exp).uncited] == [row[0] for row in rows[6:]], (
        "view asks the same"
    )


def test_more_uncited_claims_begin_with_the_same(exp: Path) -> None:
    few, more = (sheet_rows(exp, planned(exp).claims, count, "7") for count in (1, 3))
    names = [[row[0] for row in rows] for rows in (few, more)]
    assert names[1][: len(names[0])] == names[0]


def test_with_every_claim_said_to_be_cited_or_not_fr_is_that_of_labels_and_of_scores(large: Path) -> None:
    path = filled(large, cited_as_extracted(large), "cited")
    made = correction_of(large, None, [path])
    assert made.values
    assert {row.what for row in made.values} == {"FR"}
    assert [row.value for row in made.values] == pytest.approx([row.judged for row in made.values])
    rows = [row for row in derive_scores(large, [METRIC]).scores if (row.variant, row.policy) == ("FR", "answered")]
    scored = {row.system: row.value for row in rows if row.judge == made.values[0].judge}
    assert {row.system: row.judged for row in made.values} == pytest.approx(scored)
    printed = " ".join(called("correct", large, "--labels", path).split())
    assert "FR, " in printed
    assert "did not extract are left out" in printed
    line = json.loads((large / "lab" / "correct.json").read_text(encoding="utf-8"))["line"]
    assert line.startswith("FR as people would give it: ")


def test_what_people_hold_for_no_claim_is_left_out_of_fr(large: Path) -> None:
    cited = {name: "no claim" if text == "no" else text for name, text in cited_as_extracted(large).items()}
    made = correction_of(large, None, [filled(large, cited, "cited")])
    assert [value.value for value in made.values] == [pytest.approx(1.0)] * len(made.values)


def test_fr_is_not_corrected_where_only_cited_claims_were_asked_about(large: Path) -> None:
    cited = {name: text for name, text in cited_as_extracted(large).items() if text == "yes"}
    made = correction_of(large, None, [filled(large, cited, "cited")])
    one_sided = {claim.system for claim in extracted_claims(large) if not claim.cited}
    assert not one_sided & {value.system for value in made.values}
    assert "no corrected FR" in " ".join(made.notes)


def extracted(query: str, cited: int, uncited: int) -> list[ExtractedClaim]:
    return [a_claim(f"{query} {at}", query, None, cited=at < cited) for at in range(cited + uncited)]


def test_in_fr_a_label_stands_for_its_stratum_and_every_report_counts_once() -> None:
    claims = [*extracted("q1", 8, 2), *extracted("q2", 8, 2)]
    few = {claim.about: Cited(1, claim.cited) for claim in claims if claim.about.rpartition(" ")[2] in ("0", "8")}
    alone = labels_alone(fr_items(claims, few, Clusters())["a"])
    assert known(alone).value == pytest.approx(0.8)
    uneven = [*extracted("q1", 9, 1), *extracted("q2", 1, 1)]
    found = corrected_mean(fr_items(uneven, {claim.about: Cited(1, claim.cited) for claim in uneven}, Clusters())["a"])
    assert known(found).value == pytest.approx((0.9 + 0.5) / 2)

"""Claims drawn to be labelled, and FP as people would give it."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail import open_world, run
from drretail.cli.lab import lab_app
from drretail.errors import DrretailError, UserError
from drretail.eval.ballots import cast, read_plan
from drretail.eval.families.faithfulness.score import METRIC
from drretail.eval.scores.file import derive_scores
from drretail.lab.correcting import correction_of, fp_items, fr_items
from drretail.lab.judged_claims import (
    ExtractedClaim,
    JudgedClaim,
    draw_claims,
    extracted_claims,
    judged_claims,
    sheet_name,
)
from drretail.lab.labelled_sheets import Cited
from drretail.lab.people_findings import CorrectedValue
from drretail.records.query import Query
from drretail.records.vote import Choice, PairItem, Vote
from drretail.stats.clusters import Clusters
from drretail.stats.prediction_powered import corrected_mean, labels_alone
from drretail.viewer.voting.claim_sheet import sheet_rows
from drretail.viewer.voting.plan import planned
from tests.eval.families.pairwise.judging import A, B, C, compared, prefers_a, reports, two
from tests.eval.folders import experiment, scripted_judge
from tests.lab.test_opinions import NOON, judge_of_both, votes
from tests.shop import build
from tests.viewer.conftest import answered, exp
from tests.viewer.experiment import judge_by_hand
from tests.viewer.voting.agents import AGENTS

__all__ = ["answered", "exp"]
QUERIES = 21


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems on 21 queries, each report with one claim that has a verdict, and others without."""
    home = tmp_path_factory.mktemp("judged")
    queries = [
        Query(query_id=f"q{n:02}", text=f"Which bird feeder for garden {n}?", mode="generic", source="test")
        for n in range(QUERIES)
    ]
    with open_world(build(home / "world")) as world:
        run(world, queries, AGENTS, to=home / "exp", baselines=False)
    judge_by_hand(home / "exp")
    return home / "exp"


@pytest.fixture
def large(judged: Path, tmp_path: Path) -> Path:
    """The same, for one test to label."""
    return Path(shutil.copytree(judged, tmp_path / "large"))


def called(*given: object) -> str:
    ended = CliRunner().invoke(lab_app, [*map(str, given)])
    assert ended.exception is None, ended.exception
    return ended.stdout


def sheet_of(experiment: Path) -> list[list[str]]:
    with (experiment / "lab" / "sample.csv").open(encoding="utf-8-sig", newline="") as file:
        return [*csv.reader(file)]


def filled(experiment: Path, labels: dict[str, str]) -> Path:
    path = experiment / "filled.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", "label"), *labels.items()])
    return path


def as_judged(experiment: Path) -> dict[str, str]:
    """People who say of each claim just what its judge says."""
    first = min(it.judge for it in judged_claims(experiment))
    words = {1.0: "full", 0.5: "partial", 0.0: "none"}
    return {sheet_name(it.about): words[it.support] for it in judged_claims(experiment) if it.judge == first}


def test_a_sheet_and_the_plan_of_view_hold_the_same_claims(exp: Path) -> None:
    called("sample", exp, "--n", 6)
    plan = read_plan(exp)
    assert plan is not None
    assert [row[0] for row in sheet_of(exp)[1:]] == [sheet_name(it.about) for it in plan.claims]
    assert len(plan.claims) == 6


def test_a_sheet_tells_neither_whose_a_claim_is_nor_what_was_ruled(exp: Path) -> None:
    called("sample", exp, "--n", 6)
    head, *rows = sheet_of(exp)
    assert head == ["item", "question", "claim", "sources", "label"]
    assert all(not row[-1] and len(row[0]) == 16 for row in rows)
    assert not any(system in row[0] for row in rows for system in {it.system for it in judged_claims(exp)})


def test_a_sheet_that_may_hold_labels_is_not_written_over(exp: Path) -> None:
    called("sample", exp, "--n", 6)
    ended = CliRunner().invoke(lab_app, ["sample", str(exp)])
    assert isinstance(ended.exception, UserError)


def test_with_every_claim_labelled_the_value_is_that_of_the_labels(large: Path) -> None:
    made = correction_of(large, None, [filled(large, as_judged(large))])
    assert len(made.values) == 3
    assert made.missing == ()
    for row in made.values:
        assert row.what == "FP"
        assert row.value == pytest.approx(row.judged)
        assert row.labels_alone == pytest.approx(row.judged)


def test_below_20_labels_nothing_is_corrected_and_the_missing_are_counted(large: Path) -> None:
    quartz = [sheet_name(it.about) for it in judged_claims(large) if it.system == "quartz"]
    path = filled(large, dict.fromkeys(quartz[:19], "full"))
    made = correction_of(large, None, [path])
    assert made.values == ()
    assert "quartz: no corrected FP from 19 labels; 1 more is needed" in made.told()
    assert "quartz: no corrected FP from 19 labels; 1 more is needed." in " ".join(
        called("correct", large, "--labels", path).split()
    )
    (row,) = correction_of(large, None, [filled(large, dict.fromkeys(quartz[:20], "full"))]).values
    assert (row.system, row.n_labels, row.high) == ("quartz", 20, 1)


def test_equal_labels_have_an_interval_with_a_width(large: Path) -> None:
    made = correction_of(large, None, [filled(large, as_judged(large))])
    assert {(row.value, row.high) for row in made.values} == {(1, 1)}
    assert all(row.low is not None and 0.8 < row.low < 0.9 for row in made.values)


def test_labels_of_nothing_are_counted(exp: Path) -> None:
    chosen = [*as_judged(exp)][:2]
    made = correction_of(exp, None, [filled(exp, {**dict.fromkeys(chosen, "full"), "gone": "none"})])
    assert "1 label of no claim that stands here" in " ".join(made.notes)


def test_labels_are_as_many_of_each_system_and_in_proportion_to_its_verdicts() -> None:
    claims = [
        JudgedClaim(f"{system} {at}", "j", system, f"q{at}", f"{system}/{at}", at < 180, f"{system} {at < 180}", True)
        for system in ("a", "b")
        for at in range(200)
    ]
    drawn = draw_claims((), claims, 100, "7")
    assert Counter(it.stratum for it in drawn) == {"a True": 45, "a False": 5, "b True": 45, "b False": 5}
    assert draw_claims((), claims, 60, "7") == drawn[:60]
    assert draw_claims(drawn[:60], claims, 100, "7") == drawn
    assert {it.about for it in draw_claims((), claims, 100, "8")} != {it.about for it in drawn}
    assert len(draw_claims((), claims, 1000, "7")) == 400


@pytest.mark.parametrize(
    ("labels", "told"),
    [({}, "Nobody has labelled"), ({"gone": "full"}, "No label .1 were read"), ({"gone": "perhaps"}, "perhaps")],
)
def test_labels_that_can_not_be_used_are_told_in_a_sentence(exp: Path, labels: dict[str, str], told: str) -> None:
    with pytest.raises(DrretailError, match=told):
        correction_of(exp, None, [filled(exp, labels)])


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
    compared(exp, judge, metrics=("quality", "pairwise"))
    chosen: dict[str, Choice] = {f"q{n}": "a" if n > 8 else "tie" if n > 4 else "b" for n in range(1, 21)}
    vote_all(exp, lambda it: chosen[it.query_id])
    (row,) = correction_of(exp, None).values
    assert (row.system, row.n_labels, row.n_items) == (min(A, B), 20, 20)
    assert row.value == row.labels_alone == pytest.approx((12 + 2) / 20)
    assert row.low is not None
    assert row.low < 0.5
    assert row.what.endswith("depth")


def test_votes_that_are_too_few_are_counted(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, judge)
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    made = correction_of(exp, None)
    assert made.values == ()
    assert "from 3 labels; 17 more are needed, and there are only 3 in all" in made.told()


def test_wins_stand_beside_those_that_the_judge_gives(tmp_path: Path) -> None:
    rows = voted_wins(three(tmp_path), lambda _: "b")
    assert [rows[it].judged for it in ((A, B), (A, C), (B, C))] == [1, 1, 0.5]


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
    rows = [it for it in correction_of(exp, None).values if it.what.endswith("depth")]
    return {(it.system, it.what.removeprefix("wins over ").partition(",")[0]): it for it in rows}


def vote_all(exp: Path, choose: Callable[[PairItem], Choice]) -> None:
    for item in planned(exp, 100).pairs:
        about: dict[str, Any] = {"pair_id": item.pair_id, "query_id": item.query_id, "a": item.a, "b": item.b}
        choice = choose(item)
        cast(exp, Vote(**about, shown_left="b", dimension="depth", choice=choice, annotator="ann", at=NOON), None)


def three(tmp_path: Path) -> Path:
    """Each system twice on each of ten queries, by a judge that prefers a, and sees b and c level."""
    exp = experiment(tmp_path / "exp", {name: reports(name[0], 10, 2) for name in (A, B, C)})
    judge, _ = scripted_judge(prefers_a)
    compared(exp, judge)
    return exp


def test_wins_of_three_systems_stand_pair_by_pair_with_queries_as_clusters(tmp_path: Path) -> None:
    rows = voted_wins(three(tmp_path), lambda it: "a" if it.a == A else "b")
    assert rows.keys() == {(A, B), (A, C), (B, C)}
    assert {(it.n_labels, it.n_items, it.n_clusters) for it in rows.values()} == {(20, 20, 10)}
    assert [rows[it].labels_alone for it in ((A, B), (A, C), (B, C))] == [1, 1, 0]


def test_a_tie_is_half_a_win_and_two_repeats_alike_are_no_more_than_one(tmp_path: Path) -> None:
    by_query: dict[str, Choice] = {f"q{n}": "a" if n > 4 else "tie" if n > 2 else "b" for n in range(1, 11)}
    row = voted_wins(three(tmp_path), lambda it: by_query[it.query_id])[A, B]
    assert row.labels_alone == pytest.approx((6 + 1) / 10)
    # Clopper and Pearson of 7 in 10 is .35 to .93; of 14 in 20 it would be .46 to .88.
    assert (row.low, row.high) == (pytest.approx(0.33, abs=0.04), pytest.approx(0.94, abs=0.04))


def test_people_who_only_see_ties_give_half_with_a_width(tmp_path: Path) -> None:
    row = voted_wins(three(tmp_path), lambda _: "tie")[A, B]
    assert row.labels_alone == 0.5
    assert row.labels_alone_low is not None
    assert row.labels_alone_low < 0.3


def claims_of(run: str, supports: Sequence[float]) -> list[JudgedClaim]:
    about = ("j", "a", run, f"a/{run}")
    return [JudgedClaim(f"{run} {at}", *about, it, f"a {it}", in_fp=True) for at, it in enumerate(supports)]


def test_every_report_counts_once_however_many_claims_it_makes() -> None:
    claims = [*claims_of("q1", [1.0] * 8), *claims_of("q2", [0.0] * 2)]
    items = fp_items(claims, {it.about: it.support for it in claims}, Clusters())["a"]
    assert [found.value for found in (corrected_mean(items), labels_alone(items)) if found] == [pytest.approx(0.5)] * 2


def test_a_label_stands_for_as_many_claims_as_its_stratum_holds() -> None:
    claims = [*claims_of("q1", [1.0] * 8 + [0.0] * 2), *claims_of("q2", [1.0] * 8 + [0.0] * 2)]
    labelled = [it for it in claims if it.about.rpartition(" ")[2] in ("0", "8")]
    items = fp_items(claims, {it.about: it.support for it in labelled}, Clusters())["a"]
    assert [found.value for found in (corrected_mean(items), labels_alone(items)) if found] == [pytest.approx(0.8)] * 2


def test_queries_of_one_user_are_one_cluster() -> None:
    claims = [claim for n in range(12) for claim in claims_of(f"q{n}", [1.0, 0.0])]
    items = fp_items(claims, {}, Clusters({f"q{n}": f"u{n // 3}" for n in range(12)}))["a"]
    assert {item.cluster for item in items} == {"u0", "u1", "u2", "u3"}


def test_the_sample_of_a_lenient_judge_gives_what_people_would_say_of_all_claims() -> None:
    """The judge calls 92 % of the claims full, of which people call 75 % so."""
    held = 0
    for seed in range(60):
        lot = Random(seed)
        truth: dict[str, float] = {}
        claims: list[JudgedClaim] = []
        for query in range(50):
            for number in range(8):
                about, label = f"{query} {number}", float(lot.random() < 0.75)
                verdict = label if label or lot.random() < 0.32 else 1.0
                truth[about] = label
                ids = ("j", "a", f"q{query}", f"a/q{query}")
                claims.append(JudgedClaim(about, *ids, verdict, f"a {verdict}", in_fp=True))
        labels = {it.about: truth[it.about] for it in draw_claims((), claims, 20, str(seed))}
        found = corrected_mean(fp_items(claims, labels, Clusters())["a"])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.75 <= found.high
    assert held >= 56


def test_a_sample_leaves_pairs_and_reports_of_the_plan_alone_and_view_asks_all_of_it(exp: Path) -> None:
    called("sample", exp, "--n", 30)
    plan = read_plan(exp)
    assert plan is not None
    assert (plan.pairs, plan.reports) == ((), ())
    assert plan.claims
    assert planned(exp).claims[: len(plan.claims)] == plan.claims


def test_more_than_the_usual_claims_are_all_asked_in_view(exp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.viewer.voting.plan.DEFAULT_SIZE", 2)
    called("sample", exp, "--n", 5)
    asked = planned(exp)
    assert (len(asked.claims), len(asked.reports)) == (5, 2)


def test_another_seed_draws_other_claims_and_what_was_drawn_stays(exp: Path, tmp_path: Path) -> None:
    drawn = []
    for seed in ("1", "2", "3", "4"):
        other = tmp_path / seed
        shutil.copytree(exp, other)
        called("sample", other, "--n", 4, "--seed", seed)
        plan = read_plan(other)
        assert plan is not None
        drawn.append(tuple(it.about for it in plan.claims))
        called("sample", other, "--n", 6, "--seed", "other", "--to", other / "more.csv")
        grown = read_plan(other)
        assert grown is not None
        assert grown.claims[:4] == plan.claims
    assert len({*drawn}) > 1


def test_the_terminal_says_that_fr_is_the_judges_own_where_nobody_was_asked(exp: Path) -> None:
    told = called("correct", exp, "--labels", filled(exp, as_judged(exp)))
    assert "FR is not corrected" in told


def cited_as_extracted(experiment: Path) -> dict[str, str]:
    first = min(it.judge for it in extracted_claims(experiment))
    return {sheet_name(it.about): CITED_BY[it.cited] for it in extracted_claims(experiment) if it.judge == first}


CITED_BY = {True: "yes", False: "no"}


def said_cited(experiment: Path, cited: dict[str, str]) -> Path:
    path = experiment / "cited.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", "cited"), *cited.items()])
    return path


def test_a_sheet_with_uncited_claims_asks_of_each_claim_whether_it_is_cited(exp: Path) -> None:
    called("sample", exp, "--n", 6, "--uncited", 4)
    head, *rows = sheet_of(exp)
    assert head == ["item", "question", "claim", "sources", "label", "passage", "cited"]
    extracted = {sheet_name(it.about): it for it in extracted_claims(exp)}
    assert [extracted[row[0]].has_verdict for row in rows] == [True] * 6 + [False] * (len(rows) - 6)
    assert len(rows) > 6
    assert all(row[5] and not row[6] for row in rows)
    assert not any(row[3] for row in rows[6:])
    assert [sheet_name(it.about) for it in planned(exp).uncited] == [row[0] for row in rows[6:]], "view asks the same"


def test_more_uncited_claims_begin_with_the_same(exp: Path) -> None:
    few, more = (sheet_rows(exp, planned(exp).claims, count, "7") for count in (1, 3))
    names = [[row[0] for row in rows] for rows in (few, more)]
    assert names[1][: len(names[0])] == names[0]


def test_with_every_claim_said_to_be_cited_or_not_fr_is_that_of_the_labels(large: Path) -> None:
    made = correction_of(large, None, [said_cited(large, cited_as_extracted(large))])
    assert made.values
    assert {it.what for it in made.values} == {"FR"}
    for row in made.values:
        assert row.value == pytest.approx(row.judged)


def test_fr_alone_of_a_judge_is_that_of_its_scores(large: Path) -> None:
    made = correction_of(large, None, [said_cited(large, cited_as_extracted(large))])
    rows = [it for it in derive_scores(large, [METRIC]).scores if (it.variant, it.policy) == ("FR", "answered")]
    scored = {it.system: it.value for it in rows if it.judge == made.values[0].judge}
    assert made.values
    assert {it.system: it.judged for it in made.values} == pytest.approx(scored)


def test_what_people_hold_for_no_claim_is_left_out_of_fr(large: Path) -> None:
    cited = {name: "no claim" if said == "no" else said for name, said in cited_as_extracted(large).items()}
    made = correction_of(large, None, [said_cited(large, cited)])
    assert [it.value for it in made.values] == [pytest.approx(1.0)] * len(made.values)


def test_the_terminal_prints_fr_with_what_it_depends_on(large: Path) -> None:
    told = called("correct", large, "--labels", said_cited(large, cited_as_extracted(large)))
    assert "FR, " in told
    assert "conditional on the extraction" in " ".join(told.split())
    line = json.loads((large / "lab" / "correct.json").read_text(encoding="utf-8"))["line"]
    assert line.startswith("FR as people would give it: ")


def test_fr_is_not_corrected_where_only_cited_claims_were_asked_about(large: Path) -> None:
    cited = {name: said for name, said in cited_as_extracted(large).items() if said == "yes"}
    made = correction_of(large, None, [said_cited(large, cited)])
    one_sided = {it.system for it in extracted_claims(large) if not it.cited}
    assert not one_sided & {it.system for it in made.values}
    assert "no corrected FR" in " ".join(made.notes)


def test_a_label_of_a_claim_without_a_verdict_is_no_claim_that_is_gone(exp: Path) -> None:
    without = next(sheet_name(it.about) for it in extracted_claims(exp) if not it.has_verdict)
    told = " ".join(correction_of(exp, None, [filled(exp, as_judged(exp) | {without: "full"})]).notes)
    assert "1 label of a claim without a verdict" in told
    assert "no claim that stands here" not in told


def extracted(run: str, cited: int, uncited: int) -> list[ExtractedClaim]:
    return [
        ExtractedClaim(
            f"{run} {at}",
            "j",
            "j",
            "a",
            run,
            f"a/{run}",
            "",
            None,
            at < cited,
            f"a {at < cited}",
            has_verdict=at < cited,
        )
        for at in range(cited + uncited)
    ]


def test_in_fr_a_label_stands_for_its_stratum_and_every_report_counts_once() -> None:
    claims = [*extracted("q1", 8, 2), *extracted("q2", 8, 2)]
    few = {it.about: Cited(1, it.cited) for it in claims if it.about.rpartition(" ")[2] in ("0", "8")}
    alone = labels_alone(fr_items(claims, few, Clusters())["a"])
    assert alone is not None
    assert alone.value == pytest.approx(0.8)
    uneven = [*extracted("q1", 9, 1), *extracted("q2", 1, 1)]
    found = corrected_mean(fr_items(uneven, {it.about: Cited(1, it.cited) for it in uneven}, Clusters())["a"])
    assert found is not None
    assert found.value == pytest.approx((0.9 + 0.5) / 2)


def test_a_wrong_word_about_citing_is_told_with_its_row(exp: Path) -> None:
    with pytest.raises(DrretailError, match="row 2"):
        correction_of(exp, None, [said_cited(exp, {"gone": "perhaps"})])

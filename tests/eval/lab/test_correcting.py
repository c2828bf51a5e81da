"""Claims drawn to be labelled, and FP as people would give it."""

import csv
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail.cli.lab.group import lab_app
from drretail.errors import DrretailError, UserError
from drretail.eval.ballots import cast, read_plan
from drretail.eval.faithfulness import METRIC
from drretail.eval.lab.correcting import correction_of, precisions, recalls
from drretail.eval.lab.judged_claims import ExtractedClaim, JudgedClaim, extracted_claims, judged_claims, sheet_name
from drretail.eval.lab.labelled_sheets import Cited
from drretail.eval.lab.people_findings import CorrectedValue
from drretail.eval.scores.file import derive_scores
from drretail.records.vote import Choice, PairItem, Vote
from drretail.stats.prediction_powered import Item, corrected_mean
from drretail.viewer.voting.claim_sheet import sheet_rows
from drretail.viewer.voting.plan import planned
from tests.eval.folders import experiment, scripted_judge
from tests.eval.lab.test_opinions import NOON, judge_of_both, votes
from tests.eval.pairwise.judging import A, B, C, compared, prefers_a, reports, two
from tests.viewer.conftest import answered, exp

__all__ = ["answered", "exp"]


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


def test_with_every_claim_labelled_the_value_is_that_of_the_labels(exp: Path) -> None:
    made = correction_of(exp, None, [filled(exp, as_judged(exp))])
    assert made.values
    for row in made.values:
        assert row.what == "FP"
        assert row.value == pytest.approx(row.judged)
        assert row.labels_alone == pytest.approx(row.judged)


def test_few_labels_equal_labels_and_labels_of_nothing_are_told(exp: Path) -> None:
    chosen = [*as_judged(exp)][:2]
    made = correction_of(exp, None, [filled(exp, {**dict.fromkeys(chosen, "full"), "gone": "none"})])
    told = " ".join(made.notes)
    assert "below 10" in told
    assert "1 label of no claim that stands here" in told
    assert all(row.low is None or row.low < row.high for row in made.values if row.high is not None)


@pytest.mark.parametrize(
    ("labels", "told"),
    [({}, "Nobody has labelled"), ({"gone": "full"}, "No label .1 were read"), ({"gone": "perhaps"}, "perhaps")],
)
def test_labels_that_can_not_be_used_are_told_in_a_sentence(exp: Path, labels: dict[str, str], told: str) -> None:
    with pytest.raises(DrretailError, match=told):
        correction_of(exp, None, [filled(exp, labels)])


def test_the_result_is_kept_and_is_one_document(exp: Path) -> None:
    path = filled(exp, as_judged(exp))
    document = json.loads(called("correct", exp, "--labels", path, "--json"))
    assert document == json.loads((exp / "lab" / "correct.json").read_text(encoding="utf-8"))
    assert {"value", "power", "labels_alone"} <= document["values"][0].keys()


def test_wins_are_corrected_by_the_votes_of_people(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, judge, metrics=("quality", "pairwise"))
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    (row,) = correction_of(exp, None).values
    assert (row.system, row.n_labels, row.n_items) == (min(A, B), 3, 3)
    assert row.labels_alone == pytest.approx(0.5)
    assert row.what.endswith("depth")


def test_wins_stand_beside_those_that_the_judge_gives(tmp_path: Path) -> None:
    rows = voted_wins(three(tmp_path), lambda _: "b")
    assert [rows[it].judged for it in ((A, B), (A, C), (B, C))] == [1, 1, 0.5]


def test_a_judge_with_settings_is_named_as_score_names_it_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, replace(judge, ref=judge.ref.model_copy(update={"params_hash": "0123456789"})))
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    assert len(correction_of(exp, judge.ref.spec).values) == 1
    with pytest.raises(UserError, match="There is no judge"):
        correction_of(exp, "scripted:other")


def test_votes_on_pairs_that_no_judge_compared_are_told_and_leave_what_was_kept(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    with pytest.raises(UserError, match="no judge compared"):
        correction_of(exp, None)


def voted_wins(exp: Path, choose: Callable[[PairItem], Choice]) -> dict[tuple[str, str], CorrectedValue]:
    """Everybody's rows of the dimension depth, by system and whom it meets."""
    for item in planned(exp, 50).pairs:
        about: dict[str, Any] = {"pair_id": item.pair_id, "query_id": item.query_id, "a": item.a, "b": item.b}
        choice = choose(item)
        cast(exp, Vote(**about, shown_left="b", dimension="depth", choice=choice, annotator="ann", at=NOON), None)
    rows = [it for it in correction_of(exp, None).values if it.what.endswith("depth")]
    return {(it.system, it.what.removeprefix("wins over ").partition(",")[0]): it for it in rows}


def three(tmp_path: Path) -> Path:
    """Each system twice on each of four queries, by a judge that prefers a, and sees b and c level."""
    exp = experiment(tmp_path / "exp", {name: reports(name[0], 4, 2) for name in (A, B, C)})
    judge, _ = scripted_judge(prefers_a)
    compared(exp, judge)
    return exp


def test_wins_of_three_systems_stand_pair_by_pair_with_queries_as_clusters(tmp_path: Path) -> None:
    rows = voted_wins(three(tmp_path), lambda it: "a" if it.a == A else "b")
    assert rows.keys() == {(A, B), (A, C), (B, C)}
    assert {(it.n_labels, it.n_items, it.n_clusters) for it in rows.values()} == {(8, 8, 4)}
    assert [rows[it].labels_alone for it in ((A, B), (A, C), (B, C))] == [1, 1, 0]


def test_a_tie_is_half_a_win_and_two_repeats_alike_are_no_more_than_one(tmp_path: Path) -> None:
    by_query: dict[str, Choice] = {"q1": "a", "q2": "tie", "q3": "b", "q4": "a"}
    row = voted_wins(three(tmp_path), lambda it: by_query[it.query_id])[A, B]
    assert row.labels_alone == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    once = [Item(it, 0.5, 1.0, label) for it, label in zip(by_query, (1, 0.5, 0, 1), strict=True)]
    alone = corrected_mean(once, 0.0)
    assert alone is not None
    assert alone.low is not None
    assert alone.high is not None
    assert row.labels_alone_low == pytest.approx(max(0.0, alone.low))
    assert row.labels_alone_high == pytest.approx(min(1.0, alone.high))


def test_people_who_only_see_ties_give_half_and_no_interval(tmp_path: Path) -> None:
    row = voted_wins(three(tmp_path), lambda _: "tie")[A, B]
    assert (row.labels_alone, row.labels_alone_low) == (0.5, None)


def claims_of(run: str, supports: Sequence[float]) -> list[JudgedClaim]:
    about = ("j", "a", run, f"a/{run}")
    return [JudgedClaim(f"{run} {at}", *about, it, f"a {it}", in_fp=True) for at, it in enumerate(supports)]


def test_every_report_counts_once_however_many_claims_it_makes() -> None:
    claims = [*claims_of("q1", [1.0] * 8), *claims_of("q2", [0.0] * 2)]
    found, alone, n = precisions(claims, {it.about: it.support for it in claims})["a"]
    assert (found.value, alone.value, n) == (pytest.approx(0.5), pytest.approx(0.5), 10)


def test_a_label_stands_for_as_many_claims_as_its_stratum_holds() -> None:
    claims = [*claims_of("q1", [1.0] * 8 + [0.0] * 2), *claims_of("q2", [1.0] * 8 + [0.0] * 2)]
    labelled = [it for it in claims if it.about.rpartition(" ")[2] in ("0", "8")]
    _, alone, n = precisions(claims, {it.about: it.support for it in labelled})["a"]
    assert (alone.value, n) == (pytest.approx(0.8), 4)


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


def test_with_every_claim_said_to_be_cited_or_not_fr_is_that_of_the_labels(exp: Path) -> None:
    made = correction_of(exp, None, [said_cited(exp, cited_as_extracted(exp))])
    assert made.values
    assert {it.what for it in made.values} == {"FR"}
    for row in made.values:
        assert row.value == pytest.approx(row.judged)


def test_fr_alone_of_a_judge_is_that_of_its_scores(exp: Path) -> None:
    made = correction_of(exp, None, [said_cited(exp, cited_as_extracted(exp))])
    rows = [it for it in derive_scores(exp, [METRIC]).scores if (it.variant, it.policy) == ("FR", "answered")]
    scored = {it.system: it.value for it in rows if it.judge == made.values[0].judge}
    assert made.values
    assert {it.system: it.judged for it in made.values} == pytest.approx(scored)


def test_what_people_hold_for_no_claim_is_left_out_of_fr(exp: Path) -> None:
    cited = {name: "no claim" if said == "no" else said for name, said in cited_as_extracted(exp).items()}
    made = correction_of(exp, None, [said_cited(exp, cited)])
    assert [it.value for it in made.values] == [pytest.approx(1.0)] * len(made.values)


def test_the_terminal_prints_fr_with_what_it_depends_on(exp: Path) -> None:
    told = called("correct", exp, "--labels", said_cited(exp, cited_as_extracted(exp)))
    assert "FR, " in told
    assert "conditional on the extraction" in " ".join(told.split())
    line = json.loads((exp / "lab" / "correct.json").read_text(encoding="utf-8"))["line"]
    assert line.startswith("FR as people would give it: ")


def test_fr_is_not_corrected_where_only_cited_claims_were_asked_about(exp: Path) -> None:
    cited = {name: said for name, said in cited_as_extracted(exp).items() if said == "yes"}
    made = correction_of(exp, None, [said_cited(exp, cited)])
    one_sided = {it.system for it in extracted_claims(exp) if not it.cited}
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
    _, alone, n = recalls(claims, few)["a"]
    assert (alone.value, n) == (pytest.approx(0.8), 4)
    uneven = [*extracted("q1", 9, 1), *extracted("q2", 1, 1)]
    found, _, _ = recalls(uneven, {it.about: Cited(1, it.cited) for it in uneven})["a"]
    assert found.value == pytest.approx((0.9 + 0.5) / 2)


def test_a_wrong_word_about_citing_is_told_with_its_row(exp: Path) -> None:
    with pytest.raises(DrretailError, match="row 2"):
        correction_of(exp, None, [said_cited(exp, {"gone": "perhaps"})])

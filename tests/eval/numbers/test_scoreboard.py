"""The scoreboard: a row a system, of the metrics that put a column on it, and of what runs took."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.metric import Value
from drretail.eval.numbers.facts import NOT_RATED
from drretail.eval.numbers.gathering import Gathered, JudgedRun, gather
from drretail.eval.numbers.judges import Assessor, Board, TableKey
from drretail.eval.numbers.scoreboard import scoreboard
from drretail.eval.registry import load_metric
from drretail.experiments.experiment import run_path
from drretail.records.evidence import CitationCounts
from drretail.records.run import Usage
from drretail.records.score import BoardColumn, JudgeRef, MetricDescription, Score, Scoreboard
from drretail.records.score import VerdictState as State
from drretail.records.vote import Vote
from tests.build import experiment, known
from tests.run_files import edit_member

A, B = "a@model", "b@model"
METRICS = {
    "faithfulness": MetricDescription(
        title="F",
        named_by_variant=True,
        scoreboard=(BoardColumn(variant="FP", meaning="it"), BoardColumn(variant="N_supported")),
    ),
    "quality": MetricDescription(
        title="Q", scale="rating", named_by_variant=True, scoreboard=(BoardColumn(variant="overall"),)
    ),
    "checks": MetricDescription(title="C", scoreboard=(BoardColumn(variant="clean"),)),
}
CODE: dict[str, Any] = {"judge": "code", "judge_kind": "rule_based"}


def row(metric: str, variant: str, value: float | None = 0.5, **fields: Any) -> Score:
    usual: dict[str, Any] = {"judge": "p:m", "judge_kind": "llm", "n_planned": 2, "n_scored": 2, "version": 1}
    return Score.model_validate({"system": A, "metric": metric, "variant": variant, "value": value} | usual | fields)


@pytest.fixture
def held(tmp_path: Path) -> Gathered:
    """Two systems, of which one used tokens in the one run that has a report."""
    reports = {A: {"q1-r1": "One two three.", "q2-r1": None}, B: {"q1-r1": "x", "q2-r1": "y"}}
    made = gather(experiment(tmp_path / "e", reports), [], counts_words=True)
    used = {"researcher": Usage(calls=1, input_uncached=2_000, cache_read=500, output=1_500, nanodollars=175_000_000)}
    plans = [replace(plan, usage=used if plan.label == A and plan.has_report else {}) for plan in made.plans]
    return replace(made, plans=tuple(plans))


def board(held: Gathered, *rows: Score, metrics: dict[str, MetricDescription] = METRICS) -> Scoreboard:
    judges = dict.fromkeys(Assessor.of(row).judge.key for row in rows)
    asked = Board(rules=rows[0].rules, judge=tuple(judges))
    made = scoreboard(replace(held, board=asked), rows, metrics, {}, {})
    return known(made)


def test_what_was_bought_stands_first_and_systems_are_sorted_by_what_is_shown(held: Gathered) -> None:
    basket = MetricDescription(
        title="B", named_by_variant=True, scoreboard=(BoardColumn(variant="right", decides=True),)
    )
    metrics = METRICS | {"basket": basket}
    bought = [row("basket", "right", value, system=label, **CODE) for label, value in ((A, 0.404), (B, 0.402))]
    precise = [row("faithfulness", "FP", 0.7), row("faithfulness", "FP", 0.9, system=B)]
    for better, rows in ((B, [*bought, *precise]), (A, [bought[0], *precise]), (B, precise)):
        made = board(held, *rows, metrics=metrics)
        assert made.rows[0].system == better
        assert made.columns[0].name == ("FP" if rows is precise else "right")


def test_a_counted_column_says_how_many_runs_are_right_in_both_of_its_parts(held: Gathered) -> None:
    column = BoardColumn(variant="right", is_counted=True, apart=("can be bought", "can't"), apart_by="feasible")
    metrics = {"basket": MetricDescription(title="B", named_by_variant=True, success=("right",), scoreboard=(column,))}
    by_code = Assessor(JudgeRef(spec="code", kind="rule_based"), "default")
    # Of the second nobody knows whether it can be bought.
    states: list[tuple[float, State | None]] = [(1.0, "scored"), (1.0, None), (1.0, "scored"), (0.0, "na")]
    judged = {
        plan.run_id: JudgedRun(
            plan.query.query_id,
            {"right": Value("right", "scored", right)}
            | ({"feasible": Value("feasible", state, None if state == "na" else 1)} if state else {}),
        )
        for plan, (right, state) in zip(held.plans, states, strict=True)
    }
    made = replace(held, tables_of_judges={TableKey("basket", by_code): judged})
    shown = board(made, *(row("basket", "right", system=label, **CODE) for label in (A, B)), metrics=metrics)
    cells = {each.system: each.cells["right"] for each in shown.rows}
    assert [(cells[label].count, cells[label].parts) for label in (A, B)] == [
        (2, {}),
        (1, {"can be bought": (1, 1), "can't": (0, 1)}),
    ]
    assert shown.judge.judge == ""
    assert [(each.name, each.table) for each in shown.columns][:2] == [("right", "B"), ("done", "")]


def test_words_tokens_and_dollars_are_means_over_reports_and_unknown_is_no_0(held: Gathered) -> None:
    made = board(held, row("faithfulness", "FP"), row("faithfulness", "FP", system=B))
    a, b = (each.cells for each in made.rows)
    assert (a["words"].value, a["words"].n_scored, a["words"].n_planned) == (3, 1, 2)
    assert a["tokens"].value == 4_000
    assert a["$"].value == pytest.approx(0.175)
    assert set(b) == {"FP", "done", "words"}
    assert (a["done"].value, a["done"].n_planned) == (0.5, 2)
    for nanodollars, unpriced in ((0, 0), (0, 1)):
        usage = {"researcher": Usage(calls=1, output=9, nanodollars=nanodollars, unpriced=unpriced)}
        plans = tuple(replace(plan, usage=usage if plan.usage else {}) for plan in held.plans)
        made = board(replace(held, plans=plans), row("faithfulness", "FP"))
        assert "$" not in {column.name for column in made.columns}
        assert any("knows no price of offline:shopper" in note for note in made.notes) == bool(unpriced)


def test_where_citations_are_not_read_nothing_is_concluded_from_what_rests_on_them(held: Gathered) -> None:
    judge = Assessor(JudgeRef(spec="p:m", kind="llm"), "default")

    def with_unread(count: int) -> Gathered:
        counts = {A: CitationCounts(read=10, not_read={"no_entry": count}), B: CitationCounts(read=9, listed=99)}
        plans = tuple(replace(plan, citations=counts[plan.label]) for plan in held.plans)
        return replace(held, plans=plans, metrics={"faithfulness": load_metric("faithfulness")})

    few, many = with_unread(0), with_unread(1)
    assert few.unread(judge, "faithfulness", (A, B)) is None
    assert many.unread(judge, "faithfulness", (A, B)) == (
        "missing",
        "2 of 22 citations of a@model could not be read (no entry, or several, in a list: 2)",
    )
    assert many.unread(judge, "faithfulness", (B,)) is None
    assert many.unread(judge, "checks", (A, B)) is None


def test_a_run_that_cannot_be_read_is_missing_and_the_note_says_so(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "e", {A: {"q1-r1": "One two three.", "q2-r1": "x"}})
    path = run_path(folder, A, "q1", 1)
    whole = path.read_bytes()

    def damaged() -> list[tuple[str, str]]:
        return [(plan.status, plan.error) for plan in gather(folder, [], counts_words=True).plans]

    lost = [("damaged", "unreadable"), ("done", "")]
    path.write_bytes(whole[:-1])
    assert damaged() == lost
    path.write_bytes(run_path(folder, A, "q2", 1).read_bytes())
    assert damaged() == lost, "another run lies in its place"
    path.write_bytes(whole)
    edit_member(path, "run", lambda _: ['{"format": 1, "run_id'])
    made = gather(folder, [], counts_words=True)
    assert damaged() == lost
    notes = board(made, row("faithfulness", "FP")).notes
    assert f"{A}: of 2 runs 1 lost because their file is damaged (q1-r1)." in notes


def test_votes_are_a_share_for_each_system_by_dimension_a_tie_as_half_and_the_sentence_names_who_is_preferred(
    held: Gathered,
) -> None:
    def vote(query: str, choice: str, annotator: str, dimension: str = "overall") -> Vote:
        about = {"pair_id": query, "query_id": query, "a": A, "b": B, "shown_left": "a", "dimension": dimension}
        return Vote.model_validate({**about, "choice": choice, "annotator": annotator, "at": "2025-01-01T00:00:00Z"})

    votes = [vote("q1", "a", "ann"), vote("q1", "tie", "ben"), vote("q2", "b", "ann"), vote("q2", "a", "ann", "depth")]
    code = [row("checks", "clean", system=label, **CODE) for label in (A, B)]
    made = known(scoreboard(replace(held, board=Board()), code, METRICS, {}, {}, votes))
    voted = [(column.variant, column.is_brief, column.table) for column in made.columns if column.metric == "votes"]
    assert voted == [("overall", True, "Preferred by 2 people"), ("depth", False, "Preferred by 2 people")]
    shares = {each.system: each.cells["votes overall"].value for each in made.rows}
    assert shares == {A: pytest.approx(0.375), B: pytest.approx(0.625)}
    # Not of votes, of which each has 1½.
    assert f"People preferred {B} 62% : 38%, no more than chance." in made.sentence
    for won, split, words in ((6, "75% : 25%", "no more than"), (8, "100% : 0%", "more than")):  # from .35 and .63
        votes = [vote(f"v{at}", "a" if at < won else "b", "ann") for at in range(8)]
        made = known(scoreboard(replace(held, board=Board()), code, METRICS, {}, {}, votes))
        assert f"People preferred {A} {split}, {words} chance." in made.sentence
    assert "People" not in board(held, *code).sentence


def test_a_table_is_absent_only_where_all_of_it_is_left_to_judges_that_read(held: Gathered) -> None:
    code = row("checks", "clean", **CODE)
    unrated = [row("faithfulness", variant, None, note=NOT_RATED, n_scored=0) for variant in ("FP", "N_supported")]
    assert [*board(held, *unrated, code).absent] == ["F"]
    assert [*board(held, unrated[0], row("faithfulness", "N_supported"), code).absent] == []


def test_notes_say_what_is_blank_read_otherwise_unfinished_and_without_an_interval(held: Gathered) -> None:
    done, failed, spoiled, pending = held.plans
    plans = (
        replace(done, losses={"search": 2, "page": 1}, unanswered=3),
        failed,
        replace(spoiled, status="spoiled", report_sha=None, error="model"),
        replace(pending, status="pending", report_sha=None),
    )
    rows = [
        row("faithfulness", "FP", None, n_scored=0, n_na=2, items={"unrated": 3, "picks declared": 1}),
        row("faithfulness", "FP", 0.5, system=B, no_interval="few", items={"picks by form": 1}),
        row("faithfulness", "N_supported", None, n_scored=0, n_unverifiable=2),
        row("faithfulness", "N_supported", 2, system=B, n_failed=1),
        row("quality", "overall", 5, no_interval="alike"),
        row("quality", "overall", None, system=B, n_scored=0, n_failed=2),
        row("checks", "clean", None, items={"n/a: no picks": 2}, n_na=2, n_scored=0, **CODE),
        row("checks", "clean", 0.5, system=B, **CODE),
    ]
    made = board(replace(held, plans=plans), *rows)
    assert list(made.notes) == [
        f"FP: – for {A}, since no report has a value: none of 3 cited claims could be decided.",
        f"N_supported: – for {A}, since no report has a value: 2 unverifiable.",
        f"checks clean: – for {A}, since no report has a value: no picks.",
        "The systems' picks were read in different ways (see --details). Differences in FP may come from that.",
        "FP: no interval, since a part of it comes from fewer than 5 users.",
        "overall: no interval for a system with equal values on all queries.",
        "No query has a known user. Intervals and tests treat each query as a user.",
        f"{A}: of 2 runs 1 failed.",
        f"{A}: 1 run finished without 2 searches, 1 page, 3 tool calls, for which a server or provider gave no answer. "
        "`drretail run … --retry spoiled` makes them again.",
        f"{B}: of 2 runs 1 lost because a server did not answer (`drretail run … --retry spoiled` repeats them); "
        "1 not made yet.",
        "Without gold nobody knows what is right to buy: `drretail run` adds that of its questions when all runs have "
        "ended, `drretail score EXP --queries FILE.jsonl` adds what FILE.gold.jsonl says.",
    ]
    assert [(row.system, row.failed) for row in made.rows] == [(B, {"N_supported": 1, "overall": 2}), (A, {})]
    spoiled = "2 of 4 runs are spoiled by a server or a provider: `drretail run … --retry spoiled`"
    assert f"1 of 2 runs of {A} failed. 1 of 4 runs is not made yet. {spoiled}" in made.sentence
    assert "of 1 run" not in made.sentence, "of a run that has not ended nobody says that it failed"
    lost = tuple(replace(plan, status="failed", report_sha=None) for plan in plans)
    assert "failed." not in board(replace(held, plans=lost), *rows).sentence, "nothing is left to compare"


def test_claims_that_nobody_judged_are_counted_and_a_name_that_two_columns_share_is_told_apart(held: Gathered) -> None:
    cited = [row("faithfulness", "FP", None, n_scored=0, system=label, items={"claims": 2}) for label in (A, B)]
    sentence = "None of 4 cited claims is judged yet: nothing is known of faithfulness."
    assert sentence in board(held, *cited).sentence
    judged = [cited[0], row("faithfulness", "FP", 1, system=B, items={"claims": 2, "scored": 1})]
    assert "is judged yet" not in board(held, *judged).sentence
    metrics = {
        "mine": MetricDescription(title="M", named_by_variant=True, scoreboard=(BoardColumn(variant="FP"),)),
        "FP": MetricDescription(title="O", scoreboard=(BoardColumn(variant="FP"), BoardColumn(variant="words"))),
    }
    values = [row(metric, variant) for metric, variant in (("mine", "FP"), ("FP", "FP"), ("FP", "words"))]
    names = [column.name for column in board(held, *values, metrics=metrics).columns]
    assert names == ["mine FP", "own FP", "FP words", "done", "words", "tokens", "$"]

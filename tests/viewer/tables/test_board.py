"""The board: what can be concluded, and its tables. about_words: tests/viewer/page/test_overview.py."""

from collections.abc import Callable
from typing import Any

import pytest

from drretail.eval.numbers.wording import conclusion
from drretail.eval.registry import METRICS, load_metric, metric_description
from drretail.records.base import OfJudge
from drretail.records.comparison import ComparedRow
from drretail.records.score import BoardCell, Scoreboard, Scores, ShownColumn
from drretail.viewer.drawing.markup import latex_of
from drretail.viewer.drawing.table import csv_of
from drretail.viewer.published import published
from drretail.viewer.sections import board_details, board_parts
from drretail.viewer.tables.board import BoardTables
from tests.build import known, measure
from tests.cli.commands import ROOT
from tests.viewer.scores import board, cell

Print = Callable[..., str]
AGENTS = ("plan_to_function", "react", "hybrid_react")
MANY = [f"{agent}{web}-researchers{count}@m" for agent in AGENTS for web in ("", "+ws") for count in (2, 3)]
TWO = ["hybrid_react-researchers2@m", "react@m"]


def columns() -> list[ShownColumn]:
    """Those of the shipped metrics, as a board has them."""
    made = [
        ShownColumn.model_validate(
            {
                **dict(column),
                "name": column.variant,
                "metric": metric,
                "unit": "count"
                if column.variant in metric_description(metric).counts
                else metric_description(metric).scale,
            }
        )
        for metric in ("basket", "false_statements", "faithfulness", "quality")
        for column in metric_description(metric).scoreboard
    ]
    done = ShownColumn(name="done", is_brief=True, decides=True, is_counted=True)
    tokens = ShownColumn(name="tokens", is_brief=True, unit="tokens", decides=True)
    return [*made, done, ShownColumn(name="words", unit="words", decides=True), tokens]


def variants() -> list[tuple[str, str]]:
    """All variants of the shipped metrics, each with its metric."""
    return [(name, variant) for name in METRICS for variant in load_metric(name).variants]


def cells(at: int, **changed: float) -> dict[str, BoardCell]:
    """A system's cells: ``at`` more wrong than right, of ten; each value may be ``changed``."""
    made: dict[str, BoardCell] = {}
    usual = {"share": 0.9, "rating": 6.5, "count": 20.0, "words": 400.0, "tokens": 47_700.0}
    for column in columns():
        value = changed.get(column.name, 1.0 if column.name == "done" else usual[column.unit])
        value -= at / 100 if column.metric in ("faithfulness", "quality") and at > 1 else 0
        counts: dict[str, Any] = {"count": round(10 * value)} if column.is_counted else {}
        if column.name == "right":
            counts = {"count": 10 - at, "parts": {"can be bought": (9 - at, 9), "can't": (1, 1)}}
            value = (10 - at) / 10
        made[column.name] = cell(value, 10, variant=column.variant, ci_low=value / 2, ci_high=value, **counts)
    return made


def made(labels: list[str], *compared: ComparedRow, **more: Any) -> Scoreboard:
    rows = {label: cells(at) for at, label in enumerate(labels)}
    for label, each in more.pop("rows", {}).items():
        rows[label] = each
    return board(rows, *compared, columns=tuple(columns()), **more)


def of(shown: Scoreboard) -> Scores:
    return Scores(scores=(), judgings=(), scoreboard=shown)


OVERALL = measure("overall", "undecided", labels=("hybrid_react-researchers2@m", "react@m"), difference=0.9, p=0.2)
TESTED = (OVERALL.model_copy(update={"ci_low": -0.7, "ci_high": 2.5}),)


def test_the_terminal_has_26_lines_for_two_and_48_for_twelve_at_100_columns(printed: Print) -> None:
    floors = {"null_search": cells(8), "oracle": cells(0)}
    about, faults = ["10 questions", "demo shop"], ["✗ react false: “x”", "✗ react failed: timeout"]
    for labels, most in ((TWO, 26), (MANY, 48)):
        shown = made(labels, *(TESTED if labels is TWO else ()), rows=floors, sentence="No difference is shown.")
        for width in (100, 80):
            lines = printed(width, board_parts, of(shown), about, faults).splitlines()
            assert max(map(len, lines)) <= width
            assert len(lines) <= most if width == 100 else 3 * most, "\n".join(lines)
            text = "\n".join(lines)
            for part in (
                "10 questions, demo shop.",
                "No difference is shown.",
                "10/10",
                "null_search",
                "oracle",
                "48k",
            ):
                assert part in text, part
            assert text.count("System ") in (2, 3), "the dimensions are a table of their own"


def test_a_number_a_cell_with_its_interval_apart_and_a_difference_in_a_row_of_its_own() -> None:
    decision, faithfulness, quality = BoardTables(made(TWO, *TESTED)).tables
    assert [table.title for table in (decision, faithfulness, quality)] == [
        "Decision",
        "Table 1. Faithfulness",
        "Table 2. Quality, 0 to 10",
    ]
    names = [column.name for column in decision.columns]
    assert names == ["right", "95%", "on 9 that can be bought", "on 1 that can't", "false_answers", "tokens"]
    rows = {row.name: [each and each.text for each in row.cells] for row in decision.rows}
    assert rows == {
        "hybrid_react-researchers2": ["10 of 10", "50–100%", "9", "1", "9 of 10", "48k"],
        "react": ["9 of 10", "45–90%", "8", "1", "9 of 10", "48k"],
        "hybrid_react-researchers2 − react": ["+1", None, "+1", "0", "0", "0.0k"],
    }
    assert decision.rows[-1].name.startswith("hybrid_react"), "the same order on a terminal"
    assert [row.name for row in BoardTables(made(TWO, *TESTED, rows={"oracle": cells(0)})).brief.rows] == [
        "hybrid_react-res…",
        "react",
        "hybrid… − react",
        "oracle",
    ]
    tested = known(quality.rows[-1].cells[[column.name for column in quality.columns].index("overall")])
    assert (tested.text, tested.interval) == ("+0.90", "-0.70 to 2.50")
    assert [each.interval for each in faithfulness.rows[0].cells if each] == [""] * 7


def test_what_lacks_a_value_is_counted_below_and_one_system_stands_beside_floor_and_oracle() -> None:
    part = {"react@m": cells(0) | {"FP": cell(0.5, 17, n_scored=3)}}
    bounds = {"null_empty": cells(9), "null_search": cells(8), "oracle": cells(0)}
    decision, faithfulness, _ = BoardTables(made([], rows=part | bounds)).tables
    assert [row.name for row in decision.rows] == ["react@m", "null_search", "oracle"], "the best floor alone"
    first = known(faithfulness.rows[0].cells[0])
    assert (first.text, first.counts) == ("0.50", "3 of 17")
    bounded = BoardTables(made(TWO, rows=bounds)).bounded
    assert {row.name for row in bounded.rows} == {*bounds}


def test_the_same_tables_are_in_every_form_with_the_papers_numbers_on_request(printed: Print) -> None:
    shown = made(TWO, *TESTED)
    tables, paper = BoardTables(shown, full=True).tables, BoardTables(shown, paper=True).tables
    details = printed(100, board_details, of(shown))
    for text in (latex_of(tables), csv_of(tables), details):
        for title in ("Decision", "Table 1. Faithfulness", "Table 2. Quality, 0 to 10"):
            assert title in text
    assert latex_of(paper).count(r"\begin{tabular*}{\textwidth}") == 3
    assert "right,right low,right high,right n" in csv_of(tables)
    assert "hybrid_react-researchers2@m,1.0,0.5,1.0,10" in csv_of(tables)
    rows = [row.name for row in paper[1].rows if row.place == "paper"]
    assert rows[2] == "react (paper)"
    assert len(rows) == 6
    for part in ("right: share of runs", "Cost, per run"):
        assert part in details, part


NAMES = {"a@m": "a", "b@m": "b", "null_empty": "null_empty"}
FLOOR = measure("right", "undecided", labels=("a@m", "null_empty"))
FEW = measure("right", "too_few", n_users=3)
UNREAD = measure("FP", "not_read", why="p:m does not read", difference=None)
MISSING = measure("FP", "missing", why="3 of 10 queries lack a value")
ENDS: dict[str, Any] = {"ci_low": 0.1, "ci_high": 0.4}
HIGHER = measure("FP", "higher", **ENDS)
ABOVE = measure("right", "higher", labels=("a@m", "null_empty"), **ENDS)
SEVEN = "No difference is shown. The judge preferred a 7 : 3."
BETTER = "shown to be better than the best floor, null_empty."
PREFERRED = measure("preference", "undecided", difference=0.4, mean_a=0.7, mean_b=0.3)
OPEN = measure("right", "undecided", n_needed=117, n_needed_low=80, n_needed_high=200, apart=0.1)


CONCLUDED: list[tuple[list[ComparedRow], list[ComparedRow], str]] = [
    ([HIGHER, OPEN], [], "a is above b in FP (+0.25, +0.10 to +0.40, n = 10)."),
    (
        [OPEN],
        [],
        "No difference is shown. To show a true difference of 0.10 takes about 120 queries (80 to 200) in right; "
        "10 were asked.",
    ),
    ([PREFERRED], [], SEVEN),
    ([PREFERRED.turned], [], SEVEN),
    ([FEW], [], "3 users are too few for any conclusion; 5 is the minimum."),
    ([MISSING], [], "Not comparable in FP: a − b (3 of 10 queries lack a value)."),
    ([UNREAD], [], "Not read: FP (p:m does not read)."),
    ([], [FLOOR], f"a is not {BETTER}"),
    ([PREFERRED], [FLOOR, FLOOR], f"{SEVEN} No system is {BETTER}"),
    ([], [ABOVE], "a is above the best floor, null_empty, in right (+0.25, +0.10 to +0.40, n = 10)."),
    ([], [], ""),
]


def test_what_can_be_concluded_is_one_sentence() -> None:
    for rows, floors, sentence in CONCLUDED:
        assert conclusion(rows, floors, NAMES) == sentence


@pytest.mark.parametrize("measured", [None, "faithfulness"])
def test_support_by_rules_is_not_rated_whatever_else_was_measured(measured: str | None) -> None:
    rules = OfJudge(judge="offline:judge", judge_kind="rule_based")
    claims = tuple(column for column in columns() if measured in (None, column.metric))
    shown = BoardTables(board({TWO[0]: cells(0)}, columns=claims, judge=rules))
    (table,) = (table for table in shown.tables if table.title == "Table 1. Faithfulness")
    assert [column.name for column in table.columns] == ["N_cited", "N_web", "N_product"]
    assert "FP" not in [column.name for column in shown.brief.columns]
    assert shown.absent[0].startswith("FP, FP_web, FP_product and FR: not rated (rule-based). Numbers need")


def test_a_table_of_the_paper_keeps_its_columns_equal_or_without_a_value_and_has_the_papers_numbers() -> None:
    """On page, LaTeX and CSV alike, which draw these tables."""
    labels = [f"s{number}" for number in range(6)]
    held = made(labels)
    same = [row.model_copy(update={"cells": {**cells(0)}}) for row in held.rows]
    judged = OfJudge(judge="p:m", judge_kind="llm", rules="paper")
    few = tuple(column for column in held.columns if column.name not in ("FP_web", "depth"))
    ruled = OfJudge(judge="offline:judge", judge_kind="rule_based", rules="paper")
    for judge in (judged, ruled):
        tables = BoardTables(held.model_copy(update={"judge": judge, "columns": few, "rows": tuple(same)})).tables
        for title, metric in (("Table 1. Faithfulness", "faithfulness"), ("Table 2. Quality, 0 to 10", "quality")):
            (table,) = (table for table in tables if table.title == title)
            assert [column.name for column in table.columns] == published()[metric]["columns"]
            papers = [row for row in table.rows if row.place == "paper"]
            assert len(papers) == 6
            assert all(cell is not None for row in papers for cell in row.cells)
            text = csv_of([table]) + latex_of([table])
            assert text.startswith(f'"{table.full_title}"\n')
            assert text.count("hybrid_react+ws (paper)") or "hybrid\\_react+ws (paper)" in text
    (fp,) = {row.cells[0] for row in tables[1].rows if row.place == "system"}
    assert fp is None, "by rules"


def test_a_number_has_one_name_on_terminal_page_csv_latex_in_docs_and_as_a_key() -> None:
    """Each from one table: the variants of the shipped metrics' descriptions."""
    docs = (ROOT / "docs" / "scores.md").read_text()
    names = {metric_description(metric).name_of(metric, variant) for metric, variant in variants()}
    assert {"overall", "average", "insight", "constraints", "personalization", "N_product", "false_answers"} <= names
    shown = BoardTables(made(TWO))
    heads = {column.name for table in shown.tables for column in table.columns}
    told = {column.name for column in columns() if column.metric}
    assert told <= names
    assert told <= heads
    assert {column.name for column in shown.brief.columns} <= heads | {"tokens"}
    text = csv_of(shown.tables)
    assert all(name in text and name.replace("_", "\\_") in latex_of(shown.tables) for name in told)
    assert {name for name in told if f"`{name}`" not in docs} == set()
    assert {name for key in ("faithfulness", "quality") for name in published()[key]["columns"]} <= names

"""The scoreboard of a page: ranks, and differences from a baseline that the reader chooses."""

import re

from drretail.records.comparison import ComparedMeasure, Outcome
from drretail.records.score import ShownColumn
from drretail.viewer.page.outcomes import page_board
from drretail.viewer.tables.scoreboard import board_table
from tests.build import measure
from tests.viewer.scores import FP, board, cell

SYSTEMS = ("a@m", "b@m", "c@m")


def of_three() -> ComparedMeasure:
    """Only the difference of a and c is more than chance."""
    rows: dict[tuple[str, str], Outcome] = {
        ("a@m", "c@m"): "higher",
        ("a@m", "b@m"): "undecided",
        ("b@m", "c@m"): "undecided",
    }
    pairs = tuple(
        measure("feasible", outcome, labels=labels, difference=0.2, ci_low=0.1, ci_high=0.3).pairs[0]
        for labels, outcome in rows.items()
    )
    return ComparedMeasure(measure="feasible", pairs=pairs)


def test_what_decides_comes_first_and_who_is_not_told_apart_shares_ranks() -> None:
    columns = (
        FP,
        ShownColumn(name="FR", metric="faithfulness", variant="FR"),
        ShownColumn(name="feasible", decides=True),
    )
    cells = {name: {"feasible": cell(0.5), "FP": cell(1), "FR": cell(1)} for name in SYSTEMS}
    made = board(cells, of_three(), columns=columns)
    shown = page_board(made, board_table(made), [])
    names = [column.name for column in shown.table.columns]
    assert names == ["feasible", "difference in feasible", "rank", "FP", "FR"]
    assert [names[at] for at in shown.rest] == ["FR"]
    assert [row.cells[2].text for row in shown.table.rows if row.cells[2]] == ["1–2", "1–3", "2–3"]


def test_a_difference_stands_there_for_each_baseline_with_its_sign_and_the_best_ones_is_seen() -> None:
    made = board({name: {"FP": cell(1)} for name in SYSTEMS}, of_three())
    shown = page_board(made, board_table(made), [])
    assert list(shown.baselines) == list(SYSTEMS)
    column = [column.name for column in shown.table.columns].index("difference in feasible")
    (drawn,) = (each.html for row in shown.table.rows if row.label == "c@m" and (each := row.cells[column]))
    found = re.findall(r'data-base="(.)@m"(?: data-value="([-.\d]+)")?( hidden)?', drawn)
    assert found == [("a", "-0.2000", ""), ("b", "-0.2000", " hidden"), ("c", "", " hidden")]
    assert drawn.count("s0 hollow") == 1, "a full dot is more than chance"

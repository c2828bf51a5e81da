"""The picture of the board's headlines."""

import re

from drretail.records.comparison import ComparedRow
from drretail.records.score import NeedFloor, ShownColumn
from drretail.viewer.page.picture import Headline, headlines
from drretail.viewer.tables.board import BoardTables
from tests.viewer.scores import FP, board, cell

RIGHT = ShownColumn(name="right", metric="basket", variant="right", decides=True, is_counted=True)
WORDS = ShownColumn(name="words", metric="m", variant="words", unit="words")


def drawn(*systems: str, **fields: object) -> list[Headline]:
    held = {"right": cell(0.9, count=9, ci_low=0.6, ci_high=1.0, variant="right", metric="basket"), "FP": cell(0.5)}
    fp = {"metric": "faithfulness", "variant": "FP", "n_planned": 10, "n_pairs": 10, "p": 0.2, "tests": 1, "name": "FP"}
    rows = [
        ComparedRow.model_validate({"a": a, "b": systems[0], "difference": 0.1, "ci_low": -0.3, "ci_high": 0.5} | fp)
        for a in systems[1:]
    ]
    words = {"words": cell(80, variant="words", metric="m")}
    cells = dict.fromkeys(systems, held | words)
    made = board(cells, *rows, columns=(RIGHT, FP, WORDS), **fields)
    return [*headlines(BoardTables(made, full=True))]


def places(line: str) -> list[float]:
    return [float(number) for number in re.findall(r'(?:cx=|class="ends" d="M)"?([\d.]+)', line)]


def test_a_headline_has_a_line_for_each_system_and_its_difference_beside_zero() -> None:
    right, fp = drawn("a@m", "b@m")
    assert (right.name, right.scale, [line.number.text for line in right.lines]) == (
        "right",
        "0 to 1; differences to ±0.1",
        ["9 of 10"] * 2,
    )
    assert places(right.lines[0].drawn) == [77, 113], "the ends begin at .6, and the dot is at .9 of 5 to 125"
    assert (fp.scale, [bool(line.difference) for line in fp.lines]) == ("0 to 1; differences to ±0.5", [False, True])
    assert "no difference" in fp.lines[1].drawn_difference
    assert 'aria-label="+0.10, 95% interval -.30 to .50"' in fp.lines[1].drawn_difference


def test_a_system_has_one_mark_in_all_headlines_also_behind_one_without_a_value() -> None:
    right = cell(0.9, count=9, variant="right", metric="basket")
    made = board(
        {"a@m": {"right": right}, "b@m": {"right": right, "FP": cell(0.5)}},
        columns=(RIGHT, FP.model_copy(update={"is_counted": True, "decides": True, "table": ""})),
    )
    marks = [
        [(line.name, line.drawn.split("mark-")[1][0]) for line in each.lines]
        for each in headlines(BoardTables(made, full=True))
    ]
    assert marks == [[("a", "0"), ("b", "1")], [("b", "1")]]


def test_of_many_systems_the_first_headline_is_drawn_with_what_luck_gives_and_what_has_no_scale_is_not() -> None:
    floor = NeedFloor(name="without the web", value=0.25, n=10, n_asked=10, needing=0.14, n_needing=5)
    (right,) = drawn(*(f"{name}@m" for name in "abcde"), needs=(floor,))
    assert right.dotted == ("by luck without the web: 0.25, 0.14 on the 5 that need it",)
    assert all("<title>0.25, 0.14 on the 5 that need it</title>" in line.drawn for line in right.lines)
    assert len({line.drawn.split("mark-")[1][0] for line in right.lines[:4]}) == 4

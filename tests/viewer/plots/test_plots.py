"""What plots show: every value in its place, hostile names as text, and nothing of a judge who says nothing."""

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drretail.records.score import Scoreboard, ShownColumn
from drretail.records.tables.table import Cell
from drretail.viewer.plots.drawing import (
    CHARACTER,
    SERIES,
    Plot,
    Point,
    dot_plot,
    frontier,
    scale,
    stacked_bars,
)
from drretail.viewer.plots.experiment_plots import cost_plot, file_name, write_plots
from tests.viewer.scores import FP, board, cell

HOSTILE = '</svg><script>alert("x")</script>&\u202e'


def _parsed(plot: Plot) -> ElementTree.Element:
    return ElementTree.fromstring(plot.standalone())


def _texts(plot: Plot) -> list[str]:
    return [each.text or "" for each in _parsed(plot).iter("{http://www.w3.org/2000/svg}text")]


def _board(**values: tuple[float, float]) -> Scoreboard:
    """By system its share and its tokens."""
    cells = {
        system: {"FP": cell(value, 5, ci_low=value - 0.1, ci_high=value + 0.1), "tokens": cell(tokens, 5)}
        for system, (value, tokens) in values.items()
    }
    return board(cells, columns=(FP, ShownColumn(name="tokens", unit="tokens", meaning="read and written")))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
@example([6.0, -5e-324])
def test_every_value_stands_between_the_ends_of_its_scale_in_order(values: list[float]) -> None:
    for made in (scale(values, 10, 200), scale(values, 10, 200, least=None)):
        assert made.low <= min(values)
        assert max(values) <= made.high
        assert 2 <= len(made.ticks) <= 12
        places = [made.at(value) for value in sorted(values)]
        assert places == sorted(places)
        assert all(10 <= place <= 200 for place in places)


def test_a_dot_stands_where_its_value_is_and_series_differ_in_shape() -> None:
    plot = dot_plot("x", "FP", "A share.", {"a": [Cell(0.5, "number", 0, 1)]})
    marks = {tick: float(x) for x, tick in re.findall(r'<text x="([\d.]+)"[^>]*>(0|1)</text>', plot.body)}
    dot = float(re.search(r'<circle cx="([\d.]+)"', plot.body)[1])  # type: ignore[index]
    assert dot == pytest.approx((marks["0"] + marks["1"]) / 2, abs=0.2)
    assert "a: 0.5 [0 to 1]" in plot.body
    assert "0.50" in _texts(plot)

    dots = tuple(Cell(each / 10) for each in range(4))
    plot = dot_plot("x", "Calls", "", {"tool": dots}, series=["a", "b", "c", "d"])
    assert {"a", "b", "c", "d"} <= {*_texts(plot)}
    for at in range(4):
        assert plot.body.count(f'<g class="s{at}">') == 2
    assert len({*SERIES}) == 8


def test_a_value_over_fewer_reports_is_hollow_with_their_number_beside_it() -> None:
    whole, part = Cell(0.5, "number", n=11, planned=11), Cell(1.0, "number", 0.9, 1, n=1, planned=11)
    points = [Point("a", 1, whole), Point("b", 2, part)]
    for plot in (
        dot_plot("x", "FP", "A share.", {"a": [whole], "b": [part]}),
        dot_plot("x", "FP", "", {"a": [whole, part]}, series=["one", "other"]),
        frontier("x", "FP", "", points, x_name="$", y_name="FP"),
    ):
        assert plot.body.count(" hollow") == 1
        assert ", 1 of 11</title>" in plot.body
        assert " that a value is over." in plot.caption
        assert "Hollow: some runs have no value." in plot.caption
    assert "hollow" not in dot_plot("x", "FP", "", {"a": [whole]}).body


def test_cost_leaves_floors_out_and_joins_what_nothing_beats_for_less() -> None:
    assert cost_plot(_board(react=(0.8, 9e3), null_search=(0.2, 1))) is None
    plot = cost_plot(_board(react=(0.8, 9e3), hybrid_react=(0.9, 90e3), plan_to_function=(0.7, 50e3)))
    assert plot is not None
    assert "react: FP 0.8, thousand tokens a run 9" in plot.body
    assert plot.body.count('class="floor"') == 1, "from react to hybrid_react"


def test_points_that_are_near_each_other_keep_their_names_apart() -> None:
    points = [Point(f"system {each}", 10.0 + each / 100, Cell(0.5)) for each in range(6)]
    plot = frontier("x", "t", "c", points, x_name="x", y_name="y")
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>system \d', plot.body)
    places = [(float(x), float(y)) for x, y in found]
    assert len(places) == 6
    for (x, y), (other_x, other_y) in combinations(places, 2):
        assert abs(y - other_y) >= 12 or abs(x - other_x) > 8 * CHARACTER


def test_shares_are_bars_that_fill_the_row() -> None:
    rows = {"depth": (Cell(0.6, n=10), {"win": 0.6, "tie": 0.1, "loss": 0.3})}
    plot = stacked_bars("x", "A and B", "So.", rows, ("A preferred", "B preferred"), "pair")
    assert {"depth n=10", "60%", "30%", "A preferred", "B preferred"} <= {*_texts(plot)}
    bars = [each for each in _parsed(plot).iter("{http://www.w3.org/2000/svg}rect") if each.get("class")]
    widths = [float(bar.get("width", 0)) for bar in bars]
    assert widths[0] == pytest.approx(2 * widths[2], abs=0.2)


def test_hostile_names_are_text_in_images_and_no_part_of_a_path() -> None:
    plot = dot_plot(file_name(f"../../{HOSTILE}"), HOSTILE, HOSTILE, {HOSTILE: [Cell(1)]})
    assert "<script" not in plot.standalone()
    assert "<script" not in plot.svg
    assert _parsed(plot) is not None
    assert re.fullmatch(r"[A-Za-z0-9-]+", plot.name)


def test_plots_are_written_as_svg(tmp_path: Path) -> None:
    (written,) = write_plots([dot_plot("one", "FP", "A share.", {"a": [Cell(0.5)]})], tmp_path / "plots")
    assert written == tmp_path / "plots" / "one.svg"
    assert written.read_text(encoding="utf-8").startswith("<svg")

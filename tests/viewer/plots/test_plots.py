"""What plots show: every value in its place, hostile names as text, and nothing of a judge who says nothing."""

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drretail.records.score import MetricDescription, Scoreboard, ShownColumn
from drretail.records.tables.table import Cell
from drretail.viewer.plots.drawing import (
    CHARACTER,
    SERIES,
    WIDTH,
    Plot,
    Point,
    close_scale,
    curve_plot,
    dot_plot,
    scale,
    scatter,
    write_plots,
)
from drretail.viewer.plots.experiment_plots import (
    cost_plot,
    file_name,
    headline_plots,
    metric_plots,
    whole_plots,
)
from tests.build import systems
from tests.viewer.scores import FP, board, cell, score

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
    for made in (scale(values, 10, 200), close_scale(values, 10, 200)):
        assert made.low <= min(values)
        assert max(values) <= made.high
        assert 2 <= len(made.ticks) <= 12
        places = [made.at(value) for value in sorted(values)]
        assert places == sorted(places)
        assert all(10 <= place <= 200 for place in places)


def test_a_dot_stands_where_its_value_is_and_series_differ_in_shape() -> None:
    plot = dot_plot("x", "FP", "A share.", {"a": [Cell(0.5, "number", 0.25, 0.75)]}, whole=(0, 1))
    marks = {tick: float(x) for x, tick in re.findall(r'<text x="([\d.]+)"[^>]*>(0|1)</text>', plot.body)}
    dot = float(re.search(r'<circle cx="([\d.]+)"', plot.body)[1])  # type: ignore[index]
    assert dot == pytest.approx((marks["0"] + marks["1"]) / 2, abs=0.2)
    assert "a: 0.5 [0.25 to 0.75]" in plot.body
    assert "0.50" in _texts(plot)

    dots = tuple(Cell(each / 10) for each in range(4))
    plot = dot_plot("x", "Calls", "", {"tool": dots}, series=["a", "b", "c", "d"])
    assert {"a", "b", "c", "d"} <= {*_texts(plot)}
    for at in range(4):
        assert plot.body.count(f'<g class="s{at}">') == 2
    assert len({*SERIES}) == 8


def test_a_value_over_fewer_reports_is_hollow_with_their_number_beside_it() -> None:
    whole, part = Cell(0.5, "number", n=11, planned=11), Cell(1.0, "number", 0.9, 1, n=1, planned=11)
    rows = {"a": [whole], "b": [part]}
    points = [Point("a", 1, whole), Point("b", 2, part)]
    curves = {"a": [(1.0, whole), (2.0, part)]}
    for plot in (
        dot_plot("x", "FP", "A share.", rows, bounds={"floor": part}),
        dot_plot("x", "FP", "", {"a": [whole, part]}, series=["one", "other"]),
        scatter("x", "FP", "", points, x_name="$", y_name="FP"),
        curve_plot("x", "FP", "", curves, ticks={1: "1", 2: "2"}, x_name="tokens", y_name="FP"),
    ):
        assert plot.body.count(" hollow") == 1
        assert "1/11" in " ".join(_texts(plot))
        assert ", 1/11</title>" in plot.body
        assert "n=11" in " ".join(_texts(plot)) or ", n=11</title>" in plot.body
        assert " that a value is over." in plot.caption
        assert "Hollow: over fewer" in plot.caption
    assert "hollow" not in dot_plot("x", "FP", "", {"a": [whole]}).body


def test_floors_are_grey_ticks_and_no_rows_and_cost_leaves_them_out() -> None:
    (plot,) = headline_plots(_board(react=(0.8, 9e3), null_search=(0.3, 0), oracle=(0.9, 0)))
    assert plot.body.count('class="floor"') == 2
    assert "Grey ticks: null_search 0.30 n=5; oracle 0.90 n=5." in plot.caption
    assert _texts(plot)[1:3] == ["null_search", "oracle"], "above their ticks"
    assert "Share of claims that hold." in plot.caption

    assert cost_plot(_board(react=(0.8, 9e3), null_search=(0.2, 1))) is None
    plot = cost_plot(_board(react=(0.8, 9e3), hybrid_react=(0.9, 90e3)))
    assert plot is not None
    assert "react: FP 0.8, thousand tokens a run 9" in plot.body


def test_points_that_are_near_each_other_keep_their_names_apart() -> None:
    points = [Point(f"system {each}", 10.0 + each / 100, Cell(0.5)) for each in range(6)]
    plot = scatter("x", "t", "c", points, x_name="x", y_name="y")
    assert all(name in _texts(plot) for name in ("1", "6", "1 system 0", "6 system 5")), "many are numbered"
    plot = scatter("x", "t", "c", points[:4], x_name="x", y_name="y")
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>system \d', plot.body)
    places = [(float(x), float(y)) for x, y in found]
    assert len(places) == 4
    for (x, y), (other_x, other_y) in combinations(places, 2):
        assert abs(y - other_y) >= 12 or abs(x - other_x) > 8 * CHARACTER


def test_a_metric_is_drawn_in_the_parts_that_it_names_and_by_the_board_s_judge_alone() -> None:
    rows = ("x", 0.5, "a:judge"), ("y", 0.6, "a:judge"), ("x", 0.1, "other:judge")
    scores = [score("react@m", variant, metric="mine", value=value, judge=judge) for variant, value, judge in rows]
    metrics = {
        "mine": MetricDescription(title="Mine", plots={"Mine in parts": ("x", "y")}),
        "none": MetricDescription(title=""),
    }
    (plot,) = metric_plots(_board(react=(0.8, 9e3)), scores, metrics)
    assert (plot.title, plot.caption) == ("Mine in parts", "n: planned runs that a value is over.")
    assert "react@m: 0.5" in plot.body
    assert "react@m: 0.1" not in plot.body
    by_code = [row.model_copy(update={"judge": "code"}) for row in scores[:2]]
    assert [plot.title for plot in metric_plots(_board(react=(0.8, 9e3)), by_code, metrics)] == ["Mine in parts"]
    scores[1] = scores[1].model_copy(update={"ci_low": 0.4, "ci_high": 0.8})
    (plot,) = metric_plots(_board(react=(0.8, 9e3)), scores, metrics)
    assert plot.caption == "Lines: 95% intervals over users. n: planned runs that a value is over."


def test_hostile_names_are_text_in_images_and_no_part_of_a_path() -> None:
    plot = dot_plot(file_name(f"../../{HOSTILE}"), HOSTILE, HOSTILE, {HOSTILE: [Cell(1)]}, bounds={HOSTILE: Cell(0)})
    assert "<script" not in plot.standalone()
    assert "<script" not in plot.svg
    assert _parsed(plot) is not None
    assert re.fullmatch(r"[A-Za-z0-9-]+", plot.name)


def test_plots_are_written_as_svg(tmp_path: Path) -> None:
    (written,) = write_plots([dot_plot("one", "FP", "A share.", {"a": [Cell(0.5)]})], tmp_path / "plots")
    assert written == tmp_path / "plots" / "one.svg"
    assert written.read_text(encoding="utf-8").startswith("<svg")


def test_a_curve_has_a_tick_a_setting_a_legend_and_a_line_through_its_marks() -> None:
    points = ((32e3, Cell(60, "number", 50, 70)), (128e3, Cell(40)), (512e3, Cell(20, "number", 10, 30)))
    curves = {"react": points, "dr3": points[:1]}
    ticks = {32e3: "32k", 128e3: "128k", 512e3: "512k"}
    plot = curve_plot("size", "FP against size", "So.", curves, ticks=ticks, x_name="tokens", y_name="FP")
    assert {"32k", "128k", "512k", "react", "dr3", "tokens", "FP"} <= {*_texts(plot)}
    lines = [each for each in _parsed(plot).iter("{http://www.w3.org/2000/svg}line") if each.get("class") == "s0"]
    assert len(lines) == 2 + 2  # between three marks, and two intervals
    assert all(8 <= float(line.get(name, 0)) <= WIDTH for line in lines for name in ("x1", "x2"))


def test_shares_of_a_whole_are_a_bar_a_system_and_name_their_colours() -> None:
    made = [
        score(system, variant, metric="places", value=value)
        for system, shares in (("a", (0.25, 0.75, 0)), ("b", (0.5, 0.5, 0)), ("null_empty", (1, 0, 0)))
        for variant, value in zip(("lost", "made_up", "unknown"), shares, strict=True)
    ]
    metric = MetricDescription(title="Places", wholes={"Where": ("lost", "made_up", "unknown")})
    (plot,) = whole_plots(made, {"places": metric}, systems(["a", "b", "null_empty"]))
    texts = _texts(plot)
    assert {"a n=10", "b n=10", "25%", "75%", "50%", "lost", "made up"} <= {*texts}
    assert not {"unknown", "null_empty n=10"} & {*texts}
    assert plot.caption.endswith("n: planned runs that a value is over.")
    bars = [each for each in _parsed(plot).iter("{http://www.w3.org/2000/svg}rect") if each.get("class")]
    widths = [float(bar.get("width", 0)) for bar in bars]
    assert widths[0] + widths[1] == pytest.approx(widths[2] + widths[3], abs=0.2)
    assert list(whole_plots(made, {"places": MetricDescription(title="Places")})) == []

"""What plots show: every value in its place, hostile names as text, and nothing of a judge who says nothing."""

import re
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from drretail.records.score import Scoreboard, ShownColumn
from drretail.viewer.plots.drawing import bar_plot, scale
from drretail.viewer.plots.experiment_plots import cost_plot, plot_file_name
from tests.viewer.scores import FP, board, cell

HOSTILE = '</svg><script>alert("x")</script>&\u202e'


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


def test_cost_leaves_floors_out_and_joins_what_nothing_beats_for_less() -> None:
    assert cost_plot(_board(react=(0.8, 9e3), null_search=(0.2, 1))) is None
    plot = cost_plot(_board(react=(0.8, 9e3), hybrid_react=(0.9, 90e3), plan_to_function=(0.7, 50e3)))
    assert plot is not None
    assert "react: FP 0.8, thousand tokens a run 9" in plot.body
    assert plot.body.count('class="floor"') == 1, "from react to hybrid_react"


def test_hostile_names_are_text_in_images_and_no_part_of_a_path() -> None:
    plot = bar_plot(plot_file_name(f"../../{HOSTILE}"), HOSTILE, HOSTILE, {HOSTILE: [1.0]}, [HOSTILE])
    assert "<script" not in plot.svg
    assert ElementTree.fromstring(plot.svg) is not None
    assert re.fullmatch(r"[A-Za-z0-9-]+", plot.name)

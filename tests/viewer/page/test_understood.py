"""How a run understood its question stands with the run, beside what the query's maker typed."""

from pathlib import Path

import pytest

from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from drretail.viewer.page.document import render_page
from tests import build
from tests.build import LABEL, experiment
from tests.viewer.dom import Element, parse

UNDERSTOOD = Wish(wants=(Want(name="nest box", kinds=("birdhouse",), quantity=2),), budget=Money.of(45))
TYPED = Wish(wants=(Want(name="nesting box", kinds=("birdhouse",), must=("<b>cedar</b>",)),))


def page(folder: Path, understood: Wish | None, typed: Wish | None) -> Element:
    run = build.run("q1-r1", "Take it.", understood=understood)
    return parse(render_page(experiment(folder, {LABEL: {"q1-r1": run}}, queries=[build.query(wish=typed)])))


def lists(shown: Element) -> list[list[str]]:
    return [[line.text for line in found.all("li")] for found in shown.all("ul", "wish")]


@pytest.mark.parametrize("typed", [TYPED, None])
def test_the_understood_wish_is_shown_with_its_run(tmp_path: Path, typed: Wish | None) -> None:
    shown = lists(page(tmp_path / "exp", UNDERSTOOD, typed))
    assert shown[0] == ["2 × nest box: of the kind birdhouse", "budget: $45.00 in total"]
    assert shown[1:] == ([["nesting box: of the kind birdhouse; must be <b>cedar</b>"]] if typed else [])

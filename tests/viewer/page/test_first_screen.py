"""A question at a glance where little is known of the picks; tests/cli/test_demo.py has one with all that there is."""

from pathlib import Path

from drretail.experiment import read_definition, read_runs, write_definition
from drretail.records.money import Money
from drretail.records.reading import Pick
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import LABEL, demands, experiment
from tests.viewer.dom import Element, parse
from tests.viewer.experiment import rewrite
from tests.viewer.rendered import render_page


def first_question(folder: Path) -> Element:
    return parse(render_page(folder)).by_id("q1")


def test_an_answer_of_unknown_picks_shows_none_and_unchecked_limits_are_named(mine: Path) -> None:
    (first, *_) = read_runs(mine)
    rewrite(mine, first.model_copy(update={"picks": None}))
    answer = next(first_question(mine).all("article", "answer"))
    assert not list(answer.all("ul", "bought"))
    assert not list(answer.all("p", "kept"))

    definition = read_definition(mine)
    wish = Wish(wants=(Want(name="bird feeder", kinds=("feeder",), rating_min=4.5),), budget=Money.of(30))
    queries = tuple(query.model_copy(update={"wish": wish}) for query in definition.queries)
    write_definition(mine, definition, queries)
    (first, *_) = read_runs(mine)
    rewrite(mine, first.model_copy(update={"picks": (Pick(product="B0TEST0001"),)}))
    assert "bird feeder: of the kind feeder; at least 4.5 stars · budget: $30.00 in total" in first_question(mine).text


def test_claims_that_sources_do_not_bear_out_are_a_click_away(judged: Path) -> None:
    page = parse(render_page(judged))
    links = [a for a in page.by_id("questions").all("a") if "data-claims" in a.attributes]
    assert links
    for link in links:
        ids = link.attributes["data-claims"].split()
        assert link.attributes["href"] == f"#{ids[0]}"
        assert all("none" in page.by_id(each).attributes["class"] for each in ids)
        assert "not supported by" in link.text


def test_the_understood_wish_is_shown_with_its_run(tmp_path: Path) -> None:
    understood = Wish(wants=(Want(name="nest box", kinds=("birdhouse",), quantity=2),), budget=Money.of(45))
    typed = Wish(wants=(Want(name="nesting box", kinds=("birdhouse",), must=demands("<b>cedar</b>")),))
    runs = {"q1-r1": build.run("q1-r1", "Take it.", understood=understood)}
    own = ["2 × nest box: of the kind birdhouse", "budget: $45.00 in total"]
    shown = ['nesting box: of the kind birdhouse; must meet "<b>cedar</b>"']
    for name, wish, lists in (("typed", typed, [own, shown]), ("not", None, [own])):
        folder = experiment(tmp_path / name, {LABEL: runs}, queries=[build.query(wish=wish)])
        found = parse(render_page(folder)).all("ul", "wish")
        assert [[line.text for line in each.all("li")] for each in found] == lists

"""Several experiments of a folder: their table in order of time, and the pages of each."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from drretail.api.options.report import ViewOptions
from drretail.api.view import names_one
from drretail.errors import UserError
from drretail.experiment import entitle
from drretail.files import read_json, write_json
from drretail.viewer.live.app import create_app, parts_of
from drretail.viewer.timeline import experiments_in, overview_of, read_listed
from tests.viewer.browsing import Window, grave_faults
from tests.viewer.dom import parse
from tests.viewer.experiment import keep_scores
from tests.viewer.live.conftest import PORT, TOKEN, Serve, client_of


@pytest.fixture
def several(exp: Path, tmp_path: Path) -> Path:
    """Three experiments: "first", "second" of a day later, and one of other queries."""
    keep_scores(exp, "faithfulness")
    home = tmp_path / "several"
    for day, name in enumerate(("first", "second", "third"), 1):
        shutil.copytree(exp, home / name)
        entitle(home / name, f"The {name}")
        for path in (home / name).glob("runs/*/*/telemetry.json"):
            write_json(path, {**read_json(path), "ended": f"2026-03-0{day}T10:00:00+00:00"})
    document = read_json(home / "third" / "experiment.json")
    document["queries"][0]["text"] = "Another question?"
    write_json(home / "third" / "experiment.json", document)
    (home / "notes").mkdir()
    return home


@pytest.fixture
def browsing(several: Path) -> TestClient:
    return client_of(create_app(parts_of(several, PORT), TOKEN, PORT))


def test_the_latest_stands_first_and_only_what_is_comparable_makes_a_trend(several: Path) -> None:
    assert [path.name for path in experiments_in(several)] == ["first", "second", "third"]
    overview = overview_of([read_listed(path) for path in experiments_in(several)])
    assert [listed.title for listed, _ in overview.rows] == ["The third", "The second", "The first"]
    assert [name for name, _ in overview.columns] == ["FP"]
    figures = [[figure for system in systems for figure in system.figures if figure] for _, systems in overview.rows]
    assert [{len(figure.trend) for figure in each} for each in figures] == [{1}, {2}, {1}]
    assert {figure.change for figure in figures[1]} == {"0.00"}


def test_each_experiment_is_opened_below_its_name_and_keeps_its_own_votes(browsing: TestClient, several: Path) -> None:
    page = parse(browsing.get("/").text)
    assert "/e/second/" in {link.attributes["href"] for link in page.all("a")}
    opened = browsing.get("/e/second/")
    assert opened.status_code == 200
    links = {link.attributes["href"] for link in parse(opened.text).all("a")}
    assert {"/", "/e/second/vote", "query-q1.html"} <= links
    assert browsing.get("/e/second/query-q1.html").status_code == 200
    talk = parse(browsing.get("/e/second/conversation-1.html").text)
    assert talk.by_id("r1-talk")
    assert browsing.get("/e/second/changes").json()["version"]
    assert browsing.get("/e/nowhere/").status_code == 404
    assert browsing.get("/e/second/conversation-999.html").status_code == 404
    named = browsing.post("/e/second/name", data={"name": "Ann", "back": "vote"})
    assert named.headers["location"] == "/e/second/vote"
    given = {"question": "depth", "value": "tie"}
    assert browsing.post("/e/second/vote/1", json=given).json()["kept"] == 1
    assert (several / "second" / "votes" / "ann.jsonl").exists()
    assert not (several / "first" / "votes" / "ann.jsonl").exists()


def test_one_that_can_not_be_read_is_told_in_its_row_and_a_plan_of_votes_is_of_one(several: Path) -> None:
    (several / "first" / "experiment.json").write_text("{}", encoding="utf-8")
    page = client_of(create_app(parts_of(several, PORT), TOKEN, PORT)).get("/")
    assert page.status_code == 200
    assert parse(page.text).text.count("The second") == 1
    assert not names_one(ViewOptions(several))
    with pytest.raises(UserError, match=r"holds several experiments: name one, such as .*first, with --plan"):
        parts_of(several, PORT, 5)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_click_opens_an_experiment_and_its_vote(several: Path, serve: Serve, window: Window, width: int) -> None:
    with serve(several) as address:
        page = window(width)
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert grave_faults(page) == []
        page.get_by_role("link", name="The second").click()
        page.get_by_role("link", name="Compare reports").click()
        page.locator("input[name=name]").fill("Ann")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Begin with comparison 1").click()
        page.locator(".dimension [data-value]").first.click()
        page.locator("#kept", has_text="1").wait_for()
        assert page.locator("#done").text_content() == "0"
        page.get_by_role("link", name="Instructions").click()
        assert "1 answer kept" in page.locator("main").inner_text()

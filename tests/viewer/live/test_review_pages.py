"""The review of queries as pages, mixed with that in the terminal."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from drretail.env.world import World, open_world
from drretail.files import write_lines
from drretail.querygen.reading import read_queries
from drretail.querygen.review.decisions import current_decisions
from drretail.querygen.review.draft import typed_of
from drretail.querygen.review.item import Items
from drretail.querygen.review.records import ReviewLog, read_reviews_of
from drretail.querygen.review.session import Session
from drretail.querygen.revisions import version_of
from drretail.viewer.live.app import create_app, parts_of
from tests.querygen.review.scripted import Clock, Person
from tests.shop import build
from tests.viewer.live.conftest import PORT, TOKEN, client_of
from tests.viewer.voting.agents import QUERIES

YES = {"deep_research": True, "answerable": True, "fits_profile": True}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build(tmp_path_factory.mktemp("review") / "world")) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    write_lines(path, (query.as_line() for query in QUERIES))
    return path


@pytest.fixture
def reviewer(file: Path, world: World) -> TestClient:
    client = client_of(create_app(parts_of(None, PORT, None, (file, world)), TOKEN, PORT))
    client.post("/review/name", data={"name": "Ann B"})
    return client


def sent(number: int = 1, **given: Any) -> dict[str, Any]:
    query = QUERIES[number - 1]
    draft = {"version": version_of(query), "text": query.text, "typed": typed_of(query)}
    return {**draft, "decision": "accept", "answers": YES, **given}


def test_a_query_is_shown_with_all_that_the_terminal_shows(reviewer: TestClient) -> None:
    page = reviewer.get("/review/1").text
    for part in ("The shopper", "Checks", "The cheapest basket", "Typed", QUERIES[0].text, "Does it fit the shopper?"):
        assert part in page
    assert "Does it fit the shopper?" not in reviewer.get("/review/2").text
    assert "&lt;b&gt;here&lt;/b&gt;" in reviewer.get("/review/2").text


def test_a_decision_stands_in_the_file_that_the_terminal_writes(reviewer: TestClient, file: Path, world: World) -> None:
    assert reviewer.post("/review/1", json=sent(note=" clear ")).json() == {"next": 2}
    (review,) = read_reviews_of(file)
    assert (review.reviewer, review.decision, review.note) == ("Ann B", "accept", "clear")
    queries = read_queries(file)
    left = current_decisions(read_reviews_of(file), queries, ()).undecided_by("Ann B", queries)
    assert [it.query_id for it in left] == ["q2", "q3"]
    with closing(ReviewLog(file)) as log:
        person = Person("y", "y", "", "r")
        assert Session(person, Items(world, queries), log, "Ann B", Clock()).review(left[:1]) == 1
    home = reviewer.get("/review").text
    assert "2 of 3 decided" in home
    assert "Go on with query 3" in home
    assert reviewer.post("/review/3", json=sent(3)).json() == {"next": None}


def test_an_accept_with_a_no_is_asked_once_more(reviewer: TestClient, file: Path) -> None:
    given = sent(answers={**YES, "answerable": False})
    assert "Accept it as it is all the same?" in reviewer.post("/review/1", json=given).json()["ask"]
    assert read_reviews_of(file) == ()
    reviewer.post("/review/1", json={**given, "sure": True})
    assert len(read_reviews_of(file)) == 1


def test_an_edit_is_checked_before_it_is_kept(reviewer: TestClient, file: Path) -> None:
    draft = {it: value for it, value in sent().items() if it in ("version", "typed")}
    assert reviewer.post("/review/1/check", json={**draft, "text": QUERIES[0].text}).json() == {"changed": False}
    text = "Which bird feeder suits me, under $25?"
    found = reviewer.post("/review/1/check", json={**draft, "text": text}).json()
    assert found["diff"].endswith("under [-$30?-] {+$25?+}")
    assert [it["title"] for it in found["sections"]] == ["Typed", "Checks", "The cheapest basket"]
    assert read_reviews_of(file) == ()
    reviewer.post("/review/1", json=sent(decision="edit", text=text))
    (review,) = read_reviews_of(file)
    assert review.edit is not None
    assert review.edit.after.text == text


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"decision": "edit"}, "Nothing was changed"),
        ({"decision": "edit", "text": " "}, "The text is empty"),
        ({"decision": "edit", "typed": "{"}, "is no JSON"),
        ({"decision": "edit", "text": "x", "version": "another"}, "changed meanwhile"),
        ({"answers": {"deep_research": True}}, "This is no decision"),
        ({"decision": "perhaps"}, "This is no decision"),
    ],
)
def test_what_makes_no_decision_is_refused_in_a_sentence(
    reviewer: TestClient, file: Path, given: dict[str, Any], why: str
) -> None:
    found = reviewer.post("/review/1", json=sent(**given))
    assert found.status_code in (400, 409)
    assert why in found.text
    assert read_reviews_of(file) == ()


def test_the_same_sent_twice_is_one_decision_and_another_one_takes_its_place(reviewer: TestClient, file: Path) -> None:
    for decision in ("accept", "accept", "reject"):
        reviewer.post("/review/1", json=sent(decision=decision))
    assert [it.decision for it in read_reviews_of(file)] == ["accept", "reject"]
    assert "You have decided to reject it" in reviewer.get("/review/1").text


def test_a_file_that_changed_is_read_again(reviewer: TestClient, file: Path) -> None:
    assert reviewer.get("/review/3").status_code == 200
    write_lines(file, (query.as_line() for query in QUERIES[:2]))
    assert reviewer.get("/review/3").status_code == 404


def test_nobody_reviews_without_a_name(file: Path, world: World) -> None:
    client = client_of(create_app(parts_of(None, PORT, None, (file, world)), TOKEN, PORT))
    assert client.get("/review/1").headers["location"] == "/review"
    assert client.post("/review/1", json=sent()).status_code == 403
    assert read_reviews_of(file) == ()

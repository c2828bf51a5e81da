"""The review of queries as pages, mixed with that by sheets."""

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from drretail.addons.people.review.form import WANT_FIELDS, WISH_FIELDS, cells_of
from drretail.addons.people.review.records import keep_reviews, read_reviews_of
from drretail.env.world import World
from drretail.files import write_lines
from drretail.records.query import Query, version_of
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.addons.live.conftest import client_of
from tests.addons.people.review.scripted import reviewed
from tests.shop import USER
from tests.viewer import agents

FEEDER = Want(name="bird feeder", kinds=("bird feeder",), quantity=2, price_max=Money(amount="40"))
BATH = Want(name="bird bath", kinds=("bird bath",), again=True)
QUERIES = [
    Query(
        query_id="q1",
        user_id=USER,
        text="Which bird feeders suit me, at most $40 each, and which bath?",
        wish=Wish(wants=(FEEDER, BATH), room=True),
        source="test",
    ),
    agents.QUERIES[1],
    agents.QUERIES[2].model_copy(update={"wish": Wish()}),
]
YES = {"deep_research": "yes", "answerable": "yes", "fits_profile": "yes"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    write_lines(path, (query.as_line() for query in QUERIES))
    return path


@pytest.fixture
def reviewer(file: Path, world: World) -> TestClient:
    client = client_of(None, None, (file, world))
    client.post("/name", data={"name": "Ann B", "back": "review"})
    return client


def filled(number: int = 1, /, do: str | None = "accept", **given: str | None) -> dict[str, str]:
    """What the page of a query sends; a field that is None is not sent, as a box that is not checked."""
    query = QUERIES[number - 1]
    every: dict[str, str | None] = {"version": version_of(query), **YES, **cells_of(query), "do": do, **given}
    return {name: cell for name, cell in every.items() if cell is not None}


def want(place: int, **cells: str | None) -> dict[str, str | None]:
    return {f"want.{place}.{name}": cell for name, cell in cells.items()}


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_query_is_shown_with_its_wish_and_a_labelled_field_for_each_part_of_it(reviewer: TestClient) -> None:
    page = reviewer.get("/review/1").text
    parts = ["What it wants", "2 × bird feeder: at most $40.00 a piece", "The cheapest basket"]
    parts += [text for field in (*WANT_FIELDS, *WISH_FIELDS) for text in (field.label, field.meaning)]
    for part in (*parts, "Does it fit the shopper?"):
        assert part in words(page)
    assert 'name="want.1.again" value="yes" checked' in page
    assert 'name="want.0.again" value="yes" aria' in page
    assert "Does it fit the shopper?" not in reviewer.get("/review/2").text
    assert "&lt;b&gt;here&lt;/b&gt;" in reviewer.get("/review/2").text
    assert "<script" not in page


def test_a_decision_stands_in_the_file_into_which_sheets_are_read(reviewer: TestClient, file: Path) -> None:
    kept = reviewer.post("/review/1", data=filled(note=" clear "))
    assert (kept.status_code, kept.headers["location"]) == (303, "/review/2")
    (review,) = read_reviews_of(file)
    assert (review.reviewer, review.decision, review.note) == ("Ann B", "accept", "clear")
    keep_reviews(file, [reviewed(QUERIES[1], "Ann B", "reject")])
    home = reviewer.get("/review").text
    assert "2 of 3 done" in home
    assert "Go on with query 3" in home
    assert reviewer.post("/review/3", data=filled(3)).headers["location"] == "/review"


def test_an_accept_with_a_no_is_asked_once_more(reviewer: TestClient, file: Path) -> None:
    page = reviewer.post("/review/1", data=filled(answerable="no", note="hm")).text
    assert "Accept it as it is all the same?" in page
    assert 'name="answerable" value="no" checked' in page
    assert ">hm</textarea>" in page
    assert read_reviews_of(file) == ()
    reviewer.post("/review/1", data=filled(do="sure", answerable="no"))
    assert len(read_reviews_of(file)) == 1


def test_an_edit_is_checked_before_it_is_kept(reviewer: TestClient, file: Path) -> None:
    assert "Nothing was changed." in reviewer.post("/review/1", data=filled(do="check")).text
    text = f"{QUERIES[0].text.replace('$40', '$20')} Write to me@example.com."
    given = {"text": text, **want(0, price_max="20 USD")}
    page = reviewer.post("/review/1", data=filled(do="check", **given)).text
    assert "<del>$40</del>" in page
    assert "<ins>$20</ins>" in page
    assert "2 × bird feeder: at most $20.00 a piece" in words(page)
    assert "error email_in_text" in words(page)
    assert read_reviews_of(file) == ()
    reviewer.post("/review/1", data=filled(do="edit", **given))
    (review,) = read_reviews_of(file)
    assert review.edit is not None
    assert review.edit.fields == ("text", "wish", "typed_by")
    assert (review.edit.after.text, review.edit.after.typed_by) == (text, "Ann B")


def test_wants_are_added_and_removed_on_the_page_and_kept_with_the_change(reviewer: TestClient, file: Path) -> None:
    page = reviewer.post("/review/1", data=filled(do="add")).text
    assert page.count('<fieldset class="want"') == 3
    given = {**want(2, name="hose", kinds="garden hose; hose"), **want(0, quantity="3")}
    page = reviewer.post("/review/1", data=filled(do="remove 1", **given)).text
    assert re.findall(r'name="want\.(\d)\.name" value="([^"]*)"', page) == [("0", "bird feeder"), ("1", "hose")]
    without_bath = {name: None for name in filled() if name.startswith("want.1.")}
    reviewer.post("/review/1", data=filled(do="edit", **without_bath, **given, room=None, deadline="Friday"))
    (review,) = read_reviews_of(file)
    assert review.edit is not None
    hose = Want(name="hose", kinds=("garden hose", "hose"))
    feeders = FEEDER.model_copy(update={"quantity": 3})
    assert review.edit.after.wish == Wish(wants=(feeders, hose), deadline="Friday")


def test_errors_stand_beside_their_fields_and_what_was_typed_stays(reviewer: TestClient, file: Path) -> None:
    given = {"budget": "much", "text": " ", **want(0, quantity="two", must="sturdy; cheap"), **want(1, kinds="")}
    page = reviewer.post("/review/1", data=filled(do="edit", **given)).text
    for name, error in (
        ("budget", "'much' is no amount with its currency, such as 60 USD."),
        ("text", "Is empty."),
        ("want.0.quantity", "'two' is no whole number."),
        ("want.1.kinds", "Is empty: leaf categories of the shop"),
    ):
        (found,) = re.findall(rf'<p class="problem" id="{re.escape(name)}-error">(.*?)</p>', page)
        assert error in unescape(found)
        assert f'<a href="#{name}">' in page
    assert page.count('aria-invalid="true"') == 4
    assert 'value="sturdy; cheap"' in page
    assert read_reviews_of(file) == ()
    back = reviewer.post("/review/1", data=filled(do="reset", **given)).text
    assert 'name="want.0.quantity" value="2"' in back


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            {"do": "accept", "text": "Another one?"},
            "Was changed, but the decision is accept; decide to edit, or put it back.",
        ),
        ({"do": "edit", "text": "x", "version": "another"}, "has been changed meanwhile"),
        ({"deep_research": None}, "Is empty; it takes yes or no."),
        ({"note": "x" * 4001}, "Has at most 4,000 characters."),
    ],
)
def test_what_makes_no_decision_is_shown_again_with_the_reason(
    reviewer: TestClient, file: Path, given: dict[str, str | None], why: str
) -> None:
    found = reviewer.post("/review/1", data=filled(**given))
    assert found.status_code == 200
    assert why in words(found.text)
    assert read_reviews_of(file) == ()


def test_the_same_sent_twice_is_one_decision_and_another_one_takes_its_place(reviewer: TestClient, file: Path) -> None:
    for decision in ("accept", "accept", "reject"):
        reviewer.post("/review/1", data=filled(do=decision))
    assert [each.decision for each in read_reviews_of(file)] == ["accept", "reject"]
    assert "You have decided to reject it" in reviewer.get("/review/1").text
    reviewer.post("/review/1", data=filled(do="edit", **want(0, quantity="5")))
    assert 'name="want.0.quantity" value="5"' in reviewer.get("/review/1").text


def test_a_file_that_changed_is_read_again_and_what_is_no_decision_is_refused(reviewer: TestClient, file: Path) -> None:
    assert reviewer.get("/review/3").status_code == 200
    write_lines(file, (query.as_line() for query in QUERIES[:2]))
    assert reviewer.get("/review/3").status_code == 404
    assert reviewer.post("/review/1", data=filled(do="perhaps")).status_code == 400
    assert read_reviews_of(file) == ()


def test_a_name_that_no_file_of_votes_can_have_reviews_and_is_refused_where_votes_are_cast(
    exp: Path, file: Path, world: World
) -> None:
    client = client_of(exp, None, (file, world))
    assert client.post("/name", data={"name": "Dr. O'Neil", "back": "vote"}).status_code == 409
    client.post("/name", data={"name": "Dr. O'Neil", "back": "review"})
    client.post("/review/1", data=filled())
    assert [review.reviewer for review in read_reviews_of(file)] == ["Dr. O'Neil"]
    assert 'name="name"' in client.get("/vote").text, "voting asks for another"
    assert client.get("/vote/1/answers").status_code == 409


def test_nobody_reviews_without_a_name(file: Path, world: World) -> None:
    client = client_of(None, None, (file, world))
    assert client.get("/review/1").headers["location"] == "/review"
    assert client.post("/review/1", data=filled()).status_code == 403
    assert read_reviews_of(file) == ()

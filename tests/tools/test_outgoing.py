"""``--redact``: personal data is taken out of a query before it leaves for a search engine."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.grounding.verify.privacy import known_profiles, personal_data_sent
from drretail.tools.toolkit import Toolkit, ToolReply
from tests.build import run
from tests.tools.conftest import ANNA, BORIS, error_of


class RecordingWeb:
    """Keeps what it is asked; its pages are nothing."""

    provider = "recording"
    corpus = None

    def __init__(self, *, down: bool = False) -> None:
        self.asked: list[str] = []
        self._down = down

    def search(self, query: str, k: int) -> list[WebResult]:
        self.asked.append(query)
        if self._down:
            raise ToolError("unavailable", "Down.")
        return [WebResult("A", "https://a.example/", "of a")]

    def fetch(self, url: str) -> WebPage:
        return WebPage(url, "", "", "error")


def searched(
    world: World, *queries: str, redact: bool = True, web: RecordingWeb | None = None, first: Sequence[str] = ()
) -> tuple[list[ToolReply], Session, list[str]]:
    """The replies to searches by Anna, after a look at the profiles of ``first``; and what left for the web."""
    web = web or RecordingWeb()
    session = Session(replace(world, web=web), user_id=ANNA, scope="any", redact=redact)
    with Toolkit(session) as toolkit:
        for user in first:
            toolkit.call("get_user_profile", {"user_id": user})
        replies = [toolkit.call("web_search", {"query": query}) for query in queries]
    return replies, session, web.asked


def findings(session: Session) -> list[str]:
    """What the check on a run with these steps finds."""
    failed = run("q-r1", None, steps=session.trajectory.steps())
    profile = session.world.store.user(ANNA)
    orders = [order.order_id for order in session.world.store.orders(ANNA).orders]
    handed = known_profiles({entry.id: entry for entry in session.ledger.evidence()})
    found = personal_data_sent(failed, [profile, *handed], [ANNA], orders)
    return [str(finding.found).partition(" (")[0] for finding in found]


PERSONAL = [
    ("bird feeders for {first_name} {last_name} in Shreveport", "bird feeders for in Shreveport", "a full name"),
    ("feeders, write to {email}", "feeders, write to", "an e-mail address"),
    ("cat stores near {address1}, Shreveport", "cat stores near Shreveport", "a street"),
    ("order 0000000002 late delivery", "order late delivery", "an order id"),
]


@pytest.mark.parametrize(("asked", "left", "what"), PERSONAL)
def test_what_leaves_holds_no_personal_data_and_the_run_says_so(world: World, asked: str, left: str, what: str) -> None:
    profile = world.store.user(ANNA)
    query = asked.format(**profile.model_dump(), address1=profile.address.address1)
    (reply,), session, sent = searched(world, query)
    assert sent == [left]
    assert reply.value["redacted"] == [what]
    (step,) = session.trajectory.steps()
    assert (step.args, step.sent) == ({"query": query}, left)
    (effect,) = session.journal.effects
    assert effect.request["query"] == left
    assert findings(session) == []


def test_a_query_without_personal_data_is_left_as_it_is_and_any_without_the_flag(world: World) -> None:
    (reply,), session, sent = searched(world, "bird  feeders in Shreveport, LA")
    assert (sent, "redacted" in reply.value) == (["bird  feeders in Shreveport, LA"], False)
    assert session.trajectory.steps()[0].sent is None
    query = f"feeders, write to {world.store.user(ANNA).email}"
    (reply,), session, sent = searched(world, query, redact=False)
    assert (sent, session.trajectory.steps()[0].sent) == ([query], None)
    assert "redacted" not in reply.value
    assert findings(session) == ["an e-mail address"]


@pytest.mark.parametrize("query", ["{first_name} {last_name}", "who is {email}?", "{user_id} 0000000002 ({address1})"])
def test_a_query_of_nothing_else_is_refused_and_nothing_leaves(world: World, query: str) -> None:
    profile = world.store.user(ANNA)
    (reply,), session, sent = searched(world, query.format(**profile.model_dump(), address1=profile.address.address1))
    error = error_of(reply)
    assert (error["type"], error["field"], sent) == ("invalid_argument", "query", [])
    assert "nothing but personal data" in error["message"]
    assert profile.last_name not in json.dumps(error)
    assert session.trajectory.steps()[0].sent == ""
    assert session.journal.effects == []
    assert findings(session) == []


def test_what_left_is_recorded_also_when_the_search_fails(world: World) -> None:
    profile = world.store.user(ANNA)
    query = f"feeders {profile.first_name} {profile.last_name}"
    (reply,), session, sent = searched(world, query, web=RecordingWeb(down=True))
    assert (reply.error, sent) == ("unavailable", ["feeders"])
    assert session.trajectory.steps()[0].sent == "feeders"
    assert findings(session) == []


def test_people_whose_profiles_the_run_has_read_or_changed_are_taken_out_too(world: World) -> None:
    boris = world.store.user(BORIS)
    query = f"feeders for {boris.first_name} {boris.last_name} of {boris.address.address1}"
    assert searched(world, query)[2] == [query]
    _, session, sent = searched(world, query, first=[BORIS])
    assert (sent, findings(session)) == (["feeders for of"], [])

    web, anna = RecordingWeb(), world.store.user(ANNA)
    with Toolkit(Session(replace(world, web=web), user_id=ANNA, redact=True)) as toolkit:
        toolkit.call("update_user_profile", {"user_id": ANNA, "first_name": "Zenobia"})
        asked = f"feeders Zenobia {anna.last_name} or {anna.first_name} {anna.last_name}"
        toolkit.call("web_search", {"query": asked})
    assert web.asked == ["feeders or"], "as it was and as it is"

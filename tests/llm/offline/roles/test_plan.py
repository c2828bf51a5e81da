"""plan_to_function: everything in one turn, and a report that claims no more than that turn brought."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.env.session import Session
from drretail.env.world import World
from drretail.llm.offline.shopper.policy import shop
from drretail.prompts import tagged
from drretail.tools.toolkit import Toolkit
from tests.llm.offline.roles.team import numbered
from tests.llm.offline.shop import USER, opening, talk
from tests.llm.offline.test_shopper import QUERIES, SANCTUARY, cited


def plan(world: World, query: str, user_id: str | None, words: str = "") -> tuple[AIMessage, str, frozenset[str]]:
    """The one turn with calls, the report, and the evidence that the turn brought."""
    session = Session(world, user_id=user_id)
    asked = opening(query, user_id, session.now.date().isoformat())[1].text
    messages = [SystemMessage(words or "You shop."), HumanMessage(f"{asked}\n{tagged('turns', '1')}")]
    with Toolkit(session) as toolkit:
        tools = toolkit.openai_schemas()
        turn = shop(messages, tools)
        calls = numbered(turn, "0")
        replies = toolkit.call_all([(call["name"], call["args"]) for call in calls])
    results = [ToolMessage(reply.text, tool_call_id=call["id"]) for call, reply in zip(calls, replies, strict=True)]
    report = (
        turn.text if not calls else shop([*messages, AIMessage("", tool_calls=calls), *results], tools, "none").text
    )
    return turn, report, frozenset(entry.id for entry in session.ledger.evidence())


@pytest.mark.parametrize(("query", "user_id"), QUERIES)
def test_one_turn_of_calls_is_followed_by_a_report_of_what_they_brought(
    world: World, query: str, user_id: str | None
) -> None:
    turn, report, evidence = plan(world, query, user_id)
    names = [call["name"] for call in turn.tool_calls]
    assert set(names) <= {
        "get_user_profile", "get_user_statistics", "get_user_orders", "product_catalog_search", "web_search"
    }  # fmt: skip
    assert report.startswith("# ")
    assert cited(report) <= evidence


def test_the_plan_holds_who_asks_each_thing_and_the_web(world: World) -> None:
    turn, _, _ = plan(world, SANCTUARY, USER)
    names = [call["name"] for call in turn.tool_calls]
    assert names[:3] == ["get_user_profile", "get_user_statistics", "get_user_orders"]
    assert names.count("product_catalog_search") == 3
    assert 1 <= names.count("web_search") <= 2
    assert len(names) < len(talk(world, SANCTUARY, USER).called)


def test_a_planned_report_says_that_no_record_was_opened_and_claims_nothing_of_one(world: World) -> None:
    report = plan(world, SANCTUARY, USER)[1]
    assert "I have opened no product's record" in report
    for claim in ("Its record says", "Neither its title nor its listing says", "The listing speaks of"):
        assert claim not in report
    assert "C:" not in "".join(cited(report))


def test_what_was_not_searched_for_is_not_said_to_be_nowhere(world: World) -> None:
    report = plan(world, SANCTUARY, USER)[1]
    assert "I have not searched the web for “What birds are native to my state?”" in report


def test_the_words_around_the_tags_change_no_plan(world: World) -> None:
    plain, other = (
        plan(world, SANCTUARY, USER),
        plan(world, SANCTUARY, USER, "Make no plan. Use `<turns>` as you like."),
    )
    assert plain[0].tool_calls == other[0].tool_calls
    assert plain[1] == other[1]

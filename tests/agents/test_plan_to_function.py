"""One plan, its calls in order, one report (paper section 5.2)."""

import asyncio
import json
import threading
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest, system_options
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.llm.scripted import Request
from drretail.prompts import tag_content
from drretail.records.run import Limits
from drretail.tools.registry import TOOLS
from tests.agents.conftest import QUERY, Scripted, calls, reporting, scripted
from tests.shop import USER

SEARCH = ("product_catalog_search", {"query": "bird feeder", "price_max": 30})
PROFILE = ("get_user_profile", {"user_id": USER})
RENAME = ("update_user_profile", {"user_id": USER, "first_name": "Zed"})
SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
REPORT = reporting(SAID, "P:B0TEST0001 x 1")


def perform(world: World, *turns: Scripted, **given: Any) -> tuple[Recorded, list[Request]]:
    model, shown = scripted(*turns)
    player = SystemUnderTest.of("plan_to_function", load_agent("plan_to_function"), {"": model}, world, **given)
    return asyncio.run(Runner(world, "w").run(player, QUERY)), shown


def test_a_plan_is_carried_out_and_reported_on_in_two_calls(world: World) -> None:
    recorded, shown = perform(world, calls(PROFILE, SEARCH, text="Profile, then feeders."), REPORT)
    run = recorded.run
    assert (run.status, run.stop, run.report) == ("done", "finished", SAID)
    assert [step.name for step in run.steps] == [
        "scripted:test",
        "get_user_profile",
        "product_catalog_search",
        "scripted:test",
    ]
    assert len(shown) == 2


def test_the_planner_is_told_query_user_today_and_that_it_has_one_turn(world: World) -> None:
    _, shown = perform(world, calls(SEARCH), REPORT)
    system, asked = shown[0].messages
    assert {tag: tag_content(tag, asked.text) for tag in ("query", "user_id", "today", "turns")} == {
        "query": QUERY.text,
        "user_id": USER,
        "today": "2023-01-03",
        "turns": "1",
    }
    assert shown[0].tool_names == set(TOOLS)
    assert "There is no second round of calls" in system.text


def test_the_report_may_call_nothing_but_still_sees_its_tools(world: World) -> None:
    _, shown = perform(world, calls(SEARCH), REPORT, limits=Limits(tool_turns=5))
    assert shown[1].tool_names == frozenset()
    assert len(shown[1].tools) == len(TOOLS)
    assert "Write the report now" in shown[1].messages[-1].text


class OneAtATimeWeb:
    """Notes how many searches were under way at once."""

    provider = "slow"
    corpus = None

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()

    def search(self, query: str, k: int) -> list[WebResult]:
        with self._lock:
            self.asked.append(query)
            self._now += 1
            self.most = max(self.most, self._now)
        threading.Event().wait(0.02)
        with self._lock:
            self._now -= 1
        return []

    def fetch(self, url: str) -> WebPage:
        raise NotImplementedError


def test_calls_are_carried_out_one_after_the_other_in_their_order(world: World) -> None:
    web = OneAtATimeWeb()
    queries = ["c", "a", "b"]
    perform(replace(world, web=web), calls(*(("web_search", {"query": it}) for it in queries)), REPORT)
    assert (web.asked, web.most) == (queries, 1)


def test_a_later_call_sees_what_an_earlier_one_changed(world: World) -> None:
    _, shown = perform(world, calls(PROFILE, RENAME, PROFILE), REPORT)
    replies = [json.loads(message.text) for message in shown[1].messages if isinstance(message, ToolMessage)]
    assert [reply["first_name"] == "Zed" for reply in replies] == [False, True, True]


def test_a_call_that_fails_does_not_hold_up_the_others(world: World) -> None:
    recorded, _ = perform(world, calls(("bake_cake", {}), SEARCH), REPORT)
    assert [step.error is None for step in recorded.run.steps] == [True, False, True, True]
    assert recorded.run.status == "done"


PLAN = AIMessage("Let me look up the profile, then search for feeders.")


def test_a_plan_without_calls_is_asked_for_them_once(world: World) -> None:
    recorded, shown = perform(world, PLAN, calls(SEARCH), REPORT)
    assert (recorded.run.report, recorded.run.stop, len(shown)) == (SAID, "finished", 3)
    assert "nothing has been looked up" in shown[1].messages[-1].text


def test_a_plan_whose_calls_are_all_refused_may_be_made_anew(world: World) -> None:
    recorded, shown = perform(world, calls(("bake_cake", {})), calls(SEARCH), REPORT)
    assert (recorded.run.report, len(shown)) == (SAID, 3)


def test_without_any_tool_the_first_turn_is_the_report(world: World) -> None:
    options = system_options((), "closed_book")
    recorded, shown = perform(world, REPORT, options=options)
    assert (recorded.run.report, recorded.run.stop, len(shown)) == (SAID, "finished", 1)

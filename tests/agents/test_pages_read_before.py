"""+ws: a page that was summarised before is taken from the run's ledger, and who ends first decides nothing."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.base import WebPage
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.tools.web import READ_BEFORE
from tests.agents.conftest import QUERY, calls, reporting, scripted
from tests.shop import USER

HEIGHT = SandboxPage(url="https://a.example/height", title="Height", text="Hang a bird feeder five feet high.")
SEED = SandboxPage(url="https://b.example/seed", title="Seed", text="Cardinals take sunflower seed.")
HEIGHT_ID, SEED_ID = web_evidence_id(HEIGHT.url), web_evidence_id(SEED.url)
FEEDER, HIGH = ("web_search", {"query": "bird feeder"}), ("web_search", {"query": "five feet high"})
REPORT = reporting("Five feet.")


class CountingWeb(SandboxWeb):
    """The two pages, and how often each was fetched."""

    def __init__(self) -> None:
        super().__init__([HEIGHT, SEED])
        self.fetched: list[str] = []

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        return super().fetch(url)


def reading(asked: list[str]) -> Model:
    """A summariser that says for which search it read."""

    def play(request: Request) -> ScriptedAnswer:
        search = request.opening.split("<search>\n")[1].split("\n</search>")[0]
        asked.append(search)
        return ScriptedAnswer(structured={"summary": f"Read for {search}.", "quotes": []})

    return scripted_model(play=play, name="reader")


def perform(world: World, web: SandboxWeb, model: Model, reader: Model, agent: str = "react", **given: Any) -> Recorded:
    at = replace(world, web=web)
    models = {"": model, "summariser": reader}
    player = SystemUnderTest.of(agent, load_agent(agent), models, at, web_mode="ws", **given)
    return asyncio.run(Runner(at, "w").run(player, QUERY))


def told(messages: Sequence[BaseMessage]) -> list[str]:
    """The summaries that a conversation holds, in order."""
    replies = [json.loads(message.text) for message in messages if isinstance(message, ToolMessage)]
    return [result["summary"] for reply in replies for result in reply.get("results", ())]


def notes(messages: Sequence[BaseMessage]) -> list[str | None]:
    """What stands beside those summaries."""
    replies = [json.loads(message.text) for message in messages if isinstance(message, ToolMessage)]
    return [result.get("note") for reply in replies for result in reply.get("results", ())]


@pytest.mark.parametrize("agent", ["react", "plan_to_function"])
def test_a_page_that_was_read_in_an_earlier_call_is_neither_fetched_nor_summarised_again(
    world: World, agent: str
) -> None:
    web, asked = CountingWeb(), list[str]()
    turns = [calls(FEEDER), calls(HIGH), REPORT] if agent == "react" else [calls(FEEDER, HIGH), REPORT]
    model, shown = scripted(*turns)
    recorded = perform(world, web, model, reading(asked), agent)
    assert (web.fetched, asked) == ([HEIGHT.url], ["bird feeder"])
    assert told(shown[-1].messages) == ["Read for bird feeder."] * 2
    assert notes(shown[-1].messages) == [None, READ_BEFORE]
    searches = [step for step in recorded.run.steps if step.name == "web_search"]
    assert [step.evidence for step in searches] == [(HEIGHT_ID,)] * 2
    (entry,) = recorded.evidence
    assert [(text.form, text.shown) for text in entry.texts] == [("page", False), ("summary", True)]


def test_calls_of_one_turn_know_nothing_of_each_other(world: World) -> None:
    web, asked = CountingWeb(), list[str]()
    model, shown = scripted(calls(FEEDER, HIGH), REPORT)
    perform(world, web, model, reading(asked))
    assert web.fetched == [HEIGHT.url] * 2
    assert told(shown[-1].messages) == ["Read for bird feeder.", "Read for five feet high."]


def test_another_run_starts_with_nothing_read(world: World) -> None:
    web, asked = CountingWeb(), list[str]()
    for _ in range(2):
        perform(world, web, scripted(calls(FEEDER), REPORT)[0], reading(asked))
    assert web.fetched == [HEIGHT.url] * 2
    assert asked == ["bird feeder"] * 2


def launcher(*, slow: str = "never") -> Model:
    """A supervisor that launches two researchers, then one more; each researcher searches by its sub-problem.

    The researcher whose sub-problem holds ``slow`` starts when the other has long ended.
    """

    def play(request: Request) -> AIMessage:
        turns = request.turn - 1
        if "LaunchResearcher" in request.tools:
            launches = [["bird feeder", "five feet high"], ["feeder high"]]
            if turns == len(launches):
                return calls(("Finalize", {}))
            return calls(*(("LaunchResearcher", {"sub_problem": it}) for it in launches[turns]))
        if "web_search" in request.tools:
            wanted = request.opening.split("<sub_problem>\n")[1].split("\n</sub_problem>")[0]
            time.sleep(0.2 if slow in wanted and turns == 0 else 0)
            return calls(("web_search", {"query": wanted})) if turns == 0 else calls(("Finalize", {}))
        if request.schema == "IntermediateReport":
            return AIMessage(
                json.dumps(
                    {
                        "insights": [{"statement": "Five feet.", "citations": [HEIGHT_ID]}],
                        "sources": [],
                        "open_questions": [],
                    }
                )
            )
        return AIMessage(f"Five feet [{HEIGHT_ID}].")

    return scripted_model(play=play, name="launcher")


@pytest.mark.parametrize("slow", ["never", "bird", "five"])
def test_a_researcher_takes_what_an_earlier_turn_read_and_never_what_is_read_beside_it(world: World, slow: str) -> None:
    web, asked = CountingWeb(), list[str]()
    recorded = perform(world, web, launcher(slow=slow), reading(asked), "hybrid_react")
    assert recorded.run.status == "done", recorded.run.error
    # The two of the first turn each read for themselves; the third takes what the first launch's researcher read.
    assert sorted(asked) == ["bird feeder", "five feet high"]
    assert len(web.fetched) == 2
    (third,) = [step for step in recorded.run.steps if (step.path, step.name) == ("0.3", "web_search")]
    (result,) = json.loads(recorded.texts[third.result_sha or ""])["results"]
    assert result["summary"] == "Read for bird feeder."


def test_the_order_in_which_researchers_end_leaves_the_same_run(world: World) -> None:
    runs = [
        perform(world, CountingWeb(), launcher(slow=slow), reading([]), "hybrid_react") for slow in ("bird", "five")
    ]
    assert runs[0].run == runs[1].run
    assert runs[0].evidence == runs[1].evidence


def test_a_summariser_is_told_the_search_as_it_left(world: World) -> None:
    asked = list[str]()
    name = world.store.user(USER)
    query = f"bird feeder {name.first_name} {name.last_name}"
    model, _ = scripted(calls(("web_search", {"query": query})), REPORT)
    perform(world, CountingWeb(), model, reading(asked), options={"redact": True})
    assert asked == ["bird feeder"]

"""+ws: whole pages are summarised for the agent, once a run, and stay as what claims are judged against (paper 5.3)."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from drretail.agents.running.runner import Recorded
from drretail.env.web.base import WebPage
from drretail.env.web.reading.cleaning import clean_text
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, ScriptedAnswer, requests_of, scripted_model
from drretail.prompts import tag_content
from drretail.tools.web import READ_BEFORE
from tests.agents.conftest import QUERY, calls, record, reporting, scripted, sut
from tests.agents.hybrid_react.cast import launch, reported
from tests.shop import USER

CORPUS = [
    SandboxPage(url="https://a.example/clean", title="Clean", text="Clean the bird feeder weekly.\nUse hot  water."),
    SandboxPage(url="https://b.example/seed", title="Seed", text="A bird feeder wants dry seed.", date="2021-05-01"),
    SandboxPage(url="https://c.example/empty", title="Bird feeder", text="  "),
]
IDS = [web_evidence_id(page.url) for page in CORPUS]
SEARCH = ("web_search", {"query": "bird feeder"})
REPORT = reporting("Clean it weekly.")


def summariser(*failing: str, quotes: Sequence[str] = (), in_vain: str = "") -> tuple[Model, list[Request]]:
    """Summarises each page as its title, except those at the hosts ``failing``.

    The host ``in_vain`` holds nothing on a bird feeder.
    """

    def play(request: Request) -> ScriptedAnswer:
        asked = request.opening
        if any(f"://{host}" in asked for host in failing):
            raise ModelError("timeout", "slow")
        if in_vain and f"://{in_vain}" in asked and "bird feeder" in (tag_content("search", asked) or ""):
            return ScriptedAnswer(structured={"relevant": False, "summary": ""})
        title = asked.split('title="')[1].split('"')[0]
        return ScriptedAnswer(structured={"summary": f"On {title}.", "quotes": [*quotes]})

    model = scripted_model(play=play, name="reader")
    return model, requests_of(model)


def perform(world: World, reader: Model, *turns: AIMessage, **given: Any) -> tuple[Recorded, list[Request]]:
    model, shown = scripted(*(turns or (calls(SEARCH), REPORT)))
    return read_through(world, SandboxWeb(CORPUS), model, reader, **given), shown


def results(shown: list[Request]) -> dict[str, dict[str, Any]]:
    """What the agent read of each page."""
    replies = [message for message in shown[1].messages if isinstance(message, ToolMessage)]
    return {result["evidence"]: result for reply in replies for result in json.loads(reply.text)["results"]}


def test_the_agent_reads_summaries_and_the_ledger_keeps_their_pages(world: World) -> None:
    reader, asked = summariser()
    recorded, shown = perform(world, reader)
    read = results(shown)
    assert read[IDS[0]] == {"evidence": IDS[0], "title": "Clean", "url": CORPUS[0].url, "summary": "On Clean."}
    assert read[IDS[1]]["date"] == "2021-05-01"
    assert "snippet" not in read[IDS[1]]
    assert read[IDS[2]].keys() & {"summary", "snippet"} == {"snippet"}
    entries = {entry.id: entry for entry in recorded.evidence}
    assert [(text.form, text.shown) for text in entries[IDS[0]].texts] == [("page", False), ("summary", True)]
    assert [source.text for source in entries[IDS[0]].sources] == [clean_text(CORPUS[0].text)]
    assert [(text.form, text.shown) for text in entries[IDS[2]].texts] == [("snippet", True)]

    assert len(asked) == 2  # the page without text is not read
    for turn in asked:
        system, given = turn.messages
        assert tag_content("search", given.text) == "bird feeder"
        assert turn.schema == "PageSummary"
        assert QUERY.text not in str(turn.messages)
        assert "The page is material" in system.text
    page = next(turn.messages[1].text for turn in asked if "a.example" in turn.messages[1].text)
    assert '<page url="https://a.example/clean" title="Clean">\nClean the bird feeder weekly.' in page


def test_quotes_stay_only_when_the_page_holds_them_word_for_word(world: World) -> None:
    recorded, shown = perform(world, summariser(quotes=["weekly. Use hot water.", "Use cold water."])[0])
    assert results(shown)[IDS[0]]["quotes"] == ["weekly. Use hot water."]
    assert "quotes" not in results(shown)[IDS[1]]
    dropped = {note.split(": ")[1]: note for note in recorded.run.notes}
    assert dropped[f"quotes that {IDS[0]} does not hold were dropped"].endswith("dropped: 1")
    assert dropped[f"quotes that {IDS[1]} does not hold were dropped"].endswith("dropped: 2")


def test_a_page_whose_summary_fails_keeps_its_snippet_and_the_others_do_not(world: World) -> None:
    recorded, shown = perform(world, summariser("a.example")[0])
    assert "snippet" in results(shown)[IDS[0]]
    assert results(shown)[IDS[1]]["summary"] == "On Seed."
    empty, failed = recorded.run.notes  # in the order of their ranks
    assert f"{IDS[0]} was read as its snippet: no summary (timeout: slow)" in failed
    assert f"{IDS[2]} was read as its snippet: no page (no_content)" in empty
    (entry,) = [entry for entry in recorded.evidence if entry.id == IDS[0]]
    assert [(text.form, text.shown) for text in entry.texts] == [("snippet", True), ("page", False)]
    assert recorded.run.status == "done"


def test_a_page_that_was_read_in_vain_is_read_again_for_another_search(world: World) -> None:
    reader, asked = summariser(in_vain="a.example")
    recorded, _ = perform(world, reader, calls(SEARCH), calls(("web_search", {"query": "clean weekly"})), REPORT)
    again = [turn for turn in asked if "a.example" in turn.opening]
    assert [tag_content("search", turn.opening) for turn in again] == ["bird feeder", "clean weekly"]
    (entry,) = [entry for entry in recorded.evidence if entry.id == IDS[0]]
    assert any('"summary":"On Clean."' in text.text for text in entry.texts)


def test_a_summary_that_is_blank_although_the_page_is_relevant_is_asked_for_again(world: World) -> None:
    def play(request: Request) -> ScriptedAnswer:
        return ScriptedAnswer(structured={"relevant": True, "summary": "On it." if request.turn > 1 else " "})

    recorded, shown = perform(world, scripted_model(play=play, name="reader"))
    assert results(shown)[IDS[0]]["summary"] == "On it."
    assert recorded.run.usage["summariser"].calls == 4


HEIGHT = SandboxPage(url="https://a.example/height", title="Height", text="Hang a bird feeder five feet high.")
SEED = SandboxPage(url="https://b.example/seed", title="Seed", text="Cardinals take sunflower seed.")
HEIGHT_ID = web_evidence_id(HEIGHT.url)
FEEDER, HIGH = ("web_search", {"query": "bird feeder"}), ("web_search", {"query": "five feet high"})
FIVE_FEET = reporting("Five feet.")


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


def read_through(
    world: World, web: SandboxWeb, model: Model, reader: Model, agent: str = "react", **given: Any
) -> Recorded:
    at = replace(world, web=web)
    models = {"": model, "summariser": reader}
    return record(at, sut(at, models, agent, web_mode="ws", **given))


def told(messages: Sequence[BaseMessage]) -> list[tuple[str, str | None]]:
    """The summaries that a conversation holds, in order, and what stands beside them."""
    replies = [json.loads(message.text) for message in messages if isinstance(message, ToolMessage)]
    return [(result["summary"], result.get("note")) for reply in replies for result in reply.get("results", ())]


@pytest.mark.parametrize("agent", ["react", "plan_to_function"])
def test_a_page_read_in_an_earlier_call_is_not_fetched_or_summarised_again(world: World, agent: str) -> None:
    web, asked = CountingWeb(), list[str]()
    turns = [calls(FEEDER), calls(HIGH), FIVE_FEET] if agent == "react" else [calls(FEEDER, HIGH), FIVE_FEET]
    model, shown = scripted(*turns)
    recorded = read_through(world, web, model, reading(asked), agent)
    assert (web.fetched, asked) == ([HEIGHT.url], ["bird feeder"])
    assert told(shown[-1].messages) == [("Read for bird feeder.", None), ("Read for bird feeder.", READ_BEFORE)]
    searches = [step for step in recorded.run.steps if step.name == "web_search"]
    assert [step.evidence for step in searches] == [(HEIGHT_ID,)] * 2
    (entry,) = recorded.evidence
    assert [(text.form, text.shown) for text in entry.texts] == [("page", False), ("summary", True)]


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
            return launch(*launches[turns])
        if "web_search" in request.tools:
            wanted = request.opening.split("<sub_problem>\n")[1].split("\n</sub_problem>")[0]
            time.sleep(0.2 if slow in wanted and turns == 0 else 0)
            return calls(("web_search", {"query": wanted})) if turns == 0 else calls(("Finalize", {}))
        if request.schema == "IntermediateReport":
            return reported(HEIGHT_ID, statement="Five feet.")
        return AIMessage(f"Five feet [{HEIGHT_ID}].")

    return scripted_model(play=play, name="launcher")


def test_a_researcher_takes_what_an_earlier_turn_read_and_never_what_is_read_beside_it(world: World) -> None:
    runs: list[Recorded] = []
    for slow in ("never", "bird", "five"):
        web, asked = CountingWeb(), list[str]()
        recorded = read_through(world, web, launcher(slow=slow), reading(asked), "hybrid_react")
        assert recorded.run.status == "done", recorded.run.error
        # The two of the first turn each read for themselves; the third takes what the first launch's researcher read.
        assert sorted(asked) == ["bird feeder", "five feet high"]
        assert len(web.fetched) == 2
        (third,) = [step for step in recorded.run.steps if (step.path, step.name) == ("0.3", "web_search")]
        (result,) = json.loads(recorded.texts[third.result_sha or ""])["results"]
        assert result["summary"] == "Read for bird feeder."
        runs.append(recorded)
    assert runs[1].run == runs[2].run, "whoever ended first"
    assert runs[1].evidence == runs[2].evidence


def test_a_summariser_is_told_the_search_as_it_left(world: World) -> None:
    asked = list[str]()
    name = world.store.user(USER)
    query = f"bird feeder {name.first_name} {name.last_name}"
    model, _ = scripted(calls(("web_search", {"query": query})), FIVE_FEET)
    read_through(world, CountingWeb(), model, reading(asked), options={"redact": True})
    assert asked == ["bird feeder"]

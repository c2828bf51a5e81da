"""+ws: whole pages are summarised for the agent, once a run, and stay as what claims are judged against (paper 5.3)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from drretail.env.web.base import WebPage
from drretail.env.web.cleaning import clean_text
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiments.run_file import Recorded
from drretail.llm.prompt import tag_content
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, ScriptedAnswer, requests_of, scripted_model
from drretail.reports.text.evidence_ids import web_evidence_id
from drretail.tools.web import READ_BEFORE
from tests.agents.conftest import QUERY, calls, record, reporting, scripted, sut
from tests.agents.hybrid_react.cast import DONE, cast, launch, reported

CORPUS = [
    SandboxPage(url="https://a.example/clean", title="Clean", text="Clean the bird feeder weekly.\nUse hot  water."),
    SandboxPage(url="https://b.example/seed", title="Seed", text="A bird feeder wants dry seed.", date="2021-05-01"),
    SandboxPage(url="https://c.example/empty", title="Bird feeder", text="  "),
]
IDS = [web_evidence_id(page.url) for page in CORPUS]
SEARCH = ("web_search", {"query": "bird feeder"})
REPORT = reporting("Clean it weekly.")
SUMMARY = "On Clean for bird feeder."


def summariser(*failing: str, quotes: Sequence[str] = (), in_vain: str = "") -> tuple[Model, list[Request]]:
    """Summarises each page by its title and the search, except those at the hosts ``failing``.

    The host ``in_vain`` holds nothing on a bird feeder.
    """

    def play(request: Request) -> ScriptedAnswer:
        asked, search = request.opening, tag_content("search", request.opening)
        if any(f"://{host}" in asked for host in failing):
            raise ModelError("timeout", "slow")
        if in_vain and f"://{in_vain}" in asked and search == "bird feeder":
            return ScriptedAnswer(structured={"relevant": False, "summary": ""})
        title = asked.split('title="')[1].split('"')[0]
        return ScriptedAnswer(structured={"summary": f"On {title} for {search}.", "quotes": [*quotes]})

    model = scripted_model(play=play, name="reader")
    return model, requests_of(model)


def perform(world: World, reader: Model, *turns: AIMessage, **given: Any) -> tuple[Recorded, list[Request]]:
    model, shown = scripted(*(turns or (calls(SEARCH), REPORT)))
    return read_through(world, SandboxWeb(CORPUS), {"": model}, reader, **given), shown


def read_through(
    world: World, web: SandboxWeb, models: Mapping[str, Model], reader: Model, agent: str = "react", **given: Any
) -> Recorded:
    at = replace(world, web=web)
    return record(at, sut(at, {**models, "summariser": reader}, agent, web_mode="ws", **given))


def found(shown: list[Request]) -> list[dict[str, Any]]:
    """What the agent had read of pages in its last turn."""
    replies = [json.loads(message.text) for message in shown[-1].messages if isinstance(message, ToolMessage)]
    return [result for reply in replies for result in reply["results"]]


def results(shown: list[Request]) -> dict[str, dict[str, Any]]:
    return {result["evidence"]: result for result in found(shown)}


def searches(asked: list[Request]) -> list[str | None]:
    """What the summariser read pages for."""
    return [tag_content("search", turn.opening) for turn in asked]


def test_the_agent_reads_summaries_and_the_ledger_keeps_their_pages(world: World) -> None:
    reader, asked = summariser(quotes=["weekly. Use hot water.", "Use cold water."])
    recorded, shown = perform(world, reader)
    read = results(shown)
    assert read[IDS[0]].pop("quotes") == ["weekly. Use hot water."], "those that the page holds word for word"
    assert read[IDS[0]] == {"evidence": IDS[0], "title": "Clean", "url": CORPUS[0].url, "summary": SUMMARY}
    dropped = [f"quotes that {IDS[at]} does not hold were dropped: {count}" for at, count in enumerate((1, 2))]
    assert [note for note in dropped if not any(note in each for each in recorded.run.notes)] == []
    assert "quotes" not in read[IDS[1]]
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


def test_a_page_whose_summary_fails_keeps_its_snippet_and_the_others_do_not(world: World) -> None:
    recorded, shown = perform(world, summariser("a.example")[0])
    assert "snippet" in results(shown)[IDS[0]]
    assert results(shown)[IDS[1]]["summary"] == "On Seed for bird feeder."
    empty, failed = recorded.run.notes  # in the order of their ranks
    assert f"{IDS[0]} was read as its snippet: no summary (timeout: slow)" in failed
    assert f"{IDS[2]} was read as its snippet: no page (no_content)" in empty
    (entry,) = [entry for entry in recorded.evidence if entry.id == IDS[0]]
    assert [(text.form, text.shown) for text in entry.texts] == [("snippet", True), ("page", False)]
    assert (recorded.run.status, recorded.run.losses) == ("done", {"page summary": 1})


def test_a_page_that_was_read_in_vain_is_read_again_for_another_search(world: World) -> None:
    reader, asked = summariser(in_vain="a.example")
    recorded, _ = perform(world, reader, calls(SEARCH), calls(("web_search", {"query": "clean weekly"})), REPORT)
    assert searches([turn for turn in asked if "a.example" in turn.opening]) == ["bird feeder", "clean weekly"]
    (entry,) = [entry for entry in recorded.evidence if entry.id == IDS[0]]
    assert any('"summary":"On Clean for clean weekly."' in text.text for text in entry.texts)


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


@pytest.mark.parametrize("agent", ["react", "plan_to_function"])
def test_a_page_read_in_an_earlier_call_is_not_fetched_or_summarised_again(world: World, agent: str) -> None:
    web, (reader, asked) = CountingWeb(), summariser()
    turns = [calls(FEEDER), calls(HIGH), FIVE_FEET] if agent == "react" else [calls(FEEDER, HIGH), FIVE_FEET]
    model, shown = scripted(*turns)
    recorded = read_through(world, web, {"": model}, reader, agent)
    assert (web.fetched, searches(asked)) == ([HEIGHT.url], ["bird feeder"])
    told = [(result["summary"], result.get("note")) for result in found(shown)]
    assert told == [("On Height for bird feeder.", None), ("On Height for bird feeder.", READ_BEFORE)]
    steps = [step for step in recorded.run.steps if step.name == "web_search"]
    assert [step.evidence for step in steps] == [(HEIGHT_ID,)] * 2
    (entry,) = recorded.evidence
    assert [(text.form, text.shown) for text in entry.texts] == [("page", False), ("summary", True)]


SUB_PROBLEMS = ("bird feeder", "five feet high", "feeder high")


def test_a_researcher_takes_what_an_earlier_turn_read_and_never_what_is_read_beside_it(world: World) -> None:
    runs: list[Recorded] = []
    for slow in ("never", "bird", "five"):
        web, (reader, asked) = CountingWeb(), summariser()
        played = cast(
            (launch(*SUB_PROBLEMS[:2]), launch(SUB_PROBLEMS[2]), calls(DONE)),
            {about: (calls(("web_search", {"query": about})), calls(DONE)) for about in SUB_PROBLEMS},
            {"": (reported(HEIGHT_ID, statement="Five feet."),)},
            (FIVE_FEET,),
            pause=lambda role, about, slow=slow: 0.1 if role == "researcher" and slow in about else 0,
        )
        recorded = read_through(world, web, played.models(), reader, "hybrid_react")
        assert recorded.run.status == "done", recorded.run.error
        # The two of the first turn each read for themselves; the third takes what the first launch's researcher read.
        assert {*searches(asked)} == {*SUB_PROBLEMS[:2]}
        assert len(web.fetched) == len(asked) == 2
        (third,) = [step for step in recorded.run.steps if (step.path, step.name) == ("0.3", "web_search")]
        (result,) = json.loads(recorded.texts[third.result_sha or ""])["results"]
        assert result["summary"] == "On Height for bird feeder."
        runs.append(recorded)
    assert runs[1].run == runs[2].run, "whoever ended first"
    assert runs[1].evidence == runs[2].evidence

"""The retrieval agent: it searches, words its query anew, and its pages and failures are on record."""

import json
from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage

from drretail.env.web.passages import LONGEST_CHUNK, LONGEST_PASSAGE
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.prompts import tag_content
from drretail.records.run import Limits
from drretail.tools.registry import TOOLS
from tests.agents.conftest import calls, reporting
from tests.agents.dr3.cast import FEEDER, REPORT, Cast, perform, sent
from tests.shop import PAGES

CLEAN = web_evidence_id(PAGES[0].url)
HOW = "How often is a bird feeder to be cleaned?"
FIRST, SECOND = ("web_search", {"query": "hygiene interval"}), ("web_search", {"query": "clean bird feeder"})
ANSWER = AIMessage(f"Every two weeks [{CLEAN}].")


def test_a_retrieval_agent_words_its_query_anew_and_brings_the_pages_that_it_cites(world: World) -> None:
    actors = Cast((sent(HOW), REPORT), {HOW: (calls(FIRST), calls(SECOND), ANSWER)})
    run = perform(world, actors).run
    assert (run.status, run.stop, run.failed_branches) == ("done", "finished", ())
    searches = [step for step in run.steps if step.name == "web_search"]
    assert [(it.path, it.role, (it.args or {})["query"]) for it in searches] == [
        ("0.1", "retriever", "hygiene interval"),
        ("0.1", "retriever", "clean bird feeder"),
    ]
    assert [it.evidence for it in searches] == [(), (CLEAN,)]
    (told,) = actors.told()
    assert told["answer"] == ANSWER.text
    assert [(page["evidence"], page["url"]) for page in told["pages"]] == [(CLEAN, PAGES[0].url)]
    assert set(run.usage) == {"researcher", "retriever"}
    assert run.tools == ("search_sandbox", "read_file")


def test_it_sees_its_question_and_the_date_alone_and_can_search_and_nothing_else(world: World) -> None:
    actors = Cast((sent(HOW), REPORT), {HOW: (calls(SECOND), ANSWER)})
    perform(world, actors)
    system, asked = actors.shown["retriever"][0].messages
    assert tag_content("question", asked.text) == HOW
    assert "Which bird feeder under $30?" not in asked.text
    assert "at most 4 turns" in system.text
    assert actors.shown["retriever"][0].tool_names == {"web_search"}


def test_the_main_agent_has_the_nine_and_its_own_and_no_reader_without_files(world: World) -> None:
    actors = Cast((calls(FEEDER), REPORT))
    perform(world, actors)
    assert actors.shown["researcher"][0].tool_names == {*TOOLS, "search_sandbox"}


def test_its_pages_can_be_cited_in_the_report(world: World) -> None:
    cited = reporting(f"Clean it every two weeks [{CLEAN}].")
    recorded = perform(world, Cast((sent(HOW), cited), {HOW: (calls(SECOND), ANSWER)}))
    assert [(it.evidence_id, it.type) for it in recorded.run.citations] == [(CLEAN, "web")]


def test_an_id_that_no_search_brought_is_named_as_such(world: World) -> None:
    invented = AIMessage(f"Weekly [W:abcdefgh], or every two weeks [{CLEAN}].")
    actors = Cast((sent(HOW), REPORT), {HOW: (calls(SECOND), invented)})
    run = perform(world, actors).run
    assert actors.told()[0]["not_found"] == ["W:abcdefgh"]
    assert run.notes == ("0.1: the retrieval agent cited what was never found: W:abcdefgh",)


def test_an_answer_that_cites_nothing_hands_on_all_pages(world: World) -> None:
    actors = Cast((sent(HOW), REPORT), {HOW: (calls(SECOND), AIMessage("Every two weeks."))})
    perform(world, actors)
    assert [page["evidence"] for page in actors.told()[0]["pages"]] == [CLEAN]


def test_at_its_limit_it_answers_from_what_it_has(world: World) -> None:
    actors = Cast((sent(HOW), REPORT), {HOW: (calls(FIRST), calls(SECOND), ANSWER)})
    run = perform(world, actors, limits=Limits(rag_turns=2)).run
    assert [turn.may_call for turn in actors.shown["retriever"]] == [True, True, False]
    assert "No more searches" in actors.shown["retriever"][-1].messages[-1].text
    assert run.notes == ("0.1: its search ended at the turn_limit",)
    assert actors.told()[0]["answer"] == ANSWER.text


def test_more_than_may_be_sent_in_one_turn_are_refused(world: World) -> None:
    actors = Cast((sent(HOW, "b?", "c?"), REPORT), {"": (calls(SECOND), ANSWER)})
    run = perform(world, actors, limits=Limits(researchers=2)).run
    assert ["error" in it for it in actors.told()] == [False, False, True]
    assert {step.path for step in run.steps} == {"0", "0.1", "0.2"}
    assert run.failed_branches == ()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ((calls(SECOND), ModelError("refusal", "no")), "0.1: refusal: no"),
        ((AIMessage("I know it."), AIMessage("I do.")), "0.1: no_research: nothing was looked up"),
        ((ValueError("a bug"),), "0.1: "),
    ],
)
def test_one_that_fails_is_recorded_and_takes_no_other_down(world: World, script: tuple[object, ...], why: str) -> None:
    actors = Cast((sent("a?", HOW), REPORT), {"a?": script, HOW: (calls(SECOND), ANSWER)})  # pyright: ignore[reportArgumentType]
    run = perform(world, actors).run
    first, second = actors.told()
    assert run.status == "done"
    assert [it.startswith(why) for it in run.failed_branches] == [True]
    assert first["error"]["type"] == "unavailable"
    assert second["answer"] == ANSWER.text


def test_branches_are_numbered_over_the_whole_run(world: World) -> None:
    actors = Cast((sent("a?"), sent("b?"), REPORT), {"": (calls(SECOND), ANSWER)})
    run = perform(world, actors).run
    assert {step.path for step in run.steps} == {"0", "0.1", "0.2"}


def test_without_the_web_nobody_is_sent_there(world: World) -> None:
    actors = Cast((calls(FEEDER), REPORT))
    perform(world, actors, options={"without": ["web"]})
    assert actors.shown["researcher"][0].tool_names == {*TOOLS} - {"web_search"}


def test_left_without_any_tool_it_may_report_at_once(world: World) -> None:
    actors = Cast((REPORT,))
    run = perform(world, actors, options={"without": ["calculator", "catalog", "user", "web"]}).run
    assert (run.status, len(actors.shown["researcher"])) == ("done", 1)


def test_it_reads_a_chunk_where_the_main_agent_reads_a_passage_and_hands_on_every_part(world: World) -> None:
    paragraphs = [f"Part {n}. {'Nothing of interest stands here. ' * 40}" for n in range(4)]
    text = "\n\n".join(["Clean a feeder every two weeks.", *paragraphs, "Hummingbirds want nectar."])
    page = SandboxPage(url="https://long.example/page", title="Feeders", text=text)
    long = replace(world, web=SandboxWeb([page]))
    twice = calls(("web_search", {"query": "clean feeder"}), ("web_search", {"query": "hummingbird nectar"}))
    answer = AIMessage(f"Every two weeks [{web_evidence_id(page.url)}].")
    searching = calls(("web_search", {"query": "clean feeder"}), ("search_sandbox", {"question": HOW}))
    actors = Cast((searching, REPORT), {HOW: (twice, answer)})
    recorded = perform(long, actors)
    searched, told = actors.told()
    parts = [part["snippet"] for part in told["pages"]]
    assert ["every two weeks" in part for part in parts] == [True, False]
    assert ["nectar" in part for part in parts] == [False, True]
    (passage,) = (result["snippet"] for result in searched["results"])
    assert len(passage.split()) <= LONGEST_PASSAGE + 2 < len(parts[0].split()) <= LONGEST_CHUNK + 2
    shown = [it.text for entry in recorded.evidence for it in entry.texts if it.shown]
    assert {json.loads(it)["snippet"] for it in shown} == {passage, *parts}

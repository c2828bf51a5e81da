"""Agents of somebody else's. Tests base.py, files_read.py, agents/running/identity.py and registry.py."""

import asyncio
import re
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from anyio import CancelScope
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from drretail import Answer, open_world, run, shop_tools
from drretail.agents.base import Agent
from drretail.agents.react import REACT
from drretail.agents.registry import as_agent, load_agent
from drretail.agents.running.identity import code_of
from drretail.agents.running.outcomes import Ended
from drretail.agents.running.system import SystemUnderTest
from drretail.api.models import choices_by_role
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError, UnknownName, UserError
from drretail.llm.models import Models
from drretail.llm.registry import build_model
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.base import canonical_json
from drretail.records.models import ModelProfile
from drretail.records.query import Query, Task
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Limits, Run, System
from drretail.tools.registry import TOOLS, tool_schema_hash
from drretail.tools.toolkit import Toolkit
from tests.agents.conftest import calls, record, reporting, scripted, sut
from tests.agents.own import BUYER, SHIPPING
from tests.agents.own import answer as shipping_answer
from tests.build import known
from tests.shop import USER

PLACE = "tests.agents.own:BUYER"


def test_an_agents_own_roles_and_tools_are_recorded_like_the_built_in_ones(world: World) -> None:
    buyer = scripted_model(calls(("shipping", {"weight": 3})), "It costs $5.50.")
    critic = scripted_model(reporting("Well said."))
    run = record(world, sut(world, {"buyer": buyer, "critic": critic}, PLACE)).run
    assert (run.status, run.report, run.picks) == ("done", "Well said.", ())
    assert [(step.kind, step.role, step.name) for step in run.steps] == [
        ("model", "buyer", "scripted:test"),
        ("tool", "buyer", "shipping"),
        ("model", "buyer", "scripted:test"),
        ("model", "critic", "scripted:test"),
    ]
    assert requests_of(buyer)[0].tools == (*TOOLS, "shipping")
    assert '{"dollars":5.5}' in requests_of(buyer)[1].last
    assert list(run.usage) == ["buyer", "critic"]
    assert run.tools == ("shipping",)
    assert run.tool_schema_hash == tool_schema_hash({**TOOLS, "shipping": SHIPPING}) != tool_schema_hash()
    assert Ended.of(run, before=False).tool_calls == 1
    own = replace(REACT, tools=("tests.agents.own:SHIPPING",))
    model = scripted_model(calls(("shipping", {"weight": 1})), "It costs $4.50.")
    assert record(world, SystemUnderTest.of("react", own, {"": model}, world)).run.tools == ("shipping",)


def test_models_are_named_for_roles_that_an_agent_brings_and_wrong_ones_are_told_the_nearest() -> None:
    roles = ("researcher", *BUYER.roles)
    assert list(choices_by_role(["critic=offline:shopper", "offline:shopper"], None, roles)) == ["critic", ""]
    with pytest.raises(UnknownName, match=r"There is no role 'critik'. Did you mean critic"):
        choices_by_role(["critik=offline:shopper"], None, roles)
    profile = ModelProfile.model_validate({"why": "x", "model": "a:b", "roles": {"critic": {"model": "c:d"}}})
    assert choices_by_role([], profile, roles)["critic"].model == "c:d"
    with pytest.raises(UnknownName, match="There is no role 'critic'"):
        choices_by_role([], profile)


def doing(given: Any, *roles: Any) -> Agent:
    """An agent that returns this, or raises it."""

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        if isinstance(given, BaseException):
            raise given
        return given

    return Agent(answer, roles=roles)


def ran(world: World, agent: Agent, *turns: AIMessage) -> tuple[Run, list[Request]]:
    """A run of it, and what its model was shown, which plays these turns; without roles it has none."""
    model, shown = scripted(*turns)
    return record(world, SystemUnderTest.of("mine", agent, {"": model} if agent.roles else {}, world)).run, shown


def test_half_a_character_in_an_answer_is_replaced_wherever_it_stands(world: World) -> None:
    run, _ = ran(world, doing(Answer(report="Half \ud83d.", picks=(), notes=("Nul \0.",))))
    assert (run.status, run.report, run.notes) == ("done", "Half \ufffd.", ("Nul \ufffd.",))


SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
TUBE = Pick(product="B0TEST0001")
BUY, PART = Outcome(decision="buy"), Outcome(decision="part", because=("not_sold",))
DECIDED = Outcome(decision="none", because=("too_dear",), nearest=("B0TEST0002",))
BLOCK = "```picks\nP:B0TEST0001 x 1\n```"


@pytest.mark.parametrize(
    "ending", [None, "", {"report": 5}, ValueError("a bug"), TimeoutError(), ModelError("refusal", "no"), SystemExit(1)]
)
def test_tokens_that_were_paid_are_counted_however_an_agent_ends(world: World, ending: Any) -> None:
    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        await models.call("researcher", [HumanMessage(task.text)])
        if isinstance(ending, BaseException):
            raise ending
        return ending

    run, _ = ran(world, Agent(answer, roles=("researcher",)), reporting(SAID))
    assert (run.status, run.usage["researcher"].calls, run.usage["researcher"].total > 0) == ("failed", 1, True)


def of_quantity(quantity: Any) -> Answer:
    return Answer(report=SAID).model_copy(update={"picks": (TUBE.model_copy(update={"quantity": quantity}),)})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "the agent returned None, and neither an Answer, the text of a report, nor a dict with one"),
        ({"text": "x"}, "the agent returned a wrong answer: it has no text under \"report\" (its keys: 'text')"),
        ("", "the agent returned an empty report"),
        (Answer(report=" \n", picks=()), "the agent returned an empty report"),
        ({"report": SAID, "usage": {"input": -1}}, "tokens are 0 or more"),
        (of_quantity(-1), "picks.0.quantity is -1: it should be greater than or equal to 1"),
        (of_quantity(float("nan")), "picks.0.quantity is nan: it should be a finite number"),
        (of_quantity(True), "picks.0.quantity is True: Value error, it has to be a whole number, not true or false"),
        (of_quantity(10**30), "pieces of B0TEST0001: a quantity is a whole number from 1 to 1000"),
        ({"report": SAID, "picks": "B0TEST0001"}, "picks is 'B0TEST0001': it should be a list"),
        ({"report": SAID, "picks": [{"product": "B0TEST0001", "quantity": -1}]}, "no pick: quantity is -1: it should"),
        (
            {"report": SAID, "outcome": {"decision": "maybe"}},
            "decision is 'maybe': it should be 'buy', 'part' or 'none'",
        ),
    ],
)
def test_what_is_no_report_or_can_not_be_held_fails_the_run_by_name(world: World, given: Any, message: str) -> None:
    run, _ = ran(world, doing(given))
    error = known(run.error)
    assert (run.status, error.kind, message in error.message) == ("failed", "agent", True), error.message
    assert Run.model_validate_json(run.model_dump_json()) == run


@pytest.mark.parametrize(
    ("answer", "picks", "outcome"),
    [
        ({"report": SAID, "picks": ["P:B0TEST0001 x 1"]}, (TUBE,), BUY),
        (Answer(report=SAID, outcome=DECIDED), (), DECIDED),
        (Answer(report=f"{SAID}\n\n```picks\nnone: too_dear\nnearest: P:B0TEST0002 x 1\n```"), (), DECIDED),
        (Answer(report=SAID, picks=(TUBE,)), (TUBE,), BUY),
        (Answer(report=f"{SAID}\n\n```picks\n```", picks=(TUBE,)), (TUBE,), BUY),
        (Answer(report=f"{SAID}\n\n{BLOCK}", outcome=PART), (TUBE,), PART),
    ],
)
def test_an_own_agent_declares_and_decides(
    world: World, answer: Answer | dict[str, Any], picks: tuple[Pick, ...], outcome: Outcome
) -> None:
    run, shown = ran(world, doing(answer, "researcher"))
    assert (run.report, run.picks, run.outcome, shown) == (SAID, picks, outcome, [])


def test_an_own_agent_is_asked_by_the_role_that_writes_and_without_a_model_not_at_all(world: World) -> None:
    run, shown = ran(world, doing(Answer(report=SAID)))
    assert (run.picks, run.notes, shown) == (None, ("picks_missing: the report declares no picks",), [])
    run, shown = ran(world, doing(Answer(report=SAID), "researcher", "report"), AIMessage(BLOCK))
    assert (run.picks, len(shown), {*run.usage}) == ((TUBE,), 1, {"report"})


@pytest.mark.parametrize("problem", [SystemExit(7), ValueError("\ud800"), KeyError("x" * 100_000)])
def test_what_an_agent_raises_is_kept_with_its_file_line_and_traceback(world: World, problem: BaseException) -> None:
    run, _ = ran(world, doing(problem))
    error = known(run.error)
    assert error.message.startswith(f"{type(problem).__name__}: ")
    assert "test_own.py, line " in error.message
    assert len(error.message) < 3000
    assert "raise given" in known(error.traceback)
    assert canonical_json(run.model_dump(mode="json")).encode()


def test_an_agent_that_is_made_wrongly_is_told_so_in_a_sentence(world: World) -> None:
    async def asking(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        return (await models.call("critic", [])).text

    def plain(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        return "A report."

    async def two(question: str, user: str) -> str:
        return "A report."

    async def picking(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        return Answer(report=SAID, picks=(Pick(product="B0TEST0001", quantity=-1),))

    wrong_pick = "Pick: quantity is -1: it should be greater than or equal to 1 (tests/agents/test_own.py, line "
    made_wrongly = ((asking, "asks for the role 'critic'"), (plain, "begin it with async def"), (picking, wrong_pick))
    for answer, text in made_wrongly:
        assert text in known(ran(world, Agent(cast(Any, answer), roles=()))[0].error).message
    for wrong in ((shipping_answer,), (shipping_answer, "researcher")):
        with pytest.raises(UserError, match="needs roles"):
            Agent(*cast(Any, wrong))
    with pytest.raises(UserError, match="needs an async function that answers, not str"):
        Agent(cast(Any, "a text"), roles=())
    with pytest.raises(UserError, match=r"takes \(task, session, models, limits\), and two does not"):
        Agent(cast(Any, two), roles=())
    twice = replace(BUYER, tools=(replace(SHIPPING, name="calculator"),))
    with pytest.raises(UserError, match="There is a tool 'calculator' already"):
        SystemUnderTest.of("buyer", twice, {"": scripted_model("x")}, world)


QUESTION = "Which bird feeder suits me, under $30?"
SEARCH = ToolCall(name="product_catalog_search", args={"query": "bird feeder"}, id="c1")


def plain(question: str, user: str | None, toolkit: Toolkit) -> str:
    """What the first hit is, for whom."""
    hit = toolkit.call("product_catalog_search", {"query": question}).value["hits"][0]
    return f"{user}: {hit['title']} [{hit['evidence']}]"


async def awaited(query: str, tools: list[Any], today: Any) -> Answer:
    """The same over LangChain's tools, with the question under a name of its own."""
    found = await {tool.name: tool for tool in tools}["product_catalog_search"].ainvoke({"query": query})
    return Answer(report=f"On {today:%Y} {found[:40]}", picks=())


def graph(tools: list[Any]) -> Runnable[Any, Any]:
    """An agent of LangChain's that searches once."""
    script = scripted_model(AIMessage("", tool_calls=[SEARCH]), "Buy the first one.")
    return create_agent(cast(Any, script.chat), tools)


def answered(world: World, agent: Any) -> Run:
    (only,) = run(world, [QUESTION], {"mine": agent}, user=USER, baselines=False)
    return only


def tools_of(one: Run) -> list[str | None]:
    return [step.name for step in one.steps if step.kind == "tool"]


@pytest.mark.parametrize("agent", [plain, awaited, graph], ids=lambda value: value.__name__)
def test_a_callable_gets_what_it_asks_for_and_its_calls_are_recorded(world: World, agent: Any) -> None:
    one = answered(world, agent)
    assert (one.error, one.status, tools_of(one)) == (None, "done", ["product_catalog_search"])
    assert known(one.report).startswith({plain: USER, awaited: "On 20", graph: "Buy the first one."}[agent])
    assert bool(one.citations) == (agent is plain)


def test_a_graph_that_was_built_before_any_run_calls_the_tools_of_its_own_run(world: World) -> None:
    tools = shop_tools()
    built = graph(tools)
    experiment = run(world, [QUESTION, "Which tea?"], {"mine": built}, user=USER, baselines=False, parallel=1)
    assert [tools_of(one) for one in experiment] == [["product_catalog_search"]] * 2
    assert {one.status for one in experiment} == {"done"}
    with pytest.raises(UserError, match="called outside of a run"):
        tools[0].invoke({"query": "tea"})


def test_a_graph_is_told_how_its_report_is_to_be_and_has_to_say_something(world: World) -> None:
    events: list[str] = []

    def note(given: dict[str, Any]) -> str:
        events.append(given["messages"][0].text)
        return "Buy tea."

    asked = run(world, [QUESTION], {"asked": RunnableLambda(note), "plain": plain}, user=USER, baselines=False)
    assert QUESTION in events[0]
    assert "```picks" in events[0]
    hashes = asked.definition.prompt_hashes
    assert [sorted(hashes[label]) for label in asked.systems] == [["follow_up", "own_question"], []]
    silent = RunnableLambda(lambda given: {"messages": [HumanMessage("Which tea?")]})
    error = answered(world, silent).error
    assert known(error).message == "the agent's last message is the question itself"


def answering(node: Any) -> StateGraph[Any, Any, Any, Any]:
    """A graph of LangGraph's that is not compiled, whose one node answers the messages."""

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(node(state))]}

    return StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END)


def said_of(state: MessagesState) -> str:
    return " | ".join(message.text.split("\n")[0] for message in state["messages"])


def test_a_graph_with_a_checkpointer_remembers_its_conversation_and_no_other(world: World) -> None:
    compiled = answering(said_of).compile(checkpointer=InMemorySaver())
    turn = Query(query_id="t0", text="Turn 0?", source="test")
    turns = [turn, turn.model_copy(update={"query_id": "t1", "text": "Turn 1?", "after": "t0"})]
    for _ in range(2):  # the second time, the threads of the first are there
        first, second = run(world, turns, {"mine": compiled}, baselines=False)
        assert known(second.report).startswith(f"{first.report} | {first.report} | "), "as it was asked and answered"
        assert known(second.report).count(" | ") == 2


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (answering(lambda _: interrupt("Which size?")).compile(checkpointer=InMemorySaver()), "in a run: Which size?"),
        (lambda question: answering(said_of), "A StateGraph can't be invoked before it is compiled"),
        (lambda: "A report.", "takes no question, so it has to return a graph or another Runnable"),
        (lambda: answering(lambda _: "Buy tea.").compile(), None),
    ],
    ids=["interrupted", "uncompiled", "no question", "factory"],
)
def test_a_graph_that_can_not_answer_says_why(world: World, agent: Any, message: str | None) -> None:
    one = answered(world, agent)
    assert (one.status, one.report) == (("done", "Buy tea.") if message is None else ("failed", None))
    assert message is None or message in known(one.error).message
    with pytest.raises(UserError, match="A StateGraph can't be invoked"):
        as_agent(answering(said_of))


async def leaks(question: str) -> str:
    """Leaves a cancel scope open, which cancels the task that it is in."""
    CancelScope().__enter__().cancel()
    await asyncio.sleep(60)
    return "Never."


async def rests(question: str) -> str:
    await asyncio.sleep(0.2)
    return "Buy tea."


async def leaks_asking(task: Task, session: Session, models: Models, limits: Limits) -> str:
    return await leaks(task.text)


async def gathers(question: str) -> None:
    async def ends() -> None:
        raise KeyboardInterrupt

    await asyncio.gather(ends())


CANCELLED = "its own code cancelled it, such as by a cancel s"


@pytest.mark.parametrize(
    ("agent", "message"),
    [(leaks, CANCELLED), (Agent(leaks_asking, roles=("researcher",)), CANCELLED), (gathers, "KeyboardInterrupt")],
    ids=["aside", "in the loop", "ends the process"],
)
def test_an_agent_that_cancels_or_ends_itself_fails_its_runs_and_no_others(
    world: World, agent: Any, message: str
) -> None:
    questions = [QUESTION, "Which tea?", "Which lamp?"]
    runs = run(world, questions, {"leaks": agent, "rests": rests}, baselines=False, parallel=3)
    errors = {known(one.error).message[: len(message)] for one in runs if one.system.startswith("leaks")}
    assert errors == {message}
    assert [one.report for one in runs if one.system == "rests"] == ["Buy tea."] * 3


def test_a_place_may_hold_a_function_or_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brought.py").write_text("def f(question): return question\ndef g(q, size): ...\n")
    monkeypatch.chdir(tmp_path)
    assert load_agent("brought:f").roles == ()
    with pytest.raises(UserError, match="nothing fills in its argument 'size'"):
        load_agent("brought:g")


def test_the_example_of_the_docs_makes_react_search_open_and_report(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
    blocks = re.findall(r"(?:^(?:    .*)?\n)+", page, re.MULTILINE)
    script = tmp_path / "answers.toml"
    script.write_text(textwrap.dedent(next(block for block in blocks if "# answers.toml" in block)))
    asked = Query(query_id="q1", text="Which bird feeder keeps squirrels away?", source="test")
    with open_world("demo") as demo:
        system = sut(demo, build_model(f"scripted:{script}"))
        assert system.system.models["researcher"].kind == "scripted"
        found = record(demo, system, asked).run
    assert (found.status, found.stop, found.error) == ("done", "finished", None)
    assert tools_of(found) == ["product_catalog_search", "get_product_details"]
    assert [citation.evidence_id for citation in found.citations][:1] == ["P:B0I5TPX7F1"]
    assert found.picks == (Pick(product="B0I5TPX7F1"),)
    assert "Take the tube feeder for $22.99" in known(found.report)


HELD = """
import math
HEAD, LEFT = {head!r}, {left!r}
def said():
    return HEAD
def answer(question):
    return said() + str(math.pi)
"""


def test_the_globals_of_a_notebook_and_what_a_closure_holds_are_part_of_an_agent(world: World) -> None:
    def code(function: Any) -> Mapping[str, str]:
        return SystemUnderTest.of("mine", known(as_agent(function)), {}, world).code

    def from_notebook(head: object, left: object = "") -> Mapping[str, str]:
        there: dict[str, Any] = {"__name__": "__main__"}
        exec(HELD.format(head=head, left=left), there)
        return code(there["answer"])

    def saying(words: object) -> Any:
        return lambda question: f"{words}"

    for made in (from_notebook, lambda held: code(saying(held))):
        for first, second in (("One.", "Two."), ({"a": ["One."]}, {"a": ["Two."]}), ({1, 2}, {1, 3})):
            assert made(first) == made(first)
            assert made(first) != made(second)
    assert from_notebook("One.", "a") == from_notebook("One.", "b"), "it does not use the second"
    assert from_notebook("One.").keys() == {"HEAD"}
    assert "words" in code(saying("One."))


def test_further_files_are_named_to_be_part_of_an_agent(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.md").write_text("One.")
    agent = replace(BUYER, files=("prompts",))
    before = SystemUnderTest.of("buyer", agent, {"": scripted_model("x")}, world).code
    (tmp_path / "prompts" / "a.md").write_text("Two.")
    after = SystemUnderTest.of("buyer", agent, {"": scripted_model("x")}, world).code
    assert {name for name in after if before[name] != after[name]} == {"prompts/a.md"}


def test_a_commands_files_and_those_that_they_name_are_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.sh").write_text('. "./report.sh"')
    codes: list[Mapping[str, str]] = []
    for said in ("One.", "Two."):
        (tmp_path / "report.sh").write_text(f"echo {said}")
        codes.append(code_of(System(agent="mine", models={}, place="cmd:sh agent.sh"), BUYER))
    assert {name: codes[0][name] == codes[1][name] for name in codes[0]} == {"agent.sh": True, "report.sh": False}

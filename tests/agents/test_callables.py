"""A plain callable or a LangChain Runnable as an agent: recorded by our tools like the built-in ones."""

import threading
from pathlib import Path
from typing import Any, cast

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.runnables import Runnable, RunnableLambda

from drretail import Answer, compare, open_world, run, score, shop_tools
from drretail.agents.callables import as_agent
from drretail.agents.registry import load_agent
from drretail.errors import UserError
from drretail.experiment import read_definition
from drretail.llm.scripted import scripted_model
from drretail.records.run import Run
from drretail.tools.toolkit import Toolkit
from tests.build import known
from tests.shop import USER, build

QUESTION = "Which bird feeder suits me, under $30?"
SEARCH = ToolCall(name="product_catalog_search", args={"query": "bird feeder"}, id="c1")


def plain(question: str, user: str | None, toolkit: Toolkit) -> str:
    """What the first hit is, for whom."""
    hit = toolkit.call("product_catalog_search", {"query": question}).value["hits"][0]
    return f"{user}: {hit['title']} [{hit['evidence']}]"


async def awaited(query: str, tools: list[Any], today: Any) -> Answer:
    """The same over LangChain's tools, with the question under a name of its own."""
    found = await {it.name: it for it in tools}["product_catalog_search"].ainvoke({"query": query})
    return Answer(report=f"On {today:%Y} {found[:40]}", picks=())


def graph(tools: list[Any]) -> Runnable[Any, Any]:
    """An agent of LangChain's that searches once."""
    script = scripted_model(AIMessage("", tool_calls=[SEARCH]), "Buy the first one.")
    return create_agent(cast(Any, script.chat), tools)


def answered(agent: Any, tmp_path: Path, name: str = "mine") -> Run:
    with open_world(build(tmp_path / "w")) as world:
        experiment = run(world, [QUESTION], {name: agent}, to=tmp_path / "exp", user=USER, baselines=False)
    (only,) = experiment
    return only


def tools_of(one: Run) -> list[str | None]:
    return [step.name for step in one.steps if step.kind == "tool"]


@pytest.mark.parametrize("agent", [plain, awaited, graph], ids=lambda it: it.__name__)
def test_a_callable_gets_what_it_asks_for_and_its_calls_are_recorded(agent: Any, tmp_path: Path) -> None:
    one = answered(agent, tmp_path)
    assert (one.error, one.status, tools_of(one)) == (None, "done", ["product_catalog_search"])
    assert known(one.report).startswith({plain: USER, awaited: "On 20", graph: "Buy the first one."}[agent])
    assert bool(one.citations) == (agent is plain)


def test_a_graph_that_was_built_before_any_run_calls_the_tools_of_its_own_run(tmp_path: Path) -> None:
    built = graph(shop_tools())
    with open_world(build(tmp_path / "w")) as world:
        experiment = run(world, [QUESTION, "Which tea?"], {"mine": built}, user=USER, baselines=False, parallel=1)
    assert [tools_of(one) for one in experiment] == [["product_catalog_search"]] * 2
    assert {one.status for one in experiment} == {"done"}


def test_tools_of_no_run_say_so() -> None:
    with pytest.raises(UserError, match="called outside of a run"):
        shop_tools()[0].invoke({"query": "tea"})


def test_callables_that_are_not_async_run_side_by_side(tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=30)

    def meeting(question: str) -> str:
        together.wait()
        return question

    with open_world(build(tmp_path / "w")) as world:
        asked = [f"Which tea, {number}?" for number in range(3)]
        experiment = run(world, asked, meeting, user=USER, baselines=False, parallel=3)
    assert [(one.system, one.status) for one in experiment] == [("meeting", "done")] * 3


def test_a_graph_is_told_how_its_report_is_to_be_and_the_wording_is_recorded(tmp_path: Path) -> None:
    told: list[str] = []

    def note(given: dict[str, Any]) -> str:
        told.append(given["messages"][0].text)
        return "Buy tea."

    told_of = RunnableLambda(note)
    one = answered(told_of, tmp_path)
    assert QUESTION in told[0]
    assert "```picks" in told[0]
    assert list(one.prompt_hashes) == ["own_question"]
    assert answered(plain, tmp_path / "plain").prompt_hashes == {}


def failing(question: str) -> str:
    """Fails as scripts do."""
    raise ZeroDivisionError(question)


def leaving(question: str) -> str:
    """Ends as scripts do."""
    raise SystemExit(7)


async def failing_later(question: str) -> str:
    """Fails in the loop."""
    raise StopIteration(question)


@pytest.mark.parametrize(
    "agent",
    [failing, leaving, failing_later, RunnableLambda(failing)],
    ids=lambda it: str(getattr(it, "__name__", "runnable")),
)
def test_what_it_raises_makes_a_failed_run_that_keeps_its_traceback(agent: Any, tmp_path: Path) -> None:
    one = answered(agent, tmp_path)
    assert one.status == "failed"
    assert "test_callables.py" in (known(one.error).traceback or "")


def test_a_graph_that_says_nothing_is_no_report(tmp_path: Path) -> None:
    silent = RunnableLambda(lambda given: {"messages": [HumanMessage("Which tea?")]})
    one = answered(silent, tmp_path)
    assert known(one.error).message == "the agent's last message is the question itself"


@pytest.mark.parametrize("name", ["mine", "My Agent", "my_module:MINE"])
def test_compare_takes_the_name_that_the_user_gave(name: str, tmp_path: Path) -> None:
    with open_world(build(tmp_path / "w")) as world:
        experiment = run(world, [QUESTION], {name: plain, "react": "react"}, user=USER, baselines=False)
        score(experiment, ["checks", "basket"])
    found = compare(experiment, name, "react", metrics=["checks"])
    assert found.b == "react@offline-shopper"
    assert read_definition(experiment.folder).systems[found.a].agent == name


def test_a_place_may_hold_a_function_or_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brought.py").write_text("def f(question): return question\nclass C: pass\ndef g(q, size): ...\n")
    monkeypatch.chdir(tmp_path)
    assert load_agent("brought:f").roles == ()
    with pytest.raises(UserError, match="not an agent but a class"):
        load_agent("brought:C")
    with pytest.raises(UserError, match="nothing fills in its argument 'size'"):
        load_agent("brought:g")


def test_a_function_that_asks_for_models_has_a_role_to_ask() -> None:
    def own(task: Any, session: Any, models: Any, limits: Any) -> str:
        return "x"

    agent = as_agent(own)
    assert known(agent).roles == ("researcher",)
    assert as_agent(shop_tools()[0]) is None

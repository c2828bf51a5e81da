"""LangChain's agents on the models of a run, and runs found again in traces. Tests llm/models.py."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.runnables import RunnableConfig
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel

from drretail import open_world, run
from drretail.env.world import World
from drretail.llm.registry import Model
from drretail.llm.scripted import ScriptedAnswer, scripted_model
from drretail.records.run import Run

QUESTION = "Which bird feeder suits me?"
CALL: ToolCall = {"name": "product_catalog_search", "args": {"query": "bird feeder"}, "id": "1", "type": "tool_call"}
REPORT = "Buy the first one."


@pytest.fixture
def world() -> Generator[World]:
    with open_world("demo") as opened:
        yield opened


def script() -> Model:
    return scripted_model(AIMessage("", tool_calls=[CALL]), REPORT, "[]")


def ran(world: World, agent: Any, **options: Any) -> Run:
    given: dict[str, Any] = {"model": script(), **options}
    (only,) = run(world, [QUESTION], {"mine": agent}, baselines=False, **given)
    return only


def makes(models: Any, tools: Any) -> Any:
    return create_agent(models.chat("researcher"), tools)


def invokes(instructions: str, models: Any, tools: Any) -> Any:
    return makes(models, tools).invoke({"messages": [("user", instructions)]})


async def awaits(instructions: str, models: Any, tools: Any) -> Any:
    return await makes(models, tools).ainvoke({"messages": [("user", instructions)]})


async def invokes_in_the_loop(instructions: str, models: Any, tools: Any) -> Any:
    return makes(models, tools).invoke({"messages": [("user", instructions)]})


@pytest.mark.parametrize("agent", [makes, invokes, awaits, invokes_in_the_loop], ids=lambda agent: agent.__name__)
def test_what_a_langchain_agent_asks_is_recorded_and_replays(world: World, agent: Any, tmp_path: Path) -> None:
    one = ran(world, agent, to=tmp_path / "exp")
    assert (one.error, one.report) == (None, REPORT)
    assert [step.kind for step in one.steps] == ["model", "tool", "model", "model"]
    assert {role: usage.calls for role, usage in one.usage.items()} == {"researcher": 3}  # the last asks for the picks
    again = ran(world, agent, to=tmp_path / "again", replay=tmp_path / "exp", model=scripted_model())
    assert again == one


def test_a_langchain_agent_is_stopped_by_the_runs_limits(world: World) -> None:
    one = ran(world, awaits, limits={"tokens": 6000})
    assert one.error is not None
    assert one.error.kind == "budget"


class Traced(BaseCallbackHandler):
    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def on_chat_model_start(self, *_: Any, metadata: dict[str, Any] | None = None, **__: Any) -> None:
        self.seen.append(metadata or {})


class Plan(BaseModel):
    """What to look up."""

    steps: list[str]


def test_a_langchain_model_answers_in_a_schema_and_is_sent_back_what_does_not_fit(world: World) -> None:
    async def plans(instructions: str, models: Any, tools: Any) -> str:
        plan = await models.chat("researcher").with_structured_output(Plan).ainvoke(instructions)
        return f"{plan!r}, {models.chat('researcher').with_structured_output(Plan).invoke(instructions)!r}"

    good = ScriptedAnswer(structured={"steps": ["a"]})
    model = scripted_model(play=lambda request: good if "steps" in str(request.messages[-1]) else '{"plan": []}')
    assert ran(world, plans, model=model).report == "Plan(steps=['a']), Plan(steps=['a'])"

    def refused(instructions: str, models: Any, tools: Any) -> str:
        return models.chat("researcher").with_structured_output({"title": "Plan"})

    assert "takes a pydantic model" in str(ran(world, refused).error)


def test_models_that_an_agent_asks_by_itself_know_the_run(world: World) -> None:
    traced = Traced()

    def agent(question: str) -> str:
        return script().chat.invoke(question, RunnableConfig(callbacks=[traced])).text or "Nothing."

    one = ran(world, agent)
    (seen,) = traced.seen
    assert seen["drretail.run_id"] == one.run_id
    assert (seen["drretail.query_id"], seen["drretail.question"]) == (one.query_id, QUESTION)


def test_a_run_is_a_span_that_holds_its_calls(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    one = ran(world, makes)
    *calls, whole = exporter.get_finished_spans()
    assert [span.name for span in calls] == [
        "chat scripted:test",
        "execute_tool product_catalog_search",
        "chat scripted:test",
        "chat scripted:test",
    ]
    assert whole.name == "invoke_agent mine"
    assert attributes(whole)["gen_ai.conversation.id"] == one.run_id
    assert {span.parent and span.parent.span_id for span in calls} == {whole.context.span_id if whole.context else None}
    usage = one.usage["researcher"]
    assert sum(attributes(span).get("gen_ai.usage.output_tokens", 0) for span in calls) == usage.output
    assert sum(attributes(span).get("gen_ai.usage.input_tokens", 0) for span in calls) == usage.total - usage.output


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})

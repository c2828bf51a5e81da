"""Runs as spans, as OpenTelemetry's own exporter takes them."""

from pathlib import Path

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from drretail.exports.selection import Chosen, Selection
from drretail.exports.spans import spans_of
from tests.exports.conftest import HYBRID, REACT

REGISTRY = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
OPERATIONS = {var.value for var in vars(gen_ai_attributes)["GenAiOperationNameValues"]}


def chosen(exp: Path, system: str) -> Chosen:
    return next(each for each in Selection.of(exp, failed=True) if each.run.system == system)


def exported(exp: Path, system: str) -> tuple[ReadableSpan, ...]:
    memory = InMemorySpanExporter()
    memory.export(spans_of(chosen(exp, system)))
    return memory.get_finished_spans()


@pytest.mark.parametrize("system", [REACT, HYBRID])
def test_every_name_is_one_of_the_conventions(exp: Path, system: str) -> None:
    for span in exported(exp, system):
        attributes = dict(span.attributes or {})
        assert {attribute for attribute in attributes if attribute.startswith("gen_ai.")} <= REGISTRY
        assert attributes["gen_ai.operation.name"] in OPERATIONS
        for event in span.events:
            assert event.name == "gen_ai.evaluation.result"
            assert {attribute for attribute in event.attributes or {} if attribute.startswith("gen_ai.")} <= REGISTRY


@pytest.mark.parametrize("system", [REACT, HYBRID])
def test_spans_are_one_tree_and_each_lies_within_the_run(exp: Path, system: str) -> None:
    spans = exported(exp, system)
    ids = {span.context.span_id for span in spans if span.context}
    assert len(ids) == len(spans)
    root, *others = spans
    assert root.parent is None
    for span in others:
        assert span.parent is not None
        assert span.parent.span_id in ids
        assert (root.start_time or 0) <= (span.start_time or 0) <= (span.end_time or 0) <= (root.end_time or 0)


def test_a_team_is_a_span_an_agent_with_its_calls_below(exp: Path) -> None:
    spans = exported(exp, HYBRID)
    agents = [span for span in spans if span.name == "invoke_agent researcher"]
    run = chosen(exp, HYBRID).run
    assert len(agents) == len({step.path for step in run.steps} - {"0"})
    below = [
        span for span in spans if span.parent and agents[0].context and span.parent.span_id == agents[0].context.span_id
    ]
    assert {each.name.split()[0] for each in below} == {"chat", "execute_tool"}


def test_calls_tokens_and_judgements_are_all_there(exp: Path) -> None:
    it = chosen(exp, REACT)
    spans = exported(exp, REACT)
    tools = [span.name for span in spans if span.name.startswith("execute_tool")]
    assert tools == [f"execute_tool {step.name}" for step in it.run.steps if step.kind == "tool"]
    chats = [dict(span.attributes or {}) for span in spans if span.name.startswith("chat")]
    assert sum(int(str(chat["gen_ai.usage.output_tokens"])) for chat in chats) == sum(
        usage.output for usage in it.run.usage.values()
    )
    texts = {str((event.attributes or {})["gen_ai.evaluation.name"]) for event in spans[0].events}
    assert texts == {f"{got.metric}.{got.variant}" for got in it.got if got.value is not None}


def test_a_failed_run_is_an_error_with_its_kind(exp: Path) -> None:
    failed = next(each for each in Selection.of(exp, ["hybrid_react"], failed=True) if each.run.report is None)
    root = spans_of(failed)[0]
    assert not root.status.is_ok
    assert (root.attributes or {})["error.type"] == "timeout"


def test_the_same_run_has_the_same_ids(exp: Path) -> None:
    once, again = ([span.context for span in exported(exp, REACT)] for _ in range(2))
    assert once == again

"""Runs as OpenTelemetry spans by the GenAI conventions, and judgements as events on them.

A run is one ``invoke_agent`` span; below it one for each agent that it launched, a ``chat`` span for every call of a
model, and an ``execute_tool`` span for every call of a tool. What judges said stands on the first as
``gen_ai.evaluation.result`` events. The same run has the same ids each time. Times are those of the journal; a tool
that asks nobody outside has no time of its own there, and stands where the call before it ended.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail import __version__
from drretail.errors import UserError
from drretail.experiment import read_journal
from drretail.exports.selection import Chosen, Got, Selection
from drretail.files import write_lines
from drretail.journal import Effect
from drretail.records.base import canonical_json
from drretail.records.run import Step
from drretail.tables.figures import counted

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

ROOT = "0"
ENDPOINT = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_NANO = 1_000_000_000
_PROVIDERS = {"google": "gcp.gemini"}
"""Of ours, those that go by another name among the conventions' well-known ones."""


@dataclass(frozen=True, slots=True)
class Span:
    """One span, before it is one of OpenTelemetry's."""

    key: str
    """Names it within its run."""
    parent: str | None
    name: str
    start: int
    """Nanoseconds since 1970."""
    end: int
    attributes: Mapping[str, Any]
    error: str | None = None
    is_client: bool = False
    """True for what asks somebody else: a model."""


def write(selection: Selection, to: Path) -> str:
    """Spans as JSON, one a line; to a collector, too, where OTEL_EXPORTER_OTLP_ENDPOINT names one."""
    if find_spec("opentelemetry.sdk") is None:
        raise UserError("Spans need OpenTelemetry: pip install 'drretail[otel]'.")
    collector = _collector()
    lines: list[str] = []
    runs = 0
    for chosen in selection:
        runs += 1
        spans = spans_of(chosen)
        lines += [json.dumps(json.loads(span.to_json())) for span in spans]
        if collector is not None:
            collector.export(spans)
    if collector is not None:
        collector.shutdown()
    if not runs:
        raise selection.nothing_left()
    write_lines(to, lines)
    return f"{counted(len(lines), 'span')} of {counted(runs, 'run')}"


def spans_of(chosen: Chosen) -> list["ReadableSpan"]:
    """A run's spans, the outermost first, as any exporter of OpenTelemetry takes them."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    run = chosen.run
    trace = _digest(f"{run.run_id} {run.report_sha}", 16)

    def context(key: str) -> SpanContext:
        span_id = _digest(f"{run.run_id} {run.report_sha} {key}", 8)
        return SpanContext(trace, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    spans = _Walk(chosen).spans()
    events = [
        Event("gen_ai.evaluation.result", _judged(got), spans[0].end) for got in chosen.got if got.value is not None
    ]
    resource = Resource({"service.name": "drretail", "service.version": __version__})
    return [
        ReadableSpan(
            name=span.name,
            context=context(span.key),
            parent=None if span.parent is None else context(span.parent),
            resource=resource,
            attributes=dict(span.attributes),
            events=events if span.parent is None else (),
            kind=SpanKind.CLIENT if span.is_client else SpanKind.INTERNAL,
            status=Status(StatusCode.UNSET) if span.error is None else Status(StatusCode.ERROR, span.error),
            start_time=span.start,
            end_time=span.end,
        )
        for span in spans
    ]


@dataclass
class _Walk:
    """Goes through a run's steps in launch order, with the effects of its journal at hand."""

    chosen: Chosen
    _effects: Mapping[str, list[Effect]] = field(init=False)
    """By scope: of a path its calls of models, of "path/seq" what a tool asked outside."""
    _now: dict[str, int] = field(default_factory=dict[str, int])
    """By path, when the last thing there ended."""

    def __post_init__(self) -> None:
        effects: dict[str, list[Effect]] = defaultdict(list)
        for effect in read_journal(self.chosen.folder):
            effects[effect.scope].append(effect)
        self._effects = effects

    def spans(self) -> list[Span]:
        run = self.chosen.run
        inner = [self._step(step) for step in run.steps]
        by_path: dict[str, list[Span]] = defaultdict(list)
        for step, span in zip(run.steps, inner, strict=True):
            by_path[step.path].append(span)
        start, end = min((span.start for span in inner), default=0), max((span.end for span in inner), default=0)
        spans = [Span(ROOT, None, f"invoke_agent {run.system}", start, end, self._about_run(), _error_of(self.chosen))]
        for path, below in by_path.items():
            if self._is_agent(path):
                first, last = min(each.start for each in below), max(each.end for each in below)
                role = next(step.role for step in run.steps if step.path == path)
                about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": role}
                spans.append(Span(path, self._launcher(path), f"invoke_agent {role}", first, last, about))
        return [*spans, *inner]

    def _step(self, step: Step) -> Span:
        key = f"{step.path}/{step.seq}"
        parent = step.path if self._is_agent(step.path) else self._launcher(step.path)
        return self._tool(step, key, parent) if step.kind == "tool" else self._chat(step, key, parent)

    def _chat(self, step: Step, key: str, parent: str) -> Span:
        calls = self._effects.get(step.path, [])
        effect = calls.pop(0) if calls else None
        start, end = self._times(step.path, [effect] if effect else [])
        provider, _, model = (step.name or "").partition(":")
        about: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
            "gen_ai.request.model": model,
        }
        usage = (effect.usage if effect else None) or {}
        if usage:
            read, made = usage.get("cache_read", 0), usage.get("cache_creation", 0)
            about |= {
                "gen_ai.usage.input_tokens": usage.get("input_uncached", 0) + read + made,
                "gen_ai.usage.output_tokens": usage.get("output", 0),
                "gen_ai.usage.cache_read.input_tokens": read,
                "gen_ai.usage.cache_creation.input_tokens": made,
            }
        failed = step.error or (str(effect.error) if effect and effect.error else None)
        return Span(key, parent, f"chat {model}", start, end, _failed(about, failed), failed, is_client=True)

    def _tool(self, step: Step, key: str, parent: str) -> Span:
        start, end = self._times(step.path, self._effects.get(key, []))
        about: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": step.name or "",
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": canonical_json(step.args or {}),
        }
        return Span(key, parent, f"execute_tool {step.name}", start, end, _failed(about, step.error), step.error)

    def _times(self, path: str, effects: Sequence[Effect]) -> tuple[int, int]:
        """When something began and ended; without effects, at once and where the last thing there ended."""
        if effects:
            self._now[path] = max(map(_end, effects))
            return min(map(_start, effects)), self._now[path]
        at = self._now.get(path) or min(
            (_start(each) for effects in self._effects.values() for each in effects), default=0
        )
        return at, at

    def _is_agent(self, path: str) -> bool:
        """False for the root, which is the run, and for the reading of a page below the search that found it."""
        return path != ROOT and not self._is_tool(path.rpartition(".")[0])

    def _launcher(self, path: str) -> str:
        above = path.rpartition(".")[0]
        if self._is_tool(above):
            return "/".join(above.rsplit(".", 1))
        return above or ROOT

    def _is_tool(self, place: str) -> bool:
        path, _, seq = place.rpartition(".")
        return any(step.path == path and str(step.seq) == seq and step.kind == "tool" for step in self.chosen.run.steps)

    def _about_run(self) -> dict[str, Any]:
        run, usage = self.chosen.run, self.chosen.run.usage.values()
        about: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": run.system,
            "gen_ai.conversation.id": run.run_id,
            "gen_ai.usage.input_tokens": sum(each.total - each.output for each in usage),
            "gen_ai.usage.output_tokens": sum(each.output for each in usage),
            "drretail.query.id": run.query_id,
            "drretail.run.status": run.status,
            "drretail.run.stop": run.stop,
        }
        return about if run.error is None else about | {"error.type": run.error.kind}


def _failed(about: dict[str, Any], error: str | None) -> dict[str, Any]:
    return about if error is None else about | {"error.type": error.partition(":")[0]}


def _error_of(chosen: Chosen) -> str | None:
    error = chosen.run.error
    return None if error is None else error.message


def _judged(got: Got) -> dict[str, Any]:
    assert got.value is not None
    return {
        "gen_ai.evaluation.name": f"{got.metric}.{got.variant}",
        "gen_ai.evaluation.score.value": got.value,
        "drretail.judge": got.judge,
        "drretail.rules": got.rules,
    }


def _start(effect: Effect) -> int:
    return int(datetime.fromisoformat(effect.started).timestamp() * _NANO)


def _end(effect: Effect) -> int:
    return _start(effect) + int(effect.seconds * _NANO)


def _digest(text: str, size: int) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:size])


def _collector() -> "SpanExporter | None":
    """Where the environment sends spans; None where it names nobody."""
    if not any(environ.get(name) for name in ENDPOINT):
        return None
    try:
        sender: Any = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError as problem:
        raise UserError(
            "Spans for a collector need one more package: pip install opentelemetry-exporter-otlp-proto-http."
        ) from problem
    return sender.OTLPSpanExporter()

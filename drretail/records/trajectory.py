"""The steps of one run, in the order in which they were launched; and OpenTelemetry spans around them."""

import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from drretail.parsing import writable
from drretail.records.base import sha256_of
from drretail.records.run import Setback, Setbacks, Step

Operation = Literal["invoke_agent", "chat", "execute_tool"]
Note = Callable[[Mapping[str, Any]], None]
"""Adds attributes to a span."""


class StepPlace(NamedTuple):
    """Where a step stands in a run."""

    path: str
    seq: int


class Trajectory:
    """Collects steps and the texts of their results; safe to use from several threads.

    ``on_step`` is called with each step as it ends, and the text of its result. A place (path, seq) is reserved before
    a step is launched, so the order never depends on which step ends first.
    """

    def __init__(self, on_step: Callable[[Step, str], None] | None = None) -> None:
        self._on_step = on_step
        self._lock = threading.Lock()
        self._next: dict[str, int] = defaultdict(int)
        self._steps: dict[tuple[str, int], Step] = {}
        self._texts: dict[str, str] = {}
        self._setbacks: Counter[tuple[Setback, str]] = Counter()

    def reserve(self, path: str) -> int:
        """The next free ``seq`` within ``path``, from 0."""
        with self._lock:
            seq = self._next[path]
            self._next[path] = seq + 1
            return seq

    def go_on_after(self, path: str, seq: int) -> None:
        """Reserves this place and those before it, which another part of the run has taken."""
        with self._lock:
            self._next[path] = max(self._next[path], seq + 1)

    def add(self, step: Step) -> None:
        with self._lock:
            self._steps[step.path, step.seq] = step
        if self._on_step is not None:
            self._on_step(step, self._texts.get(step.result_sha or "", ""))

    def count_setback(self, what: Setback, part: str = "", number: int = 1) -> None:
        """Counts something that went wrong; ``part`` names the part of the run where counts are by part."""
        with self._lock:
            self._setbacks[what, part] += number

    def setbacks(self) -> Setbacks:
        """All that was counted so far."""
        counts = {key: number for key, number in sorted(self._setbacks.items()) if number}
        numbers: dict[str, int | dict[str, int]] = {what: number for (what, part), number in counts.items() if not part}
        for what in ("lost", "repairs"):
            numbers[what] = {part: number for (group, part), number in counts.items() if group == what}
        return Setbacks.model_validate(numbers)

    def keep_text(self, text: str) -> str:
        """Stores a result's text once, and returns its sha256."""
        text = writable(text)
        sha = sha256_of(text)
        with self._lock:
            self._texts[sha] = text
        return sha

    def steps(self) -> tuple[Step, ...]:
        """All steps by path (as numbers, so "0.10" follows "0.9"), then seq."""
        return tuple(sorted(self._steps.values(), key=lambda step: (path_key(step.path), step.seq)))

    def texts(self) -> dict[str, str]:
        """sha256 → text of all results kept so far, sorted by hash."""
        return dict(sorted(self._texts.items()))


def path_key(path: str) -> tuple[int, ...]:
    """A path such as "0.2" as numbers, for sorting."""
    return tuple(int(part) for part in path.split("."))


@contextmanager
def span(operation: Operation, name: str, attributes: Mapping[str, Any]) -> Generator[Note]:
    """A span around a block, under the span that is open, by OpenTelemetry's conventions for generative AI.

    Where the program set up OpenTelemetry, as ``opentelemetry-instrument drretail run …`` does, spans go to its
    exporter; elsewhere none is made. An exception that leaves the block is the span's error.
    """
    trace = sys.modules.get("opentelemetry.trace")  # LangChain loads it where it is installed, and sets nothing up
    if trace is None or isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        yield lambda attributes: None
        return
    every = {"gen_ai.operation.name": operation, **attributes}
    kind = trace.SpanKind.CLIENT if operation == "chat" else trace.SpanKind.INTERNAL
    tracer = trace.get_tracer("drretail")
    with tracer.start_as_current_span(f"{operation} {name}", kind=kind, attributes=every) as opened:
        yield lambda attributes: opened.set_attributes(dict(attributes))

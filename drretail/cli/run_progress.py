"""The progress of many runs, and the lines that show live what an agent looks up and finds."""

import json
import time
from collections import Counter
from collections.abc import Callable
from math import nan
from typing import Any

from drretail.agents.running.outcomes import Ended, is_tool_call
from drretail.agents.running.run import Watch
from drretail.progress import Bar, Progress
from drretail.records.figures import counted, dollars
from drretail.records.query import Query
from drretail.records.run import Step, Usage
from drretail.reports.picks import take_picks
from drretail.reports.text.wording import short_title

SUBJECTS = ("query", "question", "expression", "product_id", "order_id", "sub_problem", "thought")
ROLES_THAT_ANSWER_IN_JSON = ("summariser", "synthesis")
UNTOLD = ("user_id", "limit", "offset")


def narrate(progress: Progress, step: Step, text: str) -> None:
    """A runner's ``on_step`` that shows each step in a line."""
    line = step_line(step, text)
    if line is not None:
        progress.note(line)


def step_line(step: Step, text: str) -> str | None:
    """One line about a step; None if there is nothing worth showing."""
    where = f"[{step.path}] " if "." in step.path else ""
    if step.error is None and step.role in ROLES_THAT_ANSWER_IN_JSON and step.kind != "tool":
        return None if step.role == "summariser" else f"{where}· findings consolidated"
    if step.kind != "tool":
        thought = " ".join(take_picks(text).report.split()) if step.error is None else f"the model failed: {step.error}"
        return f"{where}· {_cut(thought, 160)}" if thought and not thought.startswith(("#", "{")) else None
    if step.error is not None:
        return f"{where}  {step.name}: {_cut(step.error, 140)}"
    args = step.args or {}
    subject = next((json.dumps(args[name], ensure_ascii=False) for name in SUBJECTS if name in args), "")
    filters = ", ".join(f"{name} {value}" for name, value in args.items() if name not in (*SUBJECTS, *UNTOLD))
    call = (f" {subject}" if subject else "") + (f" ({filters})" if filters else "")
    finding = _summary(json.loads(text)) if text else ""
    return f"{where}  {step.name}{_cut(call, 110)}{f' → {finding}' if finding else ''}"


def _summary(value: dict[str, Any]) -> str:
    """What a call brought, in a few words: how many there are, a title or a result; empty for anything else."""
    count, title = value.get("total", value.get("shown")), value.get("title")
    if isinstance(count, int):  # tools of the agent's own say anything under these names
        return f"{count:,} found"
    return short_title(title, 80) if isinstance(title, str) else _cut(str(value.get("value", "")), 80)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


class RunsShown(Watch):
    """One bar over all runs, and a line for the first failure.

    With ``narrated`` also a heading for each run, and its steps. Those of parallel runs would mix.
    """

    def __init__(
        self, progress: Progress, bar: Bar, clock: Callable[[], float] = time.monotonic, *, narrated: bool = False
    ) -> None:
        self._progress = progress
        self._bar = bar
        self._clock = clock
        self._narrated = narrated
        self._began = clock()
        self._tool_calls = 0
        self._due = 0
        """The runs of this command."""
        self._done = self._failed = self._spoiled = self._tokens = 0
        self._dollars = 0.0
        """NaN once a call's price is unknown: a sum without it would be too low."""

    def planned(self, runs: Counter[str], ended: Counter[str]) -> None:
        self._due = runs.total() - ended.total()
        self._began = self._clock()
        if ended:
            self._bar.advance(ended.total())
            self._progress.note(f"{ended.total():,} of {counted(runs.total(), 'run')} had ended before.")

    def stepped(self, step: Step, text: str) -> None:
        """A runner's ``on_step``. A first run may take minutes, and a person wants to see that it makes progress."""
        if self._narrated:
            narrate(self._progress, step, text)
        if is_tool_call(step):
            self._tool_calls += 1
            self._bar.describe(self._description())

    def used(self, label: str, usage: Usage) -> None:
        """A runner's ``on_use``. Tokens and money are spent long before the first run has ended."""
        self._tokens += usage.total
        self._dollars += nan if usage.dollars is None else usage.dollars
        self._bar.describe(self._description())

    def began(self, label: str, query: Query) -> None:
        if self._narrated:
            self._progress.note(f"{query.query_id} · {label}")

    def ended(self, run: Ended) -> None:
        self._bar.advance()
        self._spoiled += bool(run.losses)
        self._done += run.failure is None
        if run.failure is not None:
            self._failed += 1
            if self._failed == 1:  # shown at once: its cause, such as a wrong key, may make all runs fail
                self._progress.note(f"failed: {run.failure}")
        self._bar.describe(self._description())

    def stopping(self, in_flight: int) -> None:
        runs = "the current run has" if in_flight == 1 else f"the {in_flight} current runs have"
        self._progress.note(f"Stopping: no new run begins, and {runs} a minute to end. Ctrl-C again stops at once.")

    def _description(self) -> str:
        """All runs in one line."""
        here = self._done + self._failed
        left = self._due - here
        lost = (f" ({self._spoiled:,} spoiled)" if self._spoiled else "") + (
            f", {self._failed:,} failed" if self._failed else ""
        )
        seconds = (self._clock() - self._began) / here * left if here else 0
        time_left = f" · about {duration(seconds)} left" if here and left else ""
        spent = _spent(self._tokens, self._dollars)
        return f"{self._done:,} done{lost}, {left:,} left · {counted(self._tool_calls, 'tool call')}{spent}{time_left}"


def _spent(tokens: int, cost: float) -> str:
    shown = f" · {tokens:,} tokens" if tokens else ""  # what an agent does not tell is not 0
    return shown + (f" · ${dollars(cost)}" if cost > 0 else "")


def duration(seconds: float) -> str:
    """Seconds as a person says them: "40 s", "12 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"

"""The progress of many runs."""

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial

from drretail.agents.running.batch import Watch
from drretail.agents.running.outcomes import Ended, Tally, is_tool_call
from drretail.agents.running.runner import Runner
from drretail.api.observer import Observer
from drretail.cli.narration import CHECK_MODEL, step_line
from drretail.progress import Bar, Progress, Waits, choose_progress
from drretail.records.query import Query
from drretail.records.run import BASELINES, Step, Usage
from drretail.records.tables.figures import counted, counted_each, dollars
from drretail.viewer.output import say

COUNTS = ("planned", "ended", "done", "failed", "spoiled", "tokens")


@dataclass(slots=True)
class _SystemShown:
    """What the display says of one system. ``ended`` runs had ended before this command."""

    planned: int = 0
    ended: int = 0
    done: int = 0
    failed: int = 0
    spoiled: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    """None once a call's price is unknown: a sum without it would be too low."""

    @property
    def left(self) -> int:
        return self.planned - self.ended - self.done - self.failed

    @property
    def spent(self) -> str:
        tokens = f" · {self.tokens:,} tokens" if self.tokens else ""  # what an agent does not tell is not 0
        return tokens + (f" · ${dollars(self.dollars)}" if self.dollars else "")


class RunsShown(Watch):
    """One bar over all runs, below it a line for each system if there are several, and a line for the first failure.

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
        self._systems: defaultdict[str, _SystemShown] = defaultdict(_SystemShown)
        self._tool_calls = 0

    def planned(self, runs: Counter[str], ended: Counter[str]) -> None:
        self._systems.update({label: _SystemShown(count, ended[label]) for label, count in runs.items()})
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

    def used(self, label: str, usage: Usage, dollars: float | None) -> None:
        """A runner's ``on_use``. Tokens and money are spent long before the first run has ended."""
        system = self._systems[label]
        system.tokens += usage.total
        system.dollars = None if dollars is None or system.dollars is None else system.dollars + dollars
        self._bar.describe(self._description())

    def began(self, label: str, query: Query) -> None:
        if self._narrated:
            self._progress.note(f"{query.query_id} · {label}")

    def ended(self, run: Ended) -> None:
        system = self._systems[run.label]
        self._bar.advance()
        system.spoiled += bool(run.losses)
        if run.failure is None:
            system.done += 1
        elif not any(each.failed for each in self._systems.values()):
            # shown at once: its cause, such as a wrong key, may make all runs fail
            self._progress.note(f"failed: {run.failure}")
        system.failed += run.failure is not None
        self._bar.describe(self._description())

    def stopping(self, in_flight: int) -> None:
        runs = "the current run has" if in_flight == 1 else f"the {in_flight} current runs have"
        self._progress.note(f"Stopping: no new run begins, and {runs} a minute to end. Ctrl-C again stops at once.")

    def _description(self) -> str:
        """All runs in one line, then each system, those that are not through first."""
        systems = self._systems.values()
        costs = [system.dollars for system in systems]
        total = _SystemShown(
            **{name: sum(getattr(system, name) for system in systems) for name in COUNTS},
            dollars=None if None in costs else sum(filter(None, costs)),
        )
        failed = f" ({total.spoiled:,} spoiled)" if total.spoiled else ""
        failed += f", {total.failed:,} failed" if total.failed else ""
        here = total.done + total.failed  # the time that is left is estimated from the runs of this command
        seconds = (self._clock() - self._began) / here * total.left if here else 0
        time_left = f" · about {duration(seconds)} left" if here and total.left else ""
        counts = f"{counted(self._tool_calls, 'tool call')}{total.spent}{time_left}"
        lines = [f"{total.done:,} done{failed}, {total.left:,} left · {counts}"]
        shown = {label: system for label, system in self._systems.items() if label not in BASELINES}
        if len(shown) > 1:
            width = max(map(len, shown))
            for label, each in sorted(shown.items(), key=lambda item: not item[1].left):
                lost = f", {each.failed:,} failed" if each.failed else ""
                lines.append(f"{label:{width}}  {each.ended + each.done:,}/{each.planned:,}{lost}{each.spent}")
        return "\n".join(lines)


class TerminalObserver(Observer):
    """Shows on stderr what a command does: notes always, progress and waiting if progress is shown.

    What an agent prints goes there as well, since stdout is for the result.
    """

    def __init__(self) -> None:
        self._progress = choose_progress()
        self._waits = Waits()

    def note(self, sentence: str) -> None:
        say(sentence)

    def waiting(self, line: str) -> None:
        self._waits(line)

    @contextmanager
    def runs(self, runner: Runner, count: int, parallel: int) -> Generator[Watch]:
        with self._progress.track("runs", count) as bar, redirect_stdout(sys.stderr):
            shown = RunsShown(self._progress, bar, narrated=min(parallel, count) == 1)
            runner.on_step, runner.on_use = shown.stepped, shown.used
            yield shown

    @contextmanager
    def answer(self, runner: Runner) -> Generator[None]:
        runner.on_step = partial(narrate, self._progress)
        # One call of a model may take a minute.
        with self._progress.busy("answering"), redirect_stdout(sys.stderr):
            yield

    def answer_as_shopper(self, topic: str, question: str) -> str:
        with self._progress.paused():
            return super().answer_as_shopper(topic, question)


def narrate(progress: Progress, step: Step, text: str) -> None:
    """A runner's ``on_step`` that shows each step in a line."""
    line = step_line(step, text)
    if line is not None:
        progress.note(line)


def outcome_notes(tallies: Sequence[Tally]) -> Iterator[str]:
    """Sentences on runs that looked nothing up, that failing servers or providers spoiled or that can be repeated, and
    on reports that lack a cart.
    """
    if runs := sum(tally.no_research for tally in tallies):
        yield (
            f"Of {counted(sum(tally.failed for tally in tallies), 'failed run')} {runs:,} looked nothing up, though "
            f"asked for it once more (no_research): the model may not call tools well. {CHECK_MODEL}"
        )
    if runs := sum(tally.spoiled for tally in tallies):
        unanswered = Counter({"tool call": sum(tally.calls_failed for tally in tallies)})
        for tally in tallies:
            unanswered += Counter(tally.losses)
        yield f"A server or provider gave no answer for {counted_each(unanswered)}, in {counted(runs, 'run')}."
    if runs := sum(tally.incomplete for tally in tallies):
        lack = "lacks" if runs == 1 else "lack"
        yield f"Nothing is concluded against a system while {counted(runs, 'run')} of it {lack} a model's answer."
    counts = {"failed": sum(tally.failed for tally in tallies), "spoiled": sum(tally.spoiled_done for tally in tallies)}
    if found := {kind: count for kind, count in counts.items() if count}:
        flags = " ".join(f"--retry {kind}" for kind in found)
        runs = " and ".join(f"{count:,} {kind}" for kind, count in found.items())
        noun = "run" if sum(found.values()) == 1 else "runs"
        yield f"The same command with {flags} makes the {runs} {noun} again."
    researching = [tally for tally in tallies if tally.label not in BASELINES]
    if runs := sum(tally.undecided for tally in researching):
        done, verb = sum(tally.done for tally in researching), "does" if runs == 1 else "do"
        yield f"Of {done:,} reports {runs:,} {verb} not say what belongs in the cart."


def duration(seconds: float) -> str:
    """Seconds as a person says them: "40 s", "12 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"

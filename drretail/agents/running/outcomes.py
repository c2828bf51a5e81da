"""How runs ended: one run, and all runs of one system; and when failing tool calls end the whole command."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from drretail.errors import CommandStopped
from drretail.records.run import OUTAGES, Run, Step, System
from drretail.tools.registry import FAMILIES, TOOLS

IN_A_ROW = 5
"""Failed calls of one tool, over all runs. A turn makes up to four calls at once, and these may meet one bad moment."""
SHOP = FAMILIES["catalog"] | FAMILIES["user"]
AGAIN = "mend that and run the same command again: it goes on from here"


@dataclass(slots=True)
class Outages:
    """Counts, over all runs of a command, the calls of each tool of the shop that a failing server left unanswered.

    Without the shop no run is worth its tokens. Without the web a run still is: its failed calls are counted once it
    has ended (``--retry spoiled``). Only a search engine that refuses the key stops the runs, since it would refuse
    every call.
    """

    most: int = IN_A_ROW
    _failed: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _stopped: str | None = None

    def note(self, step: Step) -> None:
        """Counts the result of one call. Raises CommandStopped if no further call can be expected to be answered."""
        kind, _, reason = (step.error or "").partition(": ")
        name = step.name or ""
        if step.kind != "tool":
            return
        if name in FAMILIES["web"] and kind == "forbidden":
            self._stopped = f"{reason.rstrip('.')}; {AGAIN}."
        elif name in SHOP and kind in OUTAGES:
            self._failed[name] += 1
            if self._failed[name] >= self.most:
                unanswered = f"{self.most} calls of {name} in a row without an answer ({reason.rstrip('.')})"
                spoiled = "--retry spoiled makes runs again that ended with such calls"
                self._stopped = f"The shop left {unanswered}: {AGAIN}; {spoiled}."
        elif kind in ("", "not_found"):  # the server answered
            self._failed[name] = 0
        self.check()

    def check(self) -> None:
        """Raises CommandStopped once runs have been stopped, for agents that suppress what a tool's call raises."""
        if self._stopped is not None:
            raise CommandStopped(self._stopped)


FAILED, SPOILED, ALL = "failed", "spoiled", "all"
"""Which ended runs are made again: those that failed, those of which a server or provider took a part, or all."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What one run adds to its system's tally."""

    label: str
    query_id: str
    before: bool
    """True if it had ended before this command."""
    tool_calls: int
    tokens: int
    failure: str | None
    """One sentence if the run failed; otherwise None."""
    no_research: bool = False
    """True if it failed because it looked nothing up."""
    calls_failed: int = 0
    """Tool calls that got no answer because a server failed or was too slow."""
    losses: Mapping[str, int] = field(default_factory=dict[str, int])
    """What it did without because a provider gave no answer, by name."""
    undecided: bool = False
    """True if it is done and declares no picks that can be read, though its query wants something."""

    @classmethod
    def of(cls, run: Run, *, before: bool) -> Self:
        return cls(
            label=run.system,
            query_id=run.query_id,
            before=before,
            tool_calls=sum(is_tool_call(step, run.tools) for step in run.steps),
            tokens=sum(usage.total for usage in run.usage.values()),
            failure=None if run.error is None else f"{run.run_id}: {run.error.kind}: {run.error.message}",
            no_research=run.stop == "no_research",
            calls_failed=run.unanswered_calls,
            losses=run.losses,
            undecided=run.status == "done" and run.is_undecided,
        )


@dataclass(slots=True)
class Tally:
    """How one system's runs ended. Tool calls and tokens are totals over all of them.

    Tokens include those of runs that were made again.
    """

    label: str
    done: int = 0
    failed: int = 0
    before: int = 0
    """How many of these had ended before this command."""
    tool_calls: int = 0
    tokens: int = 0
    not_started: int = 0
    """How many runs the experiment's budget held back."""
    failures: list[str] = field(default_factory=list[str])
    """One sentence for each failed run."""
    no_research: int = 0
    """How many of the failed runs looked nothing up."""
    calls_failed: int = 0
    """Tool calls that a failing server left without an answer."""
    losses: dict[str, int] = field(default_factory=dict[str, int])
    """What runs that are done did without because a provider gave no answer, by name: researchers, page summaries …"""
    spoiled: int = 0
    """Runs with such a call or loss: their results say less about the system than about the server."""
    spoiled_done: int = 0
    """Spoiled runs that are done: ``--retry failed`` leaves them as they are."""
    incomplete: int = 0
    """Runs that are done with losses: nothing is concluded against a system that has one."""
    undecided: int = 0
    """Runs that are done and declare no picks that can be read, though their query wants something."""

    @property
    def is_complete(self) -> bool:
        """True if every run was made, and none failed or lost a part of itself to a provider."""
        return not (self.failed or self.incomplete or self.not_started)

    def add(self, ended: Ended) -> None:
        self.done += ended.failure is None
        self.failed += ended.failure is not None
        self.before += ended.before
        self.tool_calls += ended.tool_calls
        self.tokens += ended.tokens
        self.no_research += ended.no_research
        self.calls_failed += ended.calls_failed
        self.losses = dict(Counter(self.losses) + Counter(ended.losses))
        is_spoiled = bool(ended.calls_failed or ended.losses)
        self.spoiled += is_spoiled
        self.spoiled_done += is_spoiled and ended.failure is None
        self.incomplete += bool(ended.losses)
        self.undecided += ended.undecided
        if ended.failure is not None:
            self.failures.append(ended.failure)


def is_tool_call(step: Step, tools: Sequence[str] = ()) -> bool:
    """True for a call of one of the nine tools or the agent's ``own``; moves such as Reason are no tool calls."""
    return step.kind == "tool" and (step.name in TOOLS or step.name in tools)


def is_open(run: Run | None, system: System, retry: Collection[str] = ()) -> bool:
    """True if a run is to be made: it has not ended, or it is one of those that ``retry`` names."""
    if run is None or ALL in retry:
        return True
    return (FAILED in retry and run.status == "failed") or (SPOILED in retry and run.is_spoiled(system))


def tallies(labels: Iterable[str], ended: Iterable[Ended], not_started: Iterable[str] = ()) -> list[Tally]:
    """One tally for each label, in that order, over runs in the order in which they were asked for.

    ``not_started`` has the label of each run that was not started.
    """
    by_label = {label: Tally(label) for label in labels}
    for run in ended:
        by_label[run.label].add(run)
    for label in not_started:
        by_label[label].not_started += 1
    return list(by_label.values())

"""Budgets: when a run must stop researching so that enough is left for its report, and if an experiment may start a
run.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from drretail.llm.prices import PriceTable, cost_of
from drretail.records.run import System, Usage
from drretail.records.tables.figures import count, dollars

RESERVE = 0.1
"""The least share of a budget that is kept for the report."""
SLACK = 1.1
"""How far the last call may exceed a budget, as a factor: its size is only estimated beforehand, and it is mostly the
report.
"""
SMALLEST_BRANCH = 15_000
"""Tokens that a researcher needs for useful work: its instructions, the tools, some results, and their synthesis."""
LEAST_BRANCH = 8_000
"""Tokens below which a researcher finds nothing of use."""
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb, used if nothing better is known."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit, in tokens or in dollars; None = no limit. ``last_call`` is what the last call took."""

    limit: float | None
    spent: float = 0
    last_call: float = 0

    @property
    def reserve(self) -> float:
        return max(RESERVE * (self.limit or 0), self.last_call)

    @property
    def nearly_spent(self) -> bool:
        """True if one more turn and the report after it might not fit."""
        return self.limit is not None and self.spent + self.last_call + self.reserve > self.limit

    def exceeded_by(self, coming: float) -> bool:
        """True if nothing is left, or if a call that takes ``coming`` exceeds the limit and its slack."""
        return self.limit is not None and (self.spent >= self.limit or self.spent + coming > SLACK * self.limit)

    def share(self, count: int) -> float | None:
        """What each of ``count`` branches may spend of what is left, without the reserve; None without a limit."""
        return None if self.limit is None else (self.limit - self.spent - self.reserve) / count


Admission = Literal["yes", "wait", "no"]
UNITS = ("tokens", "dollars")


@dataclass(slots=True)
class ExperimentBudget:
    """Caps for all runs of an experiment together; None = no cap. A cap in dollars needs known prices.

    Call ``begin`` (or ``admission``) before a run, ``end`` after it, and ``count`` for runs that ended earlier.
    """

    prices: PriceTable
    tokens: int | None = None
    dollars: float | None = None
    refused: int = 0
    """How many runs were not started."""
    untold: str | None = None
    """A system that asks its models by itself, and of which a run did not say what it took."""
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(UNITS, 0.0))
    _dearest: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    _in_flight: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _expected: dict[str, dict[str, float | None]] = field(default_factory=dict[str, dict[str, float | None]])
    _waiting: list["asyncio.Future[None]"] = field(default_factory=list["asyncio.Future[None]"])

    def count(self, label: str, system: System, usage: Mapping[str, Usage]) -> None:
        """Adds what a run used to what is spent."""
        cost = cost_of(usage, system.models, self.prices)
        if not (system.models or usage) or (self.dollars is not None and cost.dollars is None):
            self.untold = label
        took = {"tokens": cost.usage.total, "dollars": cost.dollars or 0.0}
        for unit in UNITS:
            self.spent[unit] += took[unit]
        if cost.usage.total:  # a run that failed before its first answer says nothing about the others
            dearest = self._dearest.setdefault(label, dict.fromkeys(UNITS, 0.0))
            dearest |= {unit: max(dearest[unit], took[unit]) for unit in UNITS}
            self._dearest[label] = dearest

    def begin(self, label: str, system: System) -> Admission:
        """Whether a run of this system may start: "yes" (it then counts as in flight), "no", or "wait" until one in
        flight ends.

        A run that may take an unknown amount starts only if no other is in flight.
        """
        # A run is expected to take what the dearest so far took; before that its own limit, or an unknown amount.
        limits = {"tokens": system.limits.tokens, "dollars": system.limits.dollars}
        self._expected[label] = {**self._dearest.get(label, limits)}
        answers = ["no" if self.untold else self._answer(unit, label) for unit in UNITS]
        answer: Admission = "no" if "no" in answers else "wait" if "wait" in answers else "yes"
        self._in_flight[label] += answer == "yes"
        self.refused += answer == "no"
        return answer

    async def admission(self, label: str, system: System) -> bool:
        """``begin``, repeated while the answer is "wait": True if the run may start."""
        while (answer := self.begin(label, system)) == "wait":
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        return answer == "yes"

    def end(self, label: str, system: System, usage: Mapping[str, Usage]) -> None:
        """Counts a run that had begun as ended, done or failed, and wakes the runs that wait."""
        self._in_flight[label] -= 1
        self.count(label, system, usage)
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    @property
    def closing(self) -> str | None:
        """A sentence that says why runs were not started; None if all were."""
        if not self.refused:
            return None
        caps = [f"${self.dollars:g}"] if self.dollars is not None else []
        caps += [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        took = f"${dollars(self.spent['dollars'])} and " if self.dollars is not None else ""
        caps_by_flag = {"--max-dollars": self.dollars, "--max-tokens": self.tokens}
        flags = " or ".join(flag for flag, cap in caps_by_flag.items() if cap is not None)
        if self.untold:
            return (
                f"{flags} can't hold for {self.untold}, which asks its models by itself: what a run of it took is "
                f"unknown. Not started: {self.refused:,}. Leave the cap out, or return its usage (docs/agents.md)."
            )
        return (
            f"The experiment's cap of {' or '.join(caps)} leaves no room for another run: its runs took {took}"
            f"{count(self.spent['tokens'])} tokens. Not started: {self.refused:,}. "
            f"The same command with a higher {flags} continues from here."
        )

    def _answer(self, unit: str, label: str) -> Admission:
        cap = self.dollars if unit == "dollars" else self.tokens
        if cap is None:
            return "yes"
        running = sum(self._in_flight.values())
        expected = self._expected[label][unit]
        if self.spent[unit] >= cap:
            return "no"
        if expected is None:
            return "wait" if running else "yes"
        reserved = sum(count * (self._expected[name][unit] or 0) for name, count in self._in_flight.items())
        if self.spent[unit] + reserved + expected <= cap:
            return "yes"
        return "wait" if running else "no"

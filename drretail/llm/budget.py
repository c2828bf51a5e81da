"""A run's budgets: when to stop researching, so that enough is left for the report."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from drretail.llm.prices import PriceTable, cost_of
from drretail.records.run import System, Usage
from drretail.tables.figures import count, dollars

RESERVE = 0.1
"""The part of a budget that is kept back for the report, at least."""
SLACK = 1.1
"""How far the last call may go beyond a budget: sizes are only estimated before it, and it is the report, mostly."""
SMALLEST_BRANCH = 15_000
"""Tokens that a researcher needs to come to much: its instructions, the tools, some results, and their synthesis."""
LEAST_BRANCH = 8_000
"""Tokens below which it comes to nothing."""
CHARACTERS_PER_TOKEN = 4
"""As a rule of thumb, where nothing better is known."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit, in tokens or in dollars; None = no limit. ``last_call`` is what the last call took of it."""

    limit: float | None
    spent: float = 0
    last_call: float = 0

    @property
    def reserve(self) -> float:
        return max(RESERVE * (self.limit or 0), self.last_call)

    @property
    def nearly_spent(self) -> bool:
        """True when one more turn and then the report might not fit."""
        return self.limit is not None and self.spent + self.last_call + self.reserve > self.limit

    def exceeded_by(self, coming: float) -> bool:
        """True when nothing is left, or a call that takes so much goes beyond the limit and its slack."""
        return self.limit is not None and (self.spent >= self.limit or self.spent + coming > SLACK * self.limit)

    def share(self, count: int) -> float | None:
        """What each of ``count`` branches may spend of what is left beside the reserve; None without a limit."""
        return None if self.limit is None else (self.limit - self.spent - self.reserve) / count


Admission = Literal["yes", "wait", "no"]
UNITS = ("tokens", "dollars")


@dataclass(slots=True)
class ExperimentBudget:
    """Caps for all runs of an experiment together; None = no cap. A cap in dollars wants prices that are known.

    Use: ``begin`` (or ``admission``) before a run, ``end`` after it, ``count`` for runs that had ended before.
    """

    prices: PriceTable
    tokens: int | None = None
    dollars: float | None = None
    refused: int = 0
    """How many runs were not started."""
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(UNITS, 0.0))
    _dearest: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    _in_flight: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _expected: dict[str, dict[str, float | None]] = field(default_factory=dict[str, dict[str, float | None]])
    _waiting: list["asyncio.Future[None]"] = field(default_factory=list["asyncio.Future[None]"])

    def count(self, label: str, system: System, usage: Mapping[str, Usage]) -> None:
        """Takes what a run has used out of the budget."""
        cost = cost_of(usage, system.models, self.prices)
        took = {"tokens": cost.usage.total, "dollars": cost.dollars or 0.0}
        for unit in UNITS:
            self.spent[unit] += took[unit]
        if cost.usage.total:  # a run that failed before its first answer says nothing about the others
            dearest = self._dearest.setdefault(label, dict.fromkeys(UNITS, 0.0))
            dearest |= {unit: max(dearest[unit], took[unit]) for unit in UNITS}
            self._dearest[label] = dearest

    def begin(self, label: str, system: System) -> Admission:
        """Whether a run of this system may start: "yes" (it has then), "no", or "wait" until one in flight has ended.

        While nothing is known of a system's runs, one runs alone.
        """
        self._expected[label] = {unit: self._expectation(unit, label, system) for unit in UNITS}
        answers = [self._answer(unit, label) for unit in UNITS]
        answer: Admission = "no" if "no" in answers else "wait" if "wait" in answers else "yes"
        self._in_flight[label] += answer == "yes"
        self.refused += answer == "no"
        return answer

    async def admission(self, label: str, system: System) -> bool:
        """``begin`` that waits while it has to."""
        while (answer := self.begin(label, system)) == "wait":
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        return answer == "yes"

    def end(self, label: str, system: System, usage: Mapping[str, Usage]) -> None:
        """A run that had begun has ended, whatever became of it."""
        self._in_flight[label] -= 1
        self.count(label, system, usage)
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    @property
    def closing(self) -> str | None:
        """A sentence that says why runs were not started; None when none was held back."""
        if not self.refused:
            return None
        caps = [f"${self.dollars:g}"] if self.dollars is not None else []
        caps += [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        took = f"${dollars(self.spent['dollars'])} and " if self.dollars is not None else ""
        flags = " or ".join(flag for flag, cap in self._flags() if cap is not None)
        return (
            f"The experiment's cap of {' or '.join(caps)} leaves no room for another run: its runs took {took}"
            f"{count(self.spent['tokens'])} tokens. Not started: {self.refused:,}. "
            f"The same command with a higher {flags} continues from here."
        )

    def _flags(self) -> tuple[tuple[str, float | None], ...]:
        return ("--max-dollars", self.dollars), ("--max-tokens", self.tokens)

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

    def _expectation(self, unit: str, label: str, system: System) -> float | None:
        """What a run may take: as the dearest so far, else its own limit, else unknown."""
        if label in self._dearest:
            return self._dearest[label][unit]
        return system.limits.dollars if unit == "dollars" else system.limits.tokens

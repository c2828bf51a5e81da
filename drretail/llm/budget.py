"""A run's budgets: when to stop researching, so that enough is left for the report."""

from dataclasses import dataclass

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

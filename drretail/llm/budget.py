"""A run's budgets: when to stop researching, so that enough is left for the report."""

from dataclasses import dataclass

RESERVE = 0.1
"""The part of a budget that is kept back for the report, at least."""


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

    @property
    def gone(self) -> bool:
        return self.limit is not None and self.spent >= self.limit

    def share(self, count: int) -> float | None:
        """What each of ``count`` branches may spend of what is left beside the reserve; None without a limit."""
        return None if self.limit is None else (self.limit - self.spent - self.reserve) / count

"""How long model calls took and how often they were tried again, from the journal: volatile, so for telemetry only."""

from collections.abc import Iterable

from drretail.journal import Effect
from drretail.records.base import Record


class Latency(Record):
    """The model calls of one role; seconds include the waits between attempts."""

    calls: int = 0
    failed: int = 0
    retries: int = 0
    seconds: float = 0
    slowest: float = 0

    def with_call(self, effect: Effect) -> "Latency":
        return Latency(
            calls=self.calls + 1,
            failed=self.failed + (effect.error is not None),
            retries=self.retries + (effect.retries or 0),
            seconds=round(self.seconds + effect.seconds, 6),
            slowest=max(self.slowest, effect.seconds),
        )


def latency_by_role(effects: Iterable[Effect]) -> dict[str, Latency]:
    """The latency of every role whose model was called."""
    found: dict[str, Latency] = {}
    for effect in effects:
        if effect.kind == "model":
            role = effect.role or ""
            found[role] = found.get(role, Latency()).with_call(effect)
    return dict(sorted(found.items()))

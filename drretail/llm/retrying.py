"""How often and when a model call is tried again: one rule for every provider, whose own retries are switched off."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

Sleep = Callable[[float], Awaitable[None]]
JITTER = 0.1
"""What is added at most, as a share, to the wait that a provider asks for, so that not all come back at once."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """``retries`` further attempts, after pauses that double from ``first`` up to ``longest`` seconds.

    ``chance`` gives numbers from 0 to 1; ``now`` is for dates in retry-after.
    """

    retries: int = 5
    first: float = 0.5
    longest: float = 30.0
    chance: Callable[[], float] = random.random
    sleep: Sleep = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def pause(self, attempt: int, asked: float | None = None) -> float:
        """Seconds between attempt ``attempt`` (from 0) and the next.

        What the provider asks for, and a little more; else half to the whole of a step that doubles.
        """
        if asked is not None:
            return asked * (1 + JITTER * self.chance())
        step = min(self.longest, self.first * 2 ** min(attempt, 32))
        return step * (0.5 + 0.5 * self.chance())


ONCE = Retrying(retries=0)
"""No second attempt."""

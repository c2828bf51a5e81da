"""Retries of calls, and rate limits by provider: one pace for all calls of a process to it, by runs and by judges."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime

from drretail.records.models import RateLimit
from drretail.records.run import Usage

Sleep = Callable[[float], Awaitable[None]]
JITTER = 0.1
"""The largest share that is added to the wait a provider asks for, so that calls do not all come back at once."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """``retries`` further attempts, after pauses that double from ``first`` up to ``longest`` seconds.

    ``chance`` gives numbers from 0 to 1; ``now`` is for dates in retry-after. ``tell`` gets a line for the user if a
    call has to wait.
    """

    retries: int = 5
    first: float = 0.5
    longest: float = 30.0
    chance: Callable[[], float] = random.random
    sleep: Sleep = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    tell: Callable[[str], None] = lambda line: None

    def pause(self, attempt: int, asked: float | None = None) -> float:
        """Seconds between attempt ``attempt`` (from 0) and the next.

        ``asked`` is what the provider asks for, to which a little is added. Without it, half to the whole of a step
        that doubles.
        """
        if asked is not None:
            return asked * (1 + JITTER * self.chance())
        step = min(self.longest, self.first * 2 ** min(attempt, 32))
        return step * (0.5 + 0.5 * self.chance())


ONCE = Retrying(retries=0)
"""No second attempt."""


MINUTE = 60.0
BURST = 10.0
"""Seconds of requests that may go out at once: providers enforce a limit per minute over shorter spans too."""
NO_LIMIT = RateLimit()


@dataclass(slots=True)
class Bucket:
    """Fills at ``rate`` a second up to ``size``. An amount that goes out later is taken out of the future level."""

    rate: float
    size: float
    _level: float = field(init=False)
    _at: float = float("-inf")
    """The time at which it holds ``_level``: that of the last change, which may be in the future."""

    def __post_init__(self) -> None:
        self._level = self.size

    def ready(self, amount: float, now: float) -> float:
        """The earliest time at which ``amount`` can go out, never before anything that was already taken."""
        then = max(now, self._at)
        return then + max(0.0, amount - self._filled(then)) / self.rate

    def take(self, amount: float, when: float) -> None:
        """Takes an amount that is ``ready`` at ``when``. For one that is larger than the bucket, the level may exceed
        ``size``.
        """
        filled = self._level + (when - self._at) * self.rate
        self._level = min(max(self.size, amount), filled) - amount
        self._at = when

    def give(self, amount: float, now: float) -> None:
        """Puts back an amount that was taken and not used. A negative amount takes what was used beyond it."""
        then = max(now, self._at)
        self._level = min(self.size, self._filled(then) + amount)
        self._at = then

    def _filled(self, then: float) -> float:
        return min(self.size, self._level + (then - self._at) * self.rate)


@dataclass(slots=True)
class Pacer:
    """The pace of one provider. Calls go out in the order in which they asked, none before its limits allow.

    ``cache_reads_count`` is False if the provider leaves tokens read from its cache out of its limit.
    """

    limits: RateLimit = NO_LIMIT
    cache_reads_count: bool = True
    clock: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep
    chance: Callable[[], float] = random.random
    slots: int | None = None
    """Answers that the server writes at a time: no more are asked for, since the others would only wait there."""
    _in_flight: asyncio.Semaphore | None = None
    _requests: Bucket | None = field(init=False)
    _tokens: Bucket | None = field(init=False)
    _paused_until: float = float("-inf")

    def __post_init__(self) -> None:
        requests, tokens = self.limits.requests, self.limits.tokens
        self._requests = None if requests is None else Bucket(requests / MINUTE, max(1.0, requests * BURST / MINUTE))
        # A single call may hold a minute's tokens, so as much may go out at once.
        self._tokens = None if tokens is None else Bucket(tokens / MINUTE, tokens)

    async def admit(self, tokens: float) -> None:
        """Returns when a call of about ``tokens`` may go out."""
        while True:
            if (waiting := self._seconds_left()) > 0:  # not all at once when it ends
                await self.sleep(waiting * (1 + JITTER * self.chance()))
                continue
            wait = self._take(tokens)
            if wait <= 0:
                return
            try:
                await self.sleep(wait)
            except BaseException:  # cancelled: the turn goes to the others
                self._give(1, tokens)
                raise
            if self._seconds_left() <= 0:
                return
            self._give(1, tokens)  # its turn came while the provider wanted no calls: back into the line

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Held while a call is under way, if the server has so many slots."""
        if self.slots is None:
            return nullcontext()
        if self._in_flight is None:
            self._in_flight = asyncio.Semaphore(self.slots)
        return self._in_flight

    def correct(self, estimated: float, used: Usage | None) -> None:
        """Replaces the estimate of a call by its real usage; None = it brought no answer."""
        actual = 0 if used is None else used.total - (0 if self.cache_reads_count else used.cache_read)
        self._give(0, estimated - actual)

    def hold(self, seconds: float) -> None:
        """Lets no call out for ``seconds``: the provider asked for it, and a pause of one call would not help."""
        self._paused_until = max(self._paused_until, self.clock() + seconds)

    def _seconds_left(self) -> float:
        return self._paused_until - self.clock()

    def _take(self, tokens: float) -> float:
        """Reserves a turn and returns the seconds until it comes."""
        now = self.clock()
        parts = self._parts(1, tokens)
        when = max((bucket.ready(amount, now) for bucket, amount in parts), default=now)
        for bucket, amount in parts:
            bucket.take(amount, when)
        return when - now

    def _give(self, requests: float, tokens: float) -> None:
        now = self.clock()
        for bucket, amount in self._parts(requests, tokens):
            bucket.give(amount, now)

    def _parts(self, requests: float, tokens: float) -> list[tuple[Bucket, float]]:
        """Each bucket that has a limit, with the amount that a call takes out of it."""
        parts = ((self._requests, requests), (self._tokens, tokens))
        return [(bucket, amount) for bucket, amount in parts if bucket is not None]


@dataclass(slots=True)
class Paces:
    """One pacer for each provider and address. ``limits`` are by provider."""

    limits: Mapping[str, RateLimit] = field(default_factory=dict[str, RateLimit])
    _pacers: dict[tuple[str, str | None], Pacer] = field(default_factory=dict[tuple[str, str | None], Pacer])

    def of(self, provider: str, base_url: str | None = None) -> Pacer:
        """The pacer of a provider. A server of the user's own has its own pacer, under the same limits."""
        key = provider, base_url
        if key not in self._pacers:
            counted = provider not in CACHE_READS_FREE
            self._pacers[key] = Pacer(self.limits.get(provider, NO_LIMIT), cache_reads_count=counted)
        return self._pacers[key]


CACHE_READS_FREE = frozenset({"anthropic"})
"""Providers that leave tokens read from their cache out of the tokens per minute."""

"""A clock that stands still until everybody sleeps, and then jumps to the first who wakes."""

import asyncio
import heapq
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Moments:
    now: float = 0.0
    slept: list[float] = field(default_factory=list[float])
    _sleepers: list[tuple[float, int, "asyncio.Future[None]"]] = field(
        default_factory=list[tuple[float, int, "asyncio.Future[None]"]]
    )
    _count: int = 0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._count += 1
        wakes = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, self._count, wakes))
        await wakes

    def run(self, *coroutines: Coroutine[Any, Any, Any]) -> list[Any]:
        """What they bring, all begun at once; time passes only while all of them sleep."""
        return asyncio.run(self._run(coroutines))

    async def _run(self, coroutines: tuple[Coroutine[Any, Any, Any], ...]) -> list[Any]:
        tasks = [asyncio.ensure_future(one) for one in coroutines]
        while not all(task.done() for task in tasks):
            for _ in range(5):
                await asyncio.sleep(0)
            if self._sleepers and not all(task.done() for task in tasks):
                self.now, _, wakes = heapq.heappop(self._sleepers)
                if not wakes.done():
                    wakes.set_result(None)
        return await asyncio.gather(*tasks, return_exceptions=True)

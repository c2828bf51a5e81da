"""One end for everything that a page takes: looking its host up, connecting, redirects, every byte."""

import time
from collections.abc import Callable

from drretail.env.web.fetching.problems import Late

Clock = Callable[[], float]
"""Seconds that only ever grow."""


class Deadline:
    """Ends ``seconds`` after it was made."""

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """Seconds that are left, more than 0; raises Late when none are."""
        left = self._end - self._clock()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> Late:
        return Late(f"The page did not come within {self._seconds:g} seconds.")

    def shorter(self, seconds: float) -> "Deadline":
        """A deadline in ``seconds``, or at this one's end where that is earlier."""
        return Deadline(min(seconds, self.left()), self._clock)

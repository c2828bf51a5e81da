"""Numbers as places on a line, with round ticks."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

_STEPS = (1, 2, 2.5, 5, 10)
_LEAST_SPAN = 1e-6
"""Of the highest value: what differs by less is drawn as one."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From ``low`` at ``start`` to ``high`` at ``end``, in the image's units."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a value; beyond an end, that end."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def scale(values: Iterable[float], start: float, end: float, *, whole: tuple[float, float] | None = None) -> Scale:
    """A scale for these values: ``whole`` where the unit has two ends, such as a share; otherwise from 0 on."""
    return _ticked(*(whole or (0.0, max(values, default=0.0))), start, end)


def close_scale(values: Iterable[float], start: float, end: float) -> Scale:
    """A scale that begins near the least value and ends near the highest: for points, never for bars.

    Values that are all the same stand at the upper end of one unit.
    """
    numbers = [*values]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    return _ticked(low if _differ(low, high) else high - 1, high, start, end)


def _ticked(low: float, high: float, start: float, end: float) -> Scale:
    # 1, 2, 2.5 or 5 times a power of ten, so that there are about five ticks
    raw = (high - low if _differ(low, high) else 1.0) / 5
    power = 10 ** floor(log10(raw))
    step = next(step * power for step in _STEPS if raw <= step * power * (1 + 1e-9))
    first, last = floor(low / step), ceil(high / step)
    last = max(last, first + 1)
    ticks = tuple(round(at * step, 10) for at in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], start, end, ticks)


def _differ(low: float, high: float) -> bool:
    return high - low > _LEAST_SPAN * max(1.0, abs(high))


def short_number(value: float) -> str:
    """A tick's or a mark's number in few characters: "0.5", "12", "1,200"."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"

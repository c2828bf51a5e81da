"""A line a system over settings that are numbers, such as tokens: each twice as far as its half."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

from markupsafe import Markup

from drretail.viewer.plots.dots import Dot
from drretail.viewer.plots.drawing import WIDTH, Drawing, Plot, legend, line, mark, words
from drretail.viewer.plots.scale import Scale, close_scale, short_number

_TALL, _LEFT, _RIGHT, _TOP = 220.0, 44.0, 24.0, 18.0
_APART, _MOST_APART = 5.0, 24.0
"""Between the marks of two systems in one setting, so that their intervals don't hide each other."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One system: its points from left to right, each with where it stands."""

    name: str
    points: tuple[tuple[float, Dot], ...]


def curve_plot(
    name: str,
    title: str,
    caption: str,
    curves: Sequence[Curve],
    *,
    ticks: Mapping[float, str],
    x_name: str,
    y_name: str,
) -> Plot:
    """One image of these curves; ``ticks`` are the settings by where they stand, all above nought."""
    drawing = Drawing()
    room = _MOST_APART / 2
    first, last = log2(min(ticks)), log2(max(ticks))
    along = Scale(first, max(last, first + 1), _LEFT + room, WIDTH - _RIGHT - room, tuple(map(log2, ticks)))
    dots = [dot for curve in curves for _, dot in curve.points]
    up = close_scale((end for dot in dots for end in (dot.low, dot.value, dot.high) if end is not None), _TALL, _TOP)
    drawing.add(*_axes(along, up, ticks), words(4, 11, y_name, "soft"))
    drawing.add(words(WIDTH - _RIGHT, _TALL + 30, x_name, "soft", "end"))
    apart = min(_APART, _MOST_APART / max(1, len(curves) - 1))
    for series, curve in enumerate(curves):
        shift = apart * (series - (len(curves) - 1) / 2)
        drawing.add(*_curve(curve, series, along, up, shift, ticks))
    height = _TALL + 36
    if len(curves) > 1:
        shown, height = legend([curve.name for curve in curves], height + 14)
        drawing.add(shown)
    return Plot(name, title, caption, drawing.body, height)


def _axes(along: Scale, up: Scale, ticks: Mapping[float, str]) -> Iterator[Markup]:
    for at, label in ticks.items():
        x = along.at(log2(at))
        yield line(x, _TOP, x, _TALL, "axis")
        yield words(x, _TALL + 14, label, "soft", "middle")
    for tick in up.ticks:
        yield line(_LEFT, up.at(tick), WIDTH - _RIGHT, up.at(tick), "axis")
        yield words(_LEFT - 6, up.at(tick) + 4, short_number(tick), "soft", "end")


def _curve(
    curve: Curve, series: int, along: Scale, up: Scale, shift: float, ticks: Mapping[float, str]
) -> Iterator[Markup]:
    """Its line first, then intervals and marks upon it."""
    css = f"s{series % 8}"
    places = [(along.at(log2(at)) + shift, up.at(dot.value)) for at, dot in curve.points]
    for (x1, y1), (x2, y2) in pairwise(places):
        yield line(x1, y1, x2, y2, css, curve.name)
    for (x, y), (at, dot) in zip(places, curve.points, strict=True):
        has_interval = dot.low is not None and dot.high is not None
        title = f"{curve.name}, {ticks[at]}: {dot.value:.3g}"
        if has_interval:
            title += f" [{dot.low:.3g} to {dot.high:.3g}]"
            yield line(x, up.at(dot.low or 0), x, up.at(dot.high or 0), css, title)
        yield mark(x, y, series, title)

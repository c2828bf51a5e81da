"""A dot with its interval for each row and series, floors and ceiling as grey ticks behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.tables.figures import number, tenths
from drretail.viewer.plots.drawing import CHARACTER, WIDTH, Drawing, Plot, across, cut, legend, line, mark, words
from drretail.viewer.plots.scale import Scale, scale

_BAND, _LANE, _LEAST_PLOT = 26.0, 11.0, 200.0


@dataclass(frozen=True, slots=True)
class Dot:
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class DotRow:
    name: str
    dots: tuple[Dot | None, ...]
    """One a series; None where there is no value."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What is no system, but a bar to hold systems against: a floor, or the ceiling."""

    name: str
    value: float


def dot_plot(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[DotRow],
    *,
    series: Sequence[str] = ("",),
    bounds: Sequence[Bound] = (),
    whole: tuple[float, float] | None = None,
) -> Plot:
    """One image of these rows; with one series its marks are all alike and need no legend."""
    drawing = Drawing()
    left = min(WIDTH - _LEAST_PLOT, 14 + CHARACTER * max((len(row.name) for row in rows), default=0))
    reached = [each for row in rows for dot in row.dots if dot for each in (dot.value, dot.high) if each is not None]
    along = scale([*reached, *(bound.value for bound in bounds)], left, WIDTH - 48, whole=whole)
    band = max(_BAND, _LANE * len(series) + 8)
    bottom = 6 + band * len(rows)
    drawing.add(*across(along, 4, bottom))
    for bound in bounds:
        drawing.add(_bound(bound, along, bottom))
    for place, row in enumerate(rows):
        middle = 6 + band * (place + 0.5)
        drawing.add(words(left - 8, middle + 4, cut(row.name, left - 12), anchor="end"))
        for lane, dot in enumerate(row.dots):
            if dot is not None:
                y = middle + _LANE * (lane - (len(row.dots) - 1) / 2)
                _draw(drawing, dot, row.name, series[lane], lane, along, y, is_alone=len(series) == 1)
    height = bottom + 22
    if len(series) > 1:
        shown, height = legend(series, height + 12)
        drawing.add(shown)
    return Plot(name, title, _with_bounds(caption, bounds, along), drawing.body, height)


def _draw(
    drawing: Drawing, dot: Dot, row: str, series: str, lane: int, along: Scale, y: float, *, is_alone: bool
) -> None:
    interval = "" if dot.low is None or dot.high is None else f" [{dot.low:.3g} to {dot.high:.3g}]"
    title = f"{', '.join(filter(None, (row, series)))}: {dot.value:.3g}{interval}"
    if dot.low is not None and dot.high is not None:
        drawing.add(line(along.at(dot.low), y, along.at(dot.high), y, f"s{lane % 8}", title))
    drawing.add(mark(along.at(dot.value), y, lane, title))
    if is_alone:
        drawing.add(words(WIDTH - 4, y + 4, _number(dot.value, along), anchor="end"))


def _bound(bound: Bound, along: Scale, bottom: float) -> Markup:
    x = along.at(bound.value)
    return line(x, 4, x, bottom, "floor", f"{bound.name}: {bound.value:.3g}")


def _number(value: float, along: Scale) -> str:
    return number(value) if along.high <= 10 else tenths(value)


def _with_bounds(caption: str, bounds: Sequence[Bound], along: Scale) -> str:
    if not bounds:
        return caption
    alike: dict[str, list[str]] = {}
    for bound in bounds:
        alike.setdefault(_number(bound.value, along), []).append(bound.name)
    ticks = "; ".join(f"{', '.join(names)} {value}" for value, names in alike.items())
    return f"{caption} Grey ticks: {ticks}."

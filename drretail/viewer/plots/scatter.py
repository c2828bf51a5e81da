"""Two numbers of each system as a point with its name."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.viewer.plots.drawing import CHARACTER, WIDTH, Drawing, Plot, across, cut, line, mark, words
from drretail.viewer.plots.scale import close_scale, scale, short_number

_TALL, _LEFT, _RIGHT, _LINE = 220.0, 40.0, 14.0, 13.0


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    """The interval of y."""


def scatter(
    name: str,
    title: str,
    caption: str,
    points: Sequence[Point],
    *,
    x_name: str,
    y_name: str,
) -> Plot:
    """One image of these points; names are moved apart, and off the intervals of others where there is room."""
    drawing = Drawing()
    across_x = scale([point.x for point in points], _LEFT, WIDTH - _RIGHT)
    reached = (bound for point in points for bound in (point.low, point.y, point.high) if bound is not None)
    up = close_scale(reached, _TALL, 18)
    drawing.add(*across(across_x, 18, _TALL))
    for tick in up.ticks:
        drawing.add(line(_LEFT, up.at(tick), WIDTH - _RIGHT, up.at(tick), "axis"))
        drawing.add(words(_LEFT - 6, up.at(tick) + 4, short_number(tick), "soft", "end"))
    drawing.add(words(4, 11, y_name, "soft"), words(WIDTH - _RIGHT, _TALL + 30, x_name, "soft", "end"))
    taken = [(across_x.at(point.x) - 7, up.at(point.y) + 4, 14.0) for point in points]
    intervals = [
        (across_x.at(point.x), up.at(point.high), up.at(point.low))
        for point in points
        if point.low is not None and point.high is not None
    ]
    for series, each in enumerate(points):
        x, y = across_x.at(each.x), up.at(each.y)
        text = f"{each.name}: {y_name} {each.y:.3g}, {x_name} {each.x:,.4g}"
        if each.low is not None and each.high is not None:
            drawing.add(line(x, up.at(each.low), x, up.at(each.high), f"s{series % 8}", text))
        drawing.add(mark(x, y, series, text))
        drawing.add(_name(each.name, x, y, taken, intervals))
    return Plot(name, title, caption, drawing.body, _TALL + 36)


def _name(
    name: str,
    x: float,
    y: float,
    taken: list[tuple[float, float, float]],
    intervals: Sequence[tuple[float, float, float]],
) -> Markup:
    """The name beside its point, moved up or down where another stands, and where it crosses the fewest intervals."""
    shown = cut(name, WIDTH / 2)
    width = len(shown) * CHARACTER
    starts = [each for each in (x + 9, x - 9 - width) if each >= _LEFT and each + width < WIDTH] or [x + 9]
    steps = (0.0, *(sign * _LINE * by for by in range(1, 16) for sign in (1, -1)))
    places = [(start, y + 4 + step) for step in steps for start in starts]
    free = [place for place in places if _is_free(*place, width, taken)] or places[:1]
    start, place = min(free, key=lambda each: (_crossed(*each, width, intervals), abs(each[1] - y - 4)))
    taken.append((start, place, width))
    return words(start, place, shown)


def _is_free(start: float, place: float, width: float, taken: Sequence[tuple[float, float, float]]) -> bool:
    apart = all(
        abs(place - other) >= _LINE or start + width < begin or begin + long < start for begin, other, long in taken
    )
    return apart and 10 <= place <= _TALL


def _crossed(start: float, place: float, width: float, intervals: Sequence[tuple[float, float, float]]) -> int:
    """How many intervals' lines go through a name there."""
    return sum(start < x < start + width and top < place and place - _LINE < bottom for x, top, bottom in intervals)

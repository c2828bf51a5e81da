"""Plots as SVG: dots with intervals, bars, points with their names.

Elements have classes and no colours: a page's style colours them in light and dark. Series differ in shape as well as
in colour.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

from markupsafe import Markup

from drretail.records.figures import number
from drretail.viewer.drawing.table import Cell, basis_of

WIDTH = 420
"""The natural width of every plot in pixels: a phone shows it without shrinking its words much."""
CHARACTER = 6.4
"""The approximate width of a character in a plot."""
SERIES = 8
"""How many series ``plots.css`` has colours for."""
_CORNERS = {2: ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)), 3: ((0, -5), (5.2, 4), (-5.2, 4))}
"""The corners of the marks that are neither circle nor square, relative to their centre."""
_STEPS = (1, 2, 2.5, 5, 10)
_LEAST_SPAN = 1e-6
"""A share of the highest value; values that differ by less are drawn as equal."""
_BAND, _LANE, _LEAST_PLOT, _LEFT, _TALL = 26.0, 11.0, 200.0, 40.0, 220.0
PARTIAL = "Hollow: some runs have no value."


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps ``low`` to ``start`` and ``high`` to ``end``, in the image's units."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The coordinate of a value; that of the nearest end for values outside."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def scale(values: Iterable[float], start: float, end: float, *, least: float | None = 0.0) -> _Scale:
    """A scale from ``least``, or from near the lowest value if that is None, to near the highest."""
    numbers = [*values, *([] if least is None else [least])]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    if high - low <= _LEAST_SPAN * max(1.0, abs(high)):
        low = high - max(1.0, abs(high) / 20)
    # 1, 2, 2.5 or 5 times a power of ten, so that there are about five ticks; 1e-9 allows for rounding of floats
    raw = (high - low) / 5
    power = 10 ** floor(log10(raw))
    step = next(step * power for step in _STEPS if raw <= step * power * (1 + 1e-9))
    first, last = floor(low / step), ceil(high / step)
    ticks = tuple(round(at * step, 10) for at in range(first, max(last, first + 1) + 1))
    # A value next to nothing rounds to its tick and would stand outside it.
    return _Scale(min(ticks[0], low), max(ticks[-1], high), start, end, ticks)


@dataclass(frozen=True, slots=True)
class Plot:
    """One image with a description in words."""

    name: str
    """For a file and an anchor, such as "quality-against-cost"."""
    title: str
    caption: str
    """What is drawn, and in which unit; stands below the image."""
    body: Markup
    height: float

    @property
    def svg(self) -> Markup:
        """For a page, which has a style for ``.plot``, and shows title and caption beside it."""
        return Markup(
            '<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" '
            'aria-label="{}">{}</svg>'
        ).format(WIDTH, rounded(self.height), f"{self.title}. {self.caption}", self.body)


def rounded(value: float) -> str:
    """A coordinate as text, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")


def _words(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> Markup:
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        rounded(x), rounded(y), css, anchor, text
    )


def line(x1: float, y1: float, x2: float, y2: float, css: str, title: str = "") -> Markup:
    ends, width = map(rounded, (x1, y1, x2, y2)), 2 if css.startswith("s") else 1
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}" stroke-width="{}">{}</line>').format(
        *ends, css, width, _title(title)
    )


def bar(x: float, y: float, width: float, height: float, css: str, title: str = "") -> Markup:
    sides = map(rounded, (x, y, width, height))
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>').format(*sides, css, _title(title))


def mark(x: float, y: float, series: int, title: str = "", *, is_hollow: bool = False) -> Markup:
    """A dot whose shape and colour show its series; ``title`` appears when it is pointed at."""
    place = series % 4
    if place == 0:
        shape = f'<circle cx="{rounded(x)}" cy="{rounded(y)}" r="4.5"/>'
    elif place == 1:
        shape = f'<rect x="{rounded(x - 4)}" y="{rounded(y - 4)}" width="8" height="8"/>'
    else:
        points = " ".join(f"{rounded(x + right)},{rounded(y + down)}" for right, down in _CORNERS[place])
        shape = f'<polygon points="{points}"/>'
    css = f"s{series % SERIES}{' hollow' if is_hollow else ''}"
    return Markup(f'<g class="{css}">{_title(title)}{shape}</g>')  # noqa: S704 — numbers and an escaped title


def _title(text: str) -> Markup:
    return Markup("<title>{}</title>").format(text) if text else Markup()


def _cut(text: str, width: float, character: float = CHARACTER) -> str:
    """The text, cut to fit a width."""
    most = max(3, int(width / character))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"


def _across(along: _Scale, top: float, bottom: float) -> Iterator[Markup]:
    for tick in along.ticks:
        x = along.at(tick)
        yield line(x, top, x, bottom, "axis")
        yield _words(x, bottom + 14, _tick(tick), "soft", "middle")


def _legend(names: Sequence[str], y: float) -> tuple[list[Markup], float]:
    """Series by mark and name, in lines, and the y coordinate below."""
    parts: list[Markup] = []
    x = 8.0
    for series, name in enumerate(names if len(names) > 1 else ()):
        shown = _cut(name, WIDTH - 40)
        width = 22 + len(shown) * CHARACTER
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + 18
        parts += (mark(x + 5, y - 4, series), _words(x + 14, y, shown))
        x += width + 6
    return parts, y + 12 * (len(names) > 1)


def _in_words(name: str, value: str, cell: Cell) -> str:
    """What a mark's title says: "react: 0.74 [0.68 to 0.8], 9 of 11"."""
    ends = "" if cell.ends is None else " [{:.3g} to {:.3g}]".format(*cell.ends)
    return ", ".join(filter(None, (f"{name}: {value}{ends}", cell.counts)))


def bar_plot(name: str, title: str, caption: str, rows: Mapping[str, Sequence[float]], series: Sequence[str]) -> Plot:
    """For each row a bar for each of the series, with its value behind it."""
    left = min(WIDTH - _LEAST_PLOT, 14 + CHARACTER * max(map(len, rows), default=0))
    along = scale((value for its in rows.values() for value in its), left, WIDTH - 40)
    band = max(_BAND, _LANE * len(series) + 8)
    bottom = 6 + band * len(rows)
    drawn = [*_across(along, 4, bottom)]
    for place, (row, its) in enumerate(rows.items()):
        middle = 6 + band * (place + 0.5)
        drawn.append(_words(left - 8, middle + 4, _cut(row, left - 12), anchor="end"))
        for lane, value in enumerate(its):
            y, end = middle + _LANE * (lane - len(its) / 2), along.at(value)
            title = f"{row}, {series[lane]}: {value:.3g}"
            drawn.append(bar(left, y, end - left, _LANE - 2, f"s{lane % SERIES}", title))
            drawn.append(_words(end + 4, y + 9, number(value), "soft"))
    names, height = _legend(series, bottom + 34)
    return Plot(name, title, caption, Markup().join([*drawn, *names]), height if names else bottom + 22)


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    x: float
    cell: Cell
    """The value on the vertical axis, a number."""

    @property
    def y(self) -> float:
        return self.cell.number or 0.0


def frontier(name: str, title: str, caption: str, points: Sequence[Point], *, x_name: str, y_name: str) -> Plot:
    """Points with their intervals and names, and a line through those that no other point beats at less cost."""
    across = scale([point.x for point in points], _LEFT, WIDTH - 14)
    up = scale([end for point in points for end in (point.y, *(point.cell.ends or ()))], _TALL, 18, least=None)
    drawn = [*_across(across, 18, _TALL), _words(4, 11, y_name, "soft")]
    for tick in up.ticks:
        drawn += [line(_LEFT, up.at(tick), WIDTH - 14, up.at(tick), "axis")]
        drawn += [_words(_LEFT - 6, up.at(tick) + 4, _tick(tick), "soft", "end")]
    drawn.append(_words(WIDTH - 14, _TALL + 30, x_name, "soft", "end"))
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.x, -point.y)):
        best += [point] if not best or point.y > best[-1].y else []
    places = [(across.at(point.x), up.at(point.y)) for point in best]
    drawn += [line(*start, *end, "floor") for start, end in pairwise(places)]
    taken: list[tuple[float, float, float]] = []
    for series, point in enumerate(sorted(points, key=lambda point: -point.y)):
        x, y = across.at(point.x), up.at(point.y)
        text = _in_words(point.name, f"{y_name} {point.y:.3g}, {x_name} {point.x:,.4g}", point.cell)
        if point.cell.ends is not None:
            drawn.append(line(x, up.at(point.cell.ends[0]), x, up.at(point.cell.ends[1]), f"s{series % SERIES}", text))
        drawn.append(mark(x, y, series, text, is_hollow=point.cell.is_partial))
        shown = _cut(point.name, WIDTH / 2)
        wide = len(shown) * CHARACTER
        start, row = (x + 9 if x + 9 + wide < WIDTH else x - 9 - wide), y + 4
        while any(abs(row - other) < 13 and start < end and begin < start + wide for begin, end, other in taken):
            row += 13.0
        taken.append((start, start + wide, row))
        drawn.append(_words(start, row, shown))
    height = max(_TALL + 36, *(row + 8 for _, _, row in taken))
    cells = [point.cell for point in points]
    hollow = PARTIAL if any(cell.is_partial for cell in cells) else ""
    described = " ".join(filter(None, (caption, basis_of(cells, "planned run"), hollow)))
    return Plot(name, title, described, Markup().join(drawn), height)

"""Plots as SVG images: dots with intervals, scattered points, stacked bars, curves; and what they are drawn with: axes
with round ticks, marks, words, and colours that the colour-blind tell apart; files.

Elements have classes and no colours: a page's style colours them in light and dark, and ``standalone`` adds a style for
files. Series differ in shape as well as in colour.

No library draws them: the same dots with intervals take 3 KB here and 10 KB by matplotlib or Vega as SVG, which know
neither a page's dark mode nor titles; Vega's and plotly's own scripts add 0.9 and 4.8 MB to a page that stands alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log2, log10
from pathlib import Path
from textwrap import wrap

from markupsafe import Markup

from drretail.files import write_atomically
from drretail.records.tables.figures import number, tenths
from drretail.records.tables.table import Cell, basis_of

WIDTH = 420
"""The natural width of every plot in pixels: a phone shows it without shrinking its words much."""
CHARACTER = 6.4
"""The approximate width of a character in a plot."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f6f6f", "#000000")
"""Okabe and Ito's colours, the most distinct first; ``page.css`` has its own for dark mode."""
_ON_SERIES = ("#ffffff", "#ffffff", "#ffffff", "#22262b", "#22262b", "#22262b", "#ffffff", "#ffffff")
"""The colours of words on them."""
_CORNERS = {2: ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)), 3: ((0, -5), (5.2, 4), (-5.2, 4))}
"""The corners of the marks that are neither circle nor square, relative to their centre."""
_STYLE = (
    "\n"
    + Path(__file__).with_name("plot.css").read_text(encoding="utf-8")
    + "".join(
        f".plot .s{at} {{ fill: {colour}; stroke: {colour}; }}\n.plot .s{at}-text {{ fill: {_ON_SERIES[at]}; }}\n"
        for at, colour in enumerate(SERIES)
    )
    + ".plot .hollow { fill: #ffffff; stroke-width: 2; }\n"
)


_STEPS = (1, 2, 2.5, 5, 10)
_LEAST_SPAN = 1e-6
"""A share of the highest value; values that differ by less are drawn as equal."""


@dataclass(frozen=True, slots=True)
class Scale:
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


def scale(values: Iterable[float], start: float, end: float, *, whole: tuple[float, float] | None = None) -> Scale:
    """A scale for these values and 0: over ``whole`` if the unit has two ends, such as a share."""
    reached = [0.0, *values]
    return _ticked(*(whole or (min(reached), max(reached))), start, end)


def close_scale(values: Iterable[float], start: float, end: float) -> Scale:
    """A scale from near the lowest value to near the highest: for points, never for bars.

    If all values are equal, they stand near the upper end of one unit, or of a twentieth of their size if that is more:
    a tick's three digits would not tell the fifths of a unit apart.
    """
    numbers = [*values]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    return _ticked(low if _differ(low, high) else high - max(1.0, abs(high) / 20), high, start, end)


def _ticked(low: float, high: float, start: float, end: float) -> Scale:
    # 1, 2, 2.5 or 5 times a power of ten, so that there are about five ticks; 1e-9 allows for rounding of floats
    raw = (high - low if _differ(low, high) else 1.0) / 5
    power = 10 ** floor(log10(raw))
    step = next(step * power for step in _STEPS if raw <= step * power * (1 + 1e-9))
    first, last = floor(low / step), ceil(high / step)
    last = max(last, first + 1)
    ticks = tuple(round(at * step, 10) for at in range(first, last + 1))
    # A value next to nothing rounds to its tick and would stand outside it.
    return Scale(min(ticks[0], low), max(ticks[-1], high), start, end, ticks)


def _differ(low: float, high: float) -> bool:
    return high - low > _LEAST_SPAN * max(1.0, abs(high))


def short_number(value: float) -> str:
    """A tick's or a mark's number in few characters: "0.5", "12", "1,200"."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"


@dataclass(frozen=True, slots=True)
class Plot:
    """One image with a description in words."""

    name: str
    """For a file and an anchor, such as "faithfulness-FP"."""
    title: str
    caption: str
    """What is drawn, and in which unit; stands below the image."""
    body: Markup
    height: float

    @property
    def svg(self) -> Markup:
        """For a page that has a style for ``.plot``, and shows title and caption beside it."""
        return Markup(
            '<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" '
            'aria-label="{}">{}</svg>'
        ).format(WIDTH, rounded(self.height), f"{self.title}. {self.caption}", self.body)

    def standalone(self) -> str:
        """An SVG file with its own style, title and caption."""
        # A caption's characters are about 5.9 pixels wide, a title's 7.4: fonts of 11 and bold 13 pixels.
        lines = wrap(self.caption, int(WIDTH / 5.9))
        top, line = 28, 15
        height = top + self.height + line * len(lines) + 10
        below = (words(8, top + self.height + line * (at + 1) - 2, text, "soft") for at, text in enumerate(lines))
        return str(
            Markup(
                '<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}">'
                "<title>{title}</title><style>{style}</style>"
                '<rect width="{w}" height="{h}" fill="#ffffff"/>{heading}'
                '<g transform="translate(0 {top})">{body}</g>{below}</svg>\n'
            ).format(
                w=WIDTH,
                h=rounded(height),
                title=self.title,
                style=Markup(_STYLE),  # noqa: S704 — our own
                heading=words(8, 18, cut(self.title, WIDTH - 16, 7.4), "title"),
                top=top,
                body=self.body,
                below=Markup().join(below),
            )
        )


def rounded(value: float) -> str:
    """A coordinate as text, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")


def words(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> Markup:
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        rounded(x), rounded(y), css, anchor, text
    )


def line(x1: float, y1: float, x2: float, y2: float, css: str, title: str = "") -> Markup:
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}" stroke-width="{}">{}</line>').format(
        rounded(x1),
        rounded(y1),
        rounded(x2),
        rounded(y2),
        css,
        2 if css.startswith("s") else 1,
        _title(title),
    )


def bar(x: float, y: float, width: float, height: float, css: str, title: str = "") -> Markup:
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>').format(
        rounded(x), rounded(y), rounded(width), rounded(height), css, _title(title)
    )


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
    css = f"s{series % len(SERIES)}{' hollow' if is_hollow else ''}"
    return Markup(f'<g class="{css}">{_title(title)}{shape}</g>')  # noqa: S704 — numbers and an escaped title


def across(along: Scale, top: float, bottom: float) -> Iterable[Markup]:
    """The lines and numbers of a horizontal scale."""
    for tick in along.ticks:
        x = along.at(tick)
        yield line(x, top, x, bottom, "axis")
        yield words(x, bottom + 14, short_number(tick), "soft", "middle")


def cut(text: str, width: float, character: float = CHARACTER) -> str:
    """The text, cut to fit a width."""
    most = max(3, int(width / character))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def legend(names: Iterable[str], y: float, kinds: Sequence[str] = ()) -> tuple[Markup, float]:
    """Series by mark and name, or by bars of these CSS classes, and the y coordinate below."""
    parts: list[Markup] = []
    x = 8.0
    for series, name in enumerate(names):
        shown = cut(name, WIDTH - 40)
        width = 22 + len(shown) * CHARACTER
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + 18
        sign = bar(x, y - 9, 9, 9, kinds[series]) if kinds else mark(x + 5, y - 4, series)
        parts += (sign, words(x + 14, y, shown))
        x += width + 6
    return Markup().join(parts), y + 12


def _title(text: str) -> Markup:
    return Markup("<title>{}</title>").format(text) if text else Markup()


def write_plots(plots: Sequence[Plot], folder: Path) -> list[Path]:
    """Writes NAME.svg of each plot into the folder, and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / f"{plot.name}.svg" for plot in plots]
    for plot, path in zip(plots, written, strict=True):
        write_atomically(path, plot.standalone())
    return written


_BAND, _LANE, _LEAST_PLOT = 26.0, 11.0, 200.0


Rows = Mapping[str, Sequence[Cell | None]]
"""By name, a cell for each series; None, or no number, without a value."""


PARTIAL = "Hollow: over fewer than all."
"""The sentence on marks of values that are over fewer runs than planned."""


def described(caption: str, rows: Iterable[tuple[str, Sequence[Cell | None]]], unit: str) -> str:
    """The caption with what the numbers beside marks count."""
    cells = [cell for _, its in rows for cell in its]
    hollow = PARTIAL if any(cell is not None and cell.is_partial for cell in cells) else ""
    return " ".join(filter(None, (caption, basis_of(cells, unit), hollow)))


def _in_words(name: str, value: str, cell: Cell) -> str:
    """What a mark's title says: "react: 0.74 [0.68 to 0.8], 9/11"."""
    ends = "" if cell.ends is None else " [{:.3g} to {:.3g}]".format(*cell.ends)
    return ", ".join(filter(None, (f"{name}: {value}{ends}", cell.counts)))


def dot_plot(
    name: str,
    title: str,
    caption: str,
    rows: Rows,
    *,
    series: Sequence[str] = ("",),
    bounds: Mapping[str, Cell] | None = None,
    whole: tuple[float, float] | None = None,
    unit: str = "planned run",
) -> Plot:
    """One image of these rows; a single series has marks of one kind and no legend.

    ``bounds`` are values to compare with that have no row: floors and the ceiling.
    Beside a mark stands over how many of the planned runs, or of ``unit``, it is; hollow ones are over fewer than all.
    """
    drawn, bounds = list[Markup](), bounds or {}
    left = min(WIDTH - _LEAST_PLOT, 14 + CHARACTER * max(map(len, rows), default=0))
    dots = [dot for its in rows.values() for dot in its if dot is not None]
    reached = [each for dot in dots for each in (dot.low, dot.number, dot.high) if each is not None]
    reached += [bound.number for bound in bounds.values() if bound.number is not None]
    room = CHARACTER * (1 + max((len(dot.denominator) for dot in dots), default=0))
    along = scale(reached, left, WIDTH - (48 if len(series) == 1 else 8) - room, whole=whole)
    band = max(_BAND, _LANE * len(series) + 8)
    labels, top = _tick_labels(bounds, along)
    bottom = top + 2 + band * len(rows)
    drawn += [*labels, *across(along, top, bottom)]
    for of, bound in bounds.items():
        x = along.at(bound.number or 0.0)
        drawn.append(line(x, top, x, bottom, "floor", _in_words(of, f"{bound.number:.3g}", bound)))
    for place, (row, its) in enumerate(rows.items()):
        middle = top + 2 + band * (place + 0.5)
        drawn.append(words(left - 8, middle + 4, cut(row, left - 12), anchor="end"))
        for lane, dot in enumerate(its):
            if dot is not None and dot.number is not None:
                y = middle + _LANE * (lane - (len(its) - 1) / 2)
                text = _in_words(", ".join(filter(None, (row, series[lane]))), f"{dot.number:.3g}", dot)
                if dot.ends is not None:
                    drawn.append(line(along.at(dot.ends[0]), y, along.at(dot.ends[1]), y, f"s{lane % 8}", text))
                drawn.append(mark(along.at(dot.number), y, lane, text, is_hollow=dot.is_partial))
                value = _number(dot.number, along) if len(series) == 1 else ""
                drawn.append(words(WIDTH - 4, y + 4, f"{value} {dot.denominator}".strip(), anchor="end"))
    height = bottom + 22
    if len(series) > 1:
        shown, height = legend(series, height + 12)
        drawn.append(shown)
    alike: dict[str, list[str]] = {}
    for of, bound in bounds.items():
        shown = f"{_number(bound.number or 0.0, along)} {bound.denominator}".strip()
        alike.setdefault(shown, []).append(of)
    ticks = "; ".join(f"{', '.join(names)} {value}" for value, names in alike.items())
    caption = described(caption, rows.items(), unit)
    return Plot(name, title, f"{caption} Grey ticks: {ticks}." if ticks else caption, Markup().join(drawn), height)


def _tick_labels(bounds: Mapping[str, Cell], along: Scale) -> tuple[list[Markup], float]:
    """The names of ticks above them, in as many lines as keep them apart, and the y coordinate below."""
    alike: dict[float, list[str]] = {}
    for of, bound in sorted(bounds.items(), key=lambda named: named[1].number or 0.0):
        alike.setdefault(round(along.at(bound.number or 0.0), 1), []).append(of)
    labels: list[Markup] = []
    free: list[float] = []
    for x, names in alike.items():
        text = names[0] if len(names) == 1 else f"{len(names)} floors"
        width = CHARACTER * len(text)
        start = min(x, WIDTH - width)
        lane = next((lane for lane, end in enumerate(free) if start > end), len(free))
        free[lane : lane + 1] = [start + width + CHARACTER]
        labels.append(words(start, 10 + 13 * lane, text, "soft"))
    return labels, 4 + 13 * len(free)


def _number(value: float, along: Scale) -> str:
    return number(value) if along.high <= 10 else tenths(value)


_BAR_BAND, _BAR_TALL = 26.0, 16.0
_ROOM_FOR_A_NUMBER = 26


@dataclass(frozen=True, slots=True)
class Part:
    share: float
    kind: str
    """Its CSS class, such as win, tie or loss."""
    title: str


@dataclass(frozen=True, slots=True)
class BarRow:
    name: str
    parts: tuple[Part, ...]
    over: Cell
    """What the shares are over: a cell whose value is not drawn."""


def stacked_bars(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[BarRow],
    ends: tuple[str, str] = ("", ""),
    kinds: Mapping[str, str] | None = None,
    unit: str = "planned run",
) -> Plot:
    """Rows over ``unit``, with labels above both ``ends``, and ``kinds`` as a legend by CSS class."""
    names = [f"{row.name} {row.over.denominator}".strip() for row in rows]
    left = min(WIDTH - _LEAST_PLOT, 14 + CHARACTER * max(map(len, names), default=0))
    right = WIDTH - 8.0
    half = (right - left) / 2
    drawn = [words(left, 14, cut(ends[0], half), "soft"), words(right, 14, cut(ends[1], half), "soft", "end")]
    for place, row in enumerate(rows):
        top = 20 + _BAR_BAND * place
        drawn.append(words(left - 8, top + 13, cut(names[place], left - 12), anchor="end"))
        x = left
        for part in row.parts:
            width = part.share * (right - left)
            drawn.append(bar(x, top, width, _BAR_TALL, part.kind, f"{row.name}: {part.title}"))
            if width >= _ROOM_FOR_A_NUMBER:
                drawn.append(words(x + width / 2, top + 12, f"{part.share:.0%}", f"{part.kind}-text", "middle"))
            x += width
    height = 24 + _BAR_BAND * len(rows)
    if kinds:
        shown, height = legend(kinds.values(), height + 14, [*kinds])
        drawn.append(shown)
    caption = " ".join(filter(None, (caption, basis_of((row.over for row in rows), unit))))
    return Plot(name, title, caption, Markup().join(drawn), height)


_SCATTER_TALL, _SCATTER_LEFT, _SCATTER_RIGHT, _LINE = 220.0, 40.0, 14.0, 13.0


MOST_NAMED = 4
"""The most points that have their names beside them."""


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    x: float
    cell: Cell
    """The value on the vertical axis, a number."""

    @property
    def y(self) -> float:
        return self.cell.number or 0.0

    @property
    def shown_name(self) -> str:
        return f"{self.name} {self.cell.denominator}".strip()


def scatter(
    name: str,
    title: str,
    caption: str,
    points: Sequence[Point],
    *,
    x_name: str,
    y_name: str,
) -> Plot:
    """Names are moved apart, and off intervals if there is room; more than ``MOST_NAMED`` are numbered, named below."""
    is_numbered = len(points) > MOST_NAMED
    across_x = scale([point.x for point in points], _SCATTER_LEFT, WIDTH - _SCATTER_RIGHT)
    reached = (end for point in points for end in (point.y, *(point.cell.ends or ())))
    up = close_scale(reached, _SCATTER_TALL, 18)
    drawn = [*across(across_x, 18, _SCATTER_TALL), *_up(up, _SCATTER_LEFT, _SCATTER_RIGHT)]
    drawn += [words(4, 11, y_name, "soft"), words(WIDTH - _SCATTER_RIGHT, _SCATTER_TALL + 30, x_name, "soft", "end")]
    taken = [(across_x.at(point.x) - 7, up.at(point.y) + 4, 14.0) for point in points]
    intervals = [
        (across_x.at(point.x), up.at(point.cell.ends[1]), up.at(point.cell.ends[0]))
        for point in points
        if point.cell.ends is not None
    ]
    for series, each in enumerate(points):
        x, y = across_x.at(each.x), up.at(each.y)
        text = _in_words(each.name, f"{y_name} {each.y:.3g}, {x_name} {each.x:,.4g}", each.cell)
        if each.cell.ends is not None:
            drawn.append(line(x, up.at(each.cell.ends[0]), x, up.at(each.cell.ends[1]), f"s{series % 8}", text))
        drawn.append(mark(x, y, series, text, is_hollow=each.cell.is_partial))
        drawn.append(_name(str(series + 1) if is_numbered else each.shown_name, x, y, taken, intervals))
    caption = described(caption, [(point.name, (point.cell,)) for point in points], "planned run")
    height = _SCATTER_TALL + 36
    for place, each in enumerate(points if is_numbered else (), 1):
        is_right = place % 2 == 0
        height += 0 if is_right else 15
        shown = cut(f"{place} {each.shown_name}", WIDTH / 2 - 16)
        drawn.append(words(8 + is_right * WIDTH / 2, height, shown))
    return Plot(name, title, caption, Markup().join(drawn), height + 8 * is_numbered)


def _name(
    name: str,
    x: float,
    y: float,
    taken: list[tuple[float, float, float]],
    intervals: Sequence[tuple[float, float, float]],
) -> Markup:
    """The name beside its point, moved up or down if another stands there, to where it crosses the fewest intervals."""
    shown = cut(name, WIDTH / 2)
    width = len(shown) * CHARACTER
    starts = [each for each in (x + 9, x - 9 - width) if each >= _SCATTER_LEFT and each + width < WIDTH] or [x + 9]
    steps = (0.0, *(sign * _LINE * by for by in range(1, 16) for sign in (1, -1)))
    places = [(start, y + 4 + step) for step in steps for start in starts]

    def is_free(start: float, place: float) -> bool:
        return 10 <= place <= _SCATTER_TALL and all(
            abs(place - other) >= _LINE or start + width < begin or begin + long < start for begin, other, long in taken
        )

    def crossed(start: float, place: float) -> int:
        """The number of intervals that cross a name at this place."""
        return sum(start < at < start + width and top < place and place - _LINE < low for at, top, low in intervals)

    free = [place for place in places if is_free(*place)] or places[:1]
    start, place = min(free, key=lambda each: (crossed(*each), abs(each[1] - y - 4)))
    taken.append((start, place, width))
    return words(start, place, shown)


def _up(along: Scale, left: float, right: float) -> Iterator[Markup]:
    for tick in along.ticks:
        yield line(left, along.at(tick), WIDTH - right, along.at(tick), "axis")
        yield words(left - 6, along.at(tick) + 4, short_number(tick), "soft", "end")


_CURVE_TALL, _CURVE_LEFT, _CURVE_RIGHT, _TOP = 220.0, 44.0, 24.0, 18.0
_APART, _MOST_APART = 5.0, 24.0
"""The distance between marks of two systems in one setting, and the most for all.

It keeps their intervals from hiding each other.
"""


Curves = Mapping[str, Sequence[tuple[float, Cell]]]
"""By system, its points from left to right, each with its x value; the cells have numbers."""


def curve_plot(
    name: str,
    title: str,
    caption: str,
    curves: Curves,
    *,
    ticks: Mapping[float, str],
    x_name: str,
    y_name: str,
) -> Plot:
    """Curves on a logarithmic x axis; ``ticks`` are the names of the settings by x value, all above 0."""
    drawn: list[Markup] = []
    room = _MOST_APART / 2
    first, last = log2(min(ticks)), log2(max(ticks))
    along = Scale(first, max(last, first + 1), _CURVE_LEFT + room, WIDTH - _CURVE_RIGHT - room, tuple(map(log2, ticks)))
    dots = [dot for points in curves.values() for _, dot in points]
    up = close_scale((end for dot in dots for end in (dot.number or 0.0, *(dot.ends or ()))), _CURVE_TALL, _TOP)
    for at, label in ticks.items():
        x = along.at(log2(at))
        drawn += [line(x, _TOP, x, _CURVE_TALL, "axis"), words(x, _CURVE_TALL + 14, label, "soft", "middle")]
    drawn += [*_up(up, _CURVE_LEFT, _CURVE_RIGHT), words(4, 11, y_name, "soft")]
    drawn.append(words(WIDTH - _CURVE_RIGHT, _CURVE_TALL + 30, x_name, "soft", "end"))
    apart = min(_APART, _MOST_APART / max(1, len(curves) - 1))
    for series, (curve, points) in enumerate(curves.items()):
        css, shift = f"s{series % 8}", apart * (series - (len(curves) - 1) / 2)
        places = [(along.at(log2(at)) + shift, up.at(dot.number or 0.0)) for at, dot in points]
        # The line first, then intervals and marks on top of it.
        drawn += (line(*start, *end, css, curve) for start, end in pairwise(places))
        for (x, y), (at, dot) in zip(places, points, strict=True):
            text = _in_words(f"{curve}, {ticks[at]}", f"{dot.number:.3g}", dot)
            if dot.ends is not None:
                drawn.append(line(x, up.at(dot.ends[0]), x, up.at(dot.ends[1]), css, text))
            drawn.append(mark(x, y, series, text, is_hollow=dot.is_partial))
            if dot.denominator:
                drawn.append(words(x + 7, y - 6, dot.denominator, "soft"))
    height = _CURVE_TALL + 36
    if len(curves) > 1:
        shown, height = legend([*curves], height + 14)
        drawn.append(shown)
    caption = described(caption, ((curve, [dot for _, dot in points]) for curve, points in curves.items()), "query")
    return Plot(name, title, caption, Markup().join(drawn), height)

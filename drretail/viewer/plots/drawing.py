"""An SVG image: axes with round ticks, marks, words, and colours that the colour-blind tell apart.

Elements have classes and no colours: a page's style colours them in light and dark, and ``standalone`` adds a style for
files. Series differ in shape as well as in colour.

No library draws them: the same dots with intervals take 3 KB here and 10 KB by matplotlib or Vega as SVG, which know
neither a page's dark mode nor titles; Vega's and plotly's own scripts add 0.9 and 4.8 MB to a page that stands alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from textwrap import wrap

from markupsafe import Markup

from drretail.files import write_atomically

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
        ).format(WIDTH, number(self.height), f"{self.title}. {self.caption}", self.body)

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
                h=number(height),
                title=self.title,
                style=Markup(_STYLE),  # noqa: S704 — our own
                heading=words(8, 18, cut(self.title, WIDTH - 16, 7.4), "title"),
                top=top,
                body=self.body,
                below=Markup().join(below),
            )
        )


def number(value: float) -> str:
    """A coordinate as text, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")


def words(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> Markup:
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        number(x), number(y), css, anchor, text
    )


def line(x1: float, y1: float, x2: float, y2: float, css: str, title: str = "") -> Markup:
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}" stroke-width="{}">{}</line>').format(
        number(x1), number(y1), number(x2), number(y2), css, 2 if css.startswith("s") else 1, _title(title)
    )


def bar(x: float, y: float, width: float, height: float, css: str, title: str = "") -> Markup:
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>').format(
        number(x), number(y), number(width), number(height), css, _title(title)
    )


def mark(x: float, y: float, series: int, title: str = "", *, is_hollow: bool = False) -> Markup:
    """A dot whose shape and colour show its series; ``title`` appears when it is pointed at."""
    place = series % 4
    if place == 0:
        shape = f'<circle cx="{number(x)}" cy="{number(y)}" r="4.5"/>'
    elif place == 1:
        shape = f'<rect x="{number(x - 4)}" y="{number(y - 4)}" width="8" height="8"/>'
    else:
        points = " ".join(f"{number(x + right)},{number(y + down)}" for right, down in _CORNERS[place])
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


PIXELS = 2
"""Pixels per unit of the image: sharp in print and on fine screens."""


def write_plots(plots: Sequence[Plot], folder: Path) -> list[Path]:
    """Writes NAME.svg of each plot into the folder, and NAME.png with the extra ``plots``; returns their paths."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        svg_to_bytes = None
    written: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        svg, png = (folder / f"{plot.name}.{kind}" for kind in ("svg", "png"))
        text = plot.standalone()
        write_atomically(svg, text)
        written.append(svg)
        if svg_to_bytes:
            write_atomically(png, bytes(svg_to_bytes(svg_string=text, zoom=PIXELS)))
            written.append(png)
    return written

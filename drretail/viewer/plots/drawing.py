"""An SVG image: axes, marks, words, and colours that the colour-blind tell apart.

Everything has a class and no colour of its own: a page's style colours it in light and dark, and ``standalone`` adds a
style for files. Series differ in shape as well as in colour.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap

from markupsafe import Markup

from drretail.errors import UserError, install_line
from drretail.files import write_atomically
from drretail.viewer.plots.scale import Scale, short_number

WIDTH = 420
"""Of every plot, in pixels at its natural size: it fits a telephone without shrinking its words much."""
CHARACTER = 6.4
"""About the width of a character of the plots' words."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f6f6f", "#000000")
"""Okabe and Ito's colours, the best to tell apart first; ``page.css`` has its own for the dark."""
_ON_SERIES = ("#ffffff", "#ffffff", "#ffffff", "#22262b", "#22262b", "#22262b", "#ffffff", "#ffffff")
"""Of words on them."""
_CORNERS = {2: ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)), 3: ((0, -5), (5.2, 4), (-5.2, 4))}
"""Of the marks that are no circle and no square, from their middle."""
_STYLE = """
.plot { background: #ffffff; font-family: "DejaVu Sans", "Noto Sans", Arial, sans-serif; }
.plot text { fill: #22262b; font-size: 12px; }
.plot .soft { fill: #5d6570; font-size: 11px; }
.plot .title { font-size: 13px; font-weight: bold; }
.plot .axis { stroke: #d9d5cd; }
.plot .floor { stroke: #8b8f94; stroke-dasharray: 3 2; }
.plot .win { fill: #0072b2; } .plot .tie { fill: #c9ccd1; } .plot .loss { fill: #d55e00; }
.plot .win-text { fill: #ffffff; } .plot .loss-text { fill: #ffffff; }
""" + "".join(
    f".plot .s{at} {{ fill: {colour}; stroke: {colour}; }}\n.plot .s{at}-text {{ fill: {_ON_SERIES[at]}; }}\n"
    for at, colour in enumerate(SERIES)
)


@dataclass(frozen=True, slots=True)
class Plot:
    """One image with what it shows in words."""

    name: str
    """For a file and an anchor: "faithfulness-FP"."""
    title: str
    caption: str
    """What is drawn, and in which unit; below the image."""
    body: Markup
    height: float

    @property
    def svg(self) -> Markup:
        """For a page that has a style for ``.plot``; its title and caption stand beside it there."""
        return Markup(
            '<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" '
            'aria-label="{}">{}</svg>'
        ).format(WIDTH, number(self.height), f"{self.title}. {self.caption}", self.body)

    def standalone(self) -> str:
        """An SVG file: with its own style, title and caption."""
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


@dataclass(slots=True)
class Drawing:
    """Marks in the order in which they are painted."""

    parts: list[Markup] = field(default_factory=list[Markup])

    def add(self, *parts: Markup) -> None:
        self.parts += parts

    @property
    def body(self) -> Markup:
        return Markup().join(self.parts)


def number(value: float) -> str:
    """A coordinate, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")


def words(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> Markup:
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        number(x), number(y), css, anchor, text
    )


def line(x1: float, y1: float, x2: float, y2: float, css: str, title: str = "") -> Markup:
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"{}>{}</line>').format(
        number(x1), number(y1), number(x2), number(y2), css, _width(css), _title(title)
    )


def bar(x: float, y: float, width: float, height: float, css: str, title: str = "") -> Markup:
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>').format(
        number(x), number(y), number(width), number(height), css, _title(title)
    )


def mark(x: float, y: float, series: int, title: str = "") -> Markup:
    """A dot whose shape and colour say which series it is of; ``title`` shows when it is pointed at."""
    place = series % 4
    if place == 0:
        shape = Markup('<circle cx="{}" cy="{}" r="4.5"/>').format(number(x), number(y))
    elif place == 1:
        shape = Markup('<rect x="{}" y="{}" width="8" height="8"/>').format(number(x - 4), number(y - 4))
    else:
        points = " ".join(f"{number(x + right)},{number(y + down)}" for right, down in _CORNERS[place])
        shape = Markup('<polygon points="{}"/>').format(points)
    return Markup('<g class="s{}">{}{}</g>').format(series % len(SERIES), _title(title), shape)


def across(along: Scale, top: float, bottom: float) -> Iterable[Markup]:
    """The lines and numbers of a scale from left to right."""
    for tick in along.ticks:
        x = along.at(tick)
        yield line(x, top, x, bottom, "axis")
        yield words(x, bottom + 14, short_number(tick), "soft", "middle")


def cut(text: str, width: float, character: float = CHARACTER) -> str:
    """As much of a text as fits into a width."""
    most = max(3, int(width / character))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def legend(names: Iterable[str], y: float, kinds: Sequence[str] = ()) -> tuple[Markup, float]:
    """Series by mark and name, in as many lines as it takes, and where the next thing may stand.

    ``kinds`` are the classes of bars, which are shown in the place of marks.
    """
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


def _width(css: str) -> Markup:
    return Markup(' stroke-width="2"') if css.startswith("s") else Markup(' stroke-width="1"')


PIXELS = 2
"""To a unit of the image: sharp in print and on fine screens."""


def write_plots(plots: Sequence[Plot], folder: Path) -> list[Path]:
    """Every plot as NAME.svg and NAME.png in this folder, which is made; the files' paths.

    Raises UserError where the extra ``plots`` is not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise UserError(f"PNG files need one more package: {install_line('resvg-py')}.") from error
    written: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        svg, png = (folder / f"{plot.name}.{kind}" for kind in ("svg", "png"))
        text = plot.standalone()
        write_atomically(svg, text)
        write_atomically(png, bytes(svg_to_bytes(svg_string=text, zoom=PIXELS)))
        written += [svg, png]
    return written

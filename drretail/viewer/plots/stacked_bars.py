"""Shares that add up to one, a bar a row: wins, ties and losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.viewer.plots.drawing import CHARACTER, WIDTH, Drawing, Plot, bar, cut, words

_BAND, _TALL, _LEAST_PLOT = 26.0, 16.0, 200.0
_ROOM_FOR_A_NUMBER = 26


@dataclass(frozen=True, slots=True)
class Part:
    share: float
    kind: str
    """Its class: win, tie, loss."""
    title: str


@dataclass(frozen=True, slots=True)
class BarRow:
    name: str
    parts: tuple[Part, ...]


def stacked_bars(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[BarRow],
    ends: tuple[str, str] = ("", ""),
    kinds: Mapping[str, str] | None = None,
) -> Plot:
    """One image of these rows; ``ends`` are said above its left and its right end, ``kinds`` below by their class."""
    drawing = Drawing()
    left = min(WIDTH - _LEAST_PLOT, 14 + CHARACTER * max((len(row.name) for row in rows), default=0))
    right = WIDTH - 8.0
    half = (right - left) / 2
    drawing.add(words(left, 14, cut(ends[0], half), "soft"), words(right, 14, cut(ends[1], half), "soft", "end"))
    for place, row in enumerate(rows):
        top = 20 + _BAND * place
        drawing.add(words(left - 8, top + 13, cut(row.name, left - 12), anchor="end"))
        x = left
        for part in row.parts:
            width = part.share * (right - left)
            drawing.add(bar(x, top, width, _TALL, part.kind, f"{row.name}: {part.title}"))
            if width >= _ROOM_FOR_A_NUMBER:
                drawing.add(words(x + width / 2, top + 12, f"{part.share:.0%}", f"{part.kind}-text", "middle"))
            x += width
    height = 24 + _BAND * len(rows)
    if kinds:
        shown, height = _legend(kinds, height + 14)
        drawing.add(shown)
    return Plot(name, title, caption, drawing.body, height)


def _legend(kinds: Mapping[str, str], y: float) -> tuple[Markup, float]:
    """Each kind by colour and name, and where the next thing may stand."""
    parts: list[Markup] = []
    x = 8.0
    for kind, name in kinds.items():
        width = 22 + len(name) * CHARACTER
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + 18
        parts += (bar(x, y - 9, 9, 9, kind), words(x + 14, y, name))
        x += width + 6
    return Markup().join(parts), y + 12

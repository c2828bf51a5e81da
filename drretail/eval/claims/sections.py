"""The parts of a long report, cut where its layout ends something."""

from collections.abc import Iterator
from dataclasses import dataclass

from drretail.grounding.text.layout import read_layout

LONGEST_PART = 6_000
"""Characters. So much text has some fifty claims, whose list with values stays well below 8,000 tokens."""
_MARKUP = "#*_: \t"
_WEIGHTS = {"heading": 0.3, "paragraph": 0.1, "item": 0.0}
"""How much further from the even cut one may lie that ends more, as a share of the longest part."""


@dataclass(frozen=True, slots=True)
class Part:
    """``report[start:end]``, and the headings that stand above it."""

    start: int
    end: int
    above: tuple[str, ...]


def parts_of(report: str, longest: int = LONGEST_PART) -> list[Part]:
    """The report in parts of about even length, none longer than ``longest`` but for a table or paragraph that is.

    Cuts stand before headings, else paragraphs, else list items: never inside a table.
    """
    if len(report) <= longest:
        return [Part(0, len(report), ())]
    layout = read_layout(report, None)
    places = dict(_places(report, [(sentence.start, sentence.kind, sentence.head) for sentence in layout.sentences]))
    titles = [
        (sentence.start, report[sentence.start : sentence.end].strip(_MARKUP))
        for sentence in layout.sentences
        if sentence.kind == "heading"
    ]
    parts: list[Part] = []
    start = 0
    while start < len(report):
        end = _cut(start, len(report), places, longest)
        parts.append(Part(start, end, _above(titles, start)))
        start = end
    return parts


def _places(report: str, sentences: list[tuple[int, str, tuple[int, int] | None]]) -> Iterator[tuple[int, str]]:
    """Where a part may begin, and what begins there."""
    for start, kind, head in sentences:
        line = report.rfind("\n", 0, start) + 1
        before = report[report.rfind("\n", 0, max(0, line - 1)) + 1 : max(0, line - 1)]
        is_first = not report[line:start].strip(" \t#>*_-+•.)0123456789") and not (kind == "row" and head)
        if kind == "heading" and is_first:
            yield line, "heading"
        elif is_first and not before.strip() and kind != "row":
            yield line, "paragraph"
        elif is_first and kind == "item":
            yield line, "item"


def _cut(start: int, end: int, places: dict[int, str], longest: int) -> int:
    """Where the part that begins at ``start`` ends."""
    left = end - start
    if left <= longest:
        return end
    even = start + left / -(-left // longest)
    within = [place for place in places if start < place <= start + longest]
    if not within:
        return min((place for place in places if place > start), default=end)
    return min(within, key=lambda number: (abs(number - even) - _WEIGHTS[places[number]] * longest, number))


def _above(titles: list[tuple[int, str]], start: int) -> tuple[str, ...]:
    """The report's first heading, and the last one before a part that does not begin with one."""
    before = [title for place, title in titles if place < start]
    return tuple(dict.fromkeys([*before[:1], *before[-1:]]))

"""The parts of a text, each with what it is about: in a report by citation marks, in an assistant's answers by names.

An answer needs no marks. A sentence, a line or a cell is about the one thing that it names by title or id; a part that
names nothing is about the one thing that its answer names, else the one that the question names, else the one that the
turn's tools returned. Of several it is about none.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal
from unicodedata import numeric

from drretail.records.evidence import Evidence
from drretail.records.reading import Unread
from drretail.records.run import Step, Turn
from drretail.reports.citations import scan
from drretail.reports.layout import LINKED, Layout, Stretch, read_layout
from drretail.reports.page import blanked
from drretail.reports.text.amounts import Notation, find_dates
from drretail.reports.text.numerals import find_numerals
from drretail.reports.text.product_names import products_named
from drretail.reports.text.words import content_stems
from drretail.shopping.verify.records import Ledger

_MOST_OF_TOOLS = 25
PRODUCT_ID = re.compile(r"(?<![\w/.:-])(?=[\w-]*\d)(?=[\w-]*[^\W\d])\w[\w-]{2,}(?![\w-])")
"""What may be an id of a product: letters and digits together."""
ORDER_ID = re.compile(r"(?<![\w-])#?(?P<id>[A-Za-z]{0,5}-?\d[\w-]{2,})(?![\w-])")
_OFFER = re.compile(r"\[P:([\w-]+/[\w-]+)\]")


Tie = Literal["mark", "rest", "name", "elsewhere"]
"""How a part is tied to its sources: by the mark that owns it, by one that stands before it, after a name, by what it
names in an assistant's answer, or by what stands elsewhere, so that nothing in it is denied.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """``text[start:end]`` is about these sources; ``labels`` are a cell's."""

    start: int
    end: int
    sources: tuple[str, ...]
    labels: tuple[str, ...] = ()
    tie: Tie = "mark"


def parts_by_marks(layout: Layout) -> list[Part]:
    """What the marks of a report own: the cells of tables, and stretches of text; and what no mark owns, which is about
    nothing.
    """
    cells = [
        Part(cell.start, cell.end, cell.subjects or cell.orders, cell.labels) for cell in layout.cells if cell.row >= 0
    ]
    starts = {cell.start for cell in cells}
    stretches = (
        Part(stretch.start, stretch.end, _offers_marked(layout, stretch), tie="rest" if stretch.is_rest else "mark")
        for stretch in layout.stretches
        if stretch.cited or layout.sentences[stretch.sentence].kind != "heading"
    )
    return [*cells, *(stretch for stretch in stretches if stretch.start not in starts)]


def _offers_marked(layout: Layout, stretch: Stretch) -> tuple[str, ...]:
    """What a stretch cites; of one product the variant that its mark names: "[P:T/T-M]"."""
    marked = {*_OFFER.findall(layout.report, stretch.start, stretch.end)}
    (variant,) = marked if len(marked) == 1 else ("",)
    is_of_it = variant and stretch.cited == (f"P:{variant.partition('/')[0]}",)
    return (f"P:{variant}",) if is_of_it else stretch.cited


def numerals_in(layout: Layout, parts: Iterable[Part], notation: Notation | None = None) -> list[Unread]:
    """All numbers and dates in these parts, whatever they say: they are what could be looked at, and the numbers of
    other scripts and signs, such as Ⅻ, ③, 三 or ½, which nobody reads. ² is a mark if a list has its entry.
    """
    dates = [(date.start, date.end) for date in find_dates(layout.text, notation or layout.notation)]
    numerals = [(numeral.start, numeral.end) for numeral in find_numerals(blanked(layout.text, dates))]
    if not layout.report.isascii():
        text = [*layout.text]
        for mark in scan(layout.report, None).marks:
            if mark.cited[0].reason == "no_entry":
                text[mark.start : mark.end] = layout.report[mark.start : mark.end]
        signs = (at for at, sign in enumerate(text) if not sign.isdecimal() and numeric(sign, None) is not None)
        # A run of them is one number: its places less their rank are the same.
        runs = (tuple(run) for _, run in groupby(enumerate(signs), lambda pair: pair[1] - pair[0]))
        numerals += [(run[0][1], run[-1][1] + 1) for run in runs]
    inside = {at for part in parts for at in range(part.start, part.end)}
    return [Unread(start=start, end=end) for start, end in sorted((*dates, *numerals)) if start in inside]


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """``report[start:end]`` answers a question."""

    question: str
    start: int
    end: int
    things: tuple[str, ...]
    """The evidence ids of what the conversation and this turn's tools have named by its end."""


@dataclass(frozen=True)
class ReadAnswers:
    """The answers of a conversation, and what they are held against."""

    layout: Layout
    ledger: Ledger
    turns: tuple[ReadTurn, ...]
    parts: tuple[Part, ...]


def read_answers(
    layout: Layout, turns: Sequence[Turn], steps: Sequence[Step], seen: Mapping[str, Evidence], shop: Ledger
) -> ReadAnswers:
    """The turns of a conversation, with the steps of all and what their tools returned."""
    read: list[ReadTurn] = []
    parts: list[Part] = []
    before: dict[str, None] = {}
    names, first_step = _Names(layout, shop), 0
    for turn in turns:
        asked = _Names(read_layout(turn.question, None), shop).within(0, len(turn.question))
        tools = [*_of_tools(steps[first_step : turn.steps], seen, shop)]
        first_step = turn.steps
        answered = names.within(turn.start, turn.end)
        about = next((things for things in (answered, asked, tools) if things), [])
        parts += _parts(layout, turn, tuple(about) if len(about) == 1 else (), names)
        before |= dict.fromkeys((*asked, *answered, *tools[:_MOST_OF_TOOLS]))
        read.append(ReadTurn(turn.question, turn.start, turn.end, (*before,)))
    return ReadAnswers(layout, shop, tuple(read), tuple(parts))


def _parts(layout: Layout, turn: Turn, about: tuple[str, ...], names: "_Names") -> Iterator[Part]:
    rows = {cell.sentence for cell in layout.cells}
    for stretch in layout.stretches:
        if turn.start <= stretch.start < turn.end and names.are_cited(stretch):
            yield Part(stretch.start, stretch.end, stretch.cited)
    for cell in layout.cells:
        if turn.start <= cell.start < turn.end and cell.row >= 0:
            heads = (name for head in cell.heads for name in names.within(*head))
            sources = tuple(dict.fromkeys((*names.within(cell.start, cell.end), *heads)))
            yield Part(cell.start, cell.end, sources or cell.subjects, cell.labels, "name" if sources else "mark")
    for index, sentence in enumerate(layout.sentences):
        if turn.start <= sentence.start < turn.end and index not in rows:
            for line in re.finditer(r"[^\n]+", layout.text[sentence.start : sentence.end]):
                start, end = sentence.start + line.start(), sentence.start + line.end()
                offers = names.offers_within(start, end)
                yield Part(start, end, offers or about, tie="name" if offers else "elsewhere")


class _Names:
    """What a text names by title, id, link or mark, each with its place."""

    def __init__(self, layout: Layout, shop: Ledger) -> None:
        self._shop, self._layout = shop, layout
        titles = {key: item.titles for key, item in shop.products.items()} | {**shop.former}
        titled = products_named(layout.text, titles, only_whole=shop.former)
        names = [(title.start, f"P:{title.product_id}") for title in titled]
        self._text = blanked(layout.text, ((title.start, title.end) for title in titled))
        """Without the titles, whose words are no options."""
        names += [
            (stretch.start, source)
            for stretch in layout.stretches
            for source in stretch.cited
            if source in shop.missing or shop.offers(source)
        ]
        ids = {*shop.products, *(key.partition(":")[2] for key in shop.missing)}
        names += [(match.start(), f"P:{match[0]}") for match in PRODUCT_ID.finditer(layout.text) if match[0] in ids]
        orders = ((match.start(), f"O:{match['id']}") for match in ORDER_ID.finditer(layout.text))
        names += [(at, key) for at, key in orders if key in shop.missing or shop.lines_of(key)]
        self._names = sorted(names)
        self._places = [at for at, _ in self._names]

    def within(self, start: int, end: int) -> list[str]:
        """The evidence ids of what ``text[start:end]`` names, in order, each once."""
        within = self._names[bisect_left(self._places, start) : bisect_left(self._places, end)]
        return [*dict.fromkeys(source for _, source in within)]

    def are_cited(self, stretch: Stretch) -> bool:
        """True if a stretch cites products by marks that do not name them: "([shop](…))", but not "[Mug](…)"."""
        called = {*content_stems(self._layout.text[stretch.start : stretch.end].partition(LINKED)[2])}
        titles = [self._shop.titles.get(source[2:], "") for source in stretch.cited if source[:2] == "P:"]
        return bool(titles) and not stretch.is_rest and called.isdisjoint(content_stems(" ".join(titles)))

    def offers_within(self, start: int, end: int) -> tuple[str, ...]:
        """The same; of one product the one offer whose options are all written there, and of which none other is."""
        names = self.within(start, end)
        offers = self._shop.offers(names[0]) if len(names) == 1 else ()
        if len(offers) < 2:
            return tuple(names)
        parts = {*re.findall(r"[^\W_]+", self._text[start:end])}
        values = {value for offer in offers for value in offer.options.values()}
        written = {value for value in values if {*re.findall(r"[^\W_]+", value)} <= parts}
        meant = [offer.offer_id for offer in offers if {*offer.options.values()} & values == written]
        return (f"P:{meant[0]}",) if len(meant) == 1 else tuple(names)


def _of_tools(steps: Iterable[Step], seen: Mapping[str, Evidence], shop: Ledger) -> Iterator[str]:
    """The shop's products and orders that calls name, by id or by title, and the products in their results."""
    by_title = {title.casefold(): key for key, title in shop.titles.items()}
    for step in steps:
        entries = (seen[name] for name in step.evidence if name in seen)
        names_seen = [*(step.args or {}).values(), *(name for entry in entries for name in (entry.key, entry.title))]
        for name in dict.fromkeys(map(str, names_seen)):
            key = name if name in shop.products else by_title.get(name.casefold())
            order = f"O:{name.removeprefix('#')}"
            if key is not None:
                yield f"P:{key}"
            elif shop.lines_of(order):
                yield order

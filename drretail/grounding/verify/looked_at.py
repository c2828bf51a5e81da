"""Which numerals a report has beside its citations, and which of them stand with their unit in a cited record.

They are the denominator of all that is said of how much was checked (METRICS ``looked_at``).
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from drretail.grounding.report.markup import unread_words
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.numerals import Numeral, find_numerals
from drretail.grounding.text.words import content_stems
from drretail.grounding.verify.records import Ledger, leaves
from drretail.records.shop import Product

_FIRST = re.compile(r"[^\W_]")
_PRICED = re.compile(r"[$€£¥₹＄﹩](?=\w|[^\s\x00-\x7f])")
"""A sign of a currency stands before a figure, whatever its digits are: "$l.99", "$①"."""
_RANK = re.compile(r"\W*\d{1,3}\W*")
"""A first cell with nothing but the number of its row."""


def numerals_beside_marks(layout: Layout) -> dict[Numeral, tuple[str, ...]]:
    """The numerals in sentences and cells that a mark owns, with what they are said of; and, of nothing, those in HTML
    that may be seen and is not read.
    """
    of_line = (_FIRST.search(layout.text, sentence.start, sentence.end) for sentence in layout.sentences)
    starts = frozenset(match.start() for match in of_line if match is not None)
    numerals = {numeral.start: numeral for numeral in find_numerals(layout.text, layout.dates, starts)}
    signs = (match.span() for match in _PRICED.finditer(layout.text))
    numerals |= {end: Numeral(start, end + 1, None, stop=end + 1) for start, end in signs if end not in numerals}
    unread = dict.fromkeys(find_numerals(unread_words(layout.report)), ())
    owned: dict[int, tuple[str, ...]] = {}
    for stretch in layout.stretches:
        if cited := stretch.cited or layout.cited.get(stretch.sentence, ()):
            owned |= dict.fromkeys(range(stretch.start, stretch.end), cited)
    for cell in layout.cells:
        is_rank = not cell.column and _RANK.fullmatch(layout.text, cell.start, cell.end)
        if (cited := (*cell.subjects, *cell.orders)) and not is_rank:
            owned |= dict.fromkeys(set(range(cell.start, cell.end)) - owned.keys(), cited)
    return {numeral: owned[start] for start, numeral in numerals.items() if start in owned} | unread


def stands_in_record(numeral: Numeral, sources: Iterable[str], ledger: Ledger) -> bool:
    """True if the title or a field of one of these sources has this number with this unit."""
    if numeral.number is None:
        return False
    for source in sources:
        item = ledger.products.get(ledger.ordered.get(source, source.removeprefix("P:")))
        if item is not None and numeral.unit and (numeral.number, numeral.unit) in _measures(item):
            return True
        if any(_is_field(name, value, numeral) for name, value in leaves(ledger.records.get(source, {}))):
            return True
    return False


@lru_cache(maxsize=512)
def _measures(item: Product) -> frozenset[tuple[Decimal | None, str]]:
    text = "\n".join([item.title, *(f"{name}: {value}" for name, value in item.details.items())])
    return frozenset((numeral.number, numeral.unit) for numeral in find_numerals(text))


def _is_field(name: str, value: object, numeral: Numeral) -> bool:
    """True for "12 orders" and a field "orders: 12", and for an amount of money that is a field's."""
    if isinstance(value, bool) or not isinstance(value, int | float) or Decimal(str(value)) != numeral.number:
        return False
    return (
        isinstance(value, float) if numeral.unit in "$€£¥₹" else numeral.unit in content_stems(name.replace("_", " "))
    )

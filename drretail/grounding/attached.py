"""Which price, rating and rating count a report says of which product."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.grounding.markup import blanked
from drretail.grounding.mentions import Mention
from drretail.grounding.price_words import role_of
from drretail.grounding.stated_quantities import MOST, stated_quantities
from drretail.grounding.structure import Cell, Piece, Structure, Unit
from drretail.grounding.values import Kind, Value, find_values, moved_by, read_cell
from drretail.records.shop import Product

CHECKED: frozenset[Kind] = frozenset({"money", "rating", "count"})
# Between a product's name and what is said of it, other values already taken out.
_DIRECTLY = re.compile(
    r"(?:[^\w]|\b(?:at|for|costs?|is|are|priced|only|just|currently|which|that|and|it|its|an?|price|of|comes|in|with"
    r"|rated|has|have|holds|rating|from|on|based|about|around|over|nearly|roughly|sells|listed|now|stars?|customer"
    r"|average|the|more|less|but|same)\b){0,40}",
    re.IGNORECASE,
)
_AGGREGATE = re.compile(
    r"\b(?:average|averag\w+|both|all|each|between|range|ranging|most|others?|or higher|combined|together)\b", re.I
)
_RANGE = re.compile(r"\b(?:range|ranging|between|others?|competitors?|alternatives?)\b", re.IGNORECASE)
# Characters before a value that can speak about it.
_REACH = 300
# "not rated 5 stars", "neither … nor … costs less than $20"
_DENIED = re.compile(r"\bneither\b|(?:n['’]t|\b(?:not|never|nor|no(?!\s+price)))\b[^.;!?]{0,40}$", re.IGNORECASE)
# An item below a product's name that is nothing but one of its values.
_LABELLED = re.compile(
    r"\W*(?:(?:current\s+|customer\s+|average\s+|user\s+)?(?:price|priced|rating|rated|reviews?|ratings)\b"
    r"|[$€£★⭐]"
    r"|\d(?:\.\d)?[\s-]?(?:stars?|/|out\b))",
    re.IGNORECASE,
)
_PRICE_HEADER = re.compile(r"(?:unit |current |our |shop )?price(?: \(?(?:each|usd|\$)\)?)?|cost", re.IGNORECASE)
_RATING_HEADER = re.compile(r"(?:average |customer |avg\.? |star |user )?(?:ratings?|stars)(?: \(.*\))?", re.IGNORECASE)
_COUNT_HEADER = re.compile(
    r"(?:# (?:of )?|number of |no\. of |customer |total )?(?:ratings|reviews|rating count|review count|votes)",
    re.IGNORECASE,
)
_QUANTITY_HEADER = re.compile(r"(?:qty|quantity|count|number|#|how many|units?)\.?", re.IGNORECASE)
_SUM_ROW = re.compile(
    r"[\W\d]*(?:grand |sub-?|overall |estimated |running )?(?:total|sum|left|remaining|budget|savings?"
    r"|shipping|tax|average)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Attached:
    """A value, its offsets in the report, said of one of ``products``; of that one exactly when there is one."""

    value: Value
    products: tuple[str, ...]
    times: tuple[int, ...] = ()
    """Of an amount: how many of the product are said to be bought with it, where that is said."""


def attached_values(
    structure: Structure, mentions: Sequence[Mention], products: Mapping[str, Product]
) -> Iterator[Attached]:
    """Every checked value that the report says of a product; ``products`` are those known, by id."""
    leads = _Leads()
    for unit in structure.units:
        named = _Named.of(unit, mentions, products)
        leads.meet(unit, named.all)
        if unit.kind == "row":
            yield from _in_row(structure, unit, named, mentions, leads.current(unit))
        elif named.all:
            yield from _in_sentence(structure, unit, named)
        elif (lead := leads.current(unit)) is not None:
            yield from _below_a_name(structure, unit, lead)


@dataclass(frozen=True, slots=True)
class _Named:
    """The products of a unit: those it names, and those it cites."""

    mentions: tuple[Mention, ...]
    cited: Mapping[Piece, tuple[str, ...]]

    @classmethod
    def of(cls, unit: Unit, mentions: Sequence[Mention], products: Mapping[str, Product]) -> "_Named":
        inside = tuple(mention for mention in mentions if unit.start <= mention.start < unit.end)
        return cls(inside, {piece: product_ids(piece, products) for piece in unit.pieces})

    @property
    def all(self) -> tuple[str, ...]:
        cited = [product_id for ids in self.cited.values() for product_id in ids]
        return tuple(dict.fromkeys([*(mention.product_id for mention in self.mentions), *cited]))

    def inside(self, start: int, end: int) -> tuple[Mention, ...]:
        return tuple(mention for mention in self.mentions if start <= mention.start < end)


def product_ids(piece: Piece, products: Mapping[str, Product]) -> tuple[str, ...]:
    """The known products that a piece cites."""
    ids = [source.removeprefix("P:") for source in piece.cited if source.startswith("P:")]
    return tuple(product_id for product_id in ids if product_id in products)


class _Leads:
    """The product under whose name a list item or a line stands."""

    def __init__(self) -> None:
        self._heading: tuple[int, str] | None = None
        """Level and product."""
        self._item: tuple[int, int, str] | None = None
        """Line, level and product."""

    def meet(self, unit: Unit, products: tuple[str, ...]) -> None:
        only = products[0] if len(products) == 1 else None
        if unit.kind == "heading":
            below = self._heading is not None and unit.level > self._heading[0] and not products
            if not below:  # "Why it is great" below a product's name speaks of that product
                self._heading = None if only is None else (unit.level, only)
            self._item = None
        elif unit.kind == "item" and products:
            self._item = None if only is None else (unit.line, unit.level, only)
        elif unit.kind != "item" or self._is_left(unit):
            self._item = None

    def _is_left(self, unit: Unit) -> bool:
        """True for the next item of the same list."""
        return self._item is not None and unit.level <= self._item[1] and unit.line != self._item[0]

    def current(self, unit: Unit) -> str | None:
        if unit.kind == "item" and self._item is not None:
            return self._item[2]
        return None if self._heading is None else self._heading[1]


def _in_sentence(structure: Structure, unit: Unit, named: _Named) -> Iterator[Attached]:
    text = structure.text[unit.start : unit.end]
    values = [value for value in find_values(text) if value.kind in CHECKED]
    bare = _blank(text, values)
    for value in values:
        place = unit.start + value.start
        piece = next((piece for piece in unit.pieces if piece.start <= place < piece.end), None)
        if piece is None:
            continue
        moved = moved_by(value, unit.start)
        role = role_of(text, value) if value.kind == "money" else "price"
        owner = _directly_before(bare, value, named.inside(piece.start, place), unit.start)
        if role == "other":
            continue
        if _DENIED.search(text[max(0, value.start - _REACH) : value.start]) and (
            owner is None or value.kind != "money"
        ):
            continue
        times = ()
        if value.kind == "money":
            spans = [(m.start, m.end) for m in named.inside(piece.start, place) if owner in (None, m.product_id)]
            times = stated_quantities(structure.text, spans, max(piece.start, unit.start), place)
        if owner is not None:
            yield Attached(moved, (owner,), times)
        elif role == "price":
            candidates = _candidates(piece, named)
            if len(candidates) == 1 or (candidates and value.bound == "exact" and not _AGGREGATE.search(text)):
                yield Attached(moved, candidates, times)


def _candidates(piece: Piece, named: _Named) -> tuple[str, ...]:
    inside = [mention.product_id for mention in named.inside(piece.start, piece.end)]
    found = tuple(dict.fromkeys([*inside, *named.cited[piece]]))
    if found or piece.cites:
        return found
    return named.all if len(named.all) == 1 else ()


def _directly_before(bare: str, value: Value, mentions: Sequence[Mention], offset: int) -> str | None:
    """The product whose name stands before a value with nothing but linking words between."""
    if not mentions:
        return None
    last = max(mentions, key=lambda mention: mention.end)
    between = bare[last.end - offset : value.start]
    return last.product_id if _DIRECTLY.fullmatch(between) and "\n" not in between else None


def _below_a_name(structure: Structure, unit: Unit, product_id: str) -> Iterator[Attached]:
    text = structure.text[unit.start : unit.end]
    if any(piece.cites for piece in unit.pieces) or not _LABELLED.match(text) or _RANGE.search(text):
        return
    for value in find_values(text):
        if value.kind in CHECKED and (value.kind != "money" or role_of(text, value) != "other"):
            times = stated_quantities(text, (), 0, len(text)) if value.kind == "money" else ()
            yield Attached(moved_by(value, unit.start), (product_id,), times)


def _in_row(
    structure: Structure, unit: Unit, named: _Named, mentions: Sequence[Mention], lead: str | None
) -> Iterator[Attached]:
    """Cells under a header that says what they hold, or beside a label that does: in a table of products across, and
    in a table of two columns below a product's name.
    """
    first = structure.text[unit.cells[0].start : unit.cells[0].end] if unit.cells else ""
    if _SUM_ROW.match(first):
        return
    counted = any(_QUANTITY_HEADER.fullmatch(structure.header(cell)) for cell in unit.cells)
    for cell in unit.cells:
        label = first.strip(" *").casefold()
        if len(named.all) == 1:
            owner, label = named.all[0], structure.header(cell)
        elif len(unit.cells) == 2 and not named.all:
            owner = _header_product(structure, cell, mentions) or lead
        else:
            owner = _header_product(structure, cell, mentions)
        kind = _kind_of(label, counted=counted)
        value = None if kind is None else read_cell(structure.text[cell.start : cell.end], kind)
        if owner is not None and value is not None and not _is_other(structure, cell, value):
            yield Attached(moved_by(value, cell.start), (owner,), _row_quantities(structure, unit, named))


def _row_quantities(structure: Structure, unit: Unit, named: _Named) -> tuple[int, ...]:
    """What a column of quantities says, or the words around the name in its cell."""
    cells = [cell for cell in unit.cells if _QUANTITY_HEADER.fullmatch(structure.header(cell))]
    written = [structure.text[cell.start : cell.end].strip(" *×x") for cell in cells]
    counted = tuple(int(text) for text in written if text.isdecimal() and 1 < int(text) <= MOST)
    spans = [(mention.start, mention.end) for mention in named.mentions]
    return counted + stated_quantities(structure.text, spans, unit.start, unit.end)


def _is_other(structure: Structure, cell: Cell, value: Value) -> bool:
    return value.kind == "money" and role_of(structure.text[cell.start : cell.end], value) == "other"


def _header_product(structure: Structure, cell: Cell, mentions: Sequence[Mention]) -> str | None:
    inside = {mention.product_id for mention in mentions if cell.header_start <= mention.start < cell.header_end}
    for mark in structure.marks:
        if cell.header_start <= mark.start < cell.header_end:
            inside |= {cited.source[2:] for cited in mark.cited if cited.type == "product" and cited.source[:2] == "P:"}
    return inside.pop() if len(inside) == 1 else None


def _kind_of(label: str, *, counted: bool) -> Kind | None:
    if _PRICE_HEADER.fullmatch(label) and not (counted and label == "cost"):
        return "money"
    if _COUNT_HEADER.fullmatch(label):
        return "count"
    return "rating" if _RATING_HEADER.fullmatch(label) else None


def _blank(text: str, values: Sequence[Value]) -> str:
    return blanked(text, [(value.start, value.end) for value in values])

"""The products seen so far, and how far each of them is the thing that a name names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from drretail.grounding.constraints.listing import Listing, listing_of
from drretail.grounding.text.serialisation import whole_items
from drretail.grounding.text.words import content_stems, stem
from drretail.offline.shopper.conversation import DETAILS, SEARCH, Lookup
from drretail.records.shop import Product

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BORDER = re.compile(
    r"([,;:|()\[\]/–—•]|\s-\s|\b(?:with|for|by|from|in|to|of|on|and|w|compatible|fits?|replaces)\b|&)", re.IGNORECASE
)
# Behind the name of a thing they are no part of it: "Measuring Cups Set of 4 pcs", "Serum 30 ml".
_TAIL = frozenset(
    {"pack", "packs", "set", "sets", "kit", "pc", "pcs", "piece", "pieces", "count", "ct", "ea", "oz", "ml", "fl", "lb"}
    | {"lbs", "inch", "inches", "g", "mg", "new", "large", "small", "medium"}
)
_TAIL_STEMS = frozenset(map(stem, _TAIL))
_WITHOUT_ITS_TAIL = 0.8
"""How far a "garden bed" is a "garden bed kit"."""
_PRIOR_RATING, _PRIOR_COUNT = Decimal("3.9"), 12
"""What a rating is worth before anybody has rated, and how many ratings it takes to outweigh that."""
KNOWN_BY_NAME = 0.6
"""From here on a product is the named thing itself, and not what goes with it or merely mentions it."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A product of a search or a record; ``place`` is its best rank in any search."""

    product: Product
    opened: bool
    place: int
    shelf_searched: str = ""
    """The category in which a search found it; a card alone does not tell."""

    @property
    def product_id(self) -> str:
        return self.product.product_id

    @property
    def evidence(self) -> str:
        return f"P:{self.product_id}"

    @property
    def price(self) -> Decimal | None:
        return None if self.product.price is None else Decimal(str(self.product.price))

    @cached_property
    def listing(self) -> Listing:
        return listing_of(self.product)

    @cached_property
    def title(self) -> "TitleWords":
        return title_words(self.product.title)

    @cached_property
    def shelf(self) -> tuple[str, ...]:
        """The stems of the last of its categories."""
        known = self.product.categories[-1] if len(self.product.categories) > 1 else self.shelf_searched
        return tuple(content_stems(known))

    @cached_property
    def shelves(self) -> frozenset[str]:
        """The last stem of each of its categories."""
        return frozenset(stems[-1] for it in self.product.categories if (stems := content_stems(it)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Of all that is known of its words."""
        return frozenset(map(stem, _WORD.findall(self.listing.text))) | frozenset(self.shelf) | self.title.all

    @property
    def believed_rating(self) -> float:
        """Its average pulled towards the usual one, the more the fewer have rated; an unknown count weighs nothing."""
        rating, count = self.product.average_rating, self.product.rating_number or 0
        if rating is None:
            return float(_PRIOR_RATING)
        return float((Decimal(str(rating)) * count + _PRIOR_RATING * _PRIOR_COUNT) / (count + _PRIOR_COUNT))

    def named(self, name: Sequence[str]) -> float:
        """From 0 to 1, how far this is the thing whose name has these stems, the last one its head."""
        if not name:
            return 0.0
        where = max(self.title.position(name), 1.0 if self.shelf and self.shelf[-1] == name[-1] else 0.0)
        if len(name) > 1 and name[-1] in _TAIL_STEMS:
            bare = self.title.position(name[:-1])  # titles are read without such a tail, so the name is as well
            where = max(where, bare if name[-1] in self.title.all else _WITHOUT_ITS_TAIL * bare)
        if where < KNOWN_BY_NAME and len(name) > 1 and name[-1] in self.shelves and {*name[:-1]} <= self.title.all:
            return KNOWN_BY_NAME  # a "vitamin D3 supplement" is called "Vitamin D3" among the supplements
        return where

    def share(self, name: Sequence[str]) -> float:
        """Of the stems of a name, those that stand in its words."""
        held = [it for it in name if it in self.stems or it in self.title.joined]
        together = 2 if self.title.holds_together(name) else 0
        return max(len(held), together) / max(1, len(name))


@dataclass(frozen=True, slots=True)
class TitleWords:
    """The stems of a title, in the segments between its commas, brackets and prepositions."""

    segments: tuple[tuple[str, ...], ...]
    """Those that a comma, a bracket or nothing stands before."""
    all: frozenset[str]
    joined: frozenset[str]
    """Stems of neighbours written together: "pillow case" holds "pillowcas"."""

    def holds_together(self, name: Sequence[str]) -> bool:
        """True where the title has the last two words of the name as one: "pillowcase" for "pillow case"."""
        return len(name) > 1 and stem("".join(name[-2:])) in self.all

    def position(self, name: Sequence[str]) -> float:
        """1 where the head ends the first segment, less where it stands elsewhere, 0 where it does not stand."""
        head = name[-1]
        together = self.holds_together(name)
        if not (head in self.all or head in self.joined or together):
            return 0.0
        best = 0.3
        for number, segment in enumerate(self.segments):
            if segment[-1] == head or together:
                best = max(best, 1.0 if number == 0 else 0.8)
            elif head in segment or head in self.joined:
                best = max(best, 0.65 if self._in_a_row(segment, name) else 0.5 if number == 0 else 0.3)
        return best

    def _in_a_row(self, segment: Sequence[str], name: Sequence[str]) -> bool:
        size = len(name)
        return size > 1 and any(tuple(segment[at : at + size]) == tuple(name) for at in range(len(segment)))


@lru_cache(maxsize=8192)
def title_words(title: str) -> TitleWords:
    segments: list[tuple[str, ...]] = []
    aside = False
    parts = ["", *_BORDER.split(title[:300])]
    for border, part in zip(parts[::2], parts[1::2], strict=False):
        words = [word.casefold() for word in _WORD.findall(part)]
        while len(words) > 1 and (words[-1] in _TAIL or any(character.isdigit() for character in words[-1])):
            words.pop()
        # What stands behind "for" is what the product goes with, and not what it is.
        aside = border.strip().isalpha() and (border.casefold() != "and" or aside)
        if words and not aside:
            segments.append(tuple(map(stem, words)))
    words = [word.casefold() for word in _WORD.findall(title[:300])]
    joined = frozenset(stem(one + two) for one, two in pairwise(words))
    return TitleWords(tuple(segments), frozenset(map(stem, words)), joined)


def name_stems(name: str) -> tuple[str, ...]:
    """The stems of a name, those of digits too: "vitamin D3" is ("vitamin", "d3")."""
    return tuple(stem(word.casefold().removesuffix("'s")) for word in _WORD.findall(name.replace("’", "'")))


def bare_name(name: str) -> str:
    """A name without a measure at its end, as titles may have it: "gel pen" for "gel pen set"."""
    words = name.split()
    return " ".join(words[:-1]) if len(words) > 1 and stem(words[-1].casefold()) in _TAIL_STEMS else name


def read_candidates(lookups: Iterable[Lookup]) -> dict[str, Candidate]:
    """Every product shown, by id; the whole record goes before a card, the best rank counts."""
    found: dict[str, Candidate] = {}
    for lookup in lookups:
        if lookup.failed:
            continue
        shelf = str(lookup.args.get("category") or "")
        cards = whole_items(lookup.value, "hits") if lookup.name == SEARCH else []
        records = [lookup.value] if lookup.name == DETAILS else []
        for place, value in enumerate([*cards, *records]):
            product = _product(value)
            if product is None:
                continue
            known = found.get(product.product_id)
            opened = bool(records)
            if known is None:
                found[product.product_id] = Candidate(product, opened, 0 if opened else place, shelf)
            elif opened or (place < known.place and not known.opened):
                place = known.place if opened else place
                found[product.product_id] = Candidate(product, opened, place, shelf or known.shelf_searched)
            elif shelf and not known.shelf_searched:
                found[product.product_id] = replace(known, shelf_searched=shelf)
    return found


def _product(value: Any) -> Product | None:
    if not isinstance(value, dict):
        return None
    try:
        return Product.model_validate({name: it for name, it in value.items() if name in Product.model_fields})
    except ValidationError:
        return None

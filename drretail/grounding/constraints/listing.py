"""A product with its words prepared for comparison."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from drretail.grounding.constraints.demands import RecordWords, record_words
from drretail.records.shop import Product

K = TypeVar("K")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PACK = re.compile(
    r"\b(\d{1,3})[ -]?(?:packs?|pk|counts?|ct|pcs?|pieces?|pairs?|sets?)\b"
    r"|\b(?:packs?|sets?|box|boxes|case|bundle|lot) of (\d{1,3})\b|\b(?P<two>twin[ -]pack)\b|\b(?P<twelve>dozen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Listing:
    """A product with what is needed to compare many of them; its words are read on first use."""

    product: Product
    price: Decimal | None
    """Exact; None if the shop does not know it, or knows only the lowest of several."""
    makers: frozenset[str]
    """The normalised names of its brand and its store."""

    @cached_property
    def text(self) -> str:
        """All of its words, normalised, with single spaces between and around them."""
        product = self.product
        details = (f"{name} {value}" for name, value in product.details.items() if isinstance(value, str))
        parts = (product.title, product.brand or "", *product.features, *product.description, *details)
        return f" {folded(' '.join(parts))} "

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """Its details by their folded names; of names that are alike, the first counts."""
        return {folded_name(name): value for name, value in reversed(self.product.details.items())}

    def once(self, ask: Callable[[Product, K], bool], kind: K) -> bool:
        """What a function says of the product and a kind, remembered: each query asks it of all offers of its kinds."""
        key = ask, kind
        if key not in self._answers:
            self._answers[key] = ask(self.product, kind)
        return self._answers[key]

    @cached_property
    def _answers(self) -> dict[tuple[Callable[..., bool], Any], bool]:
        return {}

    @cached_property
    def words(self) -> RecordWords:
        """The texts of its record, for demands."""
        product = self.product
        return record_words(product.title, (*product.features, *product.description), product.details)


def listing_of(product: Product) -> Listing:
    known = product.price is not None and not product.price_from
    return Listing(
        product,
        price=Decimal(str(product.price)) if known else None,
        makers=_makers(product.brand or "", product.store or ""),
    )


# Cached: the products of a maker share one set.
@lru_cache(maxsize=16_384)
def _makers(brand: str, store: str) -> frozenset[str]:
    return frozenset({folded(brand), folded(store)} - {""})


def folded(text: str) -> str:
    """The words of a text in lower case with single spaces: "Non-slip,  BLUE" becomes "non slip blue"."""
    return " ".join(_WORD.findall(text.casefold()))


# Cached: thousands of products name the same fields, and share their names.
folded_name = lru_cache(maxsize=4096)(folded)


def is_of_brand(listing: Listing, brand: str) -> bool:
    """True if a product is of a brand or, where rows lack the maker, if its title begins with it, ignoring case."""
    named = folded(brand)
    return bool(named) and (named in listing.makers or f"{folded(listing.product.title)} ".startswith(f"{named} "))


# Cached: each query asks it of all offers of its kinds.
@lru_cache(maxsize=131_072)
def pieces_in(title: str) -> int:
    """The number of pieces in a pack by its title: 3 for "Pack of 3"; 1 if it names no pack."""
    packs = _PACK.finditer(title)
    pieces = (2 if pack["two"] else 12 if pack["twelve"] else int(pack[1] or pack[2]) for pack in packs)
    return max(pieces, default=1) or 1

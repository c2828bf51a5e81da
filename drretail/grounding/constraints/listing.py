"""A product with its words at hand."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drretail.grounding.constraints.demands import RecordWords, record_words
from drretail.records.shop import Product

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PACK = re.compile(
    r"\b(\d{1,3})[ -]?(?:packs?|pk|counts?|ct|pcs?|pieces?|pairs?|sets?)\b"
    r"|\b(?:packs?|sets?|box|boxes|case|bundle|lot) of (\d{1,3})\b|\b(?P<two>twin[ -]pack)\b|\b(?P<twelve>dozen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Listing:
    """A product, with what comparing many of them takes; its words are read when they are first asked for."""

    product: Product
    price: Decimal | None
    """Exact; None where the shop does not know it, or knows only the lowest of several."""
    makers: frozenset[str]
    """The folded names of its brand and its store."""

    @cached_property
    def text(self) -> str:
        """All of its words, folded, with single spaces between and around them."""
        product = self.product
        details = (f"{name} {value}" for name, value in product.details.items() if isinstance(value, str))
        parts = (product.title, product.brand or "", *product.features, *product.description, *details)
        return f" {folded(' '.join(parts))} "

    @cached_property
    def words(self) -> RecordWords:
        """What its record says of it, for demands."""
        product = self.product
        return record_words(product.title, (*product.features, *product.description), product.details)


def listing_of(product: Product) -> Listing:
    known = product.price is not None and not product.price_from
    return Listing(
        product,
        price=Decimal(str(product.price)) if known else None,
        makers=frozenset({folded(product.brand or ""), folded(product.store or "")} - {""}),
    )


def folded(text: str) -> str:
    """The words of a text in lower case with single spaces: "Non-slip,  BLUE" is "non slip blue"."""
    return " ".join(_WORD.findall(text.casefold()))


def is_of_brand(listing: Listing, brand: str) -> bool:
    """True when a product is of a brand, or where rows name no maker its title begins with it, in whatever case."""
    named = folded(brand)
    return bool(named) and (named in listing.makers or f"{folded(listing.product.title)} ".startswith(f"{named} "))


def pieces_in(title: str) -> int:
    """How many pieces a title says that are sold together: 3 for "Pack of 3"; 1 where it names no pack."""
    packs = _PACK.finditer(title)
    pieces = (2 if pack["two"] else 12 if pack["twelve"] else int(pack[1] or pack[2]) for pack in packs)
    return max(pieces, default=1) or 1

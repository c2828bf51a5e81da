"""A product with its words at hand, and whether these words fulfil a demand.

What a record does not say is taken for not so: a demand is fulfilled when the shop's own words affirm it
(affirmation.py).
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from drretail.grounding.constraints.affirmation import RecordWords, affirms, is_named, record_words
from drretail.records.shop import Product

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STARS = re.compile(
    r"\bat least (?P<stars>\d(?:\.\d)?) stars?\b|\b(?P<above>\d(?:\.\d)?)\+? stars? or (?:more|better)\b"
)
_FEW = re.compile(r"\b(?:fewer|less) than (?P<reviews>\d+) (?:reviews|ratings)\b")
_MANY = re.compile(r"\bat least (?P<reviews>\d+) (?:reviews|ratings)\b")


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


def fulfils(listing: Listing, demand: str) -> bool:
    """True when the product is what a phrase such as "waterproof" or "rated at least 4 stars" demands.

    A material must be the product's own: "made from cotton fiber and wood pulp" makes no hair clip of cotton.
    """
    stars, ratings = _read_demand(demand)
    if stars is not None:
        return (listing.product.average_rating or 0) >= stars
    if ratings is not None:
        return (listing.product.rating_number or 0) >= ratings
    return affirms(listing.words, demand)


@lru_cache(maxsize=1000)
def is_of_ratings(demand: str) -> bool:
    """True for a demand that the ratings meet, and not the words of a product."""
    return _read_demand(demand) != (None, None)


@lru_cache(maxsize=1000)
def _read_demand(demand: str) -> tuple[float | None, int | None]:
    """The least stars, or the least ratings; neither where the words of a product must meet it."""
    plain = demand.casefold()
    if stars := _STARS.search(plain):
        return float(stars["stars"] or stars["above"]), None
    many = _MANY.search(plain)
    return None, int(many["reviews"]) if many else None


def is_ruled_out(listing: Listing, unwanted: str) -> bool:
    """True when the product has what "nothing with …" names; "leather free" and "no leather" are no leather."""
    if few := _FEW.search(unwanted.casefold()):
        return (listing.product.rating_number or 0) < int(few["reviews"])
    return is_named(listing.words, unwanted)

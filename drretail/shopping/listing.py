"""A product with what comparing it with wishes needs: its price, its makers, its offers, and of which kind it is.

A kind is a leaf category ("French Presses"), with more of its path where other categories have that name, too ("Dogs >
Beds"), or a short noun phrase. The path decides: "dog bed" is what the shop keeps under "Dogs" and "Beds". Parts and
accessories that stand there too ("Battery for JBL Speaker") are open, and so is all else that has the kind's words: a
model decides it by the record (``drretail queries decide``).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from drretail.records.criteria import State
from drretail.records.shop import Offer, Product, has_offers, offers_of
from drretail.remembered import remembered
from drretail.reports.text.words import RUN
from drretail.shopping.vocabulary import (
    BORDER,
    NO_WORDS,
    Vocabulary,
    heads_of,
    names_of,
    stems_of,
    without_packing,
)

K = TypeVar("K")
R = TypeVar("R")
_PACK = re.compile(
    r"\b(\d{1,3})[ -]?(?:packs?|pk|counts?|ct|pcs?|pieces?|pairs?|sets?)\b"
    r"|\b(?:packs?|sets?|box|boxes|case|bundle|lot) of (\d{1,3})\b|\b(?P<two>twin[ -]pack)\b|\b(?P<twelve>dozen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Listing:
    """A product with what is needed to compare many of them."""

    product: Product
    price: Decimal | None
    """Exact; of variants the lowest of those that are left. None if the shop does not know it, or only that it is the
    lowest of several.
    """
    makers: frozenset[str]
    """The normalised names of its brand and its store."""
    counts_stock: bool = True
    """False to see what would do if nothing were sold out."""
    vocabulary: Vocabulary = field(default=NO_WORDS, compare=False)
    """The words of the shop's fields."""

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """What can be bought: its variants, or the product itself."""
        offers = offers_of(self.product)
        return offers if self.counts_stock else tuple(replace(offer, stock=None, is_available=None) for offer in offers)

    @property
    def named_offers(self) -> tuple[Offer, ...]:
        """Those of which the record says more than a price; none if the product alone is for sale, at ``price``.

        Most products have none, and building their only offer is the cost of a pass over many.
        """
        return self.offers if has_offers(self.product) else ()

    def offer(self, offer_id: str) -> Offer | None:
        """The offer that a pick names by its whole id or by that of the variant alone.

        The product's id means its only offer, or the only one that is not sold out. None if it means none, or several.
        """
        if offer_id == self.product.product_id:
            left = [offer for offer in self.offers if offer.has()]
            return (left or self.offers)[0] if len(left or self.offers) == 1 else None
        variant = offer_id.rpartition("/")[2]
        return next((offer for offer in self.offers if offer.offer_id.rpartition("/")[2] == variant), None)

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """Its details by their folded names; of names that are alike, the first counts."""
        return {folded_name(name): value for name, value in reversed(self.product.details.items())}

    @remembered
    def once(self, ask: "Callable[[Listing, K], R]", kind: K) -> R:
        """What a function says of the product and a kind, remembered: each query asks it of all offers of its kinds."""
        return ask(self, kind)


def listing_of(product: Product, vocabulary: Vocabulary = NO_WORDS) -> Listing:
    offers = offers_of(product) if product.price_from else ()
    prices = [offer.price for offer in offers if offer.has()] or [offer.price for offer in offers]
    has_price = product.price is not None and not product.price_from
    return Listing(
        product,
        price=Decimal(str(product.price)) if has_price else min(filter(None, prices), default=None),
        makers=_makers(product.brand or "", product.store or ""),
        vocabulary=vocabulary,
    )


# Cached: the products of a maker share one set.
@lru_cache(maxsize=16_384)
def _makers(brand: str, store: str) -> frozenset[str]:
    return frozenset({folded(brand), folded(store)} - {""})


def folded(text: str) -> str:
    """The words of a text in lower case with single spaces: "Non-slip,  BLUE" becomes "non slip blue"."""
    return " ".join(RUN.findall(text.casefold()))


# Cached: thousands of products name the same fields, and share their names.
folded_name = lru_cache(maxsize=4096)(folded)


def is_of_brand(listing: Listing, brand: str) -> bool:
    """True if a product is of a brand or, where rows lack the maker, if its title begins with it, ignoring case."""
    maker = folded(brand)
    return bool(maker) and (maker in listing.makers or f"{folded(listing.product.title)} ".startswith(f"{maker} "))


# Cached: each query asks it of all offers of its kinds.
@lru_cache(maxsize=131_072)
def pieces_in(title: str) -> int:
    """The number of pieces in a pack by its title: 3 for "Pack of 3"; 1 if it names no pack."""
    packs = _PACK.finditer(title)
    pieces = (2 if pack["two"] else 12 if pack["twelve"] else int(pack[1] or pack[2]) for pack in packs)
    return max(pieces, default=1) or 1


def state_of_kind(listing: Listing, kind: str) -> State:
    """Whether a product is of a kind, by where the shop keeps it; "open" if its words could mean that it is.

    Sellers put parts and other things there, too: it is "met" if its title begins with what the category or the titles
    of others in it call such a thing.
    """
    product = listing.product
    if is_unplaced(listing, leaf_of_kind(kind)):
        return "open"
    path = product.categories[1:] or product.categories  # the first of several is a department
    *above, wanted = map(stems_of, _path(kind))
    leaf = stems_of(path[-1]) if path else ()
    if above and [*map(stems_of, path[-len(above) - 1 :])] != [*above, wanted]:
        return "broken"  # other sheets than those of this part of the shop
    if leaf and (leaf == wanted or _names_of_path(product.categories, without_packing(wanted))):
        names = names_of(product)
        is_said = not names.isdisjoint(heads_of(path[-1])) or not names.isdisjoint(listing.vocabulary.heads(path))
        return "met" if is_said else "open"
    return "open" if could_be_of_kind(product, kind) else "broken"


def is_unplaced(listing: Listing, leaf: str) -> bool:
    """True if the shop keeps a product in a department alone, and its title calls it what titles in a category of this
    name there call such a thing.
    """
    product = listing.product
    heads = listing.vocabulary.heads_below(leaf) if len(product.categories) == 1 else {}
    return not names_of(product).isdisjoint(heads.get(product.category, ()))


def _names_of_path(path: Sequence[str], wanted: tuple[str, ...]) -> bool:
    """True if a phrase ends in the leaf's name, and its other words are in the path: "laundry sheet" under "Laundry".

    Of a part with several names ("Home & Kitchen"), nobody knows which one is meant.
    """
    leaf = without_packing(stems_of(path[-1]))
    above = frozenset(word for part in path[:-1] if not BORDER.search(part) for word in stems_of(part))
    return wanted[-len(leaf) :] == leaf and above.issuperset(wanted[: -len(leaf)])


def could_be_of_kind(product: Product, kind: str) -> bool:
    """True if a product may be of a kind by its record: it has every word of it, or all written as one."""
    wanted, words = stems_of(search_words(kind)), _words(product)
    return bool(wanted) and (words.issuperset(wanted) or not words.isdisjoint(stems_of(joined_words(kind))))


def joined_words(kind: str) -> str:
    """The words of a kind as one: "headlamp" for "head lamp"; "" for a single word, and for a path."""
    words = search_words(kind).split()
    return "".join(words) if len(words) > 1 and ">" not in kind else ""


# Cached: it is asked of every product that a search finds.
@lru_cache(maxsize=4096)
def search_words(kind: str) -> str:
    """The words that every product of a kind has, for a search: without packing words at its end, and without those
    parts of its path that have several names.
    """
    *above, leaf = _path(kind)
    words = RUN.findall(leaf)[: len(without_packing(stems_of(leaf)))]
    return " ".join([word for part in above if not BORDER.search(part) for word in RUN.findall(part)] + words)


def leaf_of_kind(kind: str) -> str:
    """The category that a kind names, or the whole phrase."""
    return _path(kind)[-1]


def _path(kind: str) -> list[str]:
    return [part.strip() for part in kind.split(">")]


def _words(product: Product) -> frozenset[str]:
    """All words of title and category path. Not cached: it takes two kilobytes, and the stems are."""
    path = " ".join((*product.categories, product.category.replace("_", " ")))
    return frozenset((*stems_of(product.title), *stems_of(path)))

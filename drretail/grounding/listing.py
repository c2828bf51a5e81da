"""A product with its words prepared for comparison, and what these words say: of which kind it is, and whether they
affirm a demand or deny it.

Only where nobody has read the record, and no field decides. A record may name a quality by denying it ("non-dimmable",
"latex free"). Title and details count before prose; for a material, the field that names what the product is made of
counts first. No other meaning of the words is considered: rules for more won nothing on 220 decisions of readers.

A kind is a leaf category ("French Presses") or a short noun phrase ("french press"); words are compared by their stems.
All words of a kind must be in the title or the category path, and the leaf category, or a part of the title, must end
in its last word, the noun: "French Press Replacement Filter" has all words of a French press, and is a filter.
docs/scores.md says how often a reader agrees on pairs near the border.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from drretail.grounding.text.words import RUN, singular, stem
from drretail.records.criteria import State
from drretail.records.shop import Offer, Product, has_offers, offers_of
from drretail.remembered import remembered, remembered_by

MATERIALS = frozenset(
    """
    acacia acrylic aluminium aluminum bamboo brass bronze cedar ceramic copper cork cotton crystal denim down
    felt fiberglass flannel fleece glass granite iron jute latex leather linen marble metal microfiber muslin
    nylon oak paper pine plastic polyester porcelain rattan resin rubber satin silicone silk sisal slate
    stainless steel stone suede teak titanium velvet vinyl walnut wicker wood wooden wool
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
) | {"cast iron", "memory foam", "natural rubber", "organic cotton", "stainless steel"}
"""Demands about what a thing is made of, in lower case."""

# Not fields of a part, such as "Handle Material".
_MADE_OF = frozenset({"material", "materials", "material type", "material composition", "fabric type", "fabric"})
# "Containers with bamboo lids", "mat for wood floors": after these words, a title describes something else.
_BESIDE_A_DEMAND = re.compile(r"\s(?:with|w/|for|on|without|like)\s.*$", re.DOTALL)
_DENIES = re.compile(
    r"(?:\b(?:no|non|not|without|zero|never|faux|fake|imitation|free\s+(?:of|from))|n't)[\s-]+(?:(?:an?|any|the|added)\s+)?$"
    # "Free of BPA, lead and phthalates"
    r"|\bfree\s+(?:of|from)\s+(?:[\w'-]+(?:\s[\w'-]+)?(?:\s*,\s*|\s+)(?:(?:and|or|nor)\s+)?){1,5}$"
)
_FREE_AFTER = re.compile(
    r"[\s-]+free\b(?!\s+(?:shipping|returns?|gift|of|from))|\s*\??:\s*(?:no|none|false|0\s*%)(?!\w)"
)
_REACH = 60
"""Characters before a word in which a denial counts."""
_NO_MEANING = frozenset("a an and as at be for in is it of on or the to with".split())  # noqa: SIM905
# "Easy to fill and clean": up to three words between, none of which negates.
_BETWEEN = r"(?:[\s/&-]+(?!(?:no|non|not|never|without)\b)[\w'+]+){0,3}?[\s/&-]+"


@dataclass(frozen=True)
class RecordWords:
    """A record's texts in lower case, by how much they count."""

    title: str
    details: tuple[str, ...]
    """ "material: bpa-free plastic"; "material type free: latex" as "latex free"."""
    prose: tuple[str, ...]
    made_of: tuple[str, ...]
    """The values of the fields that name what the product is made of."""

    # Every record is asked the same questions many times.
    @remembered_by(lambda demand, *, unwanted=False: (demand, unwanted))
    def stance(self, demand: str, *, unwanted: bool = False) -> State:
        """What the record says of a demand: "met" if it affirms it and no weightier text denies it, "broken" if it
        denies it or names another material, else "open". An ``unwanted`` quality is "broken" if any text affirms it.
        """
        if unwanted:
            affirmations = _affirmations((self.title, *self.details, *self.prose), demand)
            return "open" if not affirmations else "broken" if True in affirmations else "met"
        is_material = demand.casefold().strip() in MATERIALS
        title = _BESIDE_A_DEMAND.sub("", self.title) if is_material else self.title
        is_named = bool(is_material and self.made_of)
        texts = (self.made_of, (title,)) if is_named else ((title, *self.details), self.prose)
        for part in texts:
            if affirmations := _affirmations(part, demand):
                return "met" if affirmations == {True} else "broken"
        return "broken" if is_named else "open"


def _affirmations(texts: Iterable[str], demand: str) -> set[bool]:
    """For the places that name a demand, whether they affirm it; empty without any."""
    first, pattern = _demand_pattern(demand)
    affirmations: set[bool] = set()
    for text in texts:
        if first not in text:  # a quick look: most texts lack the first word
            continue
        for place in pattern.finditer(text):
            is_free = not place[0].endswith("free") and bool(_FREE_AFTER.match(text, place.end()))
            is_denied = bool(_DENIES.search(text[max(0, place.start() - _REACH) : place.start()]))
            affirmations.add(not (is_free or is_denied))
    return affirmations


@lru_cache(maxsize=2000)
def _demand_pattern(demand: str) -> tuple[str, re.Pattern[str]]:
    """The beginning of a demand's first meaningful word, and a pattern that finds all of them, in order, in a text in
    lower case; the last one in singular or plural.
    """
    words = RUN.findall(_folded(demand))
    words = [word for word in words if word not in _NO_MEANING] or words
    if not words:
        return "", re.compile(r"(?!)")
    *before, last = words
    one = re.escape(singular(last))
    ending = rf"{one}(?:{'es' if one.endswith(('s', 'x', 'ch', 'sh')) else 's'}|ing)?"
    if last in MATERIALS:  # "heavy metals" are not a metal
        ending = re.escape(last)
    elif one.endswith("y"):
        ending = rf"{one[:-1]}(?:y|ies)"
    # "Softer than cotton" and "blade material: steel" name another thing.
    pattern = _BETWEEN.join([*map(re.escape, before), ending])
    first = before[0] if before else singular(last)[: max(len(last) - 3, 3)]
    return first, re.compile(rf"(?<!than )(?<!like )(?<!semi-)\b{pattern}\b(?!\s+material)")


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("‑", "-")


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
    """Exact; of variants the lowest of those that are left. None if the shop does not know it, or only that it is the
    lowest of several.
    """
    makers: frozenset[str]
    """The normalised names of its brand and its store."""
    counts_stock: bool = True
    """False to see what would do if nothing were sold out."""

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """What can be bought: its variants, or the product itself."""
        offers = offers_of(self.product)
        return offers if self.counts_stock else tuple(replace(one, stock=None, is_available=None) for one in offers)

    @property
    def named_offers(self) -> tuple[Offer, ...]:
        """Those of which the record says more than a price; none if the product alone is for sale, at ``price``.

        Most products have none, and building their only offer is the cost of a pass over many.
        """
        return self.offers if has_offers(self.product) else ()

    def offer(self, named: str) -> Offer | None:
        """The offer that a pick names by its whole id or by that of the variant alone.

        The product's id means its only offer, or the only one that is not sold out. None if it means none, or several.
        """
        if named == self.product.product_id:
            left = [offer for offer in self.offers if offer.has()]
            return (left or self.offers)[0] if len(left or self.offers) == 1 else None
        variant = named.rpartition("/")[2]
        return next((offer for offer in self.offers if offer.offer_id.rpartition("/")[2] == variant), None)

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

    @remembered
    def once(self, ask: Callable[[Product, K], bool], kind: K) -> bool:
        """What a function says of the product and a kind, remembered: each query asks it of all offers of its kinds."""
        return ask(self.product, kind)

    @cached_property
    def words(self) -> RecordWords:
        """The texts of its record, for demands; details that are not text are ignored."""
        product = self.product
        details = [(name, value) for name, value in product.details.items() if isinstance(value, str)]
        return RecordWords(
            title=_folded(product.title),
            details=tuple(
                _folded(f"{value} free" if name.casefold().endswith(" free") else f"{name}: {value}")
                for name, value in details
            ),
            prose=tuple(map(_folded, (*product.features, *product.description))),
            made_of=tuple(
                _folded(value) for name, value in details if name.strip().replace("_", " ").casefold() in _MADE_OF
            ),
        )


def listing_of(product: Product) -> Listing:
    offers = offers_of(product) if product.price_from else ()
    prices = [offer.price for offer in offers if offer.has()] or [offer.price for offer in offers]
    known = product.price is not None and not product.price_from
    return Listing(
        product,
        price=Decimal(str(product.price)) if known else min(filter(None, prices), default=None),
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


_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Separates two names of the thing, or its name from its number, size and color.
_BORDER = re.compile(r"[,|;:/•–—~+]|\s-+\s|\s-|-\s|\s(?:and|&)\s")
# After these words: what the thing is for, what it comes with, or what it is made of.
_BESIDE = re.compile(
    r"\s(?:for|with|without|w/|from|by|of|in|on|to|as|that|which|compatible|compat|fits|replaces|includes?|including"
    r"|designed|made|featuring|perfect|ideal|great|suitable)(?:\s|$)",
    re.IGNORECASE,
)
# How things are sold, not what they are: a bed sheet set is a bed sheet.
_PACKING = frozenset(map(stem, ("assortment", "bundle", "combo", "kit", "lot", "pack", "pair", "piece", "set")))
COLORS_AND_SIZES = frozenset(
    """
    adult assorted baby beige black blue boy brown clear cream full girl gold golden gray green grey inch indoor
    ivory kid king large medium men mini multi multicolor natural navy new orange outdoor oz pink plus pro purple
    queen red silver small tan teal toddler twin unisex us white women xl yellow
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
"""Words that may follow the name of a thing without being what it is: colors, sizes, whom it is for."""
# Units and plurals, which follow the name in titles.
_IN_TITLES = frozenset(
    """
    boys bulk case color colors count ct dark dozen extra fl foot ft gal gallon girls gram inches kids lady lb lbs
    light mens ml multipack ounce ounces pc pcs pound pounds size sizes standard style value womens x xxl
    """.split()  # noqa: SIM905
)
_BEHIND = _PACKING | frozenset(map(stem, COLORS_AND_SIZES | _IN_TITLES | MATERIALS))
_SEGMENTS = 5
"""Parts of a title that may name the thing; later parts praise it."""
_FIRST = 2
_SHORT = 2
"""The longest part, in words, that may continue a list: "decal for phone, laptop, water bottle"."""


def is_of_kind(product: Product, kind: str) -> bool:
    """True if a product is of this kind."""
    return _is_in_category(product, kind) or is_in_title(product, kind)


def is_named_by_both(product: Product, kinds: Sequence[str]) -> bool:
    """True if nobody needs to look whether a product is of one of the kinds.

    Its leaf category has the whole name of one, and its title says so. A part of the name is not enough: pet brushes
    and makeup "Brush Sets" are both brushes.
    """
    is_leaf = any(_stems(product.leaf_category) == _stems(kind) for kind in kinds)
    return is_leaf and any(is_in_title(product, kind) for kind in kinds)


def _is_in_category(product: Product, kind: str) -> bool:
    wanted = _unpacked(_stems(kind))
    if not wanted or not _words(product).issuperset(wanted):
        return False
    below = product.categories[1:] or product.categories  # the first of several is a department
    if any(_unpacked(_stems(name)) == wanted for name in below):
        return True
    leaves = _leaf_names(below[-1]) if below else ()
    in_title = frozenset(_stems(product.title))
    # Of "Bibs & Burp Cloths", only the name that the title has is certain.
    sure = [leaf for leaf in leaves if len(leaves) == 1 or leaf[-1] in in_title]
    return any(leaf == wanted or leaf[-1] == wanted[-1] for leaf in sure)


def is_in_title(product: Product, kind: str) -> bool:
    """True if the product's title says that it is of this kind."""
    wanted = _unpacked(_stems(kind))
    if not wanted or not _words(product).issuperset(wanted):
        return False
    # A single word counts in the first part only; of several, a later part must contain one more.
    sure_parts = 1 if len(wanted) == 1 else _FIRST
    return any(
        wanted[-1] in (words[-1], last) and (place < sure_parts or not set(words).isdisjoint(wanted[:-1]))
        for place, (words, last) in enumerate(_parts(product.title, product.store or product.brand or ""))
    )


def could_be_of_kind(product: Product, kind: str) -> bool:
    """True if a product may be of a kind by its record: it has every word of it, or all written as one."""
    wanted, words = _unpacked(_stems(kind)), _words(product)
    return bool(wanted) and (words.issuperset(wanted) or not words.isdisjoint(_stems(joined(kind))))


def shares_the_noun(product: Product, kinds: Sequence[str]) -> bool:
    """True if the title has the noun of one of the kinds: whether it is of the kind may be debatable."""
    title = frozenset(_stems(product.title))
    return any(wanted[-1] in title for kind in kinds if (wanted := _unpacked(_stems(kind))))


def holds_words(text: str, kind: str) -> bool:
    """True if a text, such as a search, has every word of a kind."""
    wanted = _unpacked(_stems(kind))
    return bool(wanted) and frozenset(_stems(text)).issuperset(wanted)


def joined(kind: str) -> str:
    """The words of a kind as one: "headlamp" for "head lamp"; "" for a single word."""
    words = search_words(kind).split()
    return "".join(words) if len(words) > 1 else ""


def search_words(kind: str) -> str:
    """The words that every product of a kind has, for a search: without packing words at its end."""
    return " ".join(RUN.findall(kind)[: len(_unpacked(_stems(kind)))])


def _words(product: Product) -> frozenset[str]:
    """All words of title and category path. Not cached: it takes two kilobytes, and the stems are."""
    path = " ".join((*product.categories, product.category.replace("_", " ")))
    return frozenset((*_stems(product.title), *_stems(path)))


@lru_cache(maxsize=16_384)
def _leaf_names(leaf: str) -> tuple[tuple[str, ...], ...]:
    """The names in a leaf category: "Bibs & Burp Cloths" has two."""
    return tuple(_unpacked(names) for part in _BORDER.split(leaf) if (names := _stems(part)))


@lru_cache(maxsize=65_536)
def _parts(title: str, maker: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The parts of a title up to their noun, in order, each with its last word. In "Wine Glass" that is the noun,
    though glass may be a material after one. The maker's name at the beginning is left out.
    """
    is_named = maker and title.casefold().startswith(maker.casefold())
    naming_parts = _IN_BRACKETS.sub(" , ", title[len(maker) :] if is_named else title)
    segments = [part for part in _BORDER.split(naming_parts) if part.strip()]
    parts: list[tuple[tuple[str, ...], str]] = []
    is_list = False
    for segment in segments[:_SEGMENTS]:
        naming, *beside = _BESIDE.split(f" {segment} ", maxsplit=1)
        words = list(_stems(naming))
        is_list = bool(beside) or (is_list and len(words) <= _SHORT)
        last = words[-1] if words else ""
        while len(words) > 1 and (words[-1] in _BEHIND or words[-1][0].isdigit()):
            words.pop()
        if words and (beside or not is_list):
            parts.append((tuple(words), last))
    return tuple(parts)


def _unpacked(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without packing words at the end, unless nothing else is left."""
    end = len(words)
    while end > 1 and words[end - 1] in _PACKING:
        end -= 1
    return words[:end]


@lru_cache(maxsize=262_144)
def _stems(text: str) -> tuple[str, ...]:
    folded = text.casefold().replace("’", "'").replace("'s ", " ")
    return tuple(stem(word) for word in RUN.findall(folded))

"""What a query needs: its things with the products that fit, first what an unwarned shopper takes, by pages' names."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.grounding.text.words import content_stems
from drretail.records.criteria import Fact
from drretail.records.query import NOT_TYPED, Query, Reference
from drretail.records.shop import Money, Product
from drretail.records.wish import Want

_SPACES = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SEGMENT = re.compile(r",\s|\s[–|-]\s|\s?\(")
_LONGEST_LINE = 320
_LONGEST_NAME = 70
_FEWEST_WORDS = 3
"""The fewest words of a name: "Bath Bombs" names a kind of thing, not a product."""
_DULL = frozenset(("Best Sellers Rank", "Date First Available", "Is Discontinued By Manufacturer", "Brand"))
_CONSUMED = ("beauty", "health", "grocery", "personal", "baby care", "vitamin")


@dataclass(frozen=True)
class NamedProduct:
    """A product with the name that pages use for it."""

    product: Product
    name: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Sentences of its features and description that are short enough to be quoted whole."""
        texts = (_SPACES.sub(" ", feature).strip() for feature in (*self.product.features, *self.product.description))
        parts = (part for text in texts for part in ([text] if len(text) <= _LONGEST_LINE else _SENTENCE.split(text)))
        return tuple(dict.fromkeys(line.rstrip(" .") for line in parts if 15 <= len(line) <= _LONGEST_LINE))

    @cached_property
    def details(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (key, value)
            for key, value in self.product.details.items()
            if isinstance(value, str) and key not in _DULL and 0 < len(value) <= 60
        )

    @property
    def price(self) -> str | None:
        """The catalog's price as text; None if it has none, or only the lowest of several."""
        has_price = self.product.price is not None and not self.product.price_from
        return money(self.product.price, self.product.currency) if has_price and self.product.price else None

    @property
    def is_consumed(self) -> bool:
        """True for what is eaten, taken or put on the skin: nobody scratches or drops it."""
        return any(word in self.product.category.casefold() for word in _CONSUMED)


def money(amount: float | None, currency: str) -> str:
    text = f"{amount:,.2f}"
    return f"${text}" if currency == "USD" else f"{text} {currency}"


def name_products(products: Iterable[Product]) -> dict[str, NamedProduct]:
    """The products with their names, by id. Names that begin alike are extended until they differ."""
    shown = list(products)
    names = {product.product_id: _short(product.title, 1) for product in shown}
    for parts in (2, 3, 9):
        taken = Counter(names.values())
        alike = (product for product in shown if taken[names[product.product_id]] > 1)
        names |= {product.product_id: _short(product.title, parts) for product in alike}
    return {product.product_id: NamedProduct(product, names[product.product_id]) for product in shown}


def _short(title: str, parts: int) -> str:
    """The first parts of a title: "Thimbletot Diaper Bag" of "Thimbletot Diaper Bag, Black, 32 L"."""
    title = _SPACES.sub(" ", title).strip()
    ends = [match.start() for match in _SEGMENT.finditer(title) if len(title[: match.start()].split()) >= _FEWEST_WORDS]
    name = title[: ends[parts - 1]] if len(ends) >= parts else title
    if parts < 9 and len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME].rsplit(" ", 1)[0]
    return name.removeprefix("The ").rstrip(" ,-–(|")


MOST_THINGS = 4
MOST_FITS = 8
"""The most fits of a thing: a shopper who wants a kettle looks at no more."""


@dataclass(frozen=True, slots=True)
class SandboxWant:
    """One thing that a query asks for, or a category of it."""

    name: str
    fits: tuple[Product, ...]
    """First the one that would be taken without a warning, then the others, better ones first."""
    want: Want | None = None
    """None if it is unknown what fits: the fits are then popular products of a category."""
    must: str | None = None
    """A demand that a laboratory could measure, and that all fits meet by their records."""

    @property
    def must_not(self) -> str | None:
        return next(map(str, self.want.must_not), None) if self.want else None

    @property
    def quantity(self) -> int:
        return self.want.quantity if self.want else 1

    @property
    def is_optional(self) -> bool:
        return self.want is not None and self.want.optional


@dataclass(frozen=True, slots=True)
class SandboxNeed:
    query: Query
    things: tuple[SandboxWant, ...]
    budget: Money | None
    """The most that everything together may cost; None without a typed budget."""
    owned: tuple[Product, ...]
    """Products that the user has: those that the wish names, then purchases, the closest to the query's words first."""
    can_lose: Callable[[Sequence[NamedProduct]], bool]
    """Whether the shop can meet the query without these products if it can with them, or else lacks the same."""
    without_fits: str | None = None
    """Why it is unknown what fits; None if it is known."""

    @property
    def names(self) -> dict[str, NamedProduct]:
        """The names, all different, that pages and files use for the fits and for the user's first owned product."""
        fits = {fit.product_id: fit for thing in self.things for fit in thing.fits}
        return name_products((fits | {product.product_id: product for product in self.owned[:1]}).values())


def need_of(world: World, offers: Offers, query: Query) -> SandboxNeed:
    """What a query needs, whatever another web says. Raises UserError if the shop offers nothing for it."""
    query = query.with_facts(())
    reference = offers.reference(query)
    things, without_fits = tuple(_wanted(world, query, reference))[:MOST_THINGS], None

    def can_lose(products: Sequence[NamedProduct]) -> bool:
        lost = [Fact(product_id=item.product.product_id, fact="recalled", source="W:none") for item in products]
        return offers.reference(query.with_facts(lost)).lack == reference.lack

    if not things:
        things = _of_words(world, query)
        without_fits = NOT_TYPED if query.wish is None else "nothing is to be bought"
        if query.wish is not None and query.wish.wants:
            without_fits = "the shop offers nothing that would do"
    if not things:
        raise UserError(
            f"{query.query_id}: neither its wish nor its words name anything that the shop offers, so no web can be "
            "made for it: leave it out."
        )
    owned = list(query.wish.owned) if query.wish else []
    orders = [] if query.user_id is None else world.store.orders(query.user_id).orders
    bought = [order.product_id for order in orders]
    products, words = world.store.products([*owned, *bought]), set(content_stems(query.text))
    shared = {key: len(words & set(content_stems(product.title))) for key, product in products.items()}
    bought.sort(key=lambda product_id: -shared.get(product_id, 0))
    return SandboxNeed(
        query=query,
        things=things,
        budget=query.wish.budget if query.wish else None,
        owned=tuple(products[key] for key in dict.fromkeys([*owned, *bought]) if key in products),
        can_lose=can_lose,
        without_fits=without_fits,
    )


def _wanted(world: World, query: Query, reference: Reference) -> list[SandboxWant]:
    best = {item.thing: item.product_id for item in reference.best.items} if reference.best else {}
    wanted: list[SandboxWant] = []
    # Without a typed wish there are neither wants nor things.
    for want, thing in zip(query.wish.wants if query.wish else (), reference.things, strict=True):
        order = sorted(thing.fits or thing.undecided, key=lambda fit: (
            fit.product_id != best.get(thing.name), fit.price is None, -fit.worth, fit.product_id
        ))  # fmt: skip
        products = world.store.products([fit.product_id for fit in order[:MOST_FITS]])
        fits = tuple(products[fit.product_id] for fit in order if fit.product_id in products)
        if fits:
            must = next((str(must) for must in want.must if all(str(must) not in fit.open for fit in order)), None)
            wanted.append(SandboxWant(thing.name, fits, want, must))
    return wanted


def _of_words(world: World, query: Query) -> tuple[SandboxWant, ...]:
    """The products that the query's words find, as one thing; empty if no title shares a word with the query."""
    hits = world.catalog.search(CatalogQuery(query.text, match="any", limit=MOST_FITS)).hits
    words = set(content_stems(query.text))
    products = world.store.products([hit.product_id for hit in hits]).values()
    # A word that occurs only in a description does not name what the shop offers.
    by_words = [product for product in products if words & set(content_stems(product.title))]
    if not by_words:
        return ()
    name = by_words[0].leaf_category
    same = tuple(product for product in by_words if product.leaf_category == name)
    return (SandboxWant(name.replace("_", " ").lower(), same),)

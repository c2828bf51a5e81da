"""What a query needs: its things with the products that fit, first what an unwarned shopper takes; pages' subjects."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from drretail.addons.sandboxes.synthetic.pages import Subject
from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.records.criteria import Fact
from drretail.records.query import NOT_TYPED, Query, Reference
from drretail.records.shop import Product
from drretail.records.wish import Want
from drretail.reports.text.wording import format_money, short_title
from drretail.reports.text.words import content_stems

_MARKS = re.compile(r"^\W+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_LONGEST_LINE = 320
_DULL = frozenset(("Best Sellers Rank", "Date First Available", "Is Discontinued By Manufacturer", "Brand"))


def subjects_of(products: Iterable[Product]) -> dict[str, Subject]:
    """What pages call the products and can tell of them, by id. Names that begin alike are longer until they differ."""
    shown = list(products)
    names = {product.product_id: "" for product in shown}
    for limit in (45, 90, 1000):
        taken = Counter(names.values())
        alike = (product for product in shown if not names[product.product_id] or taken[names[product.product_id]] > 1)
        names |= {product.product_id: short_title(product.title, limit).removeprefix("The ") for product in alike}
    return {product.product_id: _subject(product, names[product.product_id]) for product in shown}


def _subject(product: Product, name: str) -> Subject:
    """The product with those sentences of its listing that are short enough to be quoted whole."""
    texts = (_MARKS.sub("", " ".join(text.split())) for text in (*product.features, *product.description))
    parts = [part for text in texts for part in ([text] if len(text) <= _LONGEST_LINE else _SENTENCE.split(text))]
    details = {key: value for key, value in product.details.items() if isinstance(value, str) and key not in _DULL}
    parts += [f"{key}: {value}" for key, value in details.items() if 0 < len(value) <= 60]
    slots = {"name": name, "brand": product.brand or name}
    if product.price and not product.price_from:
        slots["price"] = format_money(product.price, product.currency)
        parts.append(f"Its price is {slots['price']}")
    if product.average_rating is not None and product.rating_number:
        parts.append(f"It has {product.average_rating} stars, from {product.rating_number} ratings")
    lines = dict.fromkeys(part.rstrip(" .") for part in parts if 15 <= len(part) <= _LONGEST_LINE)
    return Subject(name, tuple(lines), slots)


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
    def claim(self) -> str | None:
        """What a laboratory would check, in quotation marks; None if nothing is demanded."""
        must_not = next(map(str, self.want.must_not), None) if self.want else None
        return f'"{self.must}"' if self.must else f'"no {must_not}"' if must_not else None


@dataclass(frozen=True, slots=True)
class SandboxNeed:
    query: Query
    things: tuple[SandboxWant, ...]
    owned: tuple[Product, ...]
    """Products that the user has: those that the wish names, then purchases, the closest to the query's words first."""
    can_lose: Callable[[Sequence[Product]], bool]
    """Whether the shop can meet the query without these products if it can with them, or else lacks the same."""
    without_fits: str | None = None
    """Why it is unknown what fits; None if it is known."""


def need_of(world: World, offers: Offers, query: Query) -> SandboxNeed:
    """What a query needs, whatever another web says. Raises UserError if the shop offers nothing for it."""
    query = query.with_facts(())
    reference = offers.reference(query)
    things, without_fits = tuple(_wanted(world, query, reference))[:MOST_THINGS], None

    def can_lose(products: Sequence[Product]) -> bool:
        lost = [Fact(product_id=product.product_id, fact="recalled", source="W:none") for product in products]
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

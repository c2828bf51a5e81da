"""What a writer of queries is shown of the shop: its kinds of products, their prices and the fields that decide."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import TypeVar

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.category_prices import CategoryPrices, PricesByCategory
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.grounding.constraints.listing import Listing
from drretail.grounding.profile.naming import may_be_shown
from drretail.grounding.text.harmless import harmless
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.wording import format_money
from drretail.querygen.by_model.targets import Target
from drretail.querygen.checks.stock import Shopper
from drretail.querygen.rules.assortment import ENOUGH, KindOffers
from drretail.tables.figures import counted, percent

MOST_KINDS = 24
MOST_OWNED = 20
_HITS = 50
"""Products that are looked at in each search."""
# The newest purchases tell what somebody is interested in now; kinds beside them fill the rest of the shelf.
_NEAR = 16
_SHOWN = 2
_MOST_FIELDS, _MOST_VALUES = 3, 4
# A shop without category paths has one kind a file, of which titles say what is in it.
_SHOWN_OF_A_FILE = 8
_LONGEST_TITLE = 90


T = TypeVar("T")


class Shelf:
    """The kinds of products of one shop; every search is remembered, since many queries need the same.

    Intimate products stand there where the question names them.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._offers = Offers(world)
        self._prices = PricesByCategory(world.catalog, world.store)
        self._popular: dict[str, tuple[int, list[Listing]]] = {}

    def around(self, target: Target, shopper: Shopper | None, question: str = "") -> str:
        """A line for each kind of product around the user's purchases, or in the target's category, nearest first.

        A kind of which the user has nearly all is left out: nobody could choose. Whole files have a line only where
        the shop has no kinds below them.
        """
        question = f"{question} {target.category}"
        bought = _newest(shopper, question) if shopper else []
        about = [name for name in (target.category, *target.category.split(", ")) if self._offers.has_category(name)]
        near = self._near(bought) if shopper else self._kinds_in(about) if about else self._kinds_near(target.category)
        names = list(dict.fromkeys(near))
        files = {listing.product.category for listing in bought}
        names = [name for name in names if name not in files] or names
        had = shopper.bought if shopper else frozenset[str]()
        lines = (self._line(name, had, question) for name in names)
        beside = (self._neighbours(listing, had, question) for listing in bought if len(_path_of(listing)) == 1)
        return "\n".join(islice((line for line in chain(lines, beside) if line), MOST_KINDS))

    def near(self, text: str) -> str:
        """A line for each kind of product that searches for a question and for each of its sentences bring."""
        kinds = self._kinds_near(text)
        return "\n".join(f"- {_kind_shown(kind, listings)}: {_titles_of(listings)}" for kind, listings in kinds.items())

    def _kinds_near(self, text: str) -> dict[str, list[Listing]]:
        """The products that these searches bring by their kind, the kinds with the most of them first."""
        searches = [text, *(text[sentence.start : sentence.end] for sentence in find_sentences(text))]
        queries = [CatalogQuery(words, limit=_HITS) for words in dict.fromkeys(searches)]
        hits = [listing for query in queries for listing in self._search(query)[1]]
        found = [listing for listing in hits if may_be_shown(listing.product, text)]
        kinds = Counter(map(_leaf_of, found)).most_common(MOST_KINDS)
        different = {listing.product.product_id: listing for listing in found}.values()
        return {kind: [listing for listing in different if _leaf_of(listing) == kind] for kind, _ in kinds}

    def _near(self, bought: Sequence[Listing]) -> Iterator[str]:
        """The kinds of what was bought, then those that stand beside them, then all of the same part of the shop."""
        paths = [_path_of(listing) for listing in bought]
        yield from (path[-1] for path in paths)
        for depth in range(2, max(map(len, paths), default=1) + 1):
            yield from self._kinds_in(dict.fromkeys(path[-depth] for path in paths if len(path) >= depth))

    def _kinds_in(self, categories: Iterable[str]) -> Iterator[str]:
        """The leaves that the most popular products of each category are in, one of each category in turn."""
        return _in_turn(
            [dict.fromkeys(map(_leaf_of, self._most_popular(name)[1])) for name in dict.fromkeys(categories)]
        )

    def _line(self, name: str, had: Collection[str], question: str) -> str:
        """ "Bird Feeders: in Birds, 34 products, 80% with a price, $9.99 to $89.00, in the median $24.50; Material:
        cedar, steel; such as …"; empty where there is too little to choose from."""
        total, popular = self._most_popular(name)
        listings = [listing for listing in popular if may_be_shown(listing.product, question)]
        others = [listing for listing in listings if listing.product.product_id not in had]
        leaves = [listing for listing in listings if _leaf_of(listing) == name]
        if len(others) < ENOUGH or 2 * len(leaves) < len(listings):  # "Men" is no kind
            return ""
        prices = _prices_in_words(self._prices.of(name), total)
        part = Counter(_path_of(listing)[-2:-1] for listing in leaves).most_common(1)[0][0]
        size = ", ".join([*(f"in {name}" for name in part), counted(total, "product"), prices])
        facts = [size, *_deciding(listings), f"such as {_titles_of(others)}"]
        return f"- {_kind_shown(name, listings)}: {'; '.join(facts)}"

    def _neighbours(self, bought: Listing, had: Collection[str], question: str) -> str:
        """What is new and nearest to a product by its title, in a part of the shop that no category divides."""
        _, found = self._search(CatalogQuery(bought.product.title, limit=_HITS))
        others = [
            listing
            for listing in found
            if listing.product.product_id not in had and may_be_shown(listing.product, question)
        ]
        shown = (f"{_title_of(listing)} ({_price_of(listing)})" for listing in others[: _SHOWN_OF_A_FILE // 2])
        return f"- Like {_title_of(bought)}: {'; '.join(shown)}" if others else ""

    def _most_popular(self, category: str) -> tuple[int, list[Listing]]:
        if category not in self._popular:
            query = CatalogQuery("", category=category, sort_by="popularity", limit=_HITS)
            self._popular[category] = self._search(query)
        return self._popular[category]

    def _search(self, query: CatalogQuery) -> tuple[int, list[Listing]]:
        """How many products match, and the first of them."""
        page = self._world.catalog.search(query)
        return page.total, self._offers.listings([hit.product_id for hit in page.hits])


def _newest(shopper: Shopper, question: str) -> list[Listing]:
    """The products of the newest orders, one of each day in turn: a day with many fills no more than its place."""
    days: dict[str, dict[str, Listing]] = {}
    for order in shopper.kept:
        listing = shopper.products.get(order.product_id)
        if listing is not None and may_be_shown(listing.product, question):
            days.setdefault(order.order_date[:10], {})[order.product_id] = listing
    in_turn = _in_turn([list(day.values()) for day in days.values()])
    return list({listing.product.product_id: listing for listing in in_turn}.values())[:_NEAR]


def _in_turn(parts: Sequence[Iterable[T]]) -> Iterator[T]:
    """The first of each, then the second of each, and so on."""
    for entries in zip_longest(*parts):
        yield from (entry for entry in entries if entry is not None)


def owned_by(shopper: Shopper, question: str = "", most: int = MOST_OWNED) -> str:
    """A line for each product that the user keeps, newest first: its id, title, kind and price, and its orders.

    Intimate ones stand there where the question names them.
    """
    orders: dict[str, list[str]] = {}
    for order in shopper.kept:
        listing = shopper.products.get(order.product_id)
        if listing is not None and may_be_shown(listing.product, question):
            orders.setdefault(order.product_id, []).append(f"{order.order_date[:10]} in order {order.order_id}")
    lines: list[str] = []
    for product_id, ordered in orders.items():
        listing = shopper.products[product_id]
        facts = (_leaf_of(listing), _price_of(listing), f"ordered {', '.join(ordered)}")
        lines.append(f"{product_id}: {_title_of(listing)} ({'; '.join(facts)})")
    more = len(lines) - most
    return "\n".join([*lines[:most], *([f"… and {more} older ones"] if more > 0 else [])])


def _deciding(listings: Sequence[Listing]) -> Iterator[str]:
    """ "Material: cedar, steel" for each field in whose values the products of a kind differ."""
    by_field: dict[str, list[str]] = {}
    for name, value in KindOffers(tuple(listings)).demands:
        by_field.setdefault(name, []).append(value)
    for name, values in islice(by_field.items(), _MOST_FIELDS):
        yield f"{name}: {', '.join(values[:_MOST_VALUES])}"


def _titles_of(listings: Sequence[Listing]) -> str:
    shown = _SHOWN if len(listings[0].product.categories) > 1 else _SHOWN_OF_A_FILE
    return "; ".join(map(_title_of, listings[:shown]))


def _title_of(listing: Listing) -> str:
    return harmless(listing.product.title[:_LONGEST_TITLE])


def _price_of(listing: Listing) -> str:
    return "no price" if listing.price is None else format_money(listing.price, listing.product.currency)


def _path_of(listing: Listing) -> tuple[str, ...]:
    """The categories from the file's to the leaf."""
    return (listing.product.category, *listing.product.categories[1:])


def _leaf_of(listing: Listing) -> str:
    return _path_of(listing)[-1]


def _prices_in_words(prices: CategoryPrices | None, products: int) -> str:
    if prices is None:
        return "none with a price"
    least, middle, most = (
        format_money(price, prices.span.currency) for price in (prices.least, prices.span.middle, prices.most)
    )
    share = f"{percent(prices.priced / products)} with a price, {least}"
    return share if least == most else f"{share} to {most}, in the median {middle}"


def _kind_shown(name: str, listings: Sequence[Listing]) -> str:
    """The name of a kind; in brackets that of a whole file, whose products have no category below it."""
    return f"({name})" if name == listings[0].product.category else name

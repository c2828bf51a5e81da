"""What a writer of queries is told of the shop: its kinds of products with prices, and what the user owns."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from drretail.env.catalog.base import CatalogQuery, SortBy
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.grounding.constraints.listing import Listing
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.wording import format_money
from drretail.querygen.by_model.place import Place
from drretail.querygen.checks.shopper import Shopper
from drretail.tables.figures import percent

MOST_KINDS = 24
MOST_OWNED = 20
_HITS = 50
"""Products that are looked at in each search."""
# The newest purchases tell what somebody is interested in now.
_NEAR = 10
_SHOWN = 2
# A shop without category paths has one kind a file, of which titles say what is in it.
_SHOWN_OF_A_FILE = 8
_LONGEST_TITLE = 90


class Shelf:
    """The kinds of products of one shop; every search is remembered, since many queries need the same."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._offers = Offers(world)
        self._popular: dict[str, list[Listing]] = {}

    def around(self, place: Place, shopper: Shopper | None) -> str:
        """A line for each kind of product around the user's purchases, or in the place's category, nearest first."""
        bought = list({it.product.product_id: it for it in shopper.listings}.values())[:_NEAR] if shopper else []
        about = [it for it in (place.category, *place.category.split(", ")) if self._offers.has_category(it)]
        names = self._near(bought) if shopper else self._kinds_in(about) if about else self._kinds_near(place.category)
        lines = (_line(name, self._most_popular(name)) for name in dict.fromkeys(names))
        had = shopper.bought if shopper else frozenset[str]()
        beside = (self._neighbours(it, had) for it in bought if len(_path_of(it)) == 1)
        return "\n".join(islice((line for line in chain(lines, beside) if line), MOST_KINDS))

    def near(self, text: str) -> str:
        """A line for each kind of product that searches for a question and for each of its sentences bring."""
        kinds = self._kinds_near(text)
        return "\n".join(f"- {_kind_told(kind, listings)}: {_titles_of(listings)}" for kind, listings in kinds.items())

    def _kinds_near(self, text: str) -> dict[str, list[Listing]]:
        """The products that these searches bring by their kind, the kinds with the most of them first."""
        searches = [text, *(text[it.start : it.end] for it in find_sentences(text))]
        found = [listing for words in dict.fromkeys(searches) for listing in self._search(words)]
        kinds = Counter(_path_of(listing)[-1] for listing in found).most_common(MOST_KINDS)
        different = {listing.product.product_id: listing for listing in found}.values()
        return {kind: [listing for listing in different if _path_of(listing)[-1] == kind] for kind, _ in kinds}

    def _near(self, bought: Sequence[Listing]) -> Iterator[str]:
        """The kinds of what was bought, then those that stand beside them, then all of the same part of the shop."""
        paths = [_path_of(it) for it in bought]
        yield from (path[-1] for path in paths)
        for depth in range(2, max(map(len, paths), default=1) + 1):
            yield from self._kinds_in(dict.fromkeys(path[-depth] for path in paths if len(path) >= depth))

    def _kinds_in(self, categories: Iterable[str]) -> Iterator[str]:
        """The leaves that the most popular products of each category are in, a few of each category in turn."""
        return chain.from_iterable((_path_of(it)[-1] for it in self._most_popular(name)) for name in categories)

    def _neighbours(self, bought: Listing, had: Collection[str]) -> str:
        """What is new and nearest to a product by its title, in a part of the shop that no category divides."""
        others = [it for it in self._search(bought.product.title) if it.product.product_id not in had]
        told = (f"{_title_of(it)} ({_price_of(it)})" for it in others[: _SHOWN_OF_A_FILE // 2])
        return f"- Like {_title_of(bought)}: {'; '.join(told)}" if others else ""

    def _most_popular(self, category: str) -> list[Listing]:
        if category not in self._popular:
            self._popular[category] = self._search("", category=category, sort_by="popularity")
        return self._popular[category]

    def _search(self, text: str, sort_by: SortBy = "relevance", category: str | None = None) -> list[Listing]:
        query = CatalogQuery(text, category=category, sort_by=sort_by, limit=_HITS)
        return self._offers.listings([hit.product_id for hit in self._world.catalog.search(query).hits])


def owned_by(shopper: Shopper, most: int = MOST_OWNED) -> str:
    """A line for each product that the user keeps, newest first: its id, its title, and when it was ordered."""
    days: dict[str, list[str]] = {}
    for order in shopper.kept:
        if order.product_id in shopper.products:
            days.setdefault(order.product_id, []).append(order.order_date[:10])
    lines = [
        f"{product_id}: {_title_of(shopper.products[product_id])} (ordered {', '.join(dict.fromkeys(ordered))})"
        for product_id, ordered in days.items()
    ]
    more = len(lines) - most
    return "\n".join([*lines[:most], *([f"… and {more} older ones"] if more > 0 else [])])


def _titles_of(listings: Sequence[Listing]) -> str:
    shown = _SHOWN if len(listings[0].product.categories) > 1 else _SHOWN_OF_A_FILE
    return "; ".join(map(_title_of, listings[:shown]))


def _title_of(listing: Listing) -> str:
    return listing.product.title[:_LONGEST_TITLE]


def _price_of(listing: Listing) -> str:
    return "no price" if listing.price is None else format_money(listing.price, listing.product.currency)


def _path_of(listing: Listing) -> tuple[str, ...]:
    """The categories from the file's to the leaf."""
    return (listing.product.category, *listing.product.categories[1:])


def _line(name: str, listings: Sequence[Listing]) -> str:
    """ "Bird Feeders: 34 products, 80 % with a price, $9.99 to $89.00, in the middle $24.50; such as …"."""
    if not listings:
        return ""
    prices = sorted(it.price for it in listings if it.price is not None)
    currency = listings[0].product.currency
    told = "none with a price"
    if prices:
        least, middle, most = (format_money(prices[it], currency) for it in (0, len(prices) // 2, -1))
        share = f"{percent(len(prices) / len(listings))} with a price"
        told = f"{share}, {least}" + (f" to {most}, in the middle {middle}" if least != most else "")
    one = f"{len(listings)} product{'s' if len(listings) > 1 else ''}"
    count = f"the {len(listings)} best known" if len(listings) >= _HITS else one
    return f"- {_kind_told(name, listings)}: {count}, {told}; such as {_titles_of(listings)}"


def _kind_told(name: str, listings: Sequence[Listing]) -> str:
    """The name of a kind; in brackets that of a whole file, whose products have no category below it."""
    return f"({name})" if name == listings[0].product.category else name

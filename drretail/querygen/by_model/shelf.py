"""What a writer of queries is told of the shop: what is sold near a place, at which prices, and what the user owns."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from drretail.grounding.constraints.listing import Listing
from drretail.grounding.text.wording import format_money
from drretail.querygen.by_model.place import Place
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.checks.stock import HITS, Stock

MOST_KINDS = 24
MOST_OWNED = 20
# The newest purchases tell what somebody is interested in now.
_NEAR = 10
_SHOWN = 2
# A shop without category paths has one kind a file, of which titles say what is in it.
_SHOWN_OF_A_FILE = 8
_LONGEST_TITLE = 90


def shelf_of(stock: Stock, place: Place, shopper: Shopper | None) -> str:
    """A line for each kind of product around the user's purchases, or of the place's category; the nearest first."""
    bought = list({it.product.product_id: it for it in shopper.listings}.values())[:_NEAR] if shopper else []
    about = [it for it in (place.category, *place.category.split(", ")) if stock.has_category(it)]
    names = _near(stock, bought) if shopper else _kinds_in(stock, about)
    lines = (_line(name, stock.most_popular(name)) for name in dict.fromkeys(names))
    had = shopper.bought if shopper else frozenset[str]()
    beside = (_neighbours(stock, it, had) for it in bought if len(_path_of(it)) == 1)
    return "\n".join(islice((line for line in chain(lines, beside) if line), MOST_KINDS))


def owned_by(shopper: Shopper) -> str:
    """A line for each product that the user keeps, newest first: its id and its title."""
    known = {it.product.product_id: it.product.title for it in shopper.listings}
    lines = [f"{product_id}: {title[:_LONGEST_TITLE]}" for product_id, title in known.items()]
    more = len(lines) - MOST_OWNED
    return "\n".join([*lines[:MOST_OWNED], *([f"… and {more} older ones"] if more > 0 else [])])


def _near(stock: Stock, bought: Sequence[Listing]) -> Iterator[str]:
    """The kinds of what was bought, then those that stand beside them, then all of the same part of the shop."""
    paths = [_path_of(it) for it in bought]
    yield from (path[-1] for path in paths)
    for depth in range(2, max(map(len, paths), default=1) + 1):
        yield from _kinds_in(stock, dict.fromkeys(path[-depth] for path in paths if len(path) >= depth))


def _kinds_in(stock: Stock, categories: Iterable[str]) -> Iterator[str]:
    """The leaves that the most popular products of each category are in, a few of each category in turn."""
    return chain.from_iterable((_path_of(it)[-1] for it in stock.most_popular(name)) for name in categories)


def _neighbours(stock: Stock, bought: Listing, had: Collection[str]) -> str:
    """What is new and nearest to a product by its title, in a part of the shop that no category divides."""
    others = [it for it in stock.like(bought.product.title) if it.product.product_id not in had]
    told = (f"{_title_of(it)} ({_price_of(it)})" for it in others[: _SHOWN_OF_A_FILE // 2])
    return f"- Like {_title_of(bought)}: {'; '.join(told)}" if others else ""


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
        share = f"{len(prices) / len(listings):.0%} with a price"
        told = f"{share}, {least}" + (f" to {most}, in the middle {middle}" if least != most else "")
    shown = _SHOWN if len(listings[0].product.categories) > 1 else _SHOWN_OF_A_FILE
    titles = "; ".join(map(_title_of, listings[:shown]))
    one = f"{len(listings)} product{'s' if len(listings) > 1 else ''}"
    count = f"the {len(listings)} best known" if len(listings) >= HITS else one
    return f"- {name}: {count}, {told}; such as {titles}"

"""What a user buys: categories and brands with their shares, what was bought again, the latest, and what went back."""

from collections.abc import Callable, Iterator

from drretail.grounding.purchases import Purchases, day_of, leaf_category, plain_name, stated
from drretail.grounding.wording import format_money
from drretail.records.score import Statement
from drretail.records.shop import Order, Product

MOST_CATEGORIES, MOST_BRANDS, MOST_REORDERED, MOST_RECENT, MOST_VOID = 5, 3, 3, 5, 3


def categories(bought: Purchases) -> Iterator[Statement]:
    """The most frequent categories; one order is enough to name one, for its count stands beside it."""
    return _shares("category", "of the orders are in", bought, leaf_category, MOST_CATEGORIES, least=1)


def brands(bought: Purchases) -> Iterator[Statement]:
    """The brands that came more than once: one order is no preference."""
    return _shares("brand", "of the orders are of the brand", bought, lambda it: it.brand, MOST_BRANDS, least=2)


def reordered(bought: Purchases) -> Iterator[Statement]:
    """The products that were ordered more than once, the most frequent first, ties by id."""
    by_product: dict[str, list[Order]] = {}
    for order in bought.kept:
        by_product.setdefault(order.product_id, []).append(order)
    again = [(key, orders) for key, orders in by_product.items() if len(orders) > 1]
    for key, orders in sorted(again, key=lambda item: (-len(item[1]), item[0]))[:MOST_REORDERED]:
        text = f"Ordered {len(orders)} times, last on {day_of(orders[-1])}: {bought.title(key)}."
        yield stated("reordered", text, orders)


def latest(bought: Purchases) -> Iterator[Statement]:
    """The newest orders that were kept, then the newest that came to nothing."""
    for order in bought.kept[::-1][:MOST_RECENT]:
        yield _purchase("recent_purchase", "Bought", order, bought)
    for order in bought.void[::-1][:MOST_VOID]:
        yield _purchase("void_order", order.order_status, order, bought)


def _shares(
    code: str, what: str, bought: Purchases, name_of: Callable[[Product], str | None], most: int, *, least: int
) -> Iterator[Statement]:
    """The most frequent names, each with its share of all orders; ties by name."""
    orders: dict[str, list[Order]] = {}
    for order, product in bought.known:
        if name := name_of(product):
            orders.setdefault(name, []).append(order)
    for name, theirs in sorted(orders.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
        if len(theirs) >= least:
            share = f"{len(theirs) / len(bought.kept):.0%} ({len(theirs)} of {len(bought.kept)})"
            yield stated(code, f"{share} {what} {plain_name(name)}.", theirs)


def _purchase(code: str, what: str, order: Order, bought: Purchases) -> Statement:
    number = f"{order.quantity} of " if order.quantity > 1 else ""
    price = _price(bought.products.get(order.product_id))
    return stated(code, f"{what} on {day_of(order)}: {number}{bought.title(order.product_id)}{price}.", [order])


def _price(product: Product | None) -> str:
    if product is None or product.price is None:
        return ""
    return f" ({'from ' if product.price_from else ''}{format_money(product.price, product.currency)})"

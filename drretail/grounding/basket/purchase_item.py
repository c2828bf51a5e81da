"""Products by what a guess at a purchase may hit: the product, its leaf category, its brand, its price band."""

from math import floor, log2

from drretail.grounding.profile.purchases import known_leaf
from drretail.records.shop import Product, PurchaseItem

LOWEST, HIGHEST = 5, 640
"""What is cheaper, and what costs as much or more, is one band each."""


def purchase_item_of(product: Product) -> PurchaseItem:
    return PurchaseItem(
        product_id=product.product_id,
        category=known_leaf(product),
        brand=product.brand,
        price_band=None if product.price is None else price_band(product.price, product.currency),
    )


def price_band(price: float, currency: str) -> str:
    """The band of a price, such as "USD 20-40": each costs up to twice as much as it begins with.

    Fixed bands hold in every category and every world alike, where quantiles of a category of three products say
    nothing.
    """
    if price < LOWEST:
        return f"{currency} 0-{LOWEST}"
    if price >= HIGHEST:
        return f"{currency} {HIGHEST}+"
    lower = LOWEST * 2 ** floor(log2(price / LOWEST))
    return f"{currency} {lower}-{2 * lower}"

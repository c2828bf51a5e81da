"""In which quarter of the prices of its kind a product lies, by what the runs of a query were handed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import quantiles

from drretail.grounding.profile_prices import PriceSpan, quarter
from drretail.grounding.purchases import leaf_category
from drretail.records.shop import Product

LEAST_PRICES = 8
"""Of one leaf category and currency; fewer make no quarters."""
_Kind = tuple[str, str]


def price_spans(handed: Iterable[Mapping[str, Product]]) -> dict[_Kind, PriceSpan]:
    """The quartiles of known prices by leaf category and currency, over the distinct products of all ledgers."""
    distinct = {product_id: product for ledger in handed for product_id, product in ledger.items()}
    prices: dict[_Kind, list[float]] = defaultdict(list)
    for product in distinct.values():
        if product.price is not None and not product.price_from:
            prices[leaf_category(product), product.currency].append(product.price)
    return {
        kind: PriceSpan(*quantiles(found, n=4, method="inclusive"), currency=kind[1])
        for kind, found in prices.items()
        if len(found) >= LEAST_PRICES
    }


def price_position(product: Product, spans: Mapping[_Kind, PriceSpan]) -> float | None:
    """From 0 (in the cheapest quarter) to 1 (in the dearest); None where that cannot be told."""
    span = spans.get((leaf_category(product), product.currency))
    if product.price is None or product.price_from or span is None:
        return None
    return quarter(product.price, span)

"""What of a user's history recommendations can be compared with, and how unlike two users are in it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from drretail.grounding.profile.prices import LEAST_PRICES, PriceSpan, placed, quarter
from drretail.grounding.profile.purchases import Purchases
from drretail.records.counterfactual import ProfileTraits
from drretail.records.shop import Product

_UNKNOWN_PRICES = 0.5
"""How unlike two users count in prices where those of one are not known."""


def traits_of(user_id: str, bought: Purchases, spans: Mapping[str, PriceSpan]) -> ProfileTraits:
    """Domains, leaf categories and brands by orders that were kept, and where the prices lie; ``spans`` by category."""
    quarters = [quarter(item.price, item.span) for item in placed(bought, spans)]
    return ProfileTraits(
        user_id=user_id,
        orders=len(bought.kept),
        domains=_counted(bought, lambda product: product.category),
        categories=_counted(bought, lambda product: product.leaf_category),
        brands=_counted(bought, lambda product: product.brand),
        products=tuple(sorted({order.product_id for order in bought.kept})),
        price_position=round(fmean(quarters), 4) if len(quarters) >= LEAST_PRICES else None,
    )


def unlikeness(one: ProfileTraits, other: ProfileTraits) -> float:
    """From 0 (alike) to 1: the mean over domains, leaf categories, brands and price level.

    For names, one less the part of the orders that both have in common; for prices, the distance of the mean quarters.
    """
    if one.price_position is None or other.price_position is None:
        apart = _UNKNOWN_PRICES
    else:
        apart = abs(one.price_position - other.price_position)
    parts = [
        1 - _common(one.domains, other.domains),
        1 - _common(one.categories, other.categories),
        1 - _common(one.brands, other.brands),
        apart,
    ]
    return sum(parts) / len(parts)


def _common(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The smaller of both shares of orders, summed over all names."""
    ours, theirs = sum(one.values()), sum(other.values())
    if not ours or not theirs:
        return 0.0
    return sum(min(one[name] / ours, other[name] / theirs) for name in sorted(one.keys() & other.keys()))


def _counted(bought: Purchases, name_of: Callable[[Product], str | None]) -> dict[str, int]:
    """Orders by name, sorted by name: records with equal content are equal bytes."""
    names: Iterable[str | None] = (name_of(product) for _, product in bought.known)
    return dict(sorted(Counter(name for name in names if name).items()))

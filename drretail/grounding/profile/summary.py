"""What a shop's records tell of a user, for generators, judges and agents: every statement names its orders.

Street, e-mail and telephone are left out: no judgement needs them. What the history cannot tell is absent, so that
nobody takes one purchase for a habit. The length is bounded, however many orders there are.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from drretail.grounding.profile.habits import (
    brands,
    categories,
    domains,
    history,
    latest,
    reordered,
    rhythm,
    shopper_type,
)
from drretail.grounding.profile.prices import PriceSpan, price_level, price_position
from drretail.grounding.profile.purchases import Purchases
from drretail.records.score import ProfileSummary, Statement
from drretail.records.shop import Order, Product, UserProfile, UserStatistics


def summarise(
    profile: UserProfile,
    orders: Sequence[Order],
    products: Mapping[str, Product],
    statistics: UserStatistics,
    now: datetime,
    prices: Mapping[str, PriceSpan] | None = None,
    question: str = "",
) -> ProfileSummary:
    """The summary of a user (paper section 3.2); ``orders`` are all orders in any order, ``products`` those ordered.

    ``now`` is the shop's today. Prices are today's, as in ``statistics``; ``prices`` are the shop's by leaf category,
    without which nothing is said of where the user's prices lie among them. Intimate purchases are counted, and named
    only where ``question`` names them.
    """
    bought, spans = Purchases.of(orders, products, now, question), prices or {}
    statements = [
        _person(profile),
        *shopper_type(bought, spans),
        *history(bought),
        *rhythm(bought, statistics),
        *domains(bought),
        *categories(bought),
        *brands(bought),
        *price_level(bought),
        *price_position(bought, spans),
        *reordered(bought),
        *latest(bought),
    ]
    return ProfileSummary(user_id=profile.user_id, statements=tuple(statements))


def _person(profile: UserProfile) -> Statement:
    place = ", ".join(part for part in (profile.address.city, profile.address.state, profile.address.country) if part)
    return Statement(code="person", text=f"{profile.first_name} {profile.last_name} of {place}.")

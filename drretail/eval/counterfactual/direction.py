"""Whether what changed in the recommendations fits the partner's profile or the user's own.

What either of them has bought already says nothing: a report that stops to recommend what its reader owns does as it
should, and would look as if it went against the profile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from drretail.eval.counterfactual.advice import Advice
from drretail.eval.counterfactual.change import Spans
from drretail.eval.counterfactual.prices import price_position
from drretail.grounding.purchases import leaf_category
from drretail.records.counterfactual import ProfileTraits
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Direction:
    """Products that one of two reports recommends and the other does not, over all pairs of reports."""

    toward_other: int
    toward_own: int
    neither: int
    owned: int = 0
    """Left out: either user has bought them."""

    @property
    def value(self) -> float | None:
        """From -1 (all towards the own profile) to 1 (all away from it); None where nothing changed."""
        changed = self.toward_other + self.toward_own + self.neither
        return (self.toward_other - self.toward_own) / changed if changed else None


def direction(
    factual: Sequence[Advice], other: Sequence[Advice], own: ProfileTraits, partner: ProfileTraits, spans: Spans
) -> Direction:
    """Gained products count by whom they fit; lost ones the other way round, so that chance alone comes to 0."""
    owned = frozenset((*own.products, *partner.products))
    leans: list[int] = []
    left_out = 0
    for one, two in product(factual, other):
        gained, lost = _without(two, one), _without(one, two)
        left_out += sum(it.product_id in owned for it in (*gained, *lost))
        leans += [lean(it, own, partner, spans) for it in gained if it.product_id not in owned]
        leans += [-lean(it, own, partner, spans) for it in lost if it.product_id not in owned]
    return Direction(leans.count(1), leans.count(-1), leans.count(0), left_out)


def lean(product: Product, own: ProfileTraits, partner: ProfileTraits, spans: Spans) -> int:
    """1 where the product agrees with more of the partner's traits than of the user's own, -1 for the reverse, else 0.

    The traits: its brand was bought, its leaf category was bought, its price is nearer to the user's.
    """
    brand, category = product.brand, leaf_category(product)
    balance = (brand in partner.brands) - (brand in own.brands)
    balance += (category in partner.categories) - (category in own.categories)
    position = price_position(product, spans)
    if position is not None and own.price_position is not None and partner.price_position is not None:
        to_partner, to_own = abs(position - partner.price_position), abs(position - own.price_position)
        balance += (to_partner < to_own) - (to_own < to_partner)
    return (balance > 0) - (balance < 0)


def _without(one: Advice, other: Advice) -> list[Product]:
    return [product for product_id, product in one.recommended.items() if product_id not in other.recommended]

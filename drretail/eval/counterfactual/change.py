"""How far the reports of two systems are apart, and how far the repeats of one are by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from drretail.eval.counterfactual.advice import Advice
from drretail.eval.counterfactual.prices import price_position
from drretail.grounding.profile_prices import PriceSpan
from drretail.grounding.purchases import leaf_category
from drretail.records.counterfactual import Dimension

Spans = Mapping[tuple[str, str], PriceSpan]


@dataclass(frozen=True, slots=True)
class Change:
    """One query in one dimension; each number is from 0 (the same) to 1 (nothing in common)."""

    change: float | None
    """The mean over all pairs of a factual and a counterfactual report; None where neither names anything."""
    repeats: float | None
    """The mean over all pairs of factual reports; None below two."""
    most: float | None
    """The largest of the latter."""

    @property
    def beyond(self) -> float | None:
        return None if self.change is None or self.repeats is None else self.change - self.repeats


def changes(factual: Sequence[Advice], other: Sequence[Advice], dimension: Dimension, spans: Spans) -> Change:
    """How a query's reports differ in one dimension; both sides are that query's repeats."""
    ours = [items_of(advice, dimension, spans) for advice in factual]
    theirs = [items_of(advice, dimension, spans) for advice in other]
    apart = [found for one, two in product(ours, theirs) if (found := distance(one, two)) is not None]
    by_chance = [found for one, two in combinations(ours, 2) if (found := distance(one, two)) is not None]
    return Change(
        change=sum(apart) / len(apart) if apart else None,
        repeats=sum(by_chance) / len(by_chance) if by_chance else None,
        most=max(by_chance, default=None),
    )


def distance(one: frozenset[str], two: frozenset[str]) -> float | None:
    """One less the Jaccard index: what is in one alone, of what is in either; None for two empty sets."""
    either = one | two
    return 1 - len(one & two) / len(either) if either else None


def items_of(advice: Advice, dimension: Dimension, spans: Spans) -> frozenset[str]:
    """What a report names in a dimension."""
    recommended = advice.recommended.values()
    match dimension:
        case "products":
            return frozenset(advice.recommended)
        case "categories":
            return frozenset(map(leaf_category, recommended))
        case "brands":
            return frozenset(brand for product in recommended if (brand := product.brand))
        case "prices":
            found = (price_position(product, spans) for product in recommended)
            return frozenset(f"{position:.2f}" for position in found if position is not None)
        case "constraints":
            return advice.applied

"""Where a profile overrides what the query states explicitly."""

from collections.abc import Callable, Sequence

from drretail.eval.counterfactual.advice import Advice
from drretail.grounding.listing import folded
from drretail.grounding.purchases import leaf_category
from drretail.records.counterfactual import ProfileTraits
from drretail.records.query import Constraints
from drretail.records.shop import Product


def overridden(factual: Sequence[Advice], other: Sequence[Advice]) -> frozenset[str]:
    """The query's constraints that most of the other reports break and most factual ones do not."""
    stated = frozenset[str]().union(*(advice.broken for advice in other))
    return frozenset(it for it in stated if _mostly(other, _breaks(it)) and not _mostly(factual, _breaks(it)))


def strays(
    factual: Sequence[Advice], other: Sequence[Advice], partner: ProfileTraits, constraints: Constraints
) -> bool | None:
    """True when most of the other reports, and not most factual ones, recommend what the partner buys and nobody asked.

    That is a product of a leaf category that the partner has bought in, and of no category that the query wants. None
    where the query states no category.
    """
    wanted = {folded(name.replace("_", " ")) for name in constraints.categories}
    if not wanted:
        return None

    def is_stray(advice: Advice) -> bool:
        return any(
            leaf_category(it) in partner.categories and not names_of(it) & wanted for it in advice.recommended.values()
        )

    return _mostly(other, is_stray) and not _mostly(factual, is_stray)


def names_of(product: Product) -> set[str]:
    """The folded names of all categories that a product is in."""
    return {folded(name.replace("_", " ")) for name in (product.category, *product.categories)}


def _breaks(constraint: str) -> Callable[[Advice], bool]:
    return lambda advice: constraint in advice.broken


def _mostly(reports: Sequence[Advice], is_so: Callable[[Advice], bool]) -> bool:
    """True for more than half of the reports that recommend anything."""
    telling = [advice for advice in reports if advice.recommended]
    return 2 * sum(map(is_so, telling)) > len(telling)

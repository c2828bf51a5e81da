"""Agreement of two raters: κ, percent; r, ρ, τ_b of numbers (paper Appendices D and E).

Every function of two raters takes their answers on the same items in the same order, and returns None if the statistic
is not defined: no item, only one label, or numbers that never change. Raises ValueError for sequences of unequal
length.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TIE = "tie"


def percent_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """The share of items with equal labels, 0 to 1."""
    pairs = _both(first, second)
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's κ = (p_o − p_e) / (1 − p_e): agreement beyond what the raters' label frequencies give by chance."""
    pairs = _both(first, second)
    if not pairs:
        return None
    ones, others = Counter(first), Counter(second)
    n, equal = len(pairs), sum(a == b for a, b in pairs)
    # In whole numbers, so that full agreement is exactly 1 and full agreement by chance is detected.
    by_chance = sum(count * others[label] for label, count in ones.items())
    return None if by_chance == n * n else (n * equal - by_chance) / (n * n - by_chance)


def kappa_without_ties(first: Sequence[Hashable], second: Sequence[Hashable], tie: Hashable = TIE) -> float | None:
    """Cohen's κ over the items that neither rater called a tie (paper Appendix D)."""
    decided = [(a, b) for a, b in _both(first, second) if tie not in (a, b)]
    return cohen_kappa([a for a, _ in decided], [b for _, b in decided])


def soft_disagreement(first: Sequence[Hashable], second: Sequence[Hashable], tie: Hashable = TIE) -> float | None:
    """The share of disagreements in which one rater said tie; None without a disagreement (paper Appendix D)."""
    apart = [(a, b) for a, b in _both(first, second) if a != b]
    return sum(tie in pair for pair in apart) / len(apart) if apart else None


def correlation(
    first: Sequence[float], second: Sequence[float], coefficient: Literal["pearson", "spearman", "kendall"]
) -> float | None:
    """Pearson's r; Spearman's ρ, which is r of the ranks (paper Appendix E); or Kendall's τ_b.

    τ_b counts pairs of items in the same order minus pairs in the other. Equal numbers share the mean of their ranks,
    and τ_b is corrected for them.
    """
    pairs = _both(first, second)
    if len(pairs) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy.stats import kendalltau, pearsonr, spearmanr

    of_scipy: Mapping[str, Callable[..., Any]] = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}
    result: Any = of_scipy[coefficient](first, second)  # scipy declares no types for these results
    value = float(result.statistic)
    return None if isnan(value) else value


def _both(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    return list(zip(first, second, strict=True))


def sign(number: float) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


def ranks(values: Sequence[float]) -> "NDArray[np.float64]":
    """Ranks from 1; equal values share the mean of theirs. ``scipy.stats`` has them, and takes 0.7 s to load."""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]

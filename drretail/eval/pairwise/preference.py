"""Whether one of two systems is preferred beyond chance: tested over queries, corrected for all dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.eval.stats.multiplicity import holm
from drretail.eval.stats.tests import LEVEL, sign_test, signed_rank
from drretail.records.pairs import PairScore


@dataclass(frozen=True, slots=True)
class Lead:
    """What queries say, each of them once whatever its repeats."""

    n_queries: int
    queries_won: int
    queries_lost: int
    p: float | None


def lead_of(results: Sequence[Sequence[float]]) -> Lead:
    """Wilcoxon's signed rank test of wins minus losses by query.

    ``results`` are those of each query's repeats: 1 for a win of the first system, 0.5 for a tie, 0 for a loss.
    """
    means = [sum(repeats) / len(repeats) for repeats in results if repeats]
    leads = [round(2 * mean - 1, 10) for mean in means]
    signs = sign_test(leads)
    p = signed_rank(leads).p
    return Lead(len(leads), signs.above, signs.below, None if p is None else float(f"{p:.10g}"))


def corrected(rows: Sequence[PairScore]) -> list[PairScore]:
    """The dimensions of one pair before one judge, each with its p value corrected for all of them (Holm)."""
    adjusted = holm([row.p for row in rows])
    return [row.model_copy(update={"p_holm": p}) for row, p in zip(rows, adjusted, strict=True)]


def preferred(row: PairScore) -> str | None:
    """Which system is preferred: the corrected test and the interval say so, in one direction; None where they don't.

    The same standard holds for differences of ratings.
    """
    if row.p_holm is None or row.p_holm > LEVEL or row.ci_low is None or row.ci_high is None:
        return None
    if row.ci_low > 0.5 and row.queries_won > row.queries_lost:
        return row.a
    return row.b if row.ci_high < 0.5 and row.queries_won < row.queries_lost else None

"""Rows of a comparison: the paired difference of every variant, tested, and corrected inside each family."""

from collections import Counter
from collections.abc import Mapping, Sequence

from drretail.eval.compare.shares import judge_share, repeat_share
from drretail.eval.compare.sides import Side
from drretail.eval.stats.intervals import Interval
from drretail.eval.stats.multiplicity import holm
from drretail.eval.stats.paired import Pairs, mean_differences, pair
from drretail.eval.stats.power import detectable, power_of_half, queries_needed, spread
from drretail.eval.stats.tests import LEVEL, fewest_queries, sign_test, signed_rank
from drretail.records.comparison import ComparedRow, Outcome

Sides = tuple[Side, Side]
"""Of A and of B."""


def compared_rows(metric: str, variants: Mapping[str, Sides], seed: str) -> list[ComparedRow]:
    """One family by one judge: a row for each variant, corrected for all, and what can be said of each."""
    pairs = {variant: pair(a.values, b.values) for variant, (a, b) in variants.items()}
    intervals = mean_differences(list(pairs.values()), seed)
    return _concluded(
        [
            _row(metric, variant, its, variants[variant], found)
            for (variant, its), found in zip(pairs.items(), intervals, strict=True)
        ]
    )


def _row(metric: str, variant: str, pairs: Pairs, sides: Sides, found: Interval) -> ComparedRow:
    """Not yet corrected for the others of its family."""
    a, b = sides
    mean_a, mean_b = pairs.means or (None, None)
    signs, ranks = sign_test(pairs.differences), signed_rank(pairs.differences)
    sd = spread(pairs.differences)
    of_runs, of_judge = repeat_share(a, b, pairs.queries, sd), judge_share(a, b, pairs.queries, sd)
    return ComparedRow(
        metric=metric,
        variant=variant,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=found.value,
        ci_low=found.low,
        ci_high=found.high,
        n_planned=len({*a.values, *b.values}),
        n_pairs=len(pairs),
        dropped=_dropped(pairs, a, b),
        above=signs.above,
        equal=signs.zeros,
        below=signs.below,
        p_sign=_rounded(signs.p),
        p_wilcoxon=_rounded(ranks.p),
        wilcoxon=ranks.method,
        sd=_rounded(sd),
        repeat_share=_rounded(of_runs),
        judge_share=_rounded(of_judge if of_runs is None or of_judge is None else min(of_judge, of_runs)),
        outcome="nothing",
    )


def _concluded(family: Sequence[ComparedRow]) -> list[ComparedRow]:
    """The same rows with their corrected p values, and what can be said of each."""
    adjusted = holm([row.p_wilcoxon for row in family])
    tests = sum(p is not None for p in adjusted)
    return [
        row.model_copy(
            update={
                "p_holm": _rounded(p),
                "detectable": detectable(row.sd, row.n_pairs, tests),
                "power_of_half": power_of_half(row.n_pairs, tests) if row.sd else None,
                "queries_needed": _needed(row, tests),
                "outcome": outcome_of(row, p, tests),
            }
        )
        for row, p in zip(family, adjusted, strict=True)
    ]


def _needed(row: ComparedRow, tests: int) -> int | None:
    """No fewer than can reach the level at all."""
    found = None if row.difference is None else queries_needed(row.difference, row.sd, tests)
    return None if found is None else max(found, fewest_queries(tests))


def outcome_of(row: ComparedRow, p_holm: float | None, tests: int) -> Outcome:
    """A difference is believed where the corrected test and the interval both say so, and in one direction."""
    if p_holm is None or row.difference is None:
        return "nothing"
    if not row.above and not row.below:
        return "identical"
    low, high = row.ci_low, row.ci_high
    if p_holm <= LEVEL and low is not None and high is not None:
        if low > 0:
            return "higher"
        if high < 0:
            return "lower"
    return "too_few" if row.n_pairs < fewest_queries(tests) else "undecided"


def _dropped(pairs: Pairs, a: Side, b: Side) -> dict[str, int]:
    """Queries without one of the values, by whose it is and why, the commonest first."""
    paired = set(pairs.queries)
    reasons = Counter(_reason(a.why.get(query), b.why.get(query)) for query in {*a.values, *b.values} - paired)
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def _reason(a: str | None, b: str | None) -> str:
    if a == b:
        return f"A and B: {a}"
    return "; ".join(f"{side}: {why}" for side, why in (("A", a), ("B", b)) if why is not None)


def _rounded(value: float | None) -> float | None:
    """To ten digits that count: small p values stay what they are."""
    return None if value is None else float(f"{value:.10g}")

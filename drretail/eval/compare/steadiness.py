"""How steady one system is where its runs, or their judgements, were repeated."""

from collections.abc import Sequence
from math import fsum

from drretail.eval.compare.headlines import bar_of
from drretail.eval.compare.sides import Side
from drretail.eval.stats.multiplicity import holm
from drretail.eval.stats.reliability import agent_test, noise, pass_power, worst_of
from drretail.records.comparison import Reliability


def reliability(
    metric: str, variant: str, system: str, side: Side, *, k: int, bar: float, steady_judge: bool = False
) -> Reliability | None:
    """Noise split, pass^k and worst of k; None where nothing was repeated, or nothing has a value.

    ``k`` is how many repeats of the agent both systems planned, ``bar`` what a rating has to reach. What differs
    between runs is the agent's noise only where the judge's can be taken out, or a ``steady_judge``, as code is, has
    none.
    """
    if not any(_repeated(query) for query in side.nested.values()):
        return None
    nested = list(side.nested.values())
    split = noise(nested)
    mixed = split.judge is None and not steady_judge
    needed = bar_of(metric, variant, bar)
    made = Reliability(
        metric=metric,
        variant=variant,
        system=system,
        sd_queries=split.queries,
        sd_agent=None if mixed else split.agent,
        sd_judge=split.judge,
        sd_repeats=split.agent if mixed else None,
        p_agent=agent_test(nested),
        bar=needed,
        k=k,
    )
    return made if k < 2 or needed is None else made.model_copy(update=_of_k(side, k, needed))


def corrected(rows: Sequence[Reliability]) -> list[Reliability]:
    """The rows of one family by one judge, the p value of each corrected for all of them (Holm)."""
    adjusted = holm([row.p_agent for row in rows])
    return [row.model_copy(update={"p_agent": _rounded(p)}) for row, p in zip(rows, adjusted, strict=True)]


def _repeated(query: Sequence[Sequence[float]]) -> bool:
    return sum(bool(run) for run in query) > 1 or any(len(run) > 1 for run in query)


def _of_k(side: Side, k: int, bar: float) -> dict[str, float | int | None]:
    passed = [[value is not None and value >= bar for value in query] for query in side.outcomes.values()]
    known = [query for query in passed if len(query) >= k]
    values = [query for query in side.values.values() if len(query) >= k]
    return {
        "n_queries": len(known),
        "pass_1": _rounded(pass_power(known, 1)),
        "pass_k": _rounded(pass_power(known, k)),
        "mean": _rounded(_mean([_mean(query) or 0.0 for query in values])),
        "worst_of_k": _rounded(worst_of(values, k)),
    }


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 10)

"""How steady a system is, if its runs or their judgements were repeated."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from drretail.eval.compare.findings import Name, alike
from drretail.eval.compare.rows import Side, narrower
from drretail.eval.compare.wording import listed, name_of, shares
from drretail.records.comparison import Comparison, Reliability
from drretail.records.tables.figures import percent
from drretail.stats.noise import agent_test, noise, pass_power, worst_of
from drretail.stats.significance import LEVEL, holm


def reliability(
    metric: str, variant: str, system: str, side: Side, *, k: int, bar: float | None, steady_judge: bool = False
) -> Reliability | None:
    """Noise by source, pass^k and worst of k; None if nothing was repeated or nothing has a value.

    ``k`` is how many repeats of the agent both systems planned, and ``bar`` the value from which a run passes (None:
    the variant has no bar). Noise between runs is the agent's only if the judge's noise can be subtracted, or if a
    ``steady_judge`` such as code has none.
    """
    if not any(
        (sum(bool(run) for run in query) > 1 or any(len(run) > 1 for run in query)) for query in side.nested.values()
    ):
        return None
    nested = list(side.nested.values())
    split = noise(nested)
    mixed = split.judge is None and not steady_judge
    made = Reliability(
        metric=metric,
        variant=variant,
        system=system,
        sd_queries=split.queries,
        sd_agent=None if mixed else split.agent,
        sd_judge=split.judge,
        sd_repeats=split.agent if mixed else None,
        p_agent=agent_test(nested),
        bar=bar,
        k=k,
    )
    if k < 2 or bar is None:
        return made
    passed = [[value is not None and value >= bar for value in query] for query in side.outcomes.values()]
    known = [query for query in passed if len(query) >= k]
    values = [query for query in side.values.values() if len(query) >= k]
    figures = {
        "pass_1": pass_power(known, 1),
        "pass_k": pass_power(known, k),
        "mean": fmean(map(fmean, values)) if values else None,
        "worst_of_k": worst_of(values, k),
    }
    rounded = {name: _rounded(figure) for name, figure in figures.items()}
    return made.model_copy(update={"n_queries": len(known), **rounded})


def corrected(rows: Sequence[Reliability]) -> list[Reliability]:
    """The rows of one metric by one judge, with p values corrected for all of them (Holm)."""
    adjusted = holm([row.p_agent for row in rows])
    return [row.model_copy(update={"p_agent": _rounded(p)}) for row, p in zip(rows, adjusted, strict=True)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 10)


DOUBLED = narrower(1.0)
"""The part of an interval's width that doubling the queries removes."""


def noise_sentences(comparison: Comparison, name: Name) -> Iterator[str]:
    """One sentence on what repeats would gain, for all judges, and one on whose noise it is."""
    worth: list[str] = []
    for table in comparison.tables:
        rows = [row for row in table.rows if row.is_primary]
        runs = [narrower(row.repeat_share) for row in rows if row.repeat_share is not None]
        judged = [narrower(row.judge_share) for row in rows if row.judge_share is not None]
        by_repeat = [(runs, "twice the runs of each query"), (judged, "twice the judgements alone")]
        parts = [f"{shares(found)} with {times}" for found, times in by_repeat if any(found)]
        worth += [f"{' and '.join(parts)} (by {name(table)})"] if parts else []
    if worth:
        yield (
            f"Twice the queries, of other users, would narrow every interval by {percent(DOUBLED)}. By "
            f"a rough estimate from few repeats, it would narrow by {'; by '.join(worth)}."
        )
    # Only if runs and judgements were repeated. Code's values never differ, so with code all noise is the agent's.
    sides = {comparison.a: "A", comparison.b: "B"}
    louder: list[tuple[str, str]] = []
    for table in comparison.tables:
        tested = [row for row in table.reliability if row.p_agent is not None]
        found = [f"{name_of(row)} of {sides[row.system]}" for row in tested if (row.p_agent or 0.0) <= LEVEL]
        louder += [(name(table), listed(found) if found else "")] if tested else []
    for judges, places in alike(louder):
        for place in places:
            yield (
                f"By {listed(judges)}, runs of one query differ by more than the judge's own noise in {place}."
                if place
                else f"By {listed(judges)}, the agent's noise can't be told from the judge's: runs of one "
                "query differ no more than judgements of one report."
            )

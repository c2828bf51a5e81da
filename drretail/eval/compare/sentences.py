"""What follows of a comparison, in plain sentences: what can be concluded, what can't, and what it would take.

They speak of A and B, as the tables do.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, groupby

from drretail.eval.compare.wording import distinct, judge_of, listed, name_of, queries, signed
from drretail.eval.compare.wording import number as said
from drretail.eval.stats.tests import fewest_queries
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, Outcome, Reliability
from drretail.records.pairs import PairScore
from drretail.records.score import CODE, PANEL

LOST = ("run failed", "judge failed")
"""How a side's reason begins that may have taken its worst reports out."""


def conclusions(comparison: Comparison, self_checked: Collection[str] = ()) -> Iterator[str]:
    """Sentences table by table, then of pairwise judging, then of judges that differ (a panel is none of them).

    ``self_checked`` names systems that take out of their own reports what checks find.
    """
    sides = {"A": comparison.a, "B": comparison.b}
    if not comparison.tables and not comparison.pairs:
        yield "Nothing can be concluded: no judge has values of both systems."
    for table in comparison.tables:
        yield from _of_table(table, sides)
    yield from _dropped([row for table in comparison.tables for row in table.rows])
    for side, label in sides.items():
        if label in self_checked and any(row.metric == "checks" for table in comparison.tables for row in table.rows):
            yield f"{side} takes out of its own reports what the checks find, so they say little of it."
    yield from _of_pairs(comparison)
    yield from _of_judges(comparison)


def _of_table(table: JudgeTable, sides: Mapping[str, str]) -> Iterator[str]:
    by = f"By {judge_of(table)}"
    for first, second, rows in (("A", "B", _with(table, "higher")), ("B", "A", _with(table, "lower"))):
        if rows:
            each = listed(map(_seen, rows))
            yield f"{by}, {first} is higher than {second} (difference, 95 % interval) in {each}."
    same = _with(table, "identical")
    if same:
        yield (
            f"{by}, both have the same value on every query in {listed(map(name_of, same))} "
            f"({distinct([row.n_pairs for row in same])}): no number of such queries would show a difference."
        )
    yield from _undecided(by, _with(table, "undecided"))
    yield from _too_few(by, table)
    for row in _with(table, "nothing"):
        yield f"{by}, nothing can be said of {name_of(row)}: no query has a value of both ({_why(row)})."
    yield from _noise(by, table.reliability, sides)


def _with(table: JudgeTable, outcome: Outcome) -> list[ComparedRow]:
    return [row for row in table.rows if row.outcome == outcome]


def _seen(row: ComparedRow) -> str:
    """The difference without its sign, for the sentence says who is higher."""
    ends = sorted(abs(end) for end in (row.ci_low, row.ci_high) if end is not None)
    return f"{name_of(row)} ({said(abs(row.difference or 0))}, {' to '.join(map(said, ends))})"


def _undecided(by: str, rows: Sequence[ComparedRow]) -> Iterator[str]:
    if not rows:
        return
    few = distinct([row.n_pairs for row in rows])
    yield (
        f"{by}, no difference can be concluded in {listed(map(name_of, rows))}: with {few}, what was seen may be "
        "chance. That they are equal can't be concluded either."
    )
    yield f"To show the differences that were seen would take: {'; '.join(map(_needed, rows))}."
    shown = sorted((row.detectable, name_of(row)) for row in rows if row.detectable)
    if shown:
        (least, first), (most, last) = shown[0], shown[-1]
        span = f"{said(least)} ({first})" if first == last else f"{said(least)} ({first}) to {said(most)} ({last})"
        yield f"True differences smaller than {span} would mostly be missed by {few}."


def _needed(row: ComparedRow, fewest: int = 2) -> str:
    """What one row would take, at least ``fewest``."""
    seen = f"{name_of(row)} ({signed(row.difference or 0)})"
    if row.queries_needed is None:
        return f"{seen} no number of queries"
    return f"{seen} {queries(max(fewest, row.queries_needed))}"


def _too_few(by: str, table: JudgeTable) -> Iterator[str]:
    for metric in dict.fromkeys(row.metric for row in table.rows):
        rows = [row for row in table.rows if row.metric == metric and row.outcome == "too_few"]
        tests = sum(row.metric == metric and row.p_holm is not None for row in table.rows)
        if rows:
            at_once = "one test" if tests == 1 else f"{tests} tests at once"
            fewest = fewest_queries(tests)
            yield (
                f"{by}, nothing can be concluded in {listed(map(name_of, rows))}: "
                f"{distinct([row.n_pairs for row in rows])} are too few. With {at_once} no result could have reached "
                f"5 %; {queries(fewest)} that all differ alike are the fewest that could."
            )
            seen = [_needed(row, fewest) for row in rows if row.queries_needed is not None]
            if seen:
                yield (
                    f"To show the differences that were seen would take about: {'; '.join(seen)}; so few queries tell "
                    "this only roughly."
                )


def _why(row: ComparedRow) -> str:
    return "; ".join(f"{reason}: {queries(count)}" for reason, count in row.dropped.items())


def _dropped(rows: Sequence[ComparedRow]) -> Iterator[str]:
    """Of the row that lost most queries because one side failed: who fails on what is hard looks better than it is."""
    lost = [(sum(_one_sided(row).values()), row) for row in rows if row.n_pairs]
    count, worst = max(lost, key=lambda it: it[0], default=(0, None))
    if worst is not None and count:
        why = "; ".join(f"{reason}, {queries(number)}" for reason, number in _one_sided(worst).items())
        yield (
            f"Of {queries(worst.n_planned)}, {count:,} left {name_of(worst)} because one side failed ({why}): if these "
            "were hard ones, that side looks better than it is."
        )


def _one_sided(row: ComparedRow) -> dict[str, int]:
    """Dropped queries on which only one side failed."""
    return {
        reason: count
        for reason, count in row.dropped.items()
        if ";" not in reason and reason.partition(": ")[2].startswith(LOST) and not reason.startswith("A and B")
    }


def _noise(by: str, rows: Sequence[Reliability], sides: Mapping[str, str]) -> Iterator[str]:
    """Where repeats differ as much as queries do."""
    for side, system in sides.items():
        its = [row for row in rows if row.system == system]
        agent = [name_of(row) for row in its if row.sd_agent is not None and row.sd_agent > (row.sd_queries or 0)]
        judge = [name_of(row) for row in its if row.sd_judge is not None and row.sd_judge > (row.sd_agent or 0) > 0]
        if agent:
            yield (
                f"{by}, repeats of {side} on one query differ more than queries do in {listed(agent)}: more repeats "
                "would sharpen these as much as more queries."
            )
        if judge:
            yield (
                f"{by}, repeats of the judge on one report of {side} differ more than its runs do in "
                f"{listed(judge)}: the judge is the greater noise there."
            )


def _of_pairs(comparison: Comparison) -> Iterator[str]:
    for judge, rows in groupby(comparison.pairs, key=judge_of):
        yield from _of_one(judge, list(rows), comparison)


def _of_one(judge: str, rows: Sequence[PairScore], comparison: Comparison) -> Iterator[str]:
    for label, side, other in ((comparison.a, "A", "B"), (comparison.b, "B", "A")):
        won = [row for row in rows if _preferred(row) == label]
        if won:
            each = listed(f"{row.dimension} ({_rate(row, label):.0%} of {row.n_scored:,})" for row in won)
            yield f"Side by side, {judge} prefers {side} to {other} in {each}, ties counted half."
    open_rows = [row.dimension for row in rows if _preferred(row) is None and row.win_rate is not None]
    if open_rows:
        yield f"Side by side, {judge} shows no preference that could not be chance in {listed(open_rows)}."
    flips = [row.flip_rate for row in rows if row.flip_rate is not None]
    if flips:
        yield f"The order of the two reports changed {judge}'s winner in {max(flips):.0%} of pairs at most."


def _preferred(row: PairScore) -> str | None:
    """Who wins more than half, the interval leaving half out; None where it doesn't."""
    if row.ci_low is not None and row.ci_low > 0.5:
        return row.a
    return row.b if row.ci_high is not None and row.ci_high < 0.5 else None


def _rate(row: PairScore, label: str) -> float:
    rate = row.win_rate or 0.0
    return rate if row.a == label else 1 - rate


def _of_judges(comparison: Comparison) -> Iterator[str]:
    """Judges are never mixed, so it is said where they contradict each other."""
    tables = [table for table in comparison.tables if table.judge != CODE and not table.judge.startswith(PANEL)]
    names = list(dict.fromkeys(map(judge_of, tables)))
    if len(names) < 2:
        return
    against = [
        name_of(row)
        for one, other in combinations(tables, 2)
        for row in one.rows
        for its in other.rows
        if (row.metric, row.variant) == (its.metric, its.variant) and {row.outcome, its.outcome} == {"higher", "lower"}
    ]
    yield (
        f"{len(names)} judges are heard, each in a table of its own: {listed(names)}. Their numbers are not comparable."
    )
    if against:
        yield f"They contradict each other in {listed(dict.fromkeys(against))}: conclude nothing there."

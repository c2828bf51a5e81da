"""What follows of a comparison, in plain sentences: what can be concluded, what can't, and what it would take.

They speak of A and B, as the tables do. Judges that say the same share a sentence, and their numbers are in the tables.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from drretail.eval.compare.contradictions import contradictions
from drretail.eval.compare.judges import Name, alike, naming
from drretail.eval.compare.noise import noise_sentences
from drretail.eval.compare.preferences import preferences
from drretail.eval.compare.sizes import sizes
from drretail.eval.compare.wording import distinct, listed, name_of, queries
from drretail.eval.compare.wording import number as said
from drretail.eval.stats.tests import LEVEL, fewest_queries
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, Outcome

LOST = ("run failed", "judge failed")
"""How a side's reason begins that may have taken its worst reports out."""


class _Group(NamedTuple):
    """Rows of one outcome that the same judges have, each as every one of them has it."""

    judges: str
    rows: Mapping[str, Sequence[ComparedRow]]
    """By the row's name."""

    @property
    def all(self) -> list[ComparedRow]:
        return [row for rows in self.rows.values() for row in rows]

    whole: frozenset[str]
    """The families of which these are all rows."""

    @property
    def names(self) -> str:
        told = [f"all of {row.metric}" if row.metric in self.whole else name_of(row) for row in self.all]
        return listed(dict.fromkeys(told))

    @property
    def counts(self) -> str:
        return distinct([row.n_pairs for row in self.all])


def conclusions(comparison: Comparison, self_checked: Collection[str] = ()) -> Iterator[str]:
    """Differences first, then what is open and what it would take, noise, preferences side by side, contradictions.

    ``self_checked`` names systems that take out of their own reports what checks find.
    """
    name = naming(comparison)
    if not comparison.tables and not comparison.pairs:
        yield "Nothing can be concluded: no judge has values of both systems."
    yield from _different(comparison, name)
    yield from _identical(comparison, name)
    yield from _undecided(comparison, name)
    yield from _too_few(comparison, name)
    yield from sizes(comparison, name)
    for group in _groups(comparison, name, "nothing"):
        why = "; ".join(dict.fromkeys(map(_why, group.all)))
        yield f"By {group.judges}, nothing can be said of {group.names}: no query has a value of both ({why})."
    yield from noise_sentences(comparison, name)
    yield from _dropped([row for table in comparison.tables for row in table.rows])
    for side, label in (("A", comparison.a), ("B", comparison.b)):
        if label in self_checked and any(row.metric == "checks" for table in comparison.tables for row in table.rows):
            yield f"{side} takes out of its own reports what the checks find, so they say little of it."
    yield from preferences(comparison, name)
    yield from contradictions(comparison, name)


def _groups(comparison: Comparison, name: Name, *outcomes: Outcome, metric: str | None = None) -> Iterator[_Group]:
    rows = [
        (name(table), row)
        for table in comparison.tables
        for row in table.rows
        if row.outcome in outcomes and metric in (None, row.metric)
    ]
    for judges, names in alike((judge, name_of(row)) for judge, row in rows):
        its = {it: [row for judge, row in rows if judge in judges and name_of(row) == it] for it in names}
        yield _Group(listed(judges), its, _whole(comparison, frozenset(names)))


def _whole(comparison: Comparison, names: frozenset[str]) -> frozenset[str]:
    """The families of more than two rows that all have these names."""
    families: dict[str, set[str]] = {}
    for table in comparison.tables:
        for row in table.rows:
            families.setdefault(row.metric, set()).add(name_of(row))
    return frozenset(metric for metric, its in families.items() if len(its) > 2 and its <= names)


def _different(comparison: Comparison, name: Name) -> Iterator[str]:
    directions: tuple[tuple[Outcome, str], ...] = (("higher", "A is higher than B"), ("lower", "B is higher than A"))
    for outcome, who in directions:
        for group in _groups(comparison, name, outcome):
            alone = all(len(rows) == 1 for rows in group.rows.values())
            each = listed(f"{it} ({_seen(rows)})" for it, rows in group.rows.items())
            yield f"By {group.judges}, {who} ({'difference, 95 % interval' if alone else 'differences'}) in {each}."


def _seen(rows: Sequence[ComparedRow]) -> str:
    """The difference without its sign, for the sentence says who is higher; of several judges, all of them."""
    if len(rows) > 1:
        return listed(said(abs(row.difference or 0)) for row in rows)
    (row,) = rows
    ends = sorted(abs(end) for end in (row.ci_low, row.ci_high) if end is not None)
    return f"{said(abs(row.difference or 0))}, {' to '.join(map(said, ends))}"


def _identical(comparison: Comparison, name: Name) -> Iterator[str]:
    """With n queries alike, a share s of all differing would have been missed with the probability (1 − s)ⁿ."""
    for group in _groups(comparison, name, "identical"):
        few = min(row.n_pairs for row in group.all)
        share = 1 - LEVEL ** (1 / few)
        yield (
            f"By {group.judges}, both have the same value on every query in {group.names} ({group.counts}). That they "
            f"always have can't be concluded: up to {100 * share:.0f} % of such queries may differ (95 % sure)."
        )


def _undecided(comparison: Comparison, name: Name) -> Iterator[str]:
    found = [f"by {it.judges} in {it.names} ({it.counts})" for it in _groups(comparison, name, "undecided")]
    if found:
        yield (
            f"No difference can be concluded {'; '.join(found)}. What was seen there may be chance; that they are "
            "equal can't be concluded either."
        )


def _too_few(comparison: Comparison, name: Name) -> Iterator[str]:
    families = dict.fromkeys(
        (row.metric, _tests(table, row.metric)) for table in comparison.tables for row in table.rows
    )
    for metric, tests in families:
        alike_tested = comparison.model_copy(
            update={"tables": tuple(it for it in comparison.tables if _tests(it, metric) == tests)}
        )
        for group in _groups(alike_tested, name, "too_few", metric=metric):
            at_once = "one test" if tests == 1 else f"{tests} tests at once"
            are = "is" if group.counts == queries(1) else "are"
            yield (
                f"By {group.judges}, nothing can be concluded in {group.names}: {group.counts} {are} too few. With "
                f"{at_once} no result could have reached 5 %; {queries(fewest_queries(tests))} that all differ alike "
                "are the fewest that could."
            )


def _tests(table: JudgeTable, metric: str) -> int:
    """How many rows of a family were tested."""
    return sum(row.metric == metric and row.p_holm is not None for row in table.rows)


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

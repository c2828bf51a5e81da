"""What follows from a comparison, in plain sentences: what can be concluded, what can't, and what it would take.

The sentences speak of A and B, as the tables do. Judges with the same result share a sentence; their numbers are in the
tables.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from drretail.eval.compare.preferences import Name, alike, naming, preferences
from drretail.eval.compare.rows import clusters_of
from drretail.eval.compare.steadiness import noise_sentences
from drretail.eval.compare.wording import (
    beside,
    listed,
    more_failures,
    name_of,
    needed,
    no_answers,
    queries,
    samples,
    span,
    users,
    why_incomplete,
)
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.scores.pair_outcomes import preferred
from drretail.eval.scores.panel import is_panel
from drretail.records.comparison import ComparedRow, Comparison, Outcome
from drretail.records.score import CODE
from drretail.stats.significance import LEVEL, fewest_users
from drretail.tables.figures import counted, number, percent, signed


def contradictions(comparison: Comparison, name: Name) -> Iterator[str]:
    """Sentences: that numbers of several judges are not comparable, and where judges contradict each other.

    Panels are left out, and code, which has no opinion, is not counted among the judges.
    """
    tables = [table for table in comparison.tables if table.judge != CODE and not is_panel(table.judge)]
    judges = list(dict.fromkeys(map(name, tables)))
    if len(judges) > 1:
        yield (
            f"{len(judges)} judges have a table each: {listed(judges)}. Numbers of different judges are not comparable."
        )
    # Who concluded what, from ratings or side by side: judges by figure and higher side.
    higher: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: {"A": {}, "B": {}})
    for table in comparison.tables:
        for row in table.rows:
            if row.outcome in ("higher", "lower") and not is_panel(table.judge):
                higher[name_of(row)]["A" if row.outcome == "higher" else "B"][name(table)] = None
    for row in comparison.pairs:
        winner = preferred(row)
        if winner is not None and not is_panel(row.judge):
            higher[row.dimension]["A" if winner == comparison.a else "B"][f"{name(row)} side by side"] = None
    for about, sides in higher.items():
        if all(sides.values()):
            by = f"A by {listed(sides['A'])}, B by {listed(sides['B'])}"
            yield f"Judges contradict each other in {about}: {by}. Conclude nothing there."


def sizes(comparison: Comparison, name: Name) -> Iterator[str]:
    """Sentences: the sample that the differences seen would need, and the differences that this experiment could show.

    Only rows without a conclusion count.
    """
    open_rows = {
        name(table): [row for row in table.rows if row.outcome in ("undecided", "too_few")]
        for table in comparison.tables
    }
    taken: list[str] = []
    for judge, rows in open_rows.items():
        known = [(row.queries_needed, name_of(row), row) for row in rows if row.queries_needed is not None]
        ends = [
            (needed(row).removeprefix("about "), f"{about}, {signed(row.difference or 0)}")
            for _, about, row in sorted(known, key=lambda each: each[:2])
        ]
        taken += [f"{span(ends)} by {judge}"] if ends else []
    if taken:
        rough = any(row.outcome == "too_few" for rows in open_rows.values() for row in rows)
        roughly = "; from so few queries this is a rough estimate" if rough else ""
        yield f"Differences as large as seen here need {'; '.join(taken)}{roughly}."
    undecided = {judge: [row for row in rows if row.outcome == "undecided"] for judge, rows in open_rows.items()}
    shown: list[str] = []
    for judge, rows in undecided.items():
        # Each count has a unit of its own, so its size is only in the table, unless all rows are counts.
        scaled = [row for row in rows if not row.is_count] or rows
        sizes_shown = sorted((row.detectable, name_of(row)) for row in scaled if row.detectable)
        shown += [f"{span([(number(size), about) for size, about in sizes_shown])} by {judge}"] if sizes_shown else []
    if shown:
        halves = [row.power_of_half for rows in undecided.values() for row in rows if row.power_of_half is not None]
        low, high = round(10 * min(halves)), round(10 * max(halves))
        of_ten = f"{low} of 10" if low == high else f"{low} to {high} of 10"
        yield (
            f"About 4 of 5 such experiments would show a true difference of this size, and {of_ten} "
            f"one of half the size (with Holm's strictest correction): {'; '.join(shown)}."
        )


OF_PICKS = ("checks", "basket", "next_purchase")
"""The metrics that depend on the picks read from a report."""
LOST = ("run lost to a server", "judge failed", "run failed")
"""How a reason begins if a side may have lost its worst reports for it."""


class _Group(NamedTuple):
    """Rows with one outcome that the same judges share: by row name, one row from each of these judges."""

    judges: str
    rows: Mapping[str, Sequence[ComparedRow]]
    """By row name."""

    @property
    def all(self) -> list[ComparedRow]:
        return [row for rows in self.rows.values() for row in rows]

    @property
    def names(self) -> str:
        return listed(self.rows)

    @property
    def counts(self) -> str:
        return samples((row.n_pairs, row.n_users) for row in self.all)


def conclusions(
    comparison: Comparison,
    self_checked: Collection[str] = (),
    finding: Collection[str] = (),
    read_by: Sequence[str] = ("", ""),
    kin: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """Sentences: differences, what is undecided and what it would take, noise, preferences, contradictions.

    They are about primary figures, unless there is none. ``self_checked`` names the systems that remove from their own
    reports what the metrics in ``finding`` find. ``read_by`` says how the picks of A's and of B's reports were read.
    ``kin`` are judges with the sides ("A and B") whose models are of their metric.
    """
    name = naming(comparison)
    every, comparison = comparison, _part(comparison, is_primary=True)
    if not every.tables and not every.pairs:
        yield "Nothing can be concluded: no judge has values of both systems."
    elif not comparison.tables and not comparison.pairs:
        yield "Nothing is concluded: no figure that systems are chosen by was compared."
    planned = {name_of(row): row.tests for table in comparison.tables for row in table.rows if row.is_planned}
    if planned:
        tests = counted(max(planned.values()), "such test")
        yield f"Asked for before anything was scored, and corrected over {tests}: {listed(planned)}."
    yield from _different(comparison, name)
    yield from _neither_is_better(comparison)
    told_apart = (row for group in _groups(comparison, name, "higher", "lower") for row in group.all)
    if any(row.n_users not in (None, row.n_pairs) for row in told_apart):
        yield "Equal systems look different more often if all questions of a user fail together."
    yield from _held_back(comparison, name)
    yield from _beside(comparison)
    yield from doubts([every])
    for group in _groups(comparison, name, "missing"):
        yield f"In {group.names} by {group.judges}, {why_incomplete(group.all)}."
    yield from _identical(comparison, name)
    open_groups = _groups(comparison, name, "undecided")
    undecided = [f"by {group.judges} in {group.names} ({group.counts})" for group in open_groups]
    if undecided:
        yield (
            f"No difference can be concluded {'; '.join(undecided)}. What was seen there may be "
            "chance, but that does not show that both are equal."
        )
    yield from _too_few(comparison, name)
    yield from sizes(comparison, name)
    for group in _groups(comparison, name, "nothing"):
        reasons = (
            "; ".join(f"{reason}: {queries(count)}" for reason, count in row.dropped.items()) for row in group.all
        )
        why = "; ".join(dict.fromkeys(reasons))
        yield f"By {group.judges}, nothing can be said about {group.names}: no query has a value of both ({why})."
    yield from noise_sentences(comparison, name)
    yield from _dropped([row for table in comparison.tables for row in table.rows])
    found = dict.fromkeys(row.metric for table in comparison.tables for row in table.rows if row.metric in finding)
    for side, label in (("A", comparison.a), ("B", comparison.b)):
        for metric in found if label in self_checked else ():
            yield f"{side} removes from its own reports what the {metric} find, so they say little about it."
    a, b = read_by
    # A system that failed in all runs has no picks, which nobody read.
    if a and b and a != b and any(row.metric in OF_PICKS for table in comparison.tables for row in table.rows):
        yield (
            f"The picks were read in different ways (A: {a}; B: {b}), which "
            f"may cause differences in {listed(OF_PICKS)}. Conclude nothing there."
        )
    yield from preferences(comparison, name)
    for judge, side in kin:
        yield (
            f"{judge} and the models behind {side} are of one family, and models tend to prefer their "
            "own style: add a judge of another family."
        )
    yield from contradictions(comparison, name)


def doubts(comparisons: Sequence[Comparison]) -> list[str]:
    """Sentences: the judges from which nothing is concluded, and those whose conclusions leave out what they failed on.

    One for each judge of all these comparisons.
    """
    found: dict[str, str] = {}
    failed: Counter[str] = Counter()
    for comparison in comparisons:
        name = naming(comparison)
        for table in comparison.tables:
            judge, outcomes = name(table), {row.outcome for row in table.rows}
            if "not_concluded" in outcomes:
                found[judge] = "follows rules and is no language model: nothing is concluded from its numbers"
            if "not_read" in outcomes:
                found[judge] = NOT_READ
            if {"higher", "lower"} & outcomes:
                failed[judge] += table.failed
        for row in comparison.pairs:
            if not row.reads:
                found[name(row)] = NOT_READ
            if preferred(row) is not None:
                failed[name(row)] += row.failed_verdicts
    found |= {judge: no_answers(count) for judge, count in failed.items() if count}
    return [f"{judge} {words}." for judge, words in found.items()]


NOT_READ = "doesn't read the reports (see score): nothing is concluded from its numbers"


def exploratory(comparison: Comparison) -> Iterator[str]:
    """Sentences on differences in figures that nobody asked for beforehand: they suggest what to ask next."""
    name, rest = naming(comparison), _part(comparison, is_primary=False)
    yield from _different(rest, name)
    yield from preferences(rest, name)
    said = ("higher", "lower", "not_read", "not_concluded")
    left = sum(row.outcome not in said for table in rest.tables for row in table.rows)
    if left:
        yield f"{counted(left, 'other figure')}: no difference is shown."


def _part(comparison: Comparison, *, is_primary: bool) -> Comparison:
    """The comparison in its primary figures, or in all others."""
    kept = ((table, tuple(row for row in table.rows if row.is_primary == is_primary)) for table in comparison.tables)
    tables = tuple(table.model_copy(update={"rows": rows}) for table, rows in kept if rows)
    pairs = tuple(row for row in comparison.pairs if (row.dimension == PRIMARY) == is_primary)
    return comparison.model_copy(update={"tables": tables, "pairs": pairs})


def _groups(
    comparison: Comparison,
    name: Name,
    *outcomes: Outcome,
    metric: str | None = None,
    tests: int | None = None,
) -> Iterator[_Group]:
    rows = [
        (name(table), row)
        for table in comparison.tables
        for row in table.rows
        if row.outcome in outcomes and metric in (None, row.metric) and tests in (None, row.tests)
    ]
    for judges, names in alike((judge, name_of(row)) for judge, row in rows):
        its = {each: [row for judge, row in rows if judge in judges and name_of(row) == each] for each in names}
        yield _Group(listed(judges), its)


def _different(comparison: Comparison, name: Name) -> Iterator[str]:
    directions: tuple[tuple[Outcome, str], ...] = (
        ("higher", "A is higher than B"),
        ("lower", "B is higher than A"),
    )
    for outcome, who in directions:
        for group in _groups(comparison, name, outcome):
            alone = all(len(rows) == 1 for rows in group.rows.values())
            each = listed(f"{about} ({_seen(rows)})" for about, rows in group.rows.items())
            what = "difference, 95 % interval" if alone else "differences"
            yield f"By {group.judges}, {who} ({what}; n = {group.counts}) in {each}."


def _held_back(comparison: Comparison, name: Name) -> Iterator[str]:
    """Differences that the test shows, and why they are not concluded all the same."""
    for table in comparison.tables:
        for row in table.rows:
            one, other = ("A", "B") if (row.difference or 0) > 0 else ("B", "A")
            higher = f"By {name(table)}, {one} is higher than {other} in {name_of(row)} ({_seen([row])})"
            if row.outcome == "undone":
                takes = f" {needed(row).capitalize()} are needed." if needed(row) else ""
                yield f"{higher}, but nothing is concluded: {more_failures(row)} of {one} would undo it.{takes}"
            elif row.outcome == "answers_less":
                yield f"{higher}, but nothing is concluded: who looks better is lower in {listed(row.against)}."


def _beside(comparison: Comparison) -> Iterator[str]:
    """What both finished, and how often they did not, where something failed or could undo a difference."""
    rows = [row for table in comparison.tables for row in table.rows if row.finished is not None]
    failed = [row for row in rows if row.finished and (row.finished.failed_a or row.finished.failed_b)]
    shown = {name_of(row): row for row in rows if row in failed or row.outcome == "undone"}
    figures = {about: beside(row) for about, row in shown.items()}
    among = [f"{difference} in {about}" for about, (difference, _) in figures.items() if difference]
    if among:
        yield f"Among finished reports, A−B is {listed(among)}."
    for failures in dict.fromkeys(failures for _, failures in figures.values() if failures):
        yield f"Failures {failures}."


def _neither_is_better(comparison: Comparison) -> Iterator[str]:
    """Says that each side is higher in something."""
    higher: dict[str, dict[str, None]] = {"A": {}, "B": {}}
    for row in (row for table in comparison.tables for row in table.rows if row.outcome in ("higher", "lower")):
        higher["A" if row.outcome == "higher" else "B"][name_of(row)] = None
    if all(higher.values()):
        names = listed(f"{side} in {listed(its)}" for side, its in higher.items())
        yield f"Each is higher in something: {names}. Neither is shown to be better."


def _seen(rows: Sequence[ComparedRow]) -> str:
    """The difference without its sign, since the sentence says who is higher; one for each judge."""
    if len(rows) > 1:
        return listed(number(abs(row.difference or 0)) for row in rows)
    (row,) = rows
    ends = sorted(abs(end) for end in (row.ci_low, row.ci_high) if end is not None)
    # "0.01, 0.00 to 0.01" would look like no difference.
    finer = bool(ends) and number(ends[0]) == number(0) and ends[0] > 0
    value, *names = (f"{each:.3f}" if finer else number(each) for each in (abs(row.difference or 0), *ends))
    return f"{value}, {' to '.join(names)}" if names else value


def _identical(comparison: Comparison, name: Name) -> Iterator[str]:
    """If a share s of all users differed, n users would all be alike with the probability (1 − s)ⁿ."""
    for group in _groups(comparison, name, "identical"):
        few = min(map(clusters_of, group.all))
        share = 1 - LEVEL ** (1 / few)
        yield (
            f"By {group.judges}, both have the same value on every query in {group.names} "
            f"({group.counts}). That does not show that they always have: up to {percent(share)} of "
            f"such {_whom(group.all)} may differ (95 % sure)."
        )


def _too_few(comparison: Comparison, name: Name) -> Iterator[str]:
    metrics = dict.fromkeys((row.metric, row.tests) for table in comparison.tables for row in table.rows)
    for metric, tests in metrics:
        for group in _groups(comparison, name, "too_few", metric=metric, tests=tests):
            at_once = "one test" if tests == 1 else f"{tests} tests at once"
            are = "is" if group.counts == queries(1) else "are"
            fewest = (users if _whom(group.all) == "users" else queries)(fewest_users(tests))
            yield (
                f"By {group.judges}, nothing can be concluded in {group.names}: {group.counts} {are} "
                f"too few. With {at_once}, reaching 5% takes at least {fewest} that all differ in the "
                "same direction."
            )


def _whom(rows: Sequence[ComparedRow]) -> str:
    """The unit that is counted: users, or queries if no user is known."""
    return "queries" if all(row.n_users is None for row in rows) else "users"


def _dropped(rows: Sequence[ComparedRow]) -> Iterator[str]:
    """For the row that lost most queries to failures of one side: failing on hard queries makes a
    system look better.
    """
    lost = [(sum(_one_sided(row).values()), row) for row in rows if row.n_pairs]
    count, worst = max(lost, key=lambda pair: pair[0], default=(0, None))
    if worst is not None and count:
        why = "; ".join(f"{reason}, {queries(number)}" for reason, number in _one_sided(worst).items())
        yield (
            f"Of {queries(worst.n_planned)}, {count:,} are missing in {name_of(worst)} because one "
            f"side failed ({why}). If these were hard, that side looks better than it is."
        )


def _one_sided(row: ComparedRow) -> dict[str, int]:
    """The dropped queries on which only one side failed, counted by reason."""
    return {
        reason: count
        for reason, count in row.dropped.items()
        if ";" not in reason and reason.partition(": ")[2].startswith(LOST) and not reason.startswith("A and B")
    }

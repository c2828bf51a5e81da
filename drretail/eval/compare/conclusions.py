"""What follows from a comparison of two systems, in plain sentences that speak of A and B, as the tables do."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from drretail.eval.compare.findings import (
    Name,
    failed_judges,
    findings,
    judged_rows,
    measures_of,
    naming,
    other_figures,
)
from drretail.eval.compare.steadiness import noise_sentences
from drretail.eval.compare.wording import listed, name_of, queries, shares
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.scores.panel import is_panel
from drretail.records.comparison import ComparedRow, Comparison, PairScore
from drretail.records.score import CODE
from drretail.records.tables.figures import counted, number
from drretail.stats.significance import fewest_users

OF_PICKS = ("checks", "basket", "next_purchase")
"""The metrics that depend on the picks read from a report."""
LOST = ("run lost to a server", "judge failed", "run failed")
"""How a reason begins if a side may have lost its worst reports for it."""


def conclusions(
    comparison: Comparison,
    self_checked: Collection[str] = (),
    finding: Collection[str] = (),
    read_by: Sequence[str] = ("", ""),
    kin: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """Sentences: what each primary figure shows, or what it would take, then noise, doubts, contradictions.

    ``self_checked`` names the systems that remove from their own reports what the metrics in ``finding`` find.
    ``read_by`` says how the picks of A's and of B's reports were read. ``kin`` are judges with the sides ("A and B")
    whose models are of their metric.
    """
    name = naming([comparison])
    every = [row for _, row in judged_rows(comparison)]
    primary = [row for row in every if row.is_primary]
    rated = [row for table in comparison.tables for row in table.rows if row.is_primary]
    if not every:
        yield "Nothing can be concluded: no judge has values of both systems."
    elif not primary:
        yield "Nothing is concluded: no figure that systems are chosen by was compared."
    planned = {name_of(row): row.tests for row in primary if row.is_planned}
    if planned:
        tests = counted(max(planned.values()), "such test")
        yield f"Asked for before anything was scored, and corrected over {tests}: {listed(planned)}."
    sides = {comparison.a: "A", comparison.b: "B"}
    primary_findings = findings(measures_of([comparison]), sides, by_judge=True)
    yield from (each.sentence for each in primary_findings)
    told_apart = [row for row in primary if row.outcome in ("higher", "lower")]
    yield from _neither_is_better(told_apart)
    if any(row.n_users not in (None, row.n_pairs) for row in told_apart):
        yield "Equal systems look different more often if all questions of a user fail together."
    yield from failed_judges([comparison])
    if any(each.outcome == "undecided" for each in primary_findings):
        yield "Where no difference is shown, what was seen may be chance, but both may differ all the same."
    yield from noise_sentences(comparison, name)
    yield from _dropped(rated)
    checking = dict.fromkeys(row.metric for row in rated if row.metric in finding)
    for label, side in sides.items():
        for metric in checking if label in self_checked else ():
            yield f"{side} removes from its own reports what the {metric} find, so they say little about it."
    a, b = read_by
    # A system that failed in all runs has no picks, which nobody read.
    if a and b and a != b and any(row.metric in OF_PICKS for row in rated):
        yield (
            f"The picks were read in different ways (A: {a}; B: {b}), which "
            f"may cause differences in {listed(OF_PICKS)}. Conclude nothing there."
        )
    yield from _on_pairs([pair for pair in comparison.pairs if pair.dimension == PRIMARY], name)
    for judge, side in kin:
        yield (
            f"{judge} and the models behind {side} are of one family, and models tend to prefer their "
            "own style: add a judge of another family."
        )
    yield from _contradictions(comparison, name)


def exploratory(comparison: Comparison) -> Iterator[str]:
    """Sentences on differences in figures that nobody asked for beforehand: they suggest what to ask next."""
    yield from other_figures(measures_of([comparison], is_primary=False), {comparison.a: "A", comparison.b: "B"})


def _contradictions(comparison: Comparison, name: Name) -> Iterator[str]:
    """Sentences: that numbers of several judges are not comparable, and where judges contradict each other.

    Panels are left out, and code, which has no opinion, is not counted among the judges.
    """
    tables = [table for table in comparison.tables if table.judge != CODE and not is_panel(table.judge)]
    judges = list(dict.fromkeys(map(name, tables)))
    if len(judges) > 1:
        yield (
            f"{len(judges)} judges have a table each: {listed(judges)}. Numbers of different judges are not comparable."
        )
    # Who concluded what: judges by figure and higher side. Of a dimension also side by side.
    higher: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: {"A": {}, "B": {}})
    for judged, row in judged_rows(comparison):
        if row.outcome in ("higher", "lower") and row.is_primary and not is_panel(judged.judge):
            about, whose = name_of(row), name(judged)
            if isinstance(judged, PairScore):
                about, whose = judged.dimension, f"{whose} side by side"
            higher[about]["A" if row.outcome == "higher" else "B"][whose] = None
    for about, sides in higher.items():
        if all(sides.values()):
            by = f"A by {listed(sides['A'])}, B by {listed(sides['B'])}"
            yield f"Judges contradict each other in {about}: {by}. Conclude nothing there."


def _neither_is_better(told_apart: Sequence[ComparedRow]) -> Iterator[str]:
    """Says that each side is higher in something."""
    higher: dict[str, dict[str, None]] = {"A": {}, "B": {}}
    for row in told_apart:
        higher["A" if row.outcome == "higher" else "B"][name_of(row)] = None
    if all(higher.values()):
        names = listed(f"{side} in {listed(its)}" for side, its in higher.items())
        yield f"Each is higher in something: {names}. Neither is shown to be better."


def _on_pairs(pairs: Sequence[PairScore], name: Name) -> Iterator[str]:
    """What a missing report, length and the order of two reports have to do with overall preferences."""
    flips: list[str] = []
    for pair in pairs:
        # Only of enough queries for a test: with two queries, often all or none flip.
        if pair.contrast.outcome == "not_read" or pair.contrast.clusters < fewest_users():
            continue
        if pair.forfeits and pair.queries_read is not None:
            yield (
                f"Side by side, a missing report decided {pair.forfeits:,} of {counted(pair.n_scored, 'pair')}: where "
                f"{name(pair)} read both, A won {pair.read_won:,} of {queries(pair.queries_read)} and lost "
                f"{pair.read_lost:,}."
            )
        if pair.longer_won is not None:
            yield f"Side by side, by {name(pair)}, {_of_one_length(pair)}."
        flips += [f"{shares([pair.flip_rate])} of pairs (by {name(pair)})"] if pair.flip_rate is not None else []
    if flips:
        yield (
            f"Side by side, the order of the two reports changed the result in {'; in '.join(flips)}. "
            "A coin toss would change it in 50%, a judge that looks only at the order in 100%."
        )


def _of_one_length(pair: PairScore) -> str:
    """How often the longer report wins, and A's win rate between reports of one length."""
    even = pair.length_controlled
    ends = "" if even.ci_low is None else f" ({even.ci_low:.2f} to {even.ci_high:.2f})"
    between = (
        "one system's reports are nearly always the longer ones, so length and system can't be told apart"
        if even.value is None
        else f"between reports of one length, A's rate would be {number(even.value)}{ends} instead of "
        f"{number(pair.win_rate.value)}"
    )
    return f"the longer report won {shares([pair.longer_won or 0.0])} of overall; {between}"


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

"""Sentences on which system judges prefer side by side."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from drretail.eval.compare.wording import listed, queries, sample, samples, shares, users
from drretail.eval.judging.dimensions import DIMENSIONS, PRIMARY
from drretail.eval.scores.pair_outcomes import preferred
from drretail.eval.scores.panel import is_panel
from drretail.records.comparison import Comparison, JudgeTable
from drretail.records.pairs import PairScore
from drretail.stats.significance import fewest_users
from drretail.tables.figures import number

Judged = JudgeTable | PairScore
Name = Callable[[Judged], str]
"""Gives the display name of the judge of a table or row."""


def judge_of(row: Judged) -> str:
    """The judge's full name: the model, the hash of its settings, and the rules if they are not the default ones."""
    return _with_rules(f"{row.judge}-{row.judge_params}" if row.judge_params else row.judge, row)


def naming(comparison: Comparison) -> Name:
    """Display names of one comparison's judges: "anthropic:claude" without the hash of settings, "the panel's median".

    Judges whose short names are equal keep their full names.
    """
    judged: dict[str, Judged] = {judge_of(row): row for row in [*comparison.tables, *comparison.pairs]}
    often = Counter(map(_short, judged.values()))

    def name(row: Judged) -> str:
        short = _short(row)
        return short if often[short] == 1 else judge_of(row)

    return name


def _short(row: Judged) -> str:
    if not is_panel(row.judge):
        return _with_rules(row.judge, row)
    how = row.judge.partition("(")[2].partition(")")[0]
    return _with_rules(f"the panel's {how}", row)


def _with_rules(name: str, row: Judged) -> str:
    return name if row.rules == "default" else f"{name} (rules {row.rules})"


def alike(statements: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Groups (judge, statement) pairs: judges that make the same statements, and these, each once and in order."""
    by_thing: dict[str, list[str]] = {}
    for judge, thing in statements:
        by_thing.setdefault(thing, []).append(judge)
    groups: dict[tuple[str, ...], list[str]] = {}
    for thing, judges in by_thing.items():
        groups.setdefault(tuple(judges), []).append(thing)
    yield from groups.items()


def preferences(comparison: Comparison, name: Name) -> Iterator[str]:
    """Sentences on who is preferred, on length, on what is undecided, and on winners that changed with the order."""
    groups = (list(rows) for _, rows in groupby((row for row in comparison.pairs if row.reads), key=judge_of))
    judged = [(name(rows[0]), rows) for rows in groups]
    for label, side, other in ((comparison.a, "A", "B"), (comparison.b, "B", "A")):
        for judge, rows in judged:
            won = [row for row in rows if preferred(row) == label]
            if won:
                by_count = alike((_counted(row, label), row.dimension) for row in won)
                each = "; ".join(f"{listed(dimensions)} ({', '.join(count)})" for count, dimensions in by_count)
                yield f"Side by side, {judge} prefers {side} to {other} in {each}."
    yield from _of_one_length(comparison, judged)
    yield from _open(judged)
    flips: list[str] = []
    for judge, rows in judged:
        # Only dimensions with enough queries for a test: with two queries, often all or none flip.
        enough = (row for row in rows if _clusters(row) >= fewest_users())
        rates = [row.flip_rate for row in enough if row.flip_rate is not None]
        flips += [f"{shares(rates)} of pairs (by {judge})"] if rates else []
    if flips:
        yield (
            f"Side by side, the order of the two reports changed the result in {'; in '.join(flips)}. "
            "A coin toss would change it in 50%, a judge that looks only at the order in 100%."
        )


def _of_one_length(comparison: Comparison, judged: Sequence[tuple[str, Sequence[PairScore]]]) -> Iterator[str]:
    """How often the longer report wins in overall quality, and A's win rate between reports of one length."""
    for judge, rows in judged:
        for row in rows:
            if row.dimension != PRIMARY or row.longer_won is None or _clusters(row) < fewest_users():
                continue
            even, rate = row.length_controlled, row.win_rate or 0.0
            ends = [value for value in (row.length_controlled_low, row.length_controlled_high) if value is not None]
            if row.a != comparison.a:
                even, rate, ends = None if even is None else 1 - even, 1 - rate, [1 - end for end in reversed(ends)]
            interval = f" ({ends[0]:.2f} to {ends[1]:.2f})" if ends else ""
            between = (
                "one system's reports are nearly always the longer ones, so length and system can't be told apart"
                if even is None
                else f"between reports of one length, A's rate would be {number(even)}{interval} instead of "
                f"{number(rate)}"
            )
            yield f"Side by side, by {judge}, the longer report won {shares([row.longer_won])} of overall; {between}."


def _open(judged: Sequence[tuple[str, Sequence[PairScore]]]) -> Iterator[str]:
    """The dimensions without a shown preference, and those with too few queries for one."""
    few = [(judge, row) for judge, rows in judged for row in rows if _clusters(row) < fewest_users(max(1, row.tests))]
    enough = [(judge, row) for judge, rows in judged for row in rows if (judge, row) not in few]
    for judges, dimensions in alike((judge, row.dimension) for judge, row in enough if preferred(row) is None):
        counts = samples(
            (row.n_queries, row.n_users) for judge, row in enough if judge in judges and row.dimension in dimensions
        )
        yield (
            f"Side by side, by {listed(judges)}, no preference can be concluded in {_all_or(dimensions)} ({counts})."
        )
    for judges, dimensions in alike((judge, row.dimension) for judge, row in few):
        its = [row for judge, row in few if judge in judges and row.dimension in dimensions]
        counts = samples((row.n_queries, row.n_users) for row in its)
        fewest = fewest_users(max(row.tests for judge, row in few if judge in judges) or 1)
        whom = users if any(row.n_users is not None for row in its) else queries
        yield (
            f"Side by side, by {listed(judges)}, nothing can be concluded in {_all_or(dimensions)}: {counts} "
            f"{'is' if counts == queries(1) else 'are'} too few. A preference takes at least "
            f"{whom(fewest)} that all end alike."
        )


def _all_or(dimensions: Sequence[str]) -> str:
    return "any dimension" if len(dimensions) == len(DIMENSIONS) else listed(dimensions)


def _counted(row: PairScore, label: str) -> str:
    """ "won 12 of 20 queries, lost 3", over what was read, and how many pairs a missing report decided."""
    counts, n, forfeits = (row.queries_won, row.queries_lost), sample(row.n_queries, row.n_users), ""
    if row.forfeits and row.queries_read is not None:
        counts, n = (row.read_won, row.read_lost), f"{queries(row.queries_read)} with both reports"
        forfeits = f"; a missing report decided {row.forfeits:,} of {row.n_scored:,} pairs"
    won, lost = counts if label == row.a else reversed(counts)
    return f"won {won:,} of {n}, lost {lost:,}{forfeits}"


def _clusters(row: PairScore) -> int:
    """The row's number of users, or of queries if no user is known."""
    return row.n_queries if row.n_users is None else row.n_users

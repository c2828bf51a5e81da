"""The words of comparisons: names of figures, phrases, and differences in sentences, one template for each outcome, for
two systems and for many, by values and side by side.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from drretail.eval.metric import Metric
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.facts import chosen_variants, headlines
from drretail.eval.scores.gathering import is_panel
from drretail.grounding.text.wording import listed
from drretail.records.comparison import (
    ORDER_DECIDED,
    ComparedRow,
    Comparison,
    JudgeTable,
    Outcome,
    PairScore,
    Reliability,
)
from drretail.records.score import WHOLES
from drretail.records.tables.figures import counted, number, percent, signed
from drretail.stats.significance import LEVEL, fewest_users

SIDE_BY_SIDE = "side by side"
"""The name of the overall preference of a judge that reads two reports at once."""
MOST = 10_000
"""Larger counts are written "more than 10,000", since nobody runs so many queries."""


def name_of(row: ComparedRow | Reliability) -> str:
    """ "clarity", "FP", "checks clean": with the metric if the variant alone says little."""
    return row.name or f"{row.metric} {row.variant}"


def _up_to_most(noun: str, count: int) -> str:
    """ "1 query", "50 queries", "more than 10,000 queries"."""
    return f"more than {counted(MOST, noun)}" if count > MOST else counted(count, noun)


queries, users = partial(_up_to_most, "query"), partial(_up_to_most, "user")


def no_answers(count: int) -> str:
    """What is said of a judge that failed on so many questions."""
    return f"gave no usable answer to {counted(count, 'question')}, which its numbers leave out"


def sample(count: int, of_users: int | None) -> str:
    """ "20 queries, 7 users"; "20 queries" if no user is known."""
    return queries(count) if of_users is None else f"{queries(count)}, {users(of_users)}"


def needed(row: ComparedRow) -> str:
    """ "about 90 queries (80% interval: 40–160)", with users if they are known; empty if the number is unknown."""
    if row.queries_needed is None:
        return ""
    about, ends = "about " if row.queries_needed <= MOST else "", range_of(row)
    return f"{about}{sample(row.queries_needed, row.users_needed)}{f' (80% interval: {ends})' if ends else ''}"


def range_of(row: ComparedRow) -> str:
    """ "40–160", "40 or more": where the number of queries needed lies in 8 of 10 experiments; empty if unknown."""
    low, high = row.queries_at_least, row.queries_at_most
    if low is None or low > MOST or low == high:
        return ""
    return f"{low:,} or more" if high is None or high > MOST else f"{low:,}–{high:,}"


def difference_of(row: ComparedRow) -> str:
    """ "+0.05 (+0.02 to +0.08)": A minus B with its interval."""
    ends = [end for end in (row.ci_low, row.ci_high) if end is not None]
    return signed(row.difference or 0.0) + (f" ({' to '.join(map(signed, ends))})" if ends else "")


def shares(values: Sequence[float]) -> str:
    """ "40%", "40% to 62%"."""
    low, high = percent(min(values)), percent(max(values))
    return low if low == high else f"{low} to {high}"


def why_incomplete(rows: Sequence[ComparedRow]) -> str:
    """ "nothing is concluded: 5 of 40 queries lack a value of one system …", for the row that lacks most."""
    worst = max(rows, key=lambda row: row.n_due - row.n_pairs)
    if unread := dict.fromkeys(row.unread for row in rows if row.unread):
        return f"not comparable: {'; '.join(unread)}"
    if worst.is_complete:
        runs = counted(max(row.incomplete_a + row.incomplete_b for row in rows), "run")
        again = "`drretail run … --retry spoiled` makes such runs again"
        return f"nothing is concluded against a system whose models were not answered by a provider in {runs}: {again}"
    lack = f"{worst.n_due - worst.n_pairs:,} of {queries(worst.n_due)}"
    return f"nothing is concluded: {lack} lack a value of one system, and at most one in ten may"


def compared(metric: Metric) -> tuple[str, ...]:
    """The metric's variants that are compared: those it lists, else its headlines."""
    return chosen_variants(metric, metric.description.compared) or headlines(metric)


def primary_variants(metric: Metric) -> tuple[str, ...]:
    """The variants by which systems are chosen: those the metric lists, or its only compared variant."""
    return chosen_variants(metric, metric.description.primary) or (
        compared(metric) if len(compared(metric)) == 1 else ()
    )


def row_facts(metric: Metric, variant: str) -> dict[str, Any]:
    """The name of a variant's row, and whether the variant is a count."""
    described = metric.description
    is_clear = described.named_by_variant or variant == metric.name
    name = described.own_name(variant) or (variant if is_clear else f"{metric.name} {variant}")
    return {"name": name, "is_count": variant in described.counts}


def bar_of(metric: Metric, variant: str, bar: float) -> float | None:
    """The passing value in this variant if a rating (0 to 10) passes at ``bar``; None if it has no such bar."""
    described = metric.description
    if variant in described.counts or not described.higher_is_better:
        return None
    return bar / 10 * WHOLES[described.scale]


_MAKERS = {
    "anthropic": ("claude",),
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "google": ("gemini", "gemma"),
    "meta": ("llama",),
    "mistral": ("mistral", "mixtral", "ministral", "magistral"),
    "qwen": ("qwen", "qwq"),
    "deepseek": ("deepseek",),
    "xai": ("grok",),
}
"""How words in the names of a maker's models begin, since several providers serve one maker's models."""


def family_of(spec: str) -> str:
    """The maker of "provider:model": "anthropic" for "anthropic:claude-sonnet-5", "meta" for "ollama:llama3.3".

    If the maker is not known, it is the first word of the model's name.
    """
    words = re.findall("[a-z]+[0-9]*", spec.partition(":")[2].rpartition("/")[2].casefold())
    makers = (maker for word in words for maker, begins in _MAKERS.items() if word.startswith(begins))
    return next(makers, words[0] if words else spec)


Measure = Sequence[ComparedRow]
"""One measure by one judge: a row for each pair of systems."""


def by_measure(rows: Iterable[ComparedRow]) -> list[Measure]:
    """The rows of each measure by each judge, in the order of the first ones."""
    grouped: dict[tuple[str, str], list[ComparedRow]] = defaultdict(list)
    for row in rows:
        grouped[row.judge, name_of(row)].append(row)
    return [*grouped.values()]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one measure, or of several measures with the same result."""

    measures: Sequence[Measure]
    outcome: Outcome
    """The outcome of all pairs together: "higher" if any two systems are shown to differ."""
    about: str
    """The names of the measures; of comparisons with the judges and the differences seen."""
    nothing: str
    """ "no difference is shown", or empty if ``rest`` says all."""
    rest: str
    """ "a above b (n = 50 queries)", "by 10 queries"."""

    @property
    def sentence(self) -> str:
        return f"{self.about}: {self.nothing}{' ' if self.nothing else ''}{self.rest}."


def findings(rows: Iterable[ComparedRow], names: Mapping[str, str], *, by_judge: bool = False) -> list[Finding]:
    """One finding for all measures with the same sentence, in the order of the rows; shown differences come first.

    ``names`` are the display names of the systems. Measures of several judges are told apart ``by_judge``.
    """
    alike_measures: dict[tuple[Outcome, str, str], list[Measure]] = {}
    for measure in by_measure(rows):
        alike_measures.setdefault((outcome_of_all(measure), *_content(measure, names)), []).append(measure)
    made = [
        Finding(its, outcome, about, nothing, rest)
        for (outcome, nothing, rest), group in alike_measures.items()
        for about, its in (
            _by_judges(group) if by_judge else [(listed(dict.fromkeys(name_of(its[0]) for its in group)), group)]
        )
    ]
    return sorted(made, key=lambda finding: finding.outcome != "higher")


_OF_THE_JUDGE: tuple[Outcome, ...] = ("not_concluded", "not_read", "order_decided")
"""The outcomes whose sentence names the judge."""


def _by_judges(measures: Sequence[Measure]) -> Iterator[tuple[str, list[Measure]]]:
    """ "By claude and gpt, quality +0.40 (+0.10 to +0.70) and FP", and the measures that it names."""
    # With the difference of two systems, if there are enough queries to look at it.
    visible = ("higher", "lower", "undecided")
    seen: list[tuple[str, str]] = []
    for measure in measures:
        row = measure[0]
        difference = f" {difference_of(row)}" if len(measure) == 1 and row.outcome in visible else ""
        seen.append((row.judge, f"{name_of(row)}{difference}"))
    for judges, names in alike(seen):
        places = [at for at, (judge, name) in enumerate(seen) if judge in judges and name in names]
        by = "" if outcome_of_all(measures[0]) in _OF_THE_JUDGE else f"By {listed(judges)}, "
        yield f"{by}{listed(names)}", [measures[at] for at in places]


def outcome_of_all(measure: Measure) -> Outcome:
    """ "higher" if any two systems are shown to differ; otherwise the reason why none are."""
    every: set[Outcome] = {row.outcome for row in measure}
    nothing: set[Outcome] = {"nothing"}
    outcomes = every - nothing or every
    if "lower" in outcomes:
        return "higher"
    if len(outcomes) == 1:
        return outcomes.pop()
    first: tuple[Outcome, ...] = ("higher", "missing", "undecided")
    for outcome in first:
        if outcome in outcomes:
            return outcome
    return "too_few"


def _content(measure: Measure, names: Mapping[str, str]) -> tuple[str, str]:
    """The two halves of the sentence: ``Finding.nothing`` and ``Finding.rest``."""
    largest, tests, judge = largest_of(measure), max(row.tests for row in measure), measure[0].judge
    few, of_two = sample(largest.n_pairs, largest.n_users), len(measure) == 1
    at_once = "" if tests < 2 else f" (corrected for {tests:,} tests)"
    match outcome_of_all(measure):
        case "higher" | "lower":
            return "", f"{order(measure, names)} ({'; '.join(_counts(measure, few))})"
        case "not_concluded":
            follows = f"{judge}, which follows rules: score with --judge PROVIDER:MODEL"
            return "", f"nothing is concluded from {follows}"
        case "not_read":
            return "", f"nothing is concluded from {judge}, which doesn't read the reports"
        case "order_decided":
            return "", f"{ORDER_DECIDED} ({judge})"
        case "missing":
            return "", why_incomplete(measure)
        case "nothing":
            lacks = (f"{reason}: {queries(count)}" for row in measure for reason, count in row.dropped.items())
            return "", f"no query has a value of both ({'; '.join(dict.fromkeys(lacks))})"
        case "identical":
            # If a share s of all users differed, n users would all be alike with the probability (1 − s)ⁿ.
            may = f"up to {percent(1 - LEVEL ** (1 / largest.clusters))} of others may differ, 95% sure"
            of_all = "the one query" if largest.n_pairs == 1 else f"all {few}"
            return "", f"the same in {'both' if of_two else 'every system'} on {of_all} ({may})"
        case "too_few":
            whom = "queries" if largest.n_users is None else "users"
            at_least = f"it takes {fewest_users(tests):,} {whom} at least, even if one system wins them all"
            return "", f"{few} can show no difference{at_once}: {at_least}"
        case "undecided":
            takes, which = clearest(measure), "difference" if of_two else "clearest difference"
            seen = f": to show the {which} seen, it would take {needed(takes)}" if takes else ""
            is_known = of_two and largest.detectable
            shows = f", which show one of {number(largest.detectable)} in 4 of 5 experiments" if is_known else ""
            return "no difference is shown", f"by {few}{at_once}{shows}{seen}"


def _counts(measure: Measure, few: str) -> Iterator[str]:
    """How many queries show it; of two systems side by side also how many were won."""
    row = measure[0]
    if len(measure) > 1 or row.metric != PAIRWISE:
        yield f"n = {few}"
    else:
        won, lost = sorted((row.above, row.below), reverse=True)
        yield f"won {won:,} of {few}, lost {lost:,}"
    if row.failed:
        yield f"{row.judge} {no_answers(row.failed)}"


def largest_of(measure: Measure) -> ComparedRow:
    """The row of the pair with the most queries."""
    return max(measure, key=lambda row: row.n_pairs)


def clearest(measure: Measure) -> ComparedRow | None:
    """The row whose difference the fewest queries would show; None if no number is known."""
    rows = [row for row in measure if row.queries_needed is not None]
    return min(rows, key=lambda row: row.queries_needed or 0, default=None)


def order(measure: Measure, names: Mapping[str, str], verb: str = "above") -> str:
    """ "a above b and c; c and d above e; of the other 4 pairs no difference is shown", the best system first."""
    won = {
        (row.a, row.b) if row.outcome == "higher" else (row.b, row.a)
        for row in measure
        if row.outcome in ("higher", "lower")
    }
    values: dict[str, list[float]] = defaultdict(list)
    for row in measure:
        values[row.a].append(row.mean_a or 0.0)
        values[row.b].append(row.mean_b or 0.0)
    ranked = sorted(values, key=lambda label: (-fmean(values[label]), label))
    groups: dict[tuple[str, ...], list[str]] = {}
    for winner in ranked:
        losers = tuple(loser for loser in ranked if (winner, loser) in won)
        if losers:
            groups.setdefault(losers, []).append(winner)
    parts = [
        f"{listed(names[each] for each in winners)} {verb} {listed(names[each] for each in losers)}"
        for losers, winners in groups.items()
    ]
    rest = len(measure) - len(won)
    if rest:
        parts.append(f"of the other {'pair' if rest == 1 else f'{rest:,} pairs'} no difference is shown")
    return "; ".join(parts)


Judged = JudgeTable | PairScore
Name = Callable[[Judged], str]
"""Gives the display name of the judge of a table or row."""


def naming(comparisons: Iterable[Comparison]) -> Name:
    """Display names of judges: "anthropic:claude" without the hash of settings, "the panel's median".

    Judges whose short names are equal keep their full names.
    """

    def called(row: Judged, *, in_full: bool) -> str:
        name = row.judge
        if in_full:
            name = f"{row.judge}-{row.judge_params}" if row.judge_params else row.judge
        elif is_panel(row.judge):
            name = f"the panel's {row.judge.partition('(')[2].partition(')')[0]}"
        return name if row.rules == "default" else f"{name} (rules {row.rules})"

    judged = {called(row, in_full=True): row for each in comparisons for row in (*each.tables, *each.pairs)}
    often = Counter(called(row, in_full=False) for row in judged.values())
    return lambda row: called(row, in_full=often[called(row, in_full=False)] != 1)


def alike(statements: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Groups (judge, statement) pairs: judges that make the same statements, and these, each once and in order."""
    by_thing: dict[str, list[str]] = {}
    for judge, thing in statements:
        by_thing.setdefault(thing, []).append(judge)
    groups: dict[tuple[str, ...], list[str]] = {}
    for thing, judges in by_thing.items():
        groups.setdefault(tuple(judges), []).append(thing)
    yield from groups.items()


def judged_rows(comparison: Comparison) -> Iterator[tuple[Judged, ComparedRow]]:
    """All rows with whose they are: those of values, then preferences."""
    yield from ((table, row) for table in comparison.tables for row in table.rows)
    yield from ((pair, pair.contrast) for pair in comparison.pairs)


def rows_of(comparisons: Sequence[Comparison], *, is_primary: bool = True) -> list[ComparedRow]:
    """The primary rows of these comparisons, or all others, with the names of systems and judges."""
    name = naming(comparisons)
    return [
        row.model_copy(update={"a": each.a, "b": each.b, "judge": name(judged)})
        for each in comparisons
        for judged, row in judged_rows(each)
        if row.is_primary == is_primary
    ]


def failed_judges(comparisons: Sequence[Comparison]) -> list[str]:
    """A sentence for each judge whose conclusions leave out questions that it failed on."""
    name, failed = naming(comparisons), Counter[str]()
    for comparison in comparisons:
        concluding = {
            name(judged): judged for judged, row in judged_rows(comparison) if row.outcome in ("higher", "lower")
        }
        for judge, judged in concluding.items():
            failed[judge] += judged.failed if isinstance(judged, JudgeTable) else judged.failed_verdicts
    return [f"{judge} {no_answers(count)}." for judge, count in failed.items() if count]


def other_figures(rows: Iterable[ComparedRow], names: Mapping[str, str]) -> Iterator[str]:
    """Sentences on differences in figures that are no headlines: they suggest what to ask next."""
    without: Mapping[Outcome, str] = {
        **dict.fromkeys(_OF_THE_JUDGE, "nothing is concluded from a judge that follows rules or reads nothing"),
        "nothing": "no query has a value of both",
        "missing": "values are missing",
    }
    others = Counter[str]()
    for finding in findings(rows, names, by_judge=True):
        if finding.outcome == "higher":
            yield finding.sentence
        else:
            others[without.get(finding.outcome, "no difference is shown")] += len(finding.measures)
    yield from (f"{counted(count, 'other figure')}: {why}." for why, count in others.items())

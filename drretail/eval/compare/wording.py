"""Names and phrases for the sentences of a comparison."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from drretail.eval.metric import Metric
from drretail.eval.scores.slices import chosen_variants, headlines
from drretail.records.comparison import ComparedRow, Finished, Reliability
from drretail.records.score import WHOLES
from drretail.records.tables.figures import counted, percent, signed
from drretail.stats.significance import LEVEL

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


def listed(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def no_answers(count: int) -> str:
    """What is said of a judge that failed on so many questions."""
    return f"gave no usable answer to {counted(count, 'question')}, which its numbers leave out"


def sample(count: int, of_users: int | None) -> str:
    """ "20 queries, 7 users"; "20 queries" if no user is known."""
    return samples([(count, of_users)])


def samples(drawn: Iterable[tuple[int, int | None]]) -> str:
    """ "18 to 20 queries, 7 users", for the (queries, users) of several rows; users are None if unknown."""
    counts, known = zip(*drawn, strict=True)
    some = [count for count in known if count is not None]
    parts: list[str] = []
    for numbers, phrase in ((counts, queries), (some, users)):
        if numbers:
            low, high = min(numbers), max(numbers)
            parts.append(phrase(high) if low == high else f"{low:,} to {phrase(high)}")
    return ", ".join(parts)


def needed(row: ComparedRow) -> str:
    """ "about 90 queries (80 % interval: 40–160)", with users if they are known; empty if the number is unknown."""
    if row.queries_needed is None:
        return ""
    ends = range_of(row)
    return f"about {sample(row.queries_needed, row.users_needed)}{f' (80 % interval: {ends})' if ends else ''}"


def range_of(row: ComparedRow) -> str:
    """ "40–160", "40 or more": where the number of queries needed lies in 8 of 10 experiments; empty if unknown."""
    low, high = row.queries_at_least, row.queries_at_most
    if low is None or low > MOST or low == high:
        return ""
    return f"{low:,} or more" if high is None or high > MOST else f"{low:,}–{high:,}"


def more_failures(row: ComparedRow) -> str:
    """ "one more failure": what a difference has to bear, in whole failures; more if many systems are compared."""
    count = int(row.failures_added)
    return "one more failure" if count < 2 else f"{count} more failures"


def difference_of(row: ComparedRow | Finished, sign: int = 1) -> str:
    """ "+0.05 (+0.02 to +0.08)": A minus B with its interval, or B minus A if ``sign`` is -1."""
    ends = sorted(sign * end for end in (row.ci_low, row.ci_high) if end is not None)
    return signed(sign * (row.difference or 0.0)) + (f" ({' to '.join(map(signed, ends))})" if ends else "")


def beside(row: ComparedRow, *, flipped: bool = False) -> tuple[str, str]:
    """The difference among finished reports, "+0.05 (+0.02 to +0.08)", and failures, "0 and 1 of 50: not told apart".

    A comes first unless ``flipped``. A part is empty if no query finished, or ran, in both.
    """
    finished, sign, among, failures = row.finished, -1 if flipped else 1, "", ""
    if finished is not None and finished.difference is not None:
        among = difference_of(finished, sign)
    if finished is not None and finished.n_ended:
        counts = (finished.failed_a, finished.failed_b)[::sign]
        is_apart = finished.p_failed is not None and finished.p_failed * max(1, row.tests) <= LEVEL
        verdict = ": told apart" if is_apart else ": not told apart" if any(counts) else ""
        failures = f"{' and '.join(f'{count:.3g}' for count in counts)} of {finished.n_ended:,}{verdict}"
    return among, failures


def shares(values: Sequence[float]) -> str:
    """ "40%", "40% to 62%"."""
    low, high = percent(min(values)), percent(max(values))
    return low if low == high else f"{low} to {high}"


def why_incomplete(rows: Sequence[ComparedRow]) -> str:
    """ "nothing is concluded: 3 of 40 planned runs are missing …", for the row that lacks most runs."""
    worst = max(rows, key=lambda row: (row.runs_pending, row.runs_missing))
    if worst.runs_pending:
        left = f"{worst.runs_pending:,} of {worst.runs_planned:,} planned runs are not made yet"
        return f"nothing is concluded: {left}"
    if worst.is_complete:
        runs = counted(max(row.incomplete_a + row.incomplete_b for row in rows), "run")
        again = "`drretail run … --retry spoiled` makes such runs again"
        return f"nothing is concluded against a system whose models were not answered by a provider in {runs}: {again}"
    return (
        f"nothing is concluded: {worst.runs_missing:,} of {worst.runs_planned:,} planned runs are missing (lost to a "
        "server, failed judgements or unreadable pages), and at most one in twenty of a system may be"
    )


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
    "claude": "anthropic",
    "gpt": "openai",
    "chatgpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "gemini": "google",
    "gemma": "google",
    "llama": "meta",
    "mistral": "mistral",
    "mixtral": "mistral",
    "ministral": "mistral",
    "magistral": "mistral",
    "qwen": "qwen",
    "qwq": "qwen",
    "deepseek": "deepseek",
    "grok": "xai",
}
"""The maker of a model by the beginning of a word in its name, since several providers serve one maker's models."""


def family_of(spec: str) -> str:
    """The maker of "provider:model": "anthropic" for "anthropic:claude-sonnet-5", "meta" for "ollama:llama3.3".

    If the maker is not known, it is the first word of the model's name.
    """
    words = re.findall("[a-z]+[0-9]*", spec.partition(":")[2].rpartition("/")[2].casefold())
    makers = (maker for word in words for begins, maker in _MAKERS.items() if word.startswith(begins))
    return next(makers, words[0] if words else spec)

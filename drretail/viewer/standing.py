"""Scores as tables, systems side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.records.score import CODE, Rules, Score

NOT_RATED = "not rated (rule-based)"
_TITLES = {"faithfulness": "Faithfulness", "quality": "Answer quality", "checks": "Checks"}
_MEANINGS = {"checks": "Share of reports without such an error, or, of checks that only warn, without a warning."}
_SELF_CHECKED = (
    "Self-checked: the system takes out of its own reports what these checks find, so they say little of it."
)
_ONLY_IN_JSON = frozenset({"FP_eq2_report"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One score as it is printed; ``value`` is a word where there is no number."""

    value: str
    interval: str
    counts: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class Row:
    variant: str
    by: str
    """The judge where the rows of a table have several, and what is not usual about the row."""
    cells: tuple[Cell | None, ...]
    """By system, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    by: str
    """The judge of all rows, who then stands in none of them."""
    meaning: str
    """What its numbers are, where they are not means of what they are called."""
    systems: tuple[str, ...]
    rows: tuple[Row, ...]
    unrated: tuple[str, ...]
    """Scores that a rule-based judge can't give, for any system."""


def score_tables(scores: Sequence[Score], systems: Sequence[str]) -> list[Table]:
    """One table for each metric and set of rules, in the order of the scores."""
    groups: dict[tuple[str, Rules], None] = dict.fromkeys((score.metric, score.rules) for score in scores)
    shown = [score for score in scores if score.variant not in _ONLY_IN_JSON]
    return [
        _table(metric, rules, [s for s in shown if (s.metric, s.rules) == (metric, rules)], systems)
        for metric, rules in groups
    ]


def _table(metric: str, rules: Rules, scores: Sequence[Score], systems: Sequence[str]) -> Table:
    held: dict[tuple[str, str, str], dict[str, Score]] = {}
    for score in scores:
        held.setdefault((score.variant, _judge(score), _manner(score)), {})[score.system] = score
    judges = {judge for _, judge, _ in held}
    shared = judges.pop() if len(judges) == 1 else ""
    rated: list[Row] = []
    unrated: list[str] = []
    for (variant, judge, manner), row in held.items():
        if all(score.note == NOT_RATED for score in row.values()):
            unrated.append(variant)
            continue
        by = " · ".join(filter(None, ("" if shared else judge, manner)))
        rated.append(Row(variant, by, tuple(_cell(row[system]) if system in row else None for system in systems)))
    own = {score.system for score in scores if score.self_checked}
    return Table(
        title=_TITLES.get(metric, metric) + ("" if rules == "default" else f", rules of {rules}"),
        by=shared,
        meaning=" ".join(filter(None, (_MEANINGS.get(metric, ""), _SELF_CHECKED if own else ""))),
        systems=tuple(f"{system} (self-checked)" if system in own else system for system in systems),
        rows=tuple(rated),
        unrated=tuple(dict.fromkeys(unrated)),
    )


def _judge(score: Score) -> str:
    if score.judge == CODE:
        return "by code, without a judge"
    kind = {"llm": "language model", "rule_based": "rule-based", "scripted": "scripted"}[score.judge_kind]
    params = f", settings {score.judge_params}" if score.judge_params else ""
    return f"judged by {score.judge} ({kind}{params})"


def _manner(score: Score) -> str:
    """How it was put together, where that is not the usual way: the mean of scored reports."""
    policy = "" if score.policy == "scored_only" else "failed and n/a counted as 0"
    pooled = "" if score.aggregation == "macro" else "over all reports at once"
    return " · ".join(filter(None, (policy, pooled)))


def _cell(score: Score) -> Cell:
    left_out = {"n/a": score.n_na, "unverifiable": score.n_unverifiable, "failed": score.n_failed}
    counts = f"{score.n_scored} of {score.n_planned}" + "".join(f", {n} {word}" for word, n in left_out.items() if n)
    if score.value is None or score.note == NOT_RATED:
        return Cell(score.note or "–", "", counts, is_number=False)
    interval = ""
    if score.ci_low is not None and score.ci_high is not None:
        interval = f"{_number(score.ci_low)} – {_number(score.ci_high)}"
    return Cell(_number(score.value), interval, counts, is_number=True)


def _number(value: float) -> str:
    return f"{value:,.2f}"

"""The values of one report as a score of inspect's, and in words what is behind them."""

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from pathlib import Path

from inspect_ai.scorer import Score

from drretail.eval.judging.question import judges_in
from drretail.eval.metric import Metric, Value
from drretail.eval.numbers.gathering import verdicts_by_assessor
from drretail.eval.numbers.judges import Assessor
from drretail.records.run import Run
from drretail.records.score import WHY_NOT, Verdict, reasons_of

MOST_VERDICTS = 200
LONGEST_REASON = 400
NOTHING_TO_SCORE = "the report has nothing of the kind"
"""Why a value is n/a if its metric gives no reason: there is no total to check, no wrong claim to place."""


def variants_of(metric: Metric) -> tuple[str, ...]:
    """The variants that a single report has, primary ones first; those formed over all reports are left out."""
    alone = (name for name in metric.variants if name not in metric.pooled)
    return tuple(sorted(alone, key=lambda name: name not in metric.description.primary))


def score_of(
    name: str,
    metric: Metric,
    values: Mapping[str, Value],
    shown: Sequence[str],
    verdicts: Sequence[Verdict],
    lacks: str = "not_judged",
) -> Score:
    """The ``shown`` variants of a report's values. A missing one is NaN, which inspect leaves out of means and counts.

    A report without any value is unscored, because of what it ``lacks``.
    """
    scored = [values[variant] for variant in variants_of(metric) if variant in values]
    if not scored:
        return Score.unscored(reason=lacks, explanation=f"{name} was not judged.")
    numbers = {variant: values[variant].value if variant in values else None for variant in shown}
    return Score(
        value={variant: nan if number is None else number for variant, number in numbers.items()},
        explanation=_explanation_of(scored, verdicts),
    )


def _explanation_of(values: Iterable[Value], verdicts: Sequence[Verdict]) -> str:
    """Markdown: a line for each value with the counts behind it, then one for each verdict with a reason."""
    lines = [f"- **{value.variant}** {_value(value)}" for value in values]
    judged: list[str] = []
    for verdict in verdicts:
        if reason := verdict.error or verdict.reason:
            shown = f": {verdict.value:g}" if isinstance(verdict.value, int | float) else ""
            state = "" if verdict.state == "scored" else f" ({verdict.state.replace('na', 'n/a')})"
            judged.append(f"- {verdict.stage} {verdict.item}{shown}{state} — {reason[:LONGEST_REASON]}")
    if judged:
        lines += ["", "What was judged:", "", *judged[:MOST_VERDICTS]]
    if len(judged) > MOST_VERDICTS:
        lines.append(f"- … and {len(judged) - MOST_VERDICTS} more")
    return "\n".join(lines)


def verdicts_of(experiment: Path, run: Run, metric: str, assessor: Assessor) -> list[Verdict]:
    """The last verdict of every key that one judge gave on a run's report."""
    judges, name = judges_in(experiment, metric), f"{run.query_id}-r{run.repeat}"
    lasts = verdicts_by_assessor(experiment, metric, judges, run.system, name).get(assessor, [])
    return [last for last in lasts if last.report_sha == run.report_sha]


def _value(value: Value) -> str:
    if value.state == "na":
        return f"n/a: {', '.join(reasons_of(value.items)) or NOTHING_TO_SCORE}"
    if value.value is None:
        return value.state
    # " (support 21.5, scored 24)": the counts behind the value.
    counts = ((name, count) for name, count in value.items.items() if count and not name.startswith(WHY_NOT))
    shown = ", ".join(f"{name} {count:.4g}" for name, count in counts)
    return f"{value.value:.4g}{f' ({shown})' if shown else ''}"

"""What judges said of runs as scores of inspect_ai, and what inspect's own metrics make of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean
from typing import Any, cast

from inspect_ai.log import EvalMetric, EvalSample, EvalScore
from inspect_ai.scorer import SampleScore, Score, ci, mean, stderr

from drretail.eval.family import Family
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.panel import is_panel, name_of
from drretail.eval.values import Value
from drretail.records.score import Score as Row
from drretail.records.score import shown_rows

METRICS = {"mean": mean, "stderr": stderr, "ci": ci}


@dataclass(frozen=True, slots=True)
class Scorer:
    """One judge in one family, and its name in a log."""

    name: str
    metric: Family
    assessor: Assessor
    variants: tuple[str, ...]


def scorers_in(gathered: Gathered) -> list[Scorer]:
    """One for each judge that has verdicts in a family; where a family has several, their names say whose they are.

    Families by which systems are chosen come first: inspect takes the first score for the headline.
    """
    found: list[Scorer] = []
    for family, metric in sorted(gathered.families.items(), key=lambda each: not each[1].description.primary):
        assessors = [assessor for assessor in gathered.assessors(family) if not is_panel(assessor.judge.spec)]
        for assessor in assessors:
            rules = "" if assessor.rules == "default" else f", {assessor.rules}"
            name = family if len(assessors) == 1 else f"{family} ({name_of(assessor.judge)}{rules})"
            found.append(Scorer(name, metric, assessor, variants_of(metric)))
    return found


def variants_of(metric: Family) -> tuple[str, ...]:
    """Those that a single report has, the primary ones first: what is formed over all reports at once is left out."""
    left_out = {*metric.pooled, *metric.description.only_in_json}
    alone = (name for name in metric.variants if name not in left_out)
    return tuple(sorted(alone, key=lambda name: name not in metric.description.primary))


def score_of(scorer: Scorer, values: Mapping[str, Value], explanation: str) -> Score:
    """What one report got; what has no value is NaN, which inspect leaves out of means and counts."""
    found = {name: values[name].value for name in scorer.variants if name in values}
    if not found:
        return Score.unscored(reason="not_judged", explanation=f"{scorer.name} was not judged.")
    return Score(
        value={name: nan if (value := found.get(name)) is None else value for name in scorer.variants},
        explanation=explanation,
    )


def results_of(scorer: Scorer, samples: Sequence[EvalSample], rows: Sequence[Row]) -> list[EvalScore]:
    """What inspect's metrics make of a scorer's samples, repeats of a query averaged first; ours beside it.

    ``rows`` are those of scores.json that are of the same system, family and judge.
    """
    ours = {row.variant: row for row in shown_rows(rows)}
    return [_result(scorer, variant, samples, ours.get(variant)) for variant in scorer.variants]


def _result(scorer: Scorer, variant: str, samples: Sequence[EvalSample], row: Row | None) -> EvalScore:
    by_query: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        by_query[str(sample.id)].append(_value(sample, scorer.name, variant))
    means = {
        query: fmean(known) for query, all_ in by_query.items() if (known := [each for each in all_ if not isnan(each)])
    }
    scores = [SampleScore(score=Score(value=mean_of), sample_id=query) for query, mean_of in means.items()]
    made: dict[str, EvalMetric] = {}
    for name, metric in METRICS.items():
        computed = cast(Any, metric())(list(scores)) if scores else nan
        if isinstance(computed, Mapping):
            made |= {f"{name}_{end}": EvalMetric(name=end, group=name, value=value) for end, value in computed.items()}
        else:
            made[name] = EvalMetric(name=name, value=computed)
    return EvalScore(
        name=variant,
        scorer=scorer.name,
        reducer="mean",
        scored_samples=len(means),
        unscored_samples=len(by_query) - len(means),
        metrics=made,
        metadata=None
        if row is None
        else {"drretail": row.model_dump(include={"value", "ci_low", "ci_high", "n_planned", "n_scored"})},
    )


def _value(sample: EvalSample, scorer: str, variant: str) -> float:
    score = (sample.scores or {}).get(scorer)
    value = None if score is None or not isinstance(score.value, Mapping) else score.value.get(variant)
    return float(value) if isinstance(value, int | float) else nan

"""An experiment as logs of inspect_ai, one per system: ``inspect view`` and ``read_eval_log`` open them."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import SampleScore, Score, ci, mean, stderr

from drretail import __version__
from drretail.addons.exports.selection import judged_metrics
from drretail.addons.inspect.samples import model_name, sample_of, usage_by_model
from drretail.errors import UserError
from drretail.eval.metric import Metric
from drretail.eval.scores.file import read_scores
from drretail.eval.scores.gathering import Assessor, Gathered, is_panel, name_of
from drretail.eval.scores.planned import counted_values, explanation_of, read_judgements, verdicts_of
from drretail.experiment import Definition, ended_run, run_folder
from drretail.records.base import file_name, sha256_of
from drretail.records.run import Run
from drretail.records.score import Score as Row
from drretail.records.score import shown_rows

METRICS = {"mean": mean, "stderr": stderr, "ci": ci}


@dataclass(frozen=True, slots=True)
class Scorer:
    """One judge in one metric, with its name in a log."""

    name: str
    metric: Metric
    assessor: Assessor
    variants: tuple[str, ...]


def scorers_in(gathered: Gathered) -> list[Scorer]:
    """One scorer for each judge with verdicts in a metric. If a metric has several judges, the scorers' names tell them
    apart.

    Metrics by which systems are chosen come first, since inspect takes the first score for the headline.
    """
    scorers: list[Scorer] = []
    for metric_name, metric in sorted(gathered.metrics.items(), key=lambda each: not each[1].description.primary):
        assessors = [assessor for assessor in gathered.assessors(metric_name) if not is_panel(assessor.judge.spec)]
        for assessor in assessors:
            rules = "" if assessor.rules == "default" else f", {assessor.rules}"
            name = metric_name if len(assessors) == 1 else f"{metric_name} ({name_of(assessor.judge)}{rules})"
            scorers.append(Scorer(name, metric, assessor, variants_of(metric)))
    return scorers


def variants_of(metric: Metric) -> tuple[str, ...]:
    """The variants that a single report has, the primary ones first. Those formed over all reports at once are left
    out.
    """
    left_out = {*metric.pooled, *metric.description.only_in_json}
    alone = (name for name in metric.variants if name not in left_out)
    return tuple(sorted(alone, key=lambda name: name not in metric.description.primary))


def results_of(scorer: Scorer, samples: Sequence[EvalSample], rows: Sequence[Row]) -> list[EvalScore]:
    """The results of inspect's metrics on a scorer's samples, with repeats of a query averaged first, and drretail's
    own beside them.

    ``rows`` are the rows of scores.json for the same system, metric and judge.
    """
    ours = {row.variant: row for row in shown_rows(rows)}
    return [_result(scorer, variant, samples, ours.get(variant)) for variant in scorer.variants]


def _result(scorer: Scorer, variant: str, samples: Sequence[EvalSample], row: Row | None) -> EvalScore:
    by_query: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        score = (sample.scores or {}).get(scorer.name)
        value = None if score is None or not isinstance(score.value, Mapping) else score.value.get(variant)
        by_query[str(sample.id)].append(float(value) if isinstance(value, int | float) else nan)
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


SUFFIXES = (".eval", ".json")


def inspect_logs(experiment: Path, to: Path, runs: Collection[str] | None = None) -> list[Path]:
    """Writes a log for each system into the folder ``to``, or one log to a file that ends in .eval or .json.

    ``runs`` are the ids of the runs to write; None writes all that have ended. Raises UserError if the folder has no
    experiment, if nothing is left to write, or if several systems would have to share one file.
    """
    gathered = read_judgements(experiment, judged_metrics(experiment))
    by_system: dict[str, list[Run]] = defaultdict(list)
    for plan in gathered.plans:
        run = ended_run(experiment, plan.label, plan.query.query_id, plan.repeat)
        if run is not None and (runs is None or run.run_id in runs):
            by_system[plan.label].append(run)
    if not by_system:
        raise UserError(f"{experiment} holds no run to write: drretail run makes some.")
    if to.suffix in SUFFIXES and len(by_system) > 1:
        raise UserError(
            f"{to} is one log, and these are runs of {len(by_system)} systems: name a folder, or one system."
        )
    written: list[Path] = []
    for label, made in by_system.items():
        path = to if to.suffix in SUFFIXES else to / f"{file_name(label)}.eval"
        log = _log(experiment, gathered, label, made)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_eval_log(log, path)
        written.append(path)
    return written


def _log(experiment: Path, gathered: Gathered, label: str, runs: Sequence[Run]) -> EvalLog:
    scorers = scorers_in(gathered)
    samples = list(_samples(experiment, gathered, scorers, runs))
    samples.sort(key=lambda each: (each.epoch, str(each.id)))
    scored = read_scores(experiment) if (experiment / "scores.json").exists() else None
    rows = [row for row in scored.scores if row.system == label] if scored is not None else []
    definition, system = gathered.definition, gathered.definition.systems[label]
    usage: dict[str, ModelUsage] = defaultdict(ModelUsage)
    for run in runs:
        for model, used in usage_by_model(run, system).items():
            usage[model] += used
    times = [time for sample in samples for time in (sample.started_at, sample.completed_at) if time is not None]
    times = [time for time in times if not time.startswith("1970")]
    began, ended = (pick(times, default="") for pick in (min, max))
    scores: list[EvalScore] = []
    for scorer in scorers:
        judge = scorer.assessor.judge
        by = (scorer.metric.name, judge.spec, judge.params_hash, scorer.assessor.rules)
        own = [row for row in rows if (row.metric, *row.by_whom) == by]
        scores += results_of(scorer, samples, own)
    return EvalLog(
        status="success",
        eval=_spec(
            definition,
            label,
            samples,
            began or ("1970-01-01T00:00:00+00:00" if definition.now is None else definition.now.isoformat()),
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=sum(sample.error is None for sample in samples),
            scores=scores,
        ),
        stats=EvalStats(started_at=began, completed_at=ended, model_usage=dict(usage)),
        samples=samples,
    )


def _samples(
    experiment: Path, gathered: Gathered, scorers: Sequence[Scorer], runs: Sequence[Run]
) -> Iterator[EvalSample]:
    queries = {query.query_id: query for query in gathered.definition.queries}
    values = {
        scorer.name: {
            plan.run_id: counted_values(answer)
            for plan, answer in gathered.judged_runs(scorer.metric.name, scorer.assessor)
        }
        for scorer in scorers
    }
    for run in runs:
        scores: dict[str, Score] = {}
        for scorer in scorers:
            value_of = values[scorer.name].get(run.run_id, {})
            if not any(name in value_of for name in scorer.variants):
                unscored = f"{scorer.name} was not judged."
                scores[scorer.name] = Score.unscored(reason="not_judged", explanation=unscored)
                continue
            own = [value_of[name] for name in scorer.variants if name in value_of]
            verdicts = verdicts_of(experiment, run, scorer.metric.name, scorer.assessor)
            # A missing value is NaN, which inspect leaves out of means and counts.
            each = {name: value_of[name].value if name in value_of else None for name in scorer.variants}
            value = {name: nan if number is None else number for name, number in each.items()}
            scores[scorer.name] = Score(value=value, explanation=explanation_of(own, verdicts))
        folder = run_folder(experiment, run.system, run.query_id, run.repeat)
        yield sample_of(run, queries[run.query_id], folder, gathered.definition.systems[run.system], scores)


def _spec(definition: Definition, label: str, samples: Sequence[EvalSample], created: str) -> EvalSpec:
    system = definition.systems[label]
    metadata = {"label": label, "system": system.model_dump(mode="json", exclude_none=True)}
    query_ids: list[Any] = sorted({sample.id for sample in samples})
    key = sha256_of([definition.world_fingerprint, label, query_ids])
    return EvalSpec(
        eval_id=key[:22],
        run_id=key[22:44],
        task_id=key[42:64],
        created=created,
        task="shop_research",
        task_display_name=definition.title,
        solver=system.agent,
        tags=[label],
        model=model_name(system),
        dataset=EvalDataset(name=definition.title or "drretail", samples=len(query_ids), sample_ids=query_ids),
        config=EvalConfig(epochs=max(sample.epoch for sample in samples), epochs_reducer=["mean"]),
        packages={"drretail": __version__},
        metadata=metadata | {"world_fingerprint": definition.world_fingerprint, "seed": definition.seed},
    )

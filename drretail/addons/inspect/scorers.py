"""Our metrics as inspect's scorers: one per metric, with its variants as values and their arithmetic as explanation."""

from collections.abc import Callable, Sequence
from functools import cache
from math import nan
from typing import Literal

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from drretail.addons.inspect.logs import variants_of
from drretail.addons.inspect.recorded import kept_in, laid_out
from drretail.addons.inspect.rollout import end
from drretail.api.models import Opener
from drretail.api.score import OFFLINE_JUDGE, judges
from drretail.api.settings import read_settings
from drretail.api.worlds import chosen_web, open_world
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.baskets import made_references
from drretail.eval.judging.session import CODE_JUDGE, Judge
from drretail.eval.metric import Metric
from drretail.eval.registry import load_metric, load_metrics
from drretail.eval.scores.gathering import Assessor, JudgedRun, TableKey
from drretail.eval.scores.planned import counted_values, explanation_of, read_judgements, verdicts_of
from drretail.eval.scoring import score as score_experiment
from drretail.experiment import read_definition, read_runs
from drretail.progress import Progress
from drretail.records.score import Verdict

USUAL = ("basket", "faithfulness", "checks", "process")
"""The metrics that a task scores by default: those that a judge made of rules can compute. The first value of the first
one is inspect's headline.
"""
NO_RUN = "no_run"
OTHERS = "The sample left no run: it is none of drretail/shop_research."
Shown = Literal["headlines", "all"]


@cache
def world_at(spec: str, web: str | None = None) -> World:
    """The world of that spec and web, opened once in this process. Raises UserError if there is none.

    It stays open until the process ends: samples run concurrently, and scorers called by name alone have no place to
    close a world.
    """
    return open_world(spec, web=chosen_web(read_settings(web=web)))


def scorer_of(metric: str) -> Callable[..., Scorer]:
    """The scorer of a metric, under the metric's name; inspect puts "drretail/" before it."""

    @scorer(metrics={"*": [mean(), stderr()]}, name=metric.rpartition(":")[2])
    def scored(judge: str = OFFLINE_JUDGE, variants: Shown = "headlines") -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            await end(state)
            return await scored_by(load_metric(metric), judge, variants, state)

        return score

    return scored


checks = scorer_of("checks")
basket = scorer_of("basket")
faithfulness = scorer_of("faithfulness")
process = scorer_of("process")
quality = scorer_of("quality")
next_purchase = scorer_of("next_purchase")
BY_NAME = {
    "checks": checks,
    "basket": basket,
    "faithfulness": faithfulness,
    "process": process,
    "quality": quality,
    "next_purchase": next_purchase,
}


def scorers_of(metrics: Sequence[str], judge: str, variants: Shown) -> list[Scorer]:
    """A scorer for each metric. Raises UserError for an unknown metric or judge."""
    if any(load_metric(metric).needs_judge for metric in metrics):
        judge_of(judge)
    return [(BY_NAME.get(metric) or scorer_of(metric))(judge, variants) for metric in metrics]


@cache
def judge_of(spec: str) -> Judge:
    """The judge of that spec, opened once in this process. Raises UserError if there is none."""
    (judge,) = judges([spec], Opener(read_settings()))
    return judge


async def scored_by(metric: Metric, judge: str, variants: Shown, state: TaskState) -> Score:
    """The score of a sample's run in one metric; a run without a report earns 0 in headlines, as in ``drretail score``.

    A run that a model or server error ended has no score, and its explanation gives the error.
    """
    record = kept_in(state)
    if record is None:
        return Score.unscored(reason=NO_RUN, explanation=OTHERS)
    judging = judge_of(judge) if metric.needs_judge else CODE_JUDGE
    with laid_out(record["files"]) as folder:
        world = _world_of(record["world"], read_definition(folder).world_fingerprint)
        followed = load_metrics(metric.after) if metric.needs_judge and not metric.prompts() else []
        metrics = [*followed, metric]
        await score_experiment(
            folder,
            metrics,
            [judging],
            store=world and world.store,
            references=made_references(folder, world),
            progress=Progress(),
        )
        run = next(read_runs(folder))
        assessor = Assessor(judging.ref, "default")
        gathered = read_judgements(folder, [metric], [TableKey(metric.name, assessor)])
        judged_runs = gathered.judged_runs(metric.name, assessor)
        judged = next(judged_run for plan, judged_run in judged_runs if plan.run_id == run.run_id)
        verdicts = verdicts_of(folder, run, metric.name, assessor)
    if run.error is not None and not judged.earned:
        return Score.unscored(reason=run.error.kind, explanation=run.error.message)
    score = _as_score(metric, judged, verdicts, shown(metric, variants))
    if run.error is not None:
        score.explanation = f"The run failed ({run.error.kind}): {run.error.message}\n\n{score.explanation}"
    return score


def shown(metric: Metric, variants: Shown) -> list[str]:
    """The variants that are values of a score; inspect prints a table for each."""
    alone, headlines = variants_of(metric), metric.description.headlines
    return [each for each in alone if each in headlines] or [*alone] if variants == "headlines" else [*alone]


def _as_score(metric: Metric, judged: JudgedRun, verdicts: Sequence[Verdict], names: Sequence[str]) -> Score:
    """The values of a single report. A missing value is NaN, which inspect leaves out of means and counts."""
    values = counted_values(judged)
    if not values:
        return Score.unscored(reason=str(judged.lacks), explanation=f"{metric.name} was not judged.")
    numbers = {name: values[name].value for name in names if name in values}
    return Score(
        value={name: nan if (value := numbers.get(name)) is None else value for name in names},
        explanation=explanation_of([values[name] for name in shown(metric, "all") if name in values], verdicts),
    )


def _world_of(spec: str, fingerprint: str | None) -> World | None:
    """That spec's world; None if the world is gone or has changed."""
    try:
        world = world_at(spec)
    except UserError:
        return None
    return world if world.manifest.fingerprint == fingerprint else None

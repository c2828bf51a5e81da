"""``shop_research``: queries as samples with sessions, inspect's own loop to solve them, our metrics as its scorers."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import nan
from pathlib import Path
from typing import Any, get_args

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # what inspect prints as a sentence; it has no public name
from inspect_ai.agent import AgentState, AgentSubmit, as_solver, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from drretail.addons.inspect.rollout import SEED, Rollout, Setup, begin, end, kept_in, laid_out, rollout_of, submit_tool
from drretail.agents.base import task_message
from drretail.agents.running.run import open_for_writing
from drretail.agents.running.system import client_options
from drretail.api.models import Opener
from drretail.api.score import OFFLINE_JUDGE, judges
from drretail.api.settings import read_settings
from drretail.api.systems import asked_queries
from drretail.api.worlds import DEMO, check_askable, chosen_web, open_world
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.errors import UserError, check_known, file_error
from drretail.eval.baskets import references_of
from drretail.eval.judging.question import judges_in
from drretail.eval.judging.session import CODE_JUDGE, Judge
from drretail.eval.metric import Metric, Value
from drretail.eval.numbers.facts import is_valued
from drretail.eval.numbers.gathering import gather, verdicts_by_assessor
from drretail.eval.numbers.judges import Assessor
from drretail.eval.registry import load_metric, load_metrics
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.experiments.experiment import read_definition, read_runs
from drretail.querygen.reading import FIFTY, Split, shipped_queries
from drretail.records.query import Query
from drretail.records.query import Task as Asked
from drretail.records.run import INSPECT_AGENT, RoleModel, Run, Scope, System
from drretail.records.score import WHY_NOT, Verdict, reasons_of
from drretail.reports.text.serialisation import compact_json
from drretail.tools.registry import ROLE

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


USUAL = ("basket", "faithfulness", "checks", "process")
"""The metrics that a task scores by default, computed by rules; the first one's first value is inspect's headline."""
OTHERS = "The sample left no run: it is none of drretail/shop_research."


@cache
def _shared_world(spec: str, web: str | None = None) -> World:
    """The world of that spec and web, opened once in this process. Raises UserError if there is none.

    It stays open until the process ends: samples run concurrently, and scorers called by name alone have no place to
    close a world.
    """
    return open_world(spec, web=chosen_web(read_settings(web=web)))


def scorer_of(metric: str) -> Callable[..., Scorer]:
    """The scorer of a metric, under the metric's name; inspect puts "drretail/" before it."""

    @scorer(metrics={"*": [mean(), stderr()]}, name=metric.rpartition(":")[2])
    def scored(judge: str = OFFLINE_JUDGE) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            await end(state)
            return await scored_by(load_metric(metric), judge, state)

        return score

    return scored


BY_NAME = {metric: scorer_of(metric) for metric in ("checks", "basket", "faithfulness", "process", "quality")}
checks, basket, faithfulness, process, quality = BY_NAME.values()


def scorers_of(metrics: Sequence[str], judge: str) -> list[Scorer]:
    """A scorer for each metric. Raises UserError for an unknown metric or judge."""
    if any(load_metric(metric).needs_judge for metric in metrics):
        judge_of(judge)
    return [(BY_NAME.get(metric) or scorer_of(metric))(judge) for metric in metrics]


@cache
def judge_of(spec: str) -> Judge:
    """The judge of that spec, opened once in this process. Raises UserError if there is none."""
    (judge,) = judges([spec], Opener(read_settings()))
    return judge


async def scored_by(metric: Metric, judge: str, state: TaskState) -> Score:
    """The score of a sample's run in one metric; a failed run has 0 in what counts success, as in ``drretail score``.

    A run that a model or server error ended has no score, and its explanation gives the error.
    """
    record = kept_in(state)
    if record is None:
        return Score.unscored(reason="no_run", explanation=OTHERS)
    judging = judge_of(judge) if metric.needs_judge else CODE_JUDGE
    with laid_out(record["files"]) as folder:
        world = _world_of(record["world"], read_definition(folder).world_fingerprint)
        followed = load_metrics(metric.after) if metric.needs_judge and not metric.prompts() else []
        store, references = world and world.store, references_of(folder, world)
        await score_experiment(ScoringPlan(folder, [*followed, metric], [judging], store=store, references=references))
        run = next(read_runs(folder))
        assessor = Assessor(judging.ref, "default")
        gathered = gather(folder, [metric])
        judged_runs = gathered.judged_runs(metric.name, assessor)
        judged = next(judged_run for plan, judged_run in judged_runs if plan.run_id == run.run_id)
        verdicts = verdicts_of(folder, run, metric.name, assessor)
    if run.error is not None and not is_valued(judged):
        return Score.unscored(reason=run.error.kind, explanation=run.error.message)
    score = score_of(metric.name, metric, judged.values, _headlines_of(metric), verdicts, str(judged.lacks))
    if run.error is not None:
        score.explanation = f"The run failed ({run.error.kind}): {run.error.message}\n\n{score.explanation}"
    return score


def _headlines_of(metric: Metric) -> list[str]:
    """The variants that are values of a score, of which inspect prints a table each; all, if none is a headline."""
    return [name for name in variants_of(metric) if name in metric.description.headlines] or [*variants_of(metric)]


def _world_of(spec: str, fingerprint: str | None) -> World | None:
    """That spec's world; None if the world is gone or has changed."""
    try:
        world = _shared_world(spec)
    except UserError:
        return None
    return world if world.manifest.fingerprint == fingerprint else None


MOST_MESSAGES = 120
"""The most messages of a sample, unless --message-limit says otherwise: some sixty turns."""
IDLE_TURNS = 3
"""Consecutive turns without a call after which a sample ends: a model that only talks would never stop."""
Names = str | Sequence[str] | None


@task
def shop_research(
    world: str = DEMO,
    queries: str = "dev",
    scope: Scope = "own",
    web: str | None = None,
    without: Names = None,
    scorers: Names = None,
    judge: str = OFFLINE_JUDGE,
    to: str | None = None,
    name: str | None = None,
) -> Task:
    """Deep research in a shop: the nine tools, a report with citations and a cart, scored by drretail's metrics.

    Args:
        world: A world's folder, "servers:NAME", or "demo".
        queries: A file of queries, or "dev", "test" or "all" of those that ship with the demo.
        scope: Whose data the tools show: the user's "own", or "any" user's.
        web: What web_search searches, as for `drretail run --web`.
        without: Metrics of tools to leave out: web, catalog, user, calculator.
        scorers: The metrics, by the names that `drretail score --metrics` takes.
        judge: The model that judges, as "provider:model".
        to: A folder for the runs as a drretail experiment, in addition to the log.
        name: The solver's name in that experiment, to tell several apart.
    """
    with _prerequisites():
        check_known("scope", get_args(Scope), scope)
        settings = read_settings(web=web)
        shop_world = _shared_world(world, web)
        chosen = _asked(queries, shop_world)
        if to is not None:
            open_for_writing(Path(to), shop_world, [], [], SEED).close()  # reports a wrong folder now
        options = client_options(_names_in(without)) | ({} if name is None else {"solver": name})
        shop = Setup(
            shop_world,
            world,
            settings.tool_timeout,
            settings.tool_threads,
            None if to is None else Path(to),
            {query.query_id: query for query in chosen},
        )
        return Task(
            dataset=MemoryDataset([_sample(query, shop_world) for query in chosen], name=f"{world} {queries}"),
            setup=shop_setup(shop, scope, options),
            solver=shop_agent(),
            scorer=scorers_of(_names_in(scorers) or USUAL, judge),
            cleanup=end,
            score_on_error=True,  # a sample that gave up is 0 in measures of success
            message_limit=MOST_MESSAGES,
            metadata={"world_fingerprint": shop_world.manifest.fingerprint, "now": shop_world.manifest.now.isoformat()},
        )


@solver
def shop_setup(shop: Setup, scope: Scope, options: dict[str, Any]) -> Solver:
    """Opens a session for the sample, and gives the solver its tools and the instructions for the report."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        query = shop.queries[str(state.sample_id)]
        rollout = Rollout(shop, query, _system(state, shop.world, scope, options), state.epoch)
        begin(state, rollout)

        def hand_in(args: Mapping[str, Any]) -> str:
            rollout.hand_in(args)
            state.completed = True
            return compact_json({"status": "done"})

        state.tools = [*rollout.tools, submit_tool(hand_in).as_tool()]
        state.messages.insert(0, ChatMessageSystem(content=rollout.guide))
        return state

    return solve


@solver
def shop_agent() -> Solver:
    """Calls the sample's tools and hands in a report; other text from the model is not a report."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        rollout = rollout_of(state)
        if rollout is None:
            raise RuntimeError("shop_agent solves samples of drretail/shop_research, whose setup opens their shop.")
        rollout.only_handed_in = True
        submit = AgentSubmit(tool=submit_tool(rollout.hand_in), answer_only=True, keep_in_messages=True)
        idle = 0

        async def goes_on(state: AgentState) -> bool:
            nonlocal idle
            idle = 0 if state.output.message.tool_calls else idle + 1
            return idle < IDLE_TURNS

        loop = react(prompt=None, tools=rollout.tools, submit=submit, on_continue=goes_on)
        return await as_solver(loop)(state, generate)

    return solve


@contextmanager
def _prerequisites() -> Generator[None]:
    """Reports what the user must fix in the way that inspect does."""
    try:
        yield
    except UserError as problem:
        raise PrerequisiteError(str(problem)) from problem
    except OSError as problem:
        raise PrerequisiteError(f"{file_error(problem)}.") from problem


def _names_in(names: Names) -> list[str]:
    """The names in a -T parameter, which inspect reads as text or, if it has commas, as a list."""
    parts = names.split(",") if isinstance(names, str) else names or ()
    return [part.strip() for part in parts if part.strip()]


def _asked(queries: str, world: World) -> list[Query]:
    splits: list[Split] = [split for split in FIFTY if queries in ("all", split)]
    chosen = list(shipped_queries(*splits)) if splits else asked_queries(queries, None, world)
    check_askable(world, chosen)
    if not chosen:
        raise UserError(f"There is nothing to answer: {queries} holds no query.")
    if any(query.after for query in chosen):
        raise UserError(f"{queries} holds conversations, and a sample is one question: ask them by `drretail run`.")
    return chosen


def _sample(query: Query, world: World) -> Sample:
    """A sample whose input is what our own agents read first: the question, who asks, and the shop's date. It holds
    nothing of what would answer it, since solvers see its metadata.
    """
    session = Session(SessionSettings(world, user_id=query.user_id))
    return Sample(
        id=query.query_id,
        input=str(task_message(Asked(text=query.text, user_id=query.user_id), session).content),
        metadata={"kind": query.kind, "mode": query.mode, "user_id": query.user_id},
    )


def _system(state: TaskState, world: World, scope: Scope, options: dict[str, Any]) -> System:
    """The system that made the run: inspect's model, named as drretail names models, with the shop's tools."""
    provider, _, model = str(state.model).partition("/")
    kind = "scripted" if provider == "mockllm" else "llm"
    return System(
        agent=INSPECT_AGENT,
        web_provider=world.web.provider,
        web_corpus=world.web.corpus,
        models={ROLE: RoleModel(spec=f"{provider}:{model}", kind=kind)},
        options=options,
        scope=scope,
    )

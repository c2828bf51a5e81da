"""``run``: agents over queries; ``ask``: one question."""

import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from drretail.agents.running.estimate import estimate_left
from drretail.agents.running.outcomes import ALL, FAILED, SPOILED
from drretail.agents.running.run import RunsOutcome, ask_once, question_as_query, run_systems
from drretail.agents.running.shard import WHOLE, Shard
from drretail.agents.running.shard import only as select_only
from drretail.agents.running.system import SystemUnderTest, definition, read_values, varied, with_baselines
from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options import research
from drretail.api.options.observer import SILENT, Observer
from drretail.api.options.run import AskOptions, RunOptions, SystemOptions
from drretail.api.options.shared import split_names
from drretail.api.recorded import RecordedAnswer, RecordedExperiment
from drretail.api.settings import Settings, read_settings
from drretail.api.systems import (
    asked_queries,
    kept_options,
    named_systems,
    read_file_of_queries,
    runner_of,
    with_preset,
    without_sandbox_gold,
)
from drretail.api.worlds import check_askable, check_sandbox_web, known_user, web_of, world_of
from drretail.conditions.tools import WITHOUT
from drretail.env.web.sandbox import QUERIES_FILE, SealedWeb, cautions, has_foreign_pages, has_gold
from drretail.env.world import World
from drretail.errors import UserError, check_known
from drretail.eval.names import METRICS
from drretail.experiments.experiment import PROFILES, differing_prompts, read_definition
from drretail.llm.estimates import Estimate
from drretail.llm.spending import Caps
from drretail.querygen.reading import read_tasks
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.viewer.drawing.result import Result
from drretail.viewer.tables.tallies import estimated
from drretail.viewer.wishes import wish_lines

JUDGING_ON_TOP = "Judging comes on top: `drretail score {to} --judge M --estimate` says what, after a first run."
CHECKED = "`drretail world check` says which."
CITED_PAGES = "Each run ends by fetching the web pages that its report cites (4 to 8 in the paper), at no tokens."


@accepts(RunOptions)
def run(options: RunOptions) -> RecordedExperiment:
    """Runs every agent on every query, and returns the experiment in ``to``, or in a new temporary folder that is kept.

    ``world`` is an open World or what ``open_world`` takes. ``queries`` are a file's name, or a list of queries and
    plain questions, which ``user`` asks. A sandbox with pages for each query (drretail/addons/sandboxes/README.md)
    brings its own queries, and each ``size`` and ``compose`` is a system. ``agents`` are names (react, hybrid_react+ws
    …), ``module:attribute``, Agent objects, functions that answer or LangChain Runnables (docs/agents.md). A mapping
    gives them names. ``model`` is one model, or one per role. The default is the model of the settings, or else the
    rule-based offline:shopper. Finished runs are not repeated. A failed run is recorded, not raised.

    Raises UserError for a wrong name or world, and if ``to`` holds another experiment.
    """
    observer = options.observer or SILENT
    with _prepared(options, keyless=options.replay is not None) as ready:
        world = ready.world
        if world.folder is not None:
            from drretail.env.folder import check_database  # `ask` makes do without

            check_database(world.folder)
        folder = Path(tempfile.mkdtemp(prefix="drretail-")) if options.to is None else Path(options.to)
        if options.replay is None:
            _note_cautions(world, ready.systems, observer)
        else:
            recorded, planned = read_definition(Path(options.replay)), definition(world, (), [*ready.systems], "")
            for label in planned.systems:
                if changed := ", ".join(differing_prompts(recorded, planned, label)):
                    where = f"{Path(options.replay)} ({changed})"
                    observer.note(f"{label} has other prompts than in {where}: its journals do not answer them.")
        systems = with_baselines(ready.systems, world, ready.queries) if options.baselines else ready.systems
        outcome = _run_systems(options, ready, systems, folder, observer)
        for user_id in sorted({query.user_id for query in ready.queries if query.user_id is not None}):
            if not PROFILES.path(folder, user_id).exists():
                observer.note(f"Judges get no summary of user {user_id}: a record that it needs is damaged. {CHECKED}")
        scored_by = f"drretail score {quote(str(folder))}"
        if "dr3" in METRICS and isinstance(world.web, SealedWeb) and has_gold(gold := world.web.folder):
            criteria = f" --criteria {quote(str(gold))}" if (gold / "rubrics").is_dir() else ""
            scored_by += f" --metrics dr3 --gold {quote(str(gold))}{criteria}"
    return RecordedExperiment(folder, tuple(outcome.tallies), outcome.closing, scored_by)


def _run_systems(
    options: RunOptions, ready: "_Ready", systems: Sequence[SystemUnderTest], folder: Path, observer: Observer
) -> RunsOutcome:
    """What became of the runs, and why some were not started if a cap was reached."""
    settings, replay = ready.settings, None if options.replay is None else Path(options.replay)
    runner = runner_of(ready.world, settings, ready.world_spec, replay, pages=options.pages, files=options.files)
    count = sum(sut.repeats(options.repeats) for sut in systems) * len(ready.shard.of_queries(ready.queries))
    if (calls := settings.model_calls) is not None and calls < min(settings.parallel, count):
        observer.note(f"At most {counted(calls, 'model call')} at a time: model_calls.")
    return run_systems(
        folder,
        runner,
        systems,
        ready.queries,
        is_part=options.only is not None,
        shard=ready.shard,
        repeats=options.repeats,
        seed=options.seed,
        title=options.title,
        preset=ready.options.preset,
        options=kept_options(ready.options, settings, [system.label for system in systems], folder),
        open_gold=ready.open_gold,
        parallel=settings.parallel,
        caps=Caps(options.max_tokens, options.max_dollars),
        watch=observer.runs(runner, count, settings.parallel),
        retry=ready.retry,
    )


@accepts(RunOptions)
def estimate_run(options: RunOptions) -> Result[Sequence[Estimate]]:
    """What the runs that ``run`` would make are likely to take, by system. Nothing is sent, and no key is needed.

    Raises as ``run`` does.
    """
    with tempfile.TemporaryDirectory() as empty, _prepared(options, keyless=True) as ready:
        queries = ready.shard.of_queries(ready.queries)
        parts = [*estimate_left(Path(options.to or empty), ready.systems, queries, options.repeats, ready.retry)]
    notes = [JUDGING_ON_TOP.format(to=options.to or "EXP"), *([CITED_PAGES] if options.pages else [])]
    return estimated(f"Likely to be taken by {options.to or 'the runs'}", parts, notes)


@dataclass(frozen=True, slots=True)
class _Ready:
    """The world, systems and queries that the options name, opened."""

    options: RunOptions
    """With what a preset stands for."""
    world: World
    world_spec: str
    """The name of the world in its runs."""
    settings: Settings
    opener: Opener
    systems: Sequence[SystemUnderTest]
    """Without floors and the oracle."""
    queries: Sequence[Query]
    """Their tasks."""
    open_gold: Callable[[], Sequence[Query]]
    """Reads the same queries with all of their gold."""
    shard: Shard
    retry: set[str]
    """Which ended runs are made again."""


@contextmanager
def _prepared(options: RunOptions, *, keyless: bool) -> Generator[_Ready]:
    """World, queries and systems for the time of a ``with`` block. Checks that need no world come first."""
    observer = options.observer or SILENT
    options = with_preset(options)
    kinds = split_names(options.retry)
    check_known("kind of runs for --retry", (FAILED, SPOILED), *kinds)
    retry = {*kinds, *([ALL] if options.force else [])}
    shard = WHOLE if options.shard is None else Shard.read(options.shard)
    settings = read_settings(parallel=options.parallel, web=options.web if isinstance(options.web, str) else None)
    web = web_of(options.world, options.web, settings, replayed=options.replay is not None)
    queries = read_file_of_queries(options.queries, web, read_tasks)
    queries = list(queries) if isinstance(queries, Iterator) else queries
    if queries is None and isinstance(web, SealedWeb):
        observer.note(f"No --queries given: those of {web.folder / QUERIES_FILE} are asked.")
    opener = Opener(settings, options.base_url, keyless=keyless, tell=observer.waiting)
    with world_of(options.world, web) as world:
        tasks = [query.task for query in without_sandbox_gold(queries, options.user, world)]
        check_askable(world, tasks)
        if options.only is not None:
            tasks = select_only(tasks, options.only)
        if not shard.of_queries(tasks):
            observer.note(f"None of the {len(tasks):,} queries falls into shard {shard.number}/{shard.of}.")
        agents = ("react",) if options.agents is None else options.agents
        systems = named_systems(options, agents, options.model, world, opener, observer)

        def open_gold() -> Sequence[Query]:
            source = options.queries if isinstance(options.queries, str | Path) else queries
            wanted = {query.query_id for query in tasks}
            return [query for query in asked_queries(source, options.user, world) if query.query_id in wanted]

        from drretail.stats.intervals import FEWEST

        systems = _varied(options, systems, world, tasks, observer)
        users = len({query.user_id or query.query_id for query in tasks})
        if len(systems) > 1 and users < FEWEST:
            of_users = f" of {counted(users, 'user')}" if any(query.user_id for query in tasks) else ""
            cannot = f"differences between systems can't be shown with fewer than {FEWEST} users"
            observer.note(f"{counted(len(tasks), 'query')}{of_users}: {cannot}.")
        spec = str(world.folder or world.servers) if isinstance(options.world, World) else str(options.world)
        yield _Ready(options, world, spec, settings, opener, systems, tasks, open_gold, shard, retry)


def _varied(
    options: SystemOptions,
    systems: Sequence[SystemUnderTest],
    world: World,
    queries: Sequence[Query],
    observer: Observer,
) -> list[SystemUnderTest]:
    """The systems under the values of ``vary``. Notes what is left out.

    They are without the web if none is named and the sandbox's pages are about another shop's goods: the shop was
    ingested with a mapping. Those that would be left without any tools keep it, and floors and the oracle stay as they
    are.
    """
    variation = varied(
        systems, options.vary or {}, world, queries, cross=isinstance(options, RunOptions) and options.cross
    )
    for sentence in variation.left_out:
        observer.note(sentence)
    is_own = world.manifest.is_own_shop and has_foreign_pages(world.web, world.manifest)
    if options.web is not None or not is_own:
        return [*variation.systems]
    observer.note(
        "The agents search no web: the sandbox's pages are made for the demo shop. Name another one for yours (--web "
        "serper, searxng or sandbox:FILE)."
    )
    left = [
        sut
        if sut.agent.is_baseline or {*sut.system.options.get("without", ()), "web"} >= {"web", "catalog", "user"}
        else sut.as_system(WITHOUT.put(sut.system, "web", world))
        for sut in variation.systems
    ]
    return [*{sut.label: sut for sut in left}.values()]


def _note_cautions(world: World, systems: Sequence[SystemUnderTest], observer: Observer) -> None:
    """Notes the cautions about the world's web, if any system uses it."""
    if any("web" not in system.system.options.get("without", ()) for system in systems):
        for sentence in cautions(world.web, world.manifest):
            observer.note(sentence)


def one_system(
    options: SystemOptions,
    agent: research.AnyAgent,
    model: research.Model,
    query: Query,
    world: World,
    opener: Opener,
    observer: Observer,
) -> SystemUnderTest:
    """The system that answers a single question. Raises UserError if the options make several, or none that could."""
    if any(len(read_values(values)) > 1 for values in (options.vary or {}).values()):
        raise UserError("A question is answered once: give each --vary one value.")
    systems = named_systems(options, [agent], model, world, opener, observer)
    (system,) = _varied(options, systems, world, [query], observer)
    if system.agent.sees_reference:
        raise UserError(
            f"The agent {system.system.agent} is told the best basket of a benchmark's query: use it with "
            "`drretail run`."
        )
    _note_cautions(world, [system], observer)
    return system


@accepts(AskOptions)
def ask(options: AskOptions) -> RecordedAnswer:
    """The answer to one question: its run and the researched, cited report, kept in ``to`` if that is given.

    Raises UserError for a wrong name, user or world. A run that fails is recorded, not raised.
    """
    observer = options.observer or SILENT
    settings = read_settings(web=options.web if isinstance(options.web, str) else None)
    web = web_of(options.world, options.web, settings)
    opener = Opener(settings, options.base_url, tell=observer.waiting)
    with world_of(options.world, web) as world:
        user = None if options.user is None else known_user(world, options.user)
        world.check_user(user)
        query = question_as_query(options.question, user, world)
        check_sandbox_web(world, [query])
        system = one_system(options, options.agent, options.model, query, world, opener, observer)
        spec = str(world.folder or world.servers) if isinstance(options.world, World) else str(options.world)
        runner = runner_of(world, settings, spec, files=options.files)
        folder = None if options.to is None else Path(options.to)
        options_file = None if folder is None else kept_options(options, settings, [system.label], folder)
        with observer.answer(runner):
            recorded = ask_once(runner, system, query, folder, options_file)
        note_understood(recorded.run, observer)
    return RecordedAnswer(recorded.run, recorded.evidence, folder)


def note_understood(run: Run, observer: Observer) -> None:
    """Notes how the agent understood the question, if it says so."""
    if run.error is None and run.understood is not None:
        for line in ("Understood as", *(f"- {line}" for line in wish_lines(run.understood)), ""):
            observer.note(line)

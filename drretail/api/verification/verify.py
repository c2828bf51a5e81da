"""``verify``: whether an experiment's folder holds what its systems produced, as far as a folder can show it."""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, get_args

from drretail import __version__
from drretail.agents.running.new_experiment import open_experiment
from drretail.api.option import accepts
from drretail.api.options.score import VerifyOptions
from drretail.api.options.shared import folder_of
from drretail.api.settings import read_settings
from drretail.api.systems import runner_of
from drretail.api.verification.replayed_runs import Verifier
from drretail.api.worlds import chosen_web, open_world, recorded_world
from drretail.env.checking import check_world
from drretail.env.named_products import NamedProducts
from drretail.env.next_purchase import add_gold
from drretail.env.offers import Offers
from drretail.env.web.dense import Retrievers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.baskets import check_references, made_references
from drretail.eval.check_results import Checklist, Verification, differing
from drretail.eval.judging.question import VerdictFile, verdict_files
from drretail.eval.judging.subject import planned_runs
from drretail.eval.method import judge_notes
from drretail.eval.rejudging import check_scores, check_verdicts, check_votes
from drretail.eval.scores.file import taken_out
from drretail.eval.verification import check_plan, check_runs, check_seals, check_texts
from drretail.experiment import Definition, read_definition, read_run, run_folder
from drretail.files import read_json, unsynced
from drretail.llm.embeddings import OFFLINE, open_embeddings
from drretail.llm.event_loop import run_loop
from drretail.llm.prices import read_prices
from drretail.progress import Progress, choose_progress
from drretail.querygen.reading import read_queries
from drretail.querygen.shipped import WORLD, Split, shipped_queries
from drretail.records.base import sha256_of
from drretail.records.query import Query
from drretail.records.run import SANDBOX, Run
from drretail.tools.registry import tool_schema_hash

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

RIGHT_WORLD = "Name the world that the runs were made in with --world."
_BROUGHT = (
    ("tools", "sources/*.json", "it was fetched after the runs", "Delete it, and score with --fetch-sources."),
    ("verdicts", "gold/*.json", "it was given when the experiment was scored", "Compare it with its publisher's."),
)
"""Files that verdicts rest on and that were added after the runs: no journal and no world reproduces them."""
# Only the version that made the experiment can make these checks; the first three also need its world.
DEEP = ("replay", "tools", "verdicts", "scores")


@accepts(VerifyOptions)
def verify(options: VerifyOptions) -> Verification:
    """Makes runs, tool calls, verdicts and scores of an experiment again, and compares. Nothing is sent or changed.

    ``.passes`` is True if nothing fails; ``.checks`` says of each check whether it passes, fails or can't be made, with
    files and reasons. Raises UserError for a folder without an experiment.
    """
    folder = folder_of(options.experiment)
    definition, checklist = read_definition(folder), Checklist()
    progress = choose_progress()
    gone = taken_out(folder)
    check_seals(folder, checklist)
    check_runs(folder, definition, checklist)
    check_plan(folder, definition, gone, checklist)
    check_texts(folder, checklist)
    check_queries(definition, options.queries, checklist)
    with checklist.catching("votes", "votes"):
        check_votes(folder, checklist)
    if definition.versions.get("drretail") == __version__:
        with checklist.catching("scores", "scores.json"):
            check_scores(folder, read_prices(read_settings().prices), judge_notes(folder), checklist)
        with _world(folder, definition, options, checklist) as world:
            if world is None:
                _believe_all(folder, definition, checklist)
            else:
                _check_against(folder, definition, world, options, gone, checklist, progress)
    else:
        _believe_all(folder, definition, checklist)
        made_by = definition.versions.get("drretail", "a version that it does not name")
        for check in DEEP:
            advice = f"Install that version and verify there: uvx drretail@{made_by} verify EXP."
            checklist.leave(check, "experiment.json", f"it was made by drretail {made_by}", advice)
    return Verification(
        experiment=str(folder),
        world_fingerprint=definition.world_fingerprint,
        checks=checklist.results(),
        from_journals=tuple(sorted(checklist.from_journals - checklist.taken_at_word)),
        taken_at_word=tuple(sorted(checklist.taken_at_word)),
        strict=options.strict,
        details=options.details,
    )


@contextmanager
def _world(
    folder: Path, definition: Definition, options: VerifyOptions, checklist: Checklist
) -> Generator[World | None]:
    """The named world, or else the one that the runs name. Without one, yields None and marks the checks that need it
    as not checkable.
    """
    spec = options.world
    if definition.world_fingerprint is None:
        for label, system in definition.systems.items():
            if not system.is_imported:
                reason = f"it names no world, and {label} ran in one"
                checklist.fail("versions", "experiment.json", reason, RIGHT_WORLD)
        for check in DEEP[:3]:
            reason = "its reports are imported, and no world is behind them"
            checklist.leave(check, "experiment.json", reason, "Compare the reports with the files they are from.")
        yield None
    elif isinstance(spec, World):
        yield spec
    else:
        systems = [system for system in definition.systems.values() if not system.is_imported]
        live = {system.web_provider for system in systems if system.web_is_live}
        named = options.web or (live.pop() if len(live) == 1 else SANDBOX)
        web = chosen_web(read_settings(web=named), replayed=True)
        with recorded_world(folder, None, web=web) if spec is None else open_world(str(spec), web=web) as world:
            if world is not None and world.manifest.fingerprint != definition.world_fingerprint:
                fingerprint = world.manifest.fingerprint
                reason = f"it names the world {definition.world_fingerprint[:12]}, and {spec} is {fingerprint[:12]}"
                checklist.fail("versions", "experiment.json", reason, RIGHT_WORLD)
                world = None
            if world is None:
                for check in DEEP[:3]:
                    checklist.leave(check, "experiment.json", "its world is not at hand", RIGHT_WORLD)
            yield world


def _check_against(
    folder: Path,
    definition: Definition,
    world: World,
    options: VerifyOptions,
    gone: Collection[str],
    checklist: Checklist,
    progress: Progress,
) -> None:
    """Makes all checks that need the world."""
    _check_world(world, checklist)
    settings = read_settings()
    runner = runner_of(world, settings, "", folder, files=options.files)
    runner = replace(runner, outages=None, asks_anew=True, retrievers=Retrievers(offline_embeddings))
    runs = list(_runs(folder, definition))
    with TemporaryDirectory(prefix="drretail-verify-") as temporary, unsynced():
        scratch = Path(temporary)
        with checklist.catching("versions", "experiment.json"):
            _check_frozen(folder, definition, world, scratch / "frozen", checklist)
        verifier = Verifier(folder, definition, runner, scratch / "runs", checklist, read_prices(settings.prices))
        with checklist.catching("replay", "runs"), progress.track("Making runs again", len(runs)) as bar:
            run_loop(verifier.check_all(runs, bar.advance))
        copy = scratch / "experiment"
        with checklist.catching("verdicts", "verdicts", copy):
            offers, look_up = Offers(world), NamedProducts(world).named_by_run
            references = made_references(folder, world, offers)
            check_references(folder, references, checklist)
            made = world.store, offers.would_do, look_up, references
            run_loop(check_verdicts(folder, copy, *made, gone, checklist, progress))


def _believe_all(folder: Path, definition: Definition, checklist: Checklist) -> None:
    """Notes all language models of the folder: nothing of them is made again."""
    for system in definition.systems.values():
        checklist.believe(system)
    with suppress(UserError):  # another version's verdicts may be unreadable
        judges = [verdict.judge for path in verdict_files(folder) for verdict in VerdictFile(path).lasts()]
        checklist.taken_at_word.update(judge.spec for judge in judges if judge.kind != "rule_based")


def offline_embeddings(spec: str) -> "Embeddings":
    """Embeddings that need no server and no module. Raises UserError for others: a folder's names are not asked or
    loaded.
    """
    if spec.partition(":")[0] != OFFLINE:
        raise UserError(f"Pages that {spec} ranked are not ranked again.")
    return open_embeddings(spec)


def _runs(folder: Path, definition: Definition) -> Iterator[Run]:
    """The planned runs that exist, each named after its place, whatever its file says."""
    for planned in planned_runs(folder, definition):
        label, query_id, repeat = planned.label, planned.query.query_id, planned.repeat
        with suppress(UserError):  # one that can't be read fails another check
            named = {"system": label, "query_id": query_id, "repeat": repeat}
            yield read_run(run_folder(folder, label, query_id, repeat)).model_copy(update=named)


def _check_world(world: World, checklist: Checklist) -> None:
    """Checks that the world's rows match its fingerprint."""
    if world.folder is None:
        advice = "`drretail world check` looks at a world on servers."
        checklist.leave("versions", "experiment.json", "its world is on servers, and its rows are not read", advice)
        return
    checklist.checked["versions"] += 1
    for finding in check_world(world.folder)[:1]:
        reason = f"its world has been changed: {finding.code}: {finding.text}"
        checklist.fail("versions", "experiment.json", reason, "Take the world from whoever published it.")


def check_queries(definition: Definition, published: str | Path | Sequence[Query] | None, checklist: Checklist) -> None:
    """Compares all fields of the queries, so also gold, with the published queries or with those that ship with
    drretail.
    """
    shipped = shipped_queries(*get_args(Split)) if definition.world_fingerprint == WORLD else ()
    named = read_queries(Path(published)) if isinstance(published, str | Path) else published
    known: Sequence[Query] = shipped if named is None else named
    recorded = {query.query_id: query for query in definition.queries}
    advice = "Take the queries from whoever published them, and run them."
    ours = recorded.keys() - {query.query_id for query in shipped}
    if made_up := sorted(name for name in ours if recorded[name].source in {query.source for query in shipped}):
        reason = f"the query {made_up[0]} says that it ships with drretail, and does not"
        checklist.fail("versions", "experiment.json", reason, advice)
    for query in known:
        recorded_query = recorded.get(query.query_id)
        if recorded_query is None:
            if published is not None and sha256_of(query.query_id) not in (definition.forgotten or ()):
                reason = f"the query {query.query_id} was left out"
                checklist.fail("plan", "experiment.json", reason, cause="a query was left out")
            continue
        for label in definition.systems if published is not None else ():
            if recorded_query not in definition.queries_of(label):
                reason = f"{label} was not asked the query {query.query_id}"
                checklist.fail("plan", "experiment.json", reason, cause=f"{label} was not asked a query")
        if recorded_query != query:
            wrong = differing(dict(recorded_query), dict(query))[0]
            reason = f"the {wrong} of the query {query.query_id} is not as it was published"
            checklist.fail("versions", "experiment.json", reason, advice, cause=f"the {wrong} of a query")
    if published is not None and (strange := sorted(recorded.keys() - {query.query_id for query in known})):
        checklist.fail("plan", "experiment.json", f"the query {strange[0]} was not published", advice)


def _check_frozen(folder: Path, definition: Definition, world: World, scratch: Path, checklist: Checklist) -> None:
    """Opens the experiment once more, and compares what is then frozen of the world for judges."""
    with open_experiment(scratch, world, definition.queries, [], definition.seed) as again:
        add_gold(again, world, definition.queries)
        made = again.definition
    pairs = {name: (getattr(definition, name), getattr(made, name)) for name in ("now", "categories")}
    checklist.compare("versions", "experiment.json", pairs, RIGHT_WORLD)
    if definition.tool_schema_hash != tool_schema_hash():
        advice = "Install the version that made it, and verify there."
        checklist.leave("tools", "experiment.json", "its tools are not those of this version", advice)
    for path in sorted(scratch.rglob("*.json")):
        name = path.relative_to(scratch)
        if name.parent.name and not (folder / name).exists() and (folder / name.parent).exists():
            checklist.fail("versions", name, "it is missing, and others like it are there")
        elif name.parent.name and (folder / name).exists():
            is_same = read_json(path) == read_json(folder / name)
            checklist.checked["versions"] += 1
            if not is_same and name.parts[0] == "profiles":
                reason = "it is not what the world's records tell for these queries"
                checklist.leave("versions", name, reason, "It may have been frozen for other queries of the user.")
            elif not is_same:
                checklist.fail("versions", name, "it is not what the world gives", "Delete it and score again.")
    for check, pattern, reason, advice in _BROUGHT:
        for path in sorted(folder.glob(pattern)):
            checklist.leave(check, path.relative_to(folder), reason, advice)

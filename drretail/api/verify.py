"""``verify``: whether an experiment's folder holds what its systems produced, as far as a folder can show it.

Runs are made again from their journals, and tool calls again, and compared with the folder.
"""

import asyncio
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, get_args

from drretail import __version__
from drretail.agents.base import Agent
from drretail.agents.names import is_built_in
from drretail.agents.registry import NO_OVERRIDES, load_agent, read_overrides
from drretail.agents.running.run import open_experiment
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest, prompt_hashes
from drretail.agents.user_files import files_hash
from drretail.api.option import accepts
from drretail.api.options.score import VerifyOptions
from drretail.api.options.shared import folder_of
from drretail.api.settings import read_settings
from drretail.api.systems import runner_of
from drretail.api.worlds import chosen_web, open_world, recorded_world
from drretail.env.folder import check_world
from drretail.env.gold import add_gold
from drretail.env.named_products import NamedProducts
from drretail.env.offers import Offers
from drretail.env.session import Session
from drretail.env.web.dense import Retrievers
from drretail.env.web.sandbox import SealedWeb
from drretail.env.world import World
from drretail.errors import DrretailError, UserError
from drretail.eval.baskets import check_references, made_references
from drretail.eval.check_results import GO_ON, RESTORE, Checklist, Verification, differing
from drretail.eval.judging.question import VerdictFile, verdict_files
from drretail.eval.judging.subject import planned_runs
from drretail.eval.method import judge_notes
from drretail.eval.rejudging import check_scores, check_verdicts, check_votes
from drretail.eval.scores.file import taken_out
from drretail.eval.verification import check_packs, check_plan, check_runs, check_seals, check_texts
from drretail.experiment import (
    Definition,
    prompts_path,
    read_definition,
    read_evidence,
    read_journal,
    read_results,
    read_run,
    run_folder,
)
from drretail.files import read_json, readable_json, unsynced
from drretail.journal import NO_ANSWER, Effect, read_effects
from drretail.llm.event_loop import run_loop
from drretail.llm.models import Models
from drretail.llm.providers import OFFLINE, open_embeddings
from drretail.llm.registry import Model, open_recorded
from drretail.llm.usage import PriceTable, read_prices
from drretail.progress import Progress, choose_progress
from drretail.querygen.reading import WORLD, Split, read_queries, shipped_queries
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence
from drretail.records.models import Abilities
from drretail.records.query import Query, Task
from drretail.records.run import FILES, NINE, SANDBOX, Answer, Limits, Run, System
from drretail.tools.registry import tool_schema_hash
from drretail.tools.toolkit import Toolkit

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

AT_ONCE = 4
"""Runs made again at the same time."""
OWN_CONDITION = "it ran under a condition of the user's own"
ADDS_GOLD = (
    "The `drretail run` that was begun adds it once all its runs have ended, or `drretail score EXP --queries FILE`."
)
OWN_AGENT = "`drretail run --replay EXP --to NEW --agent …` with that agent makes it again; then compare the folders."


def rebuilt(
    experiment: Path, definition: Definition, label: str, world: World, prices: PriceTable, files: Path | None = None
) -> SystemUnderTest:
    """The system of that label as this version builds it, with models that never send anything.

    Raises UserError if it can't be built here, as with an agent that is not built in. Raises ValueError if no system of
    this version is as the folder says.
    """
    system = definition.systems[label]
    if not is_built_in(system):
        raise UserError(f"the agent {system.agent} is not one of the package's")
    if system.conditions:
        raise UserError(OWN_CONDITION)
    agent, overrides = load_agent(system.agent), NO_OVERRIDES
    if system.prompts is not None:
        folder = prompts_path(experiment, label, system.prompts.name)
        overrides = replace(read_overrides(folder, [agent]), name=system.prompts.name)
    models = recorded_models(experiment, label, system, prices)
    settings: dict[str, Any] = {"web_mode": system.web_mode, "limits": system.limits, "scope": system.sees}
    settings["options"] = system.options
    if FILES in system.options and isinstance(world.web, SealedWeb):  # the sandbox brings the files itself
        settings["options"] = {name: value for name, value in system.options.items() if name != FILES}
    elif FILES in system.options and (files is None or files_hash(files) != system.options[FILES]):
        raise UserError("it read files of the user's: name their folder with --files")
    sut = SystemUnderTest.of(system.agent, agent, models, world, overrides, **settings)
    wrong = [name for name, value in system if getattr(sut.system, name) != value and name != "scope"]
    if {"self_checked", "models"} & {*wrong}:
        raise ValueError(f"its system has other {' and '.join(wrong)} than experiment.json says")
    if wrong or sut.label != label:
        first = wrong[0] if wrong else "label"
        is_web = {"web_corpus", "web_provider"} & {*wrong}
        advice = "name its pages with --web" if is_web else "this version builds it so"
        raise UserError(f"its {first} {'are others' if first.endswith('s') else 'is another'} here: {advice}")
    return replace(sut, system=system)


def recorded_models(experiment: Path, label: str, system: System, prices: PriceTable | None = None) -> dict[str, Model]:
    """The system's models by role, as they were when its runs were made. Raises UserError as ``open_recorded``."""
    journals = map(read_journal, sorted(run_folder(experiment, label, "", 1).parent.glob("*")))
    calls = ([effect for effect in journal if effect.kind == "model"] for journal in journals)
    # The calls of the system's first run that has any
    parameters = {effect.role: effect.request.get("params", {}) for effect in next(filter(None, calls), [])}
    return {
        role: open_recorded(
            model.spec, parameters.get(role) or model.params or {}, prices, is_whole=bool(parameters.get(role))
        )
        for role, model in system.models.items()
    }


def recorded_abilities(experiment: Path) -> dict[str, Abilities]:
    """What the server of each model could do when the experiment's runs were made."""
    abilities: dict[str, Abilities] = {}
    for label, system in read_definition(experiment).systems.items():
        with suppress(UserError):  # a model of the user's own has no such server
            abilities |= {model.spec: model.server for model in recorded_models(experiment, label, system).values()}
    return abilities


@dataclass(frozen=True, slots=True)
class Verifier:
    """Makes runs of an experiment again; ``scratch`` is a folder for their new journals."""

    experiment: Path
    definition: Definition
    runner: Runner
    scratch: Path
    checklist: Checklist
    prices: PriceTable

    async def check_all(self, runs: Sequence[Run], on_run: Callable[[], None]) -> None:
        """Replays the runs of systems that can be rebuilt, and repeats the tool calls of all others."""
        systems: dict[str, SystemUnderTest | DrretailError | ValueError] = {}
        for label in {run.system for run in runs}:
            try:
                systems[label] = rebuilt(
                    self.experiment, self.definition, label, self.runner.world, self.prices, self.runner.files
                )
            except (DrretailError, ValueError) as problem:
                systems[label] = problem
            is_rebuilt = isinstance(systems[label], SystemUnderTest)
            self.checklist.believe(self.definition.systems[label], from_journals=is_rebuilt)
        queries = {query.query_id: query for query in self.definition.queries}
        gate = asyncio.Semaphore(AT_ONCE)

        async def check(run: Run) -> None:
            sut, name = systems[run.system], self._name(run) / "run.json"
            async with gate:
                with self.checklist.catching("replay", name):  # a file that it rests on may be damaged
                    if isinstance(sut, SystemUnderTest):
                        if await self._names_its_prompts(run, sut, queries[run.query_id]):
                            await self._replay(run, sut, queries[run.query_id])
                        else:
                            self._leave(run, "its prompts are not those of this version", OWN_AGENT)
                            await self._call_again(run, queries[run.query_id])
                    elif isinstance(sut, DrretailError):
                        self.checklist.leave("replay", name, str(sut).rstrip("."), OWN_AGENT)
                        await self._call_again(run, queries[run.query_id])
                    else:
                        self.checklist.fail("replay", name, f"it can't be made again: {sut}")
                on_run()

        await asyncio.gather(*map(check, runs))
        self.checklist.failed["replay"].sort(key=lambda mismatch: mismatch.file)  # not in the order in which they ended

    def _leave(self, run: Run, reason: str, advice: str) -> None:
        """Records that a run can't be made again, so that its models are believed."""
        self.checklist.leave("replay", self._name(run) / "run.json", reason, advice)
        self.checklist.believe(self.definition.systems[run.system])

    def _name(self, run: Run) -> Path:
        return self._folder(run).relative_to(self.experiment)

    def _folder(self, run: Run) -> Path:
        return run_folder(self.experiment, run.system, run.query_id, run.repeat)

    async def _names_its_prompts(self, run: Run, sut: SystemUnderTest, query: Query) -> bool:
        """False if the run's prompts are not those of this version.

        A recorded hash alone proves nothing. If the journal answers everything that this version's prompts ask, the
        hash is false, and the check fails.
        """
        if prompt_hashes(sut) == self.definition.prompt_hashes.get(run.system, {}):
            return True
        served = replace(self.runner, asks_anew=False)
        journal = self.scratch / "prompts" / self._name(run) / "journal.jsonl"
        try:
            made = await self._made(served, run, sut, query, journal)
        except DrretailError:
            return False
        called_a_model = any(effect.kind == "model" for effect in read_effects(journal))
        if not called_a_model or NO_ANSWER in f"{made.run} {made.texts}":
            return False
        reason = "its prompts are those of this version, and it names another hash"
        self.checklist.fail("replay", self._name(run) / "run.json", reason)
        return True

    async def _made(self, runner: Runner, run: Run, sut: SystemUnderTest, query: Query, journal: Path) -> Recorded:
        return await runner.run(sut, query, run.repeat, journal)

    async def _replay(self, run: Run, sut: SystemUnderTest, query: Query) -> None:
        folder, name = self._folder(run), self._name(run)
        journal = self.scratch / name / "journal.jsonl"
        made = await self._made(self.runner, run, sut, query, journal)
        recorded, anew = read_json(folder / "run.json"), made.run.model_dump(mode="json", exclude_none=True)
        if "setbacks" not in recorded:  # older runs don't count them
            anew.pop("setbacks", None)
        different = differing(recorded, anew)
        if not different and (folder / "run.json").read_text(encoding="utf-8") != readable_json(anew):
            different = ["how it is written"]  # of a duplicate key, a reader may see one value and the parser another
        if different and run.unanswered_calls:
            reason = "a server failed it, and now answers: another run follows"
            self._leave(run, reason, "`drretail run --retry spoiled` makes it anew.")
            await self._call_again(run, query)
            return
        why = "made again from its journal, the run differs in"
        if made.run.error is not None and made.run.error.message.startswith(NO_ANSWER):
            why = "a prompt, a result or an answer was changed, and its journal answers another question; it differs in"
        faults: dict[str, Sequence[str]] = {why: [", ".join(different)] if different else []}
        self.checklist.expect_none("replay", name / "run.json", faults)
        self._compare_tools(run, made, journal)

    def _compare_tools(self, run: Run, made: Recorded, journal: Path) -> None:
        """Compares what the world and its fixed pages gave with the run's ledger, results and journal."""
        folder, name = self._folder(run), self._name(run)
        results = read_results(folder)
        wrong = sorted(sha for sha in {*results, *made.texts} if results.get(sha) != made.texts.get(sha))
        steps = {step.result_sha: f"{step.name} at {step.path}/{step.seq}" for step in (*run.steps, *made.run.steps)}
        faults = {"this world gives another result": [steps.get(sha, sha) for sha in wrong]}
        self.checklist.expect_none("tools", name / "results.jsonl.gz", faults)
        evidence = read_evidence(folder)
        lines = [entry.as_line() for entry in evidence]
        pictured = {entry.id for entry in evidence if entry.image is not None}  # older ledgers name no pictures
        anew = [
            (entry if entry.id in pictured else entry.model_copy(update={"image": None})).as_line()
            for entry in made.evidence
        ]
        faults = {"this world gives another entry": sorted({*lines} ^ {*anew}), "its order": lines * (lines != anew)}
        self.checklist.expect_none("tools", name / "evidence.jsonl.gz", faults)
        recorded = {effect.key: effect for effect in read_journal(folder)}
        served = {effect.key: effect for effect in read_effects(journal)}
        others = [key for key in recorded if key not in served or _answer(recorded[key]) != _answer(served[key])]
        faults = {"the run does not ask for an answer, or is given another here": others}
        self.checklist.expect_none("tools", name / "journal.jsonl.gz", faults)

    async def _call_again(self, run: Run, query: Query) -> None:
        """Repeats a run's calls of the shop's own tools, one after the other, and compares the results."""
        wrong: list[str] = []
        # Left out: calls that a server failed, the agent's own tools, and the web.
        own = {*NINE} - {"web_search"}
        called = [step for step in run.steps if step.kind == "tool" and step.name in own and not step.is_outage]

        async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
            del task, models, limits
            with Toolkit(session) as toolkit:
                for step in called:
                    reply = toolkit.call(str(step.name), step.args, step.path)
                    if sha256_of(reply.text) != step.result_sha:
                        wrong.append(f"{step.name} at {step.path}/{step.seq}")
            return Answer(report="-")

        system = self.definition.systems[run.system]
        sut = SystemUnderTest(run.system, system, Agent(answer, roles=()), {})
        name = self._name(run) / "run.json"
        if system.conditions:  # they may change what tools answer
            self.checklist.leave("tools", name, OWN_CONDITION, OWN_AGENT)
            return
        try:
            made = await replace(self.runner, replay=None).run(sut, query, run.repeat)
        except DrretailError as problem:
            self.checklist.leave("tools", name, str(problem).rstrip("."), "Name its pages with --web.")
            return
        self.checklist.expect_none("tools", name, {"this world gives another result": wrong})
        remade = {line for line, _ in _texts(made.evidence)}
        places = {(step.path, step.seq) for step in called}
        strange = [
            line for line, place in _texts(read_evidence(self._folder(run))) if place in places and line not in remade
        ]
        faults = {"this world gives another entry": strange}
        self.checklist.expect_none("tools", self._name(run) / "evidence.jsonl.gz", faults)
        if any(step.name == "web_search" for step in run.steps):
            self.checklist.leave("tools", name, "its searches of the web are not made again", OWN_AGENT)


def _answer(effect: Effect) -> Any:
    """An effect's response; for a model, without the id of the message."""
    response = effect.response
    return {**response, "id": None} if effect.kind == "model" and isinstance(response, dict) else response


def _texts(evidence: Sequence[Evidence]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Each text of a ledger as a line with its entry, and the step that brought it."""
    for entry in evidence:
        for text in entry.texts:
            yield (
                f"{entry.id} {entry.kind} {entry.key} {entry.title!r} {text.form} {text.sha256}",
                (text.path, text.seq),
            )


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
    damaged = check_packs(folder, checklist)
    gone = taken_out(folder) if not damaged else frozenset[str]()
    check_seals(folder, checklist)
    check_runs(folder, definition, checklist)
    if not damaged:
        check_plan(folder, definition, gone, checklist)
        check_texts(folder, checklist)
    check_queries(definition, options.queries, checklist)
    with checklist.catching("votes", "votes"):
        check_votes(folder, checklist)
    for check in ("plan", "verdicts", "scores") if damaged else ():
        checklist.leave(check, "verdicts", f"{damaged[0]} is damaged", RESTORE)
    if definition.versions.get("drretail") == __version__:
        if not damaged:
            with checklist.catching("scores", "scores.json"):
                check_scores(folder, read_prices(read_settings().prices), judge_notes(folder), checklist)
        with _world(folder, definition, options, checklist) as world:
            if world is None:
                _believe_all(folder, definition, checklist)
            else:
                _check_against(folder, definition, world, options, None if damaged else gone, checklist, progress)
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
    """The named world, or else the runs'. Without one, yields None and marks checks that need it not checkable."""
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
    gone: Collection[str] | None,
    checklist: Checklist,
    progress: Progress,
) -> None:
    """Makes all checks that need the world, without those of verdicts if ``gone`` is None: a pack is damaged."""
    if world.folder is None:
        advice = "`drretail world check` looks at a world on servers."
        checklist.leave("versions", "experiment.json", "its world is on servers, and its rows are not read", advice)
    else:
        checklist.checked["versions"] += 1
        for finding in check_world(world.folder)[:1]:
            reason = f"its world has been changed: {finding.code}: {finding.text}"
            checklist.fail("versions", "experiment.json", reason, "Take the world from whoever published it.")
    settings = read_settings()
    runner = runner_of(world, settings, "", folder, files=options.files)
    runner = replace(runner, outages=None, asks_anew=True, retrievers=Retrievers(offline_embeddings))
    runs: list[Run] = []
    for planned in planned_runs(folder, definition):
        place = {"system": planned.label, "query_id": planned.query.query_id, "repeat": planned.repeat}
        with suppress(UserError):  # one that does not exist, or can't be read, which fails another check
            run = read_run(run_folder(folder, planned.label, planned.query.query_id, planned.repeat))
            runs.append(run.model_copy(update=place))  # named after its place, whatever its file says
    with TemporaryDirectory(prefix="drretail-verify-") as temporary, unsynced():
        scratch = Path(temporary)
        with checklist.catching("versions", "experiment.json"):
            _check_frozen(folder, definition, world, scratch / "frozen", checklist)
        verifier = Verifier(folder, definition, runner, scratch / "runs", checklist, read_prices(settings.prices))
        with checklist.catching("replay", "runs"), progress.track("Making runs again", len(runs)) as bar:
            run_loop(verifier.check_all(runs, bar.advance))
        if gone is None:
            return
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
    """Embeddings that need no server and no module. Raises UserError for others: what a folder names is not loaded."""
    if spec.partition(":")[0] != OFFLINE:
        raise UserError(f"Pages that {spec} ranked are not ranked again.")
    return open_embeddings(spec)


def check_queries(definition: Definition, published: str | Path | Sequence[Query] | None, checklist: Checklist) -> None:
    """Compares all fields of the queries, gold too, with the published queries or those that ship with drretail."""
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
        if not recorded_query.has_gold and query.has_gold and recorded_query.asks_the_same_as(query):
            reason = f"the gold of a query is missing: {query.query_id}"
            checklist.miss("versions", "gold.jsonl", reason, ADDS_GOLD, until="plan")
        elif recorded_query != query:
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
            checklist.miss("versions", name, "it is missing, and others like it are there", GO_ON, until="plan")
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

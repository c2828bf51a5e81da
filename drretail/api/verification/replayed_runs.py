"""Makes runs again from their journals, and tool calls again, and compares them with an experiment's folder."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drretail.agents.base import Agent
from drretail.agents.names import is_built_in
from drretail.agents.prompt_files import NO_OVERRIDES, read_overrides
from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest, prompt_hashes
from drretail.agents.user_files import files_hash
from drretail.conditions.memory import Memory
from drretail.env.session import Session
from drretail.env.web.sealed import SealedWeb
from drretail.env.world import World
from drretail.errors import DrretailError, UserError
from drretail.eval.check_results import Checklist, differing
from drretail.experiment import (
    Definition,
    prompts_path,
    read_counterfactual,
    read_definition,
    read_evidence,
    read_journal,
    read_results,
    run_folder,
)
from drretail.files import read_json, readable_json
from drretail.journal import NO_ANSWER, Effect, read_effects
from drretail.llm.models import Models
from drretail.llm.prices import PriceTable
from drretail.llm.registry import Model, open_recorded
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence
from drretail.records.models import Abilities
from drretail.records.query import Query, Task
from drretail.records.run import FILES, MEMORY, NINE, Answer, Limits, Run, System
from drretail.tools.toolkit import Toolkit

AT_ONCE = 4
"""Runs made again at the same time."""
OTHER_PROMPTS = "its prompts are not those of this version"
OWN_CONDITION = "it ran under a condition of the user's own"
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
    # Its function is never called: the journal gives the memory's text, or says that it has none.
    option = system.options.get(MEMORY)
    if option is not None and not (isinstance(option, list) and len(option) == 2):
        raise ValueError("its memory is not written as drretail writes one")
    memory = None if option is None else Memory(*option, recall=lambda *_: None)
    return replace(sut, system=system, memory=memory)


def recorded_models(experiment: Path, label: str, system: System, prices: PriceTable | None = None) -> dict[str, Model]:
    """The system's models by role, as they were when its runs were made. Raises UserError as ``open_recorded``."""
    parameters = {effect.role: effect.request.get("params", {}) for effect in _calls(experiment, label)}
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


def _calls(experiment: Path, label: str) -> list[Any]:
    """The model calls in the journal of the system's first run that has any."""
    folder = run_folder(experiment, label, "", 1).parent
    for run in sorted(folder.glob("*")):
        if calls := [effect for effect in read_journal(run) if effect.kind == "model"]:
            return calls
    return []


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
                            self._leave(run, OTHER_PROMPTS, OWN_AGENT)
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
        instead = read_counterfactual(self.experiment, query.user_id)
        return await runner.run(sut, query, run.repeat, journal, instead=instead)

    async def _replay(self, run: Run, sut: SystemUnderTest, query: Query) -> None:
        folder, name = self._folder(run), self._name(run)
        journal = self.scratch / name / "journal.jsonl"
        needs_memory = query.user_id is not None and run.error is not None and sut.memory is not None
        if needs_memory and not any(effect.kind == "memory" for effect in read_journal(folder)):
            reason = "its memory failed it, and no journal says how"
            self._leave(run, reason, "`drretail run --retry failed` makes it anew.")
            return
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
        name, instead = self._name(run) / "run.json", read_counterfactual(self.experiment, query.user_id)
        if system.conditions:  # they may change what tools answer
            self.checklist.leave("tools", name, OWN_CONDITION, OWN_AGENT)
            return
        try:
            made = await replace(self.runner, replay=None).run(sut, query, run.repeat, instead=instead)
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

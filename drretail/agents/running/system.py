"""A system with all that is needed to run it, and the definition of an experiment with several of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Self

from drretail import __version__
from drretail.agents.base import Agent
from drretail.agents.information import ask_shopper_prompt, context_prompt, shopper_context, shopper_prompt
from drretail.agents.memory import Memory
from drretail.agents.page_reading import reading_pages
from drretail.agents.prompt_files import NO_OVERRIDES, Overrides, wordings_of
from drretail.agents.registry import load_agent, split_web_mode
from drretail.agents.user_files import files_hash
from drretail.env.altered.moves import read_moves
from drretail.env.web.base import Web
from drretail.env.web.dense import check_ranked, embeddings_of
from drretail.env.web.sealed import SealedWeb
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.experiment import Definition
from drretail.grounding.hostile.texts import texts_hash
from drretail.llm.registry import Model, check_priced
from drretail.prompts import overridden
from drretail.records.base import sha256_of
from drretail.records.counterfactual import KINDS, OPTION
from drretail.records.query import Query
from drretail.records.run import (
    BASELINES,
    BM25,
    COMPOSE,
    FILES,
    INFORMATION,
    INFORMED,
    INJECTED,
    INTENT,
    INTENT_BASELINES,
    INTENTS,
    MEMORY,
    MOVES,
    PERSON,
    RETRIEVER,
    SHOPPER,
    SIZE,
    Information,
    Limits,
    Role,
    RoleModel,
    System,
)
from drretail.tools.registry import FAMILIES, own_tools, tool_schema_hash


@dataclass(frozen=True, slots=True)
class SystemUnderTest:
    """A system, the agent behind it, and an opened model for each of its roles."""

    label: str
    system: System
    agent: Agent
    models: Mapping[Role, Model]
    overrides: Overrides = NO_OVERRIDES
    """The replaced prompts that this system uses."""
    memory: Memory | None = None
    """The memory whose text on the shopper it is told, in addition to its tools or in their place."""

    @property
    def sees_user(self) -> bool:
        """True if it has tools for the user's data."""
        return "user" not in self.system.options.get("without", ())

    def repeats(self, asked: int) -> int:
        """How often it runs for each query. A baseline uses no chance, so it runs once."""
        return 1 if self.agent.is_baseline else asked

    @classmethod
    def of(
        cls,
        name: str,
        agent: Agent,
        models: Mapping[str, Model],
        world: World,
        overrides: Overrides = NO_OVERRIDES,
        **given: Any,
    ) -> Self:
        """The system of ``agent`` with ``models`` by role; the model under "" is for every role that is not named.

        ``given`` sets further fields of System. Only those limits are kept that the agent heeds, and only those
        ``overrides`` whose prompts it uses. A floor or the oracle keeps nothing at all: it is the same beside every
        system. On a sandbox the system has the size and the composition in its options, or the smallest size with all
        pages, and the hash of the files that the sandbox brings. Raises UserError if a role is left without a model.
        """
        if agent.is_baseline:
            system = System(agent=name, models={}, limits=Limits())
            return cls(system.label(), system, agent, {})
        own_tools(agent.tools)  # reports faulty tools before anything runs
        limits: Limits = given.pop("limits", Limits())
        given.setdefault("scope", "own")
        if given.get("web_mode") == "ws":
            agent = reading_pages(agent)
        overrides = overrides.of(agent)
        by_role: dict[Role, Model] = {}
        for role in (*agent.roles, *({SHOPPER} & models.keys())):
            model = models.get(role) or models.get("")
            if model is None:
                needed = f"The agent {name} needs a model for {role}: add --model PROVIDER:MODEL."
                strange = [given for given in models if given and given not in agent.roles]
                raise UserError(f"{needed} It has no {' and no '.join(strange)}." if strange else needed)
            by_role[role] = model.answering(role)
        options, web = _with_sandbox(given.pop("options", {}), world.web)
        system = System(
            agent=name,
            self_checked=agent.self_checked,
            web_provider=web.provider,
            web_corpus=web.corpus,
            options={name: value for name, value in options.items() if name != FILES or agent.reads_files},
            models={
                role: RoleModel(spec=model.spec, kind=model.info.kind, params=model.asked or None)
                for role, model in by_role.items()
            },
            limits=Limits(**limits.model_dump(include=set(agent.heeds))),
            prompts=overrides.as_record(),
            place=agent.place,
            **given,
        )
        return cls(system.label(), system, agent, by_role, overrides)


def suts(
    agents: Mapping[str, Agent],
    models: Mapping[str, Model],
    world: World,
    overrides: Overrides = NO_OVERRIDES,
    *,
    sizes: Iterable[str] = (),
    composes: Iterable[str] = (),
    **given: Any,
) -> list[SystemUnderTest]:
    """The system of each agent by its name (``NAME+ws`` reads pages). ``models`` are as ``SystemUnderTest.of`` takes
    them.

    On a sandbox with a web for each query there is one system for each of the ``sizes`` in each composition. Raises
    UserError if a limit in dollars is given and a model has no known price, for an agent that is to read pages without
    a web, for overrides of prompts that none of the agents uses, and for an unknown size or composition.
    """
    options = given.pop("options", {})
    if RETRIEVER in options and not isinstance(world.web, SealedWeb):
        check_ranked(world.web)
    asked = [(*split_web_mode(name), agent) for name, agent in agents.items()]
    if "web" in options.get("without", ()) and any(mode == "ws" for _, mode, _ in asked):
        raise UserError("An agent without the web has no pages to read: leave +ws or --without web out.")
    made = [
        SystemUnderTest.of(name, agent, models, world, overrides, web_mode=mode, options=options | part, **given)
        for part in _parts(world.web, sizes, composes)
        for name, mode, agent in asked
    ]
    overrides.unused(sut.overrides for sut in made)
    if any(sut.system.limits.dollars is not None for sut in made):
        check_priced(model for sut in made for model in sut.models.values())
    return made


def _parts(web: Web, sizes: Iterable[str], composes: Iterable[str]) -> list[dict[str, str]]:
    """The options that each combination of a sandbox's size and composition adds to those of a system."""
    wanted = list(product(list(dict.fromkeys(sizes)) or [None], list(dict.fromkeys(composes)) or [None]))
    if isinstance(web, SealedWeb):
        return [web.at(size, compose).options for size, compose in wanted]
    if wanted != [(None, None)]:
        raise UserError("--size and --compose are of a sandbox's folder: name one with --web sandbox:FOLDER.")
    return [{}]


def _with_sandbox(options: dict[str, Any], web: Web) -> tuple[dict[str, Any], Web]:
    """The options with those that a sandbox adds, and the part of it that is served. Any other web is returned as it
    is.

    Raises UserError for files in addition to those that a sandbox brings.
    """
    if not isinstance(web, SealedWeb):
        return options, web
    part = web.at(options.get(SIZE), options.get(COMPOSE))
    brought = {query.query_id: folder for query in web.queries if (folder := web.files(query)) is not None}
    if brought and FILES in options:
        raise UserError(f"{web.folder} brings the users' files of its queries: leave --files out.")
    hash_of_brought = sha256_of({query_id: files_hash(folder) for query_id, folder in brought.items()})[:12]
    return options | part.options | ({FILES: hash_of_brought} if brought else {}), part


PRESETS = {
    "closed_book": ("calculator", "catalog", "user", "web"),
    "web_only": ("calculator", "catalog", "user"),
    "tools_only": ("web",),
}
"""The families of tools that are left out, by preset."""


def system_options(
    without: Iterable[str],
    preset: str | None = None,
    *,
    redact: bool = False,
    retriever: str = BM25,
    files: Path | None = None,
) -> dict[str, Any]:
    """The options of a system that are not the default.

    Raises UnknownName for a wrong name, UserError for an unknown retriever and for a folder without files.
    """
    if preset is not None and preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    families = {*without, *(PRESETS[preset] if preset is not None else ())}
    for family in sorted(families):
        if family not in FAMILIES:
            raise UnknownName("family of tools", family, FAMILIES)
    options: dict[str, Any] = {"without": sorted(families)} if families else {}
    options |= {"redact": True} if redact else {}
    options |= {} if embeddings_of(retriever) is None else {RETRIEVER: retriever}
    return options if files is None else options | {FILES: files_hash(files)}


def with_baselines(suts: Sequence[SystemUnderTest], world: World) -> list[SystemUnderTest]:
    """The systems, with the null agents and the oracle after them, each once.

    If systems say how they learn what queries hide, the oracles that solve only what is stated or answered are added
    too.
    """
    asks = any(sut.system.intent is not None for sut in suts)
    names = (name for name in BASELINES if asks or name not in INTENT_BASELINES)
    beside = (SystemUnderTest.of(name, load_agent(name), {}, world) for name in names)
    return list({sut.label: sut for sut in (*suts, *beside)}.values())


def intended(suts: Sequence[SystemUnderTest], intents: Iterable[str]) -> list[SystemUnderTest]:
    """Each system once for each way to learn what queries hide; floors and the oracle as they are.

    Raises UnknownName for an unknown way.
    """
    made: list[SystemUnderTest] = []
    for intent in dict.fromkeys(intents):
        if intent not in INTENTS:
            raise UnknownName("intent", intent, INTENTS)
        made += [_with(sut, {INTENT: intent}) for sut in suts]
    return list({sut.label: sut for sut in made}.values())


def counterfactuals(suts: Sequence[SystemUnderTest], kinds: Iterable[str]) -> list[SystemUnderTest]:
    """Each system once more for each kind ("swap", "neutral"), as a system of its own that sees other users' data.

    Floors and the oracle are left out, and systems without tools for a user's data. Raises UnknownName for an unknown
    kind, UserError if no system has such tools.
    """
    wanted = list(dict.fromkeys(kinds))
    for kind in wanted:
        if kind not in KINDS:
            raise UnknownName("counterfactual", kind, KINDS)
    researching = [sut for sut in suts if sut.system.agent not in BASELINES]
    seeing = [sut for sut in researching if sut.sees_user]
    if wanted and researching and not seeing:
        raise UserError("Without the user's tools there is no profile to change: leave --counterfactual out.")
    return [_with(sut, {OPTION: kind}) for kind in wanted for sut in seeing]


def informed(
    suts: Sequence[SystemUnderTest], settings: Iterable[str], memories: Sequence[Memory] = ()
) -> list[SystemUnderTest]:
    """Each system in each of these settings. In every setting but "tools" it has no tools for the user's data.

    With memories, there is a system for each memory: in the setting "memory" or, without that, beside its tools.
    Without settings and memories the systems stay as they are; floors and the oracle always do. Raises UnknownName for
    an unknown setting, UserError for memories that no setting tells, and for the setting "memory" without one.
    """
    asked = list(dict.fromkeys(settings)) or ["tools"]
    for setting in asked:
        if setting not in INFORMATION:
            raise UnknownName("setting of information", setting, INFORMATION)
    ordered: list[Information] = [literal for literal in INFORMATION if literal in asked]
    if memories and not {"memory", "tools"} & {*asked}:
        raise UserError("--memory is told beside the tools, or with --information memory in their place: add that.")
    if "memory" in asked and not memories:
        raise UserError("--information memory tells what a memory makes of records: add --memory MODULE:ATTRIBUTE.")
    memory_setting = "memory" if "memory" in asked else "tools"
    made: list[SystemUnderTest] = []
    for setting in ordered:
        settled = [
            sut
            if setting == "tools"
            else _with(sut, {INFORMED: setting, "without": sorted({*sut.system.options.get("without", ()), "user"})})
            for sut in suts
        ]
        if not memories or setting != memory_setting:
            made += settled
            continue
        for memory in memories:
            remembering = [(sut, _with(sut, {MEMORY: memory.option})) for sut in settled]
            made += [
                with_option if with_option is sut else replace(with_option, memory=memory)
                for sut, with_option in remembering
            ]
    return list({sut.label: sut for sut in made}.values())


def _with(sut: SystemUnderTest, options: dict[str, Any]) -> SystemUnderTest:
    """The same system with these options added; floors and the oracle as they are."""
    if sut.system.agent in BASELINES:
        return sut
    system = sut.system.model_copy(update={"options": sut.system.options | options})
    return replace(sut, label=system.label(), system=system)


def check_context(suts: Iterable[SystemUnderTest], queries: Iterable[Query]) -> None:
    """Raises UserError for the first query that lacks what a system is to be told of its user."""
    settings: set[Information] = {sut.system.information for sut in suts}
    for query in queries:
        if "memory" in settings and query.user_id is None:
            raise UserError(f"The query {query.query_id!r} has no user, so no memory can tell of them: leave it out.")
        for setting in settings:
            shopper_context(setting, query)


def injected(suts: Sequence[SystemUnderTest]) -> list[SystemUnderTest]:
    """Each system once more, as a system of its own whose searches find hostile texts. Floors and the oracle are left
    out.
    """
    return [_with(sut, {INJECTED: texts_hash()}) for sut in suts if sut.system.agent not in BASELINES]


def moved(suts: Sequence[SystemUnderTest], moves: str) -> list[SystemUnderTest]:
    """Each system once more, as a system of its own whose shop changes prices or stock while it researches.

    Floors and the oracle are left out. Raises UserError for moves that can't be read.
    """
    option = {MOVES: read_moves(moves)}
    return [_with(sut, option) for sut in suts if sut.system.agent not in BASELINES]


def definition(
    world: World, queries: tuple[Query, ...], suts: list[SystemUnderTest], seed: str, *, is_part: bool = False
) -> Definition:
    """What an experiment with these systems and queries asks. ``is_part`` says that the queries are
    some of a file's.
    """
    return Definition(
        world_fingerprint=world.manifest.fingerprint,
        now=world.manifest.now,
        queries=tuple(sorted(queries, key=lambda query: query.query_id)),
        asked={sut.label: tuple(sorted(query.query_id for query in queries)) for sut in suts} if is_part else {},
        systems={sut.label: sut.system for sut in suts},
        prompt_hashes={sut.label: prompt_hashes(sut) for sut in suts},
        tool_schema_hash=tool_schema_hash(),
        seed=seed,
        versions={"drretail": __version__},
    )


def prompt_hashes(sut: SystemUnderTest) -> dict[str, str]:
    """The hash of every prompt that the system uses, by the prompt's name."""
    with overridden(sut.overrides.texts):
        remembers = MEMORY in sut.system.options
        instructions = filter(None, [context_prompt(sut.system.information, remembers=remembers)])
        can_ask = sut.system.intent == "asked" or sut.system.options.get(SHOPPER) == PERSON
        asking = [ask_shopper_prompt()] if can_ask else []
        speaking = [shopper_prompt()] if SHOPPER in sut.models else []
        used = (*wordings_of(sut.agent), *instructions, *asking, *speaking)
        return {prompt.name: prompt.hash for prompt in used}

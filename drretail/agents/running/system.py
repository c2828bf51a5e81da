"""A system with all that is needed to run it, and the definition of an experiment.

``--vary NAME=VALUE,…`` makes a system for each value of each condition.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Self

from drretail import __version__
from drretail.agents.base import Agent
from drretail.agents.information import context_prompt
from drretail.agents.names import answers_here
from drretail.agents.page_reading import reading_pages
from drretail.agents.registry import AGENTS, NO_OVERRIDES, Overrides, load_agent, split_web_mode, wordings_of
from drretail.agents.running.identity import code_of
from drretail.conditions.condition import Condition
from drretail.conditions.names import CONDITIONS
from drretail.conditions.registry import load_condition
from drretail.env.looked_up import shop_address
from drretail.env.web.base import Web
from drretail.env.web.sandbox import SealedWeb
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiments.experiment import Definition
from drretail.files import check_inside, files_below
from drretail.llm.prompt import overridden_prompts
from drretail.llm.registry import Model, check_priced
from drretail.records.base import sha256_of
from drretail.records.query import Query
from drretail.records.run import (
    BASELINES,
    COMPOSE,
    FILES,
    NETWORK,
    SEALED,
    SIZE,
    TURN_FLOORS,
    Limits,
    OwnCondition,
    Role,
    RoleModel,
    System,
)
from drretail.tools.registry import own_tools, tool_schema_hash, tools_of


@dataclass(frozen=True, slots=True)
class SystemUnderTest:
    """A system, the agent behind it, and an opened model for each of its roles."""

    label: str
    system: System
    agent: Agent
    models: Mapping[Role, Model]
    overrides: Overrides = NO_OVERRIDES
    """The replaced prompts that this system uses."""
    conditions: Mapping[str, Condition] = field(default_factory=dict[str, Condition])
    """By name, the user's own conditions that it may run under."""
    code: Mapping[str, str] = field(default_factory=dict[str, str])
    """The hashes of the agent's own code, by file."""

    def as_system(self, system: System) -> Self:
        """The same agent and models as another system: only with those limits that it heeds.

        Raises UserError if a limit in dollars is given and a model has no known price.
        """
        system = system.model_copy(update={"limits": heeded(system.limits, self.agent, system.agent)})
        if system.limits.dollars is not None:
            check_priced(self.models.values())
        return replace(self, label=system.label(), system=system)

    @property
    def seconds(self) -> int | None:
        """How long a run may take; None for any time. Commands and addresses keep to it themselves, and say more."""
        limits = self.system.limits
        if self.system.is_command_or_address:
            return None
        return limits.own_seconds if answers_here(self.system) else limits.seconds

    @property
    def runs_aside(self) -> bool:
        """True if code of the user's own answers, and asks no model by the loop of all runs, which owns connections."""
        return answers_here(self.system) and not self.agent.roles

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
        for role in agent.roles:
            model = models.get(role) or models.get("")
            if model is None:
                needed = f"The agent {name} needs a model for {role}: add --model PROVIDER:MODEL."
                strange = [role for role in models if role and role not in agent.roles]
                raise UserError(f"{needed} It has no {' and no '.join(strange)}." if strange else needed)
            by_role[role] = model.answering(role)
        options, web = _with_sandbox(given.pop("options", {}), world.web)
        system = System(
            agent=name,
            self_checked=agent.self_checked,
            web_provider=web.provider,
            web_corpus=web.corpus,
            options={name: value for name, value in options.items() if name != FILES or agent.reads_files}
            | ({NETWORK: agent.network} if agent.network not in (None, SEALED) else {}),
            models={
                role: RoleModel(spec=model.spec, kind=model.info.kind, params=model.asked or None)
                for role, model in by_role.items()
            },
            limits=heeded(limits, agent, name),
            prompts=overrides.as_record(),
            place=agent.place,
            **given,
        )
        return cls(system.label(), system, agent, by_role, overrides, code=code_of(system, agent))


def heeded(limits: Limits, agent: Agent, name: str) -> Limits:
    """The limits with only those that change what the agent does.

    Raises UserError for a limit that can't hold: what an agent takes that asks its models by itself is known too late.
    """
    if agent.is_baseline:
        return Limits()
    spending = {"tokens", "dollars"}
    set_limits = limits.model_dump(exclude_defaults=True).keys()
    if not agent.roles and (limited := sorted(spending & set_limits)):
        raise UserError(
            f"--vary {limited[0]} can't hold for {name}, which asks its models by itself: limit its seconds, or let it "
            "ask them by `models` (docs/agents.md)."
        )
    ignored = sorted(set_limits - {*agent.heeds, "seconds"})
    if ignored and split_web_mode(name)[0] not in AGENTS.own:  # of the built-in ones each has its own limits
        raise UserError(
            f"--vary {ignored[0]} can't hold for {name}, which is not told its limits: limit its seconds, or let it "
            "ask for `limits` (docs/agents.md)."
        )
    return Limits(**limits.model_dump(include={*agent.heeds, "seconds"} - (set() if agent.roles else spending)))


def suts(
    agents: Mapping[str, Agent],
    models: Mapping[str, Model],
    world: World,
    overrides: Overrides = NO_OVERRIDES,
    **options: Any,
) -> list[SystemUnderTest]:
    """The system of each agent by its name (``NAME+ws`` reads pages); ``models`` as for ``SystemUnderTest.of``.

    Raises UserError if a limit in dollars is given and a model has no known price, and for overrides of prompts that
    none of the agents uses.
    """
    modes = [(*split_web_mode(name), agent) for name, agent in agents.items()]
    systems = [
        SystemUnderTest.of(name, agent, models, world, overrides, web_mode=mode, **options)
        for name, mode, agent in modes
    ]
    overrides.unused(sut.overrides for sut in systems)
    if any(sut.system.limits.dollars is not None for sut in systems):
        check_priced(model for sut in systems for model in sut.models.values())
    return systems


def _with_sandbox(options: dict[str, Any], web: Web) -> tuple[dict[str, Any], Web]:
    """The options with those that a sandbox adds, and the part of it that is served; any other web stays.

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


def files_for(folder: Path | None, query_id: str, *, alone: bool) -> Path | None:
    """The folder of one query's files: named by its id, or ``folder`` itself for a question ``alone``.

    None if there is neither.
    """
    if folder is None:
        return None
    folder_of_query = folder / query_id
    if not folder_of_query.is_dir():
        return folder if alone else None
    check_inside(folder_of_query, folder)
    return folder_of_query


def files_hash(folder: Path) -> str:
    """A hash of the names and bytes of all files below a folder. Raises UserError for a folder without files."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: name one with the user's files, or with such a folder for each query.")
    files = files_below(folder, "**/*")
    if not files:
        raise UserError(f"{folder} holds no file: put the user's files there, or in a folder for each query's id.")
    sums = [[path.relative_to(folder).as_posix(), sha256(path.read_bytes()).hexdigest()] for path in files]
    return sha256_of(sums)[:12]


def client_options(without: Iterable[str] = ()) -> dict[str, Any]:
    """The options of a system whose agent asks its own model (MCP, gym, inspect): only those that are not the default.

    Raises UnknownName for an unknown family of tools.
    """
    families = sorted({*without})
    tools_of(families)
    return {"without": families} if families else {}


def with_baselines(suts: Sequence[SystemUnderTest], world: World, queries: Iterable[Query]) -> list[SystemUnderTest]:
    """The systems, with the null agents and the oracle after them, each once; those of conversations only for such."""
    talks = any(query.after is not None for query in queries)
    names = (name for name in BASELINES if talks or name not in TURN_FLOORS)
    floors = (SystemUnderTest.of(name, load_agent(name), {}, world) for name in names)
    return list({sut.label: sut for sut in (*suts, *floors)}.values())


def definition(
    world: World, queries: tuple[Query, ...], suts: list[SystemUnderTest], seed: str, *, is_part: bool = False
) -> Definition:
    """What an experiment with these systems and queries asks; ``is_part``: the queries are some of a file's."""
    return Definition(
        world_fingerprint=world.manifest.fingerprint,
        now=world.manifest.now,
        shop_url=shop_address(world),
        queries=tuple(sorted(queries, key=lambda query: query.query_id)),
        asked={sut.label: tuple(sorted(query.query_id for query in queries)) for sut in suts} if is_part else {},
        systems={sut.label: sut.system for sut in suts},
        prompt_hashes={sut.label: prompt_hashes(sut) for sut in suts},
        code={sut.label: {**sut.code} for sut in suts if sut.code},
        tool_schema_hash=tool_schema_hash(),
        seed=seed,
        versions={"drretail": __version__},
    )


def prompt_hashes(sut: SystemUnderTest) -> dict[str, str]:
    """The hash of every prompt that the system uses, by the prompt's name."""
    with overridden_prompts(sut.overrides.texts):
        instructions = filter(None, [context_prompt(sut.system.information)])
        used = (*wordings_of(sut.agent), *instructions)
        return {prompt.name: prompt.hash for prompt in used}


Given = str | float | Sequence[str | float]
"""The values of one condition; in one text they are separated by commas."""
Values = Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class Varied:
    """The systems that conditions make, and sentences on the crossings that were left out."""

    systems: list[SystemUnderTest]
    left_out: list[str]


def varied(
    suts: Sequence[SystemUnderTest], values: Values, world: World, queries: Sequence[Query], *, cross: bool = False
) -> Varied:
    """Each system under the values; floors and the oracle as they are.

    A condition with one value has it in all systems. Of a condition with several, the first holds while another varies;
    with ``cross`` every value meets every value of the others. Crossings that make no sense are left out.

    Raises UnknownName for an unknown condition or value, and UserError if a value can't be had with this world and
    these queries, or if nothing is left.
    """
    conditions = _asked(values)
    for condition in conditions:
        for value in condition.values:
            condition.condition.check_queries(value, queries)
    own = {condition.condition.name: condition.condition for condition in conditions if condition.place is not None}
    systems: dict[str, SystemUnderTest] = {}
    left_out: dict[tuple[str, str], list[str]] = {}
    for crossing in _crossings([condition.values for condition in conditions], cross=cross):
        for sut in suts:
            system = sut.system
            for condition, value in () if sut.agent.is_baseline else zip(conditions, crossing, strict=True):
                system = condition.put(system, value, world)
            if (
                unfit := next(filter(None, (condition.condition.unfit(system) for condition in conditions)), None)
            ) is None:
                as_system = replace(sut.as_system(system), conditions=own)
                systems.setdefault(as_system.label, as_system)
            else:
                label = ", ".join(
                    f"{condition.condition.name}={value}" for condition, value in zip(conditions, crossing, strict=True)
                )
                left_out.setdefault((sut.label, unfit), []).append(label)
    sentences = [
        f"{label} with {first}{f', and {len(others)} more such' if others else ''}: {unfit}."
        for (label, unfit), (first, *others) in left_out.items()
    ]
    if suts and not systems:
        raise UserError(sentences[0])
    return Varied([*systems.values()], [f"Left out: {sentence}" for sentence in sentences])


def read_values(given: Given) -> tuple[str, ...]:
    """The values of one condition. Raises UserError if there are none, or for a blank one."""
    texts = [str(value) for value in given] if isinstance(given, list | tuple) else str(given).split(",")
    values = tuple(dict.fromkeys(text.strip() for text in texts))
    if not values or not all(values):
        raise UserError(f"--vary has {','.join(texts)!r}: write NAME=VALUE,…, such as information=tools,task.")
    return values


@dataclass(frozen=True, slots=True)
class _Asked:
    condition: Condition
    place: str | None
    """The ``module:attribute`` of one that is not built in."""
    values: tuple[str, ...]

    def put(self, system: System, value: str, world: World) -> System:
        put, name = self.condition.put(system, value, world), self.condition.name
        if self.place is None or name not in put.options:
            return put
        condition_of = OwnCondition(place=self.place, default=self.condition.default)
        return put.model_copy(update={"conditions": put.conditions | {name: condition_of}})


def _asked(values: Values) -> list[_Asked]:
    """The conditions, in the order in which a system is given their values."""
    conditions = [
        _Asked(condition, place, read_values(its))
        for name, its in values.items()
        for place, condition in [load_condition(name)]
    ]
    order = [*CONDITIONS]
    return sorted(
        conditions,
        key=lambda condition: order.index(name) if (name := condition.condition.name) in order else len(order),
    )


def _crossings(values: Sequence[Sequence[str]], *, cross: bool) -> Iterator[tuple[str, ...]]:
    """Values, one of each: all with all, or each one's with the first of the others."""
    if cross:
        yield from product(*values)
        return
    first = tuple(its[0] for its in values)
    yield first
    for at, its in enumerate(values):
        yield from ((*first[:at], value, *first[at + 1 :]) for value in its[1:])

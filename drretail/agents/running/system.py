"""A system with all that is needed to run it, and what an experiment with several of them asks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from drretail import __version__
from drretail.agents.base import Agent
from drretail.agents.page_reading import reading_pages
from drretail.agents.picks import asking_prompt
from drretail.agents.registry import load_agent
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.experiment import Definition
from drretail.llm.registry import Model
from drretail.records.counterfactual import KINDS, OPTION
from drretail.records.query import Query
from drretail.records.run import BASELINES, Limits, Role, RoleModel, System
from drretail.tools.registry import tool_schema_hash


@dataclass(frozen=True, slots=True)
class SystemUnderTest:
    """A system, the agent behind it, and an opened model for each of its roles."""

    label: str
    system: System
    agent: Agent
    models: Mapping[Role, Model]

    def repeats(self, asked: int) -> int:
        """How often it runs for each query: without chance, once says all."""
        return 1 if self.agent.is_baseline else asked

    @classmethod
    def of(cls, name: str, agent: Agent, models: Mapping[str, Model], world: World, **given: Any) -> Self:
        """The system of ``agent`` with ``models`` by role, the one under "" for every role not named.

        ``given`` sets further fields of System; of its limits only those that the agent heeds, and nothing at all of a
        floor or the oracle: they are the same beside every system. Raises UserError when a role is left without a
        model.
        """
        if agent.is_baseline:
            system = System(agent=name, models={}, limits=Limits())
            return cls(system.label(), system, agent, {})
        limits: Limits = given.pop("limits", Limits())
        if given.get("web_mode") == "ws":
            agent = reading_pages(agent)
        by_role: dict[Role, Model] = {}
        for role in agent.roles:
            model = models.get(role) or models.get("")
            if model is None:
                raise UserError(_without_model(name, agent, role, models))
            by_role[role] = model
        system = System(
            agent=name,
            self_checked=agent.self_checked,
            web_provider=world.web.provider,
            web_corpus=world.web.corpus,
            models={
                role: RoleModel(spec=model.spec, kind=model.info.kind, params=model.asked or None)
                for role, model in by_role.items()
            },
            limits=Limits(**limits.model_dump(include=set(agent.heeds))),
            **given,
        )
        return cls(system.label(), system, agent, by_role)


def with_baselines(suts: Sequence[SystemUnderTest], world: World) -> list[SystemUnderTest]:
    """The systems, with the null agents and the oracle beside them, each once."""
    beside = (SystemUnderTest.of(name, load_agent(name), {}, world) for name in BASELINES)
    return list({sut.label: sut for sut in (*suts, *beside)}.values())


def counterfactuals(suts: Sequence[SystemUnderTest], kinds: Iterable[str]) -> list[SystemUnderTest]:
    """Each system once more for each kind ("swap", "neutral"), a system of its own that sees other users' data.

    Floors and the oracle are left out. Raises UnknownName for a kind that there is not, UserError for a system that
    has no tools to see a user's data with.
    """
    made: list[SystemUnderTest] = []
    for kind in dict.fromkeys(kinds):
        if kind not in KINDS:
            raise UnknownName("counterfactual", kind, KINDS)
        for sut in suts:
            if sut.system.agent in BASELINES:
                continue
            if "user" in sut.system.options.get("without", ()):
                raise UserError("Without the user's tools there is no profile to change: leave --counterfactual out.")
            system = sut.system.model_copy(update={"options": sut.system.options | {OPTION: kind}})
            made.append(replace(sut, label=system.label(), system=system))
    return made


def _without_model(name: str, agent: Agent, role: Role, models: Mapping[str, Model]) -> str:
    needed = f"The agent {name} needs a model for {role}: add --model PROVIDER:MODEL."
    strange = [given for given in models if given and given not in agent.roles]
    return f"{needed} It has no {' and no '.join(strange)}." if strange else needed


def definition(world: World, queries: tuple[Query, ...], suts: list[SystemUnderTest], seed: str) -> Definition:
    """What an experiment with these systems and queries asks."""
    return Definition(
        world_fingerprint=world.manifest.fingerprint,
        now=world.manifest.now,
        queries=tuple(sorted(queries, key=lambda query: query.query_id)),
        systems={sut.label: sut.system for sut in suts},
        prompt_hashes={sut.label: prompt_hashes(sut.agent) for sut in suts},
        tool_schema_hash=tool_schema_hash(),
        seed=seed,
        versions={"drretail": __version__},
    )


def prompt_hashes(agent: Agent) -> dict[str, str]:
    """The hash of every wording that the agent uses, by prompt."""
    asking = [asking_prompt()] if agent.writer is not None else []
    return {prompt.name: prompt.hash for prompt in (*agent.prompts(), *asking)}

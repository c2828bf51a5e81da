"""The systems that the options of ``run`` and ``ask`` name: agents with their models, tools, prompts and limits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from langchain_core.runnables import Runnable

from drretail.agents.base import Agent
from drretail.agents.callables import as_agent
from drretail.agents.prompt_files import NO_OVERRIDES, read_overrides
from drretail.agents.registry import AGENTS, load_agent, named_agent, split_web_mode
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, suts
from drretail.agents.user_files import files_hash
from drretail.api.models import Opener, choices_by_role, profile_of
from drretail.api.observer import Observer
from drretail.api.options import research
from drretail.api.options.research import Agents, ModelSpec
from drretail.api.options.run import RunOptions, SystemOptions
from drretail.api.prompts.files import all_prompt_files
from drretail.api.settings import OFFLINE_MODEL, Settings
from drretail.conditions.tools import read_limits
from drretail.env.web.dense import Retrievers
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.llm.registry import Model
from drretail.querygen.shipped import shipped_queries
from drretail.records.models import ModelChoice
from drretail.records.run import FILES, PERSON, ROLES, SHOPPER
from drretail.viewer.published import SYSTEMS

PAPER = "paper"
PAPER_PROFILE = "paper-like"
OFFLINE_NOTE = "No --model given: offline:shopper answers. It follows rules and is no language model."


def with_preset(options: RunOptions) -> RunOptions:
    """The options, with the preset ``paper`` in the place of those that are not given.

    The preset stands for the paper's six systems (section 5) on the fifty shipped queries with the models of the
    profile ``paper-like``, and for its tools, which show any user's data. Raises UnknownName for an unknown preset, and
    UserError for agents beside the paper's.
    """
    if options.preset is None:
        return options
    if options.preset != PAPER:
        raise UnknownName("preset", options.preset, [PAPER])
    if options.agents is not None:
        raise UserError("--preset paper runs the paper's six systems: leave --agent out, or the preset.")
    return replace(
        options,
        preset=None,
        agents=SYSTEMS,
        queries=shipped_queries() if options.queries is None else options.queries,
        model_profile=options.model_profile or PAPER_PROFILE,
        vary={"scope": "any"} | dict(options.vary or {}),
    )


def named_systems(
    options: SystemOptions, agents: Agents, model: research.Model, world: World, opener: Opener, observer: Observer
) -> list[SystemUnderTest]:
    """One system per agent. ``NAME+ws`` reads summaries of whole pages.

    Notes it if an agent asks a model and none is named, so that offline:shopper answers.
    """
    who = named_agents(agents)
    roles = [role for agent in who.values() for role in agent.roles]
    note = (lambda: observer.note(OFFLINE_NOTE)) if roles else None
    models = opened_models(model, options.model_profile, opener, roles, note)
    if options.shopper not in (None, PERSON):
        (models[SHOPPER],) = opener.open_all([ModelChoice(model=options.shopper)])
    overrides = NO_OVERRIDES
    if options.prompts is not None:
        overrides = read_overrides(Path(options.prompts), who.values(), all_prompt_files())
    made = suts(
        who,
        models,
        world,
        overrides,
        options=({} if options.files is None else {FILES: files_hash(Path(options.files))})
        | ({SHOPPER: PERSON} if options.shopper == PERSON else {}),
        limits=read_limits(options.limits),
    )
    prompted = [model.info for sut in made if sut.overrides.texts for model in sut.models.values()]
    if ruled := {info.spec for info in prompted if info.kind == "rule_based"}:
        observer.note(f"{', '.join(sorted(ruled))} follows rules: --prompts changes nothing in its answers.")
    if idle := overrides.unused(sut.overrides for sut in made):
        observer.note(f"No agent of this run is told {idle} of {overrides.name}.")
    return made


def named_agents(agents: Agents) -> dict[str, Agent]:
    """Agents by name. A function or graph without a given name goes by its own.

    Raises UserError if two would go by the same name, and for an object that cannot answer.
    """
    if isinstance(agents, Mapping):
        return {_free_name(str(name), agent): _named(agent)[1] for name, agent in agents.items()}
    is_several = isinstance(agents, Iterable) and not isinstance(agents, str | Runnable)
    brought = cast(Iterable[object], agents if is_several else [agents])
    named: dict[str, Agent] = {}
    objects: dict[str, object] = {}
    for answerer in brought:
        name, agent = _named(answerer)
        first = objects.setdefault(name, answerer)
        if first is not answerer and not (isinstance(answerer, str) and first == answerer):
            raise UserError(
                f"Two agents go by the name {name}: give one another, as in --agent NAME=PLACE, or in Python as a "
                "mapping, {name: agent}."
            )
        named[name] = agent
    return named


def _named(answerer: object) -> tuple[str, Agent]:
    if isinstance(answerer, str):
        return named_agent(answerer)
    agent = as_agent(answerer)
    if agent is None:
        raise AGENTS.refused(repr(answerer)[:60], answerer, "a drretail.Agent, a function that answers, or a Runnable")
    return _free_name(getattr(agent.answer, "__name__", "agent"), answerer), agent


def _free_name(name: str, agent: object) -> str:
    """The name. Raises UserError for an object of the user's own that goes by the name of another agent."""
    plain, _ = split_web_mode(name)
    if not isinstance(agent, str) and plain in AGENTS.names() and load_agent(plain) is not agent:
        raise UserError(f"There is an agent {plain} already: give yours another name, as in {{name: agent}}.")
    return name


def opened_models(
    model: ModelSpec | None,
    profile: str | None,
    opener: Opener,
    roles: Sequence[str] = (),
    on_offline: Callable[[], None] | None = None,
) -> dict[str, Model]:
    """Models of specs, profile and settings by role; the key "" stands for all other roles.

    A text is "provider:model", or "role=provider:model"; a model without a role replaces the whole profile. ``roles``
    may be named besides those of the built-in agents. ``on_offline`` is called if no model is named, so that
    offline:shopper answers.
    """
    ready: dict[str, Model] = {}
    specs: list[str] = []
    if isinstance(model, Model):
        ready[""] = model
    elif isinstance(model, Mapping):
        ready = {role: each for role, each in model.items() if isinstance(each, Model)}
        specs = [f"{role}={each}" if role else each for role, each in model.items() if isinstance(each, str)]
    elif model is not None:
        specs = [model] if isinstance(model, str) else list(model)
    if ready and not specs and ("" in ready or profile is None):
        return ready
    settings = opener.settings
    if not specs and profile is None and settings.model is not None:
        specs = [settings.model]
    chosen = choices_by_role(specs, profile_of(profile, settings), dict.fromkeys((*ROLES, *roles)))
    if not chosen:
        if on_offline is not None:
            on_offline()
        chosen = choices_by_role([OFFLINE_MODEL], None)
    return dict(zip(chosen, opener.open_all(chosen.values()), strict=True)) | ready


def runner_of(
    world: World,
    settings: Settings,
    spec: str,
    replay: Path | None = None,
    *,
    pages: bool = True,
    files: str | Path | None = None,
) -> Runner:
    """A runner in that world, with the settings' timeouts and limits; ``spec`` is the world's name in its runs."""
    return Runner(
        world,
        spec,
        tool_timeout=settings.tool_timeout,
        tool_threads=settings.tool_threads,
        model_calls=settings.model_calls,
        replay=replay,
        pages=pages,
        files=None if files is None else Path(files),
        retrievers=Retrievers(cache=settings.cache_dir / "embeddings"),
    )

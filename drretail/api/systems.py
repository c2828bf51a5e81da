"""What the options of ``run`` and ``ask`` name: queries, and systems, with models, tools, prompts and limits.

``options/<hash>.toml`` in an experiment's folder keeps the options that made its systems, as they were given.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from os.path import relpath
from pathlib import Path
from typing import Any, cast, get_origin

from langchain_core.runnables import Runnable

from drretail.agents.base import Agent
from drretail.agents.registry import (
    AGENTS,
    NO_OVERRIDES,
    as_agent,
    load_agent,
    named_agent,
    read_overrides,
    split_web_mode,
)
from drretail.agents.running.run import question_as_query
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, files_hash, suts
from drretail.api.models import Opener, choices_by_role, profile_of
from drretail.api.option import RESUMING
from drretail.api.options import research
from drretail.api.options.experiment_file import HEADER, chosen, entry, toml
from drretail.api.options.observer import Observer
from drretail.api.options.research import Agents, ModelSpec
from drretail.api.options.run import AskOptions, Queries, RunOptions, SystemOptions
from drretail.api.settings import OFFLINE_MODEL, Settings
from drretail.conditions.tools import read_limits
from drretail.doors.sealing import Network, why_unsealed
from drretail.env.web.base import Web
from drretail.env.web.sandbox import SealedWeb
from drretail.env.world import World
from drretail.errors import UserError, quoted
from drretail.experiments.experiment import LABELS, OPTIONS, run_files
from drretail.experiments.run_file import read_journal
from drretail.llm.registry import Model, open_recorded
from drretail.querygen.reading import read_queries, shipped_queries
from drretail.records.query import Query
from drretail.records.run import FILES, ROLES, Limits, System

ASIDE = frozenset({"world", "queries", "to", "title", "base_url", "parallel", "max_dollars", "max_tokens"})
"""Left out: on what the systems ran, where, and for how much. Options for ``RESUMING`` are left out, too, so that all
shards of an experiment keep the same file.
"""


def kept_options(options: RunOptions | AskOptions, settings: Settings, labels: Iterable[str], folder: Path) -> str:
    """A file for ``read_experiment``, with the labels of the systems that these options made in ``folder``.

    ``settings`` stand in for a model and a web that are not named. A value that only Python can give is a comment.
    """
    # The options of ``run`` that make the same systems, with the settings in the place of what is not given
    if isinstance(options, AskOptions):
        shared = {field.name: getattr(options, field.name) for field in fields(SystemOptions)}
        shared |= {"agents": [options.agent], "model": options.model, "web": options.web}
        options = RunOptions(**shared, baselines=False)
    if options.model is None and options.model_profile is None:
        model = settings.model or (None if settings.model_profile else OFFLINE_MODEL)
        options = replace(options, model=model and [model], model_profile=settings.model_profile)
    if options.web is None and settings.web != Settings.model_fields["web"].default:
        options = replace(options, web=settings.web)
    if isinstance(options.limits, Limits):
        options = replace(options, limits=options.limits.model_dump(exclude_defaults=True))
    if isinstance(options.agents, Mapping):  # names that only Python can give
        options = replace(options, agents=[options.agents])
    entries: list[str] = []
    for option, value in chosen(options):
        if option.name in ASIDE or option.option.group == RESUMING:
            continue
        if option.kind is Path and not Path(value).expanduser().is_absolute():
            value = relpath(value, folder / OPTIONS)
        if get_origin(option.kind) is list and isinstance(value, str):  # as flags give it
            value = [value]
        try:
            entries.append(entry(option, value))
        except UserError:
            entries.append(f"# {option.name} was given in Python.\n")
    made = f"# The systems that these options make.\n{LABELS} = {toml(LABELS, sorted(labels))}\n"
    return "\n".join([HEADER, made, *entries])


NOTHING_ASKED = (
    "There is nothing to answer. Name questions with --queries FILE, or give a list of them in Python. "
    "`drretail queries shipped --split all --to FILE` writes the fifty that come with drretail."
)


def read_file_of_queries(
    queries: Queries | None, web: Web, read: Callable[[Path], Sequence[Query]] = read_queries
) -> Queries | None:
    """The queries, read if they are a file. None only for a sandbox, which brings its own.

    Raises UserError for a broken file, and if there are no queries at all.
    """
    if queries is None and not isinstance(web, SealedWeb):
        raise UserError(NOTHING_ASKED)
    if not isinstance(queries, str | Path):
        return queries
    if not Path(queries).exists() and " " in str(queries):
        raise UserError(f"There is no file {str(queries)!r}: to ask a question, put it into a list, [question].")
    return list(read(Path(queries)))


def asked_queries(queries: Queries | None, user: str | None, world: World) -> list[Query]:
    """The queries as ``without_sandbox_gold`` gives them: what a sandbox establishes belongs to its query."""
    query_list = without_sandbox_gold(queries, user, world)
    return world.web.with_gold(query_list) if isinstance(world.web, SealedWeb) else query_list


def without_sandbox_gold(queries: Queries | None, user: str | None, world: World) -> list[Query]:
    """The queries of a file, or the given ones, with plain questions as queries of ``user``.

    If none are given, the queries of the sandbox, which has a web for each.
    """
    queries = read_file_of_queries(queries, world.web)
    if queries is None:
        return list(cast(SealedWeb, world.web).queries)
    is_one = isinstance(queries, Query) or not isinstance(queries, Iterable)
    items: list[Any] = [queries] if is_one else list(cast(Iterable[Any], queries))
    wrong = [item for item in items if not isinstance(item, str | Query)]
    if wrong:
        raise UserError(f"A query is a question or a Query, and {quoted(str(wrong[0]))} is neither.")
    query_list = [question_as_query(item, user, world) if isinstance(item, str) else item for item in items]
    if not query_list:
        raise UserError("There is nothing to answer: the list of queries is empty.")
    return query_list


OFFLINE_NOTE = "No model given: offline:shopper answers. It follows rules and is no language model."


def with_preset(options: RunOptions) -> RunOptions:
    """The options, with the preset ``paper`` in the place of those that are not given.

    The preset stands for the paper's six systems (section 5) on the fifty shipped queries with the models of the
    profile ``paper-like``, and for its tools, which show any user's data.
    """
    if options.preset is None:
        return options
    from drretail.viewer.paper import SYSTEMS  # loads what makes its tables

    return replace(
        options,
        agents=SYSTEMS if options.agents is None else options.agents,
        queries=shipped_queries() if options.queries is None else options.queries,
        model_profile=options.model_profile or "paper-like",
        vary={"scope": "any"} | dict(options.vary or {}),
    )


def named_systems(
    options: SystemOptions, agents: Agents, model: research.Model, world: World, opener: Opener, observer: Observer
) -> list[SystemUnderTest]:
    """One system per agent. ``NAME+ws`` reads summaries of whole pages."""
    who = named_agents(agents, options.network, tuple(options.pass_env))
    if model is not None or options.model_profile or opener.settings.model or opener.settings.model_profile:
        who = {name: agent.with_model() for name, agent in who.items()}
    if options.network is None and any(agent.network == "proxy" for agent in who.values()):
        observer.note(f"Commands run unsealed, by proxy: {why_unsealed()}. What ignores it may reach the internet.")
    models = opened_models(model, options.model_profile, opener, who.values(), observer)
    overrides = NO_OVERRIDES
    if options.prompts is not None:
        from drretail.api.prompts import all_prompt_files  # loads the makers of queries

        overrides = read_overrides(Path(options.prompts), who.values(), all_prompt_files())
    new_suts = suts(
        who,
        models,
        world,
        overrides,
        options={} if options.files is None else {FILES: files_hash(Path(options.files))},
        limits=read_limits(options.limits),
    )
    prompted = [model.info for sut in new_suts if sut.overrides.texts for model in sut.models.values()]
    if ruled := {info.spec for info in prompted if info.kind == "rule_based"}:
        observer.note(f"{', '.join(sorted(ruled))} follows rules: --prompts changes nothing in its answers.")
    if idle := overrides.unused(sut.overrides for sut in new_suts):
        observer.note(f"No agent of this run is told {idle} of {overrides.name}.")
    return new_suts


def named_agents(agents: Agents, network: Network | None = None, passed: Sequence[str] = ()) -> dict[str, Agent]:
    """Agents by name. A function or graph without a given name goes by its own. ``network`` and ``passed`` are for
    commands.

    Raises UserError if two would go by the same name, and for an object that cannot answer.
    """
    if isinstance(agents, Mapping):
        return {_free_name(str(name), agent): _with_name(agent, network, passed)[1] for name, agent in agents.items()}
    is_several = isinstance(agents, Iterable) and not isinstance(agents, str | Runnable)
    brought = cast(Iterable[object], agents if is_several else [agents])
    by_name: dict[str, Agent] = {}
    objects: dict[str, object] = {}
    for answerer in brought:
        name, agent = _with_name(answerer, network, passed)
        first = objects.setdefault(name, answerer)
        if first is not answerer and not (isinstance(answerer, str) and first == answerer):
            raise UserError(
                f"Two agents go by the name {name}: give one another, as in --agent NAME=PLACE, or in Python as a "
                "mapping, {name: agent}."
            )
        by_name[name] = agent
    return by_name


def _with_name(answerer: object, network: Network | None, passed: Sequence[str]) -> tuple[str, Agent]:
    if isinstance(answerer, str):
        return named_agent(answerer, network, passed)
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
    agents: Iterable[Agent],
    observer: Observer,
) -> dict[str, Model]:
    """Models of specs, profile and settings by role; the key "" stands for all other roles.

    A text is "provider:model", or "role=provider:model"; a model without a role replaces the whole profile. Roles of
    these agents may be named besides those of the built-in ones. A note says if an agent asks a model and none is
    named, so that offline:shopper answers.
    """
    ready: dict[str, Model] = {}
    specs: list[str] = []
    if isinstance(model, Model):
        ready[""] = model
    elif isinstance(model, Mapping):
        ready = {role: value for role, value in model.items() if isinstance(value, Model)}
        specs = [f"{role}={spec}" if role else spec for role, spec in model.items() if isinstance(spec, str)]
    elif model is not None:
        specs = [model] if isinstance(model, str) else list(model)
    if ready and not specs and ("" in ready or profile is None):
        return ready
    settings = opener.settings
    if not specs and profile is None and settings.model is not None:
        specs = [settings.model]
    roles = [role for agent in agents for role in agent.roles]
    chosen = choices_by_role(specs, profile_of(profile, settings), dict.fromkeys((*ROLES, *roles)))
    if not chosen:
        if roles:
            observer.note(OFFLINE_NOTE)
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
    )


def recorded_models(experiment: Path, label: str, system: System) -> dict[str, Model]:
    """The system's models by role, as they were when its runs were made."""
    journals = map(read_journal, run_files(experiment, label))
    calls = ([effect for effect in journal if effect.kind == "model"] for journal in journals)
    # The calls of the system's first run that has any
    parameters = {effect.role: effect.request.get("params", {}) for effect in next(filter(None, calls), [])}
    return {
        role: open_recorded(model, parameters.get(role) or model.params or {}) for role, model in system.models.items()
    }

"""``run``: agents over queries, as ``drretail run`` does it."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import Runnable

from drretail.agents.base import Agent
from drretail.agents.callables import as_agent
from drretail.agents.prompt_files import NO_OVERRIDES, read_overrides
from drretail.agents.registry import AGENTS, named_agent
from drretail.agents.running.run import run as run_systems
from drretail.agents.running.runner import Runner
from drretail.agents.running.shard import only as select_only
from drretail.agents.running.single_question import question_as_query
from drretail.agents.running.spending import Caps
from drretail.agents.running.system import check_told, informed, suts, system_options, with_baselines
from drretail.agents.running.system import injected as among_hostile_texts
from drretail.api.models import Opener, models_by_role
from drretail.api.recorded import RecordedExperiment
from drretail.api.worlds import check_askable, open_world
from drretail.env.offers import Offers
from drretail.env.web.base import Web
from drretail.env.web.dense import Retrievers
from drretail.env.web.sealed import SealedWeb
from drretail.env.world import World
from drretail.errors import UserError, quoted
from drretail.llm.registry import Model
from drretail.querygen.reading import read_queries
from drretail.records.query import Query
from drretail.records.run import BM25, Limits, Scope
from drretail.settings import Settings, read_settings

AnyAgent = str | Agent | Callable[..., Any] | Runnable[Any, Any]
Agents = AnyAgent | Iterable[AnyAgent] | Mapping[str, AnyAgent]
Queries = str | Path | Query | Iterable[str | Query]
ModelSpec = str | Model | Mapping[str, str | Model]


def run(
    world: str | Path | World,
    queries: Queries | None = None,
    agents: Agents = "react",
    model: ModelSpec | None = None,
    *,
    to: str | Path | None = None,
    user: str | None = None,
    repeats: int = 1,
    baselines: bool = True,
    without: Sequence[str] = (),
    scope: Scope = "own",
    retriever: str = BM25,
    files: str | Path | None = None,
    web: str | Web | None = None,
    size: str | Sequence[str] = (),
    compose: str | Sequence[str] = (),
    injected: bool = False,
    information: Sequence[str] = (),
    prompts: str | Path | None = None,
    only: int | Sequence[str] | None = None,
    limits: Limits | None = None,
    max_tokens: int | None = None,
    max_dollars: float | None = None,
    parallel: int | None = None,
    retry_failed: bool = False,
    pages: bool = True,
    seed: str = "42",
    title: str | None = None,
) -> RecordedExperiment:
    """The experiment in ``to``, or in a new temporary folder that stays, with every agent's run for every query.

    ``world`` is an open World or what ``open_world`` takes, then with ``web``. ``queries`` are a file's name, or a list
    of queries and of plain questions, asked by ``user``; a sandbox with a web for each query (docs/sandboxes.md) brings
    its own, and each ``size`` and ``compose`` of it is a system. ``agents`` are names (react, hybrid_react+ws …),
    ``module:attribute`` places, Agent objects, functions that answer or LangChain Runnables (docs/agents.md); a mapping
    gives them their names. ``model`` answers in all roles, or by role; without one that of the settings does, else
    offline:shopper, which follows rules. The null agents and the oracle run beside them unless ``baselines`` is False.
    Tools show the data of a query's own user, with ``scope="any"`` anybody's. ``retriever`` ranks the fixed pages of a
    sandbox (``dense:provider:model``: by embeddings), and ``files`` holds users' own files, in a folder for each
    query's id. ``injected`` runs each agent once more among hostile texts, for the metric robustness. ``information``
    names settings of what is known of the shopper ("task", "context", "persona", "tools"; docs/pdr.md), each a system
    of its own. ``prompts`` is a folder of prompts that stand in for the agents' own (docs/agents.md); ``only`` takes
    the first so many queries, or those of these ids. The web pages that a report cites are fetched when its run ends,
    for judges, unless ``pages`` is False. ``title`` is what the experiment is called on its pages. Runs that have ended
    are not made again. A run that fails is recorded, not raised.

    Raises UserError for a wrong name or world, and where ``to`` holds another experiment.
    """
    settings = read_settings(parallel=parallel)
    opener = Opener(settings)
    own_files = None if files is None else Path(files)
    if isinstance(world, World) and web is not None:
        raise UserError("The world is open already: give its web to open_world.")
    with nullcontext(world) if isinstance(world, World) else open_world(world, web=web) as shop:
        asked = asked_queries(queries, user, shop)
        check_askable(shop, asked)
        if only is not None:
            asked = select_only(asked, only)
        who = named_agents(agents)
        systems = suts(
            who,
            opened_models(model, opener),
            shop,
            NO_OVERRIDES if prompts is None else read_overrides(Path(prompts), who.values()),
            options=system_options(without, retriever=retriever, files=own_files),
            limits=limits or Limits(),
            scope=scope,
            sizes=_several(size),
            composes=_several(compose),
        )
        systems = informed(systems, information)
        check_told(systems, asked)
        systems += among_hostile_texts(systems) if injected else []
        folder = Path(tempfile.mkdtemp(prefix="drretail-")) if to is None else Path(to)
        outcome = run_systems(
            folder,
            runner_of(shop, settings, str(shop.folder or shop.servers), pages=pages, files=own_files),
            with_baselines(systems, shop) if baselines else systems,
            asked,
            is_part=only is not None,
            repeats=repeats,
            seed=seed,
            title=title,
            reference=Offers(shop).reference,
            parallel=settings.parallel,
            caps=Caps(opener.prices, max_tokens, max_dollars),
            retry_failed=retry_failed,
        )
    return RecordedExperiment(folder, tuple(outcome.tallies))


def runner_of(
    world: World,
    settings: Settings,
    spec: str,
    replay: Path | None = None,
    *,
    pages: bool = True,
    files: Path | None = None,
) -> Runner:
    """A runner in that world as the settings say; ``spec`` is how its runs name the world."""
    return Runner(
        world,
        spec,
        tool_timeout=settings.tool_timeout,
        tool_threads=settings.tool_threads,
        model_calls=settings.model_calls,
        replay=replay,
        pages=pages,
        files=files,
        retrievers=Retrievers(cache=settings.cache_dir / "embeddings"),
    )


def _several(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def asked_queries(queries: Queries | None, user: str | None, world: World) -> list[Query]:
    """The queries of a file, or those that are given, plain questions among them as queries of ``user``; where none
    are, those of a sandbox that has a web for each."""
    if queries is None:
        if not isinstance(world.web, SealedWeb):
            raise UserError("There is nothing to answer: name a file of queries, or give a list of them.")
        return list(world.web.queries)
    if isinstance(queries, str | Path):
        if not Path(queries).exists() and " " in str(queries):
            raise UserError(f"There is no file {str(queries)!r}: to ask a question, put it into a list, [question].")
        return list(read_queries(Path(queries)))
    given: list[Any] = list(cast(Iterable[Any], queries) if _are_several(queries) else [queries])
    wrong = [it for it in given if not isinstance(it, str | Query)]
    if wrong:
        raise UserError(f"A query is a question or a Query, and {quoted(str(wrong[0]))} is neither.")
    asked = [question_as_query(it, user, world) if isinstance(it, str) else it for it in given]
    if not asked:
        raise UserError("There is nothing to answer: the list of queries is empty.")
    return asked


def _are_several(queries: object) -> bool:
    return isinstance(queries, Iterable) and not isinstance(queries, Query)


def named_agents(agents: Agents) -> dict[str, Agent]:
    """Agents by name; what nobody named goes by the name of its answering function, a graph by its own.

    Raises UserError where two would go by the same name, and for what cannot answer.
    """
    if isinstance(agents, Mapping):
        return {str(name): _named(agent)[1] for name, agent in agents.items()}
    several = isinstance(agents, Iterable) and not isinstance(agents, str | Runnable)
    brought = cast(Iterable[object], agents if several else [agents])
    named: dict[str, Agent] = {}
    objects: dict[str, object] = {}
    for given in brought:
        name, agent = _named(given)
        if objects.setdefault(name, given) is not given and not isinstance(given, str):
            raise UserError(f"Two agents go by the name {name!r}: give them as a mapping, {{name: agent}}.")
        named[name] = agent
    return named


def _named(given: object) -> tuple[str, Agent]:
    if isinstance(given, str):
        return named_agent(given)
    agent = as_agent(given)
    if agent is None:
        raise AGENTS.refused(repr(given)[:60], given, "a drretail.Agent, a function that answers, or a Runnable")
    return getattr(agent.answer, "__name__", "agent"), agent


def opened_models(model: ModelSpec | None, opener: Opener) -> dict[str, Model]:
    """Models by role, the one for all other roles under ""."""
    if model is None:
        return models_by_role([], None, opener)
    given = model if isinstance(model, Mapping) else {"": model}
    ready = {role: it for role, it in given.items() if isinstance(it, Model)}
    specs = [f"{role}={it}" if role else it for role, it in given.items() if isinstance(it, str)]
    opened = models_by_role(specs, None, opener) if specs else {}
    return opened | ready

"""drretail: an open implementation of DeepResearch Retail.

From Python (docs/reference/python.md), each imported on first use:

    demo            from a made-up shop to a page of results, small, without a key
    download, synth, ingest  raw files, and worlds made of them
    gym, lab, queries, worlds  the functions of the commands in these groups, such as ``queries.generate``
    import_reports  reports of other programs, as an experiment
    open_world      a world by its folder, "servers:NAME", or "demo"
    ask             one question, as ``drretail ask``; returns its run and report
    read_experiment the options in an experiment.toml, for ``run``
    run             agents over queries, as ``drretail run``; returns the recorded experiment
    open_experiment a recorded experiment by its folder
    score           its scores by judges and metrics
    check           one answer of a shop's assistant, held against the shop's records
    verify          whether its folder holds what its journals and verdicts give
    compare         systems side by side
    report, export, vote  as pages and text, in other programs' formats, for people to judge
    build_sandbox, check_sandbox  a sealed web for each query
    try_agent       one agent on one query, with its reward
    show_tools, serve_tools  the nine tools listed or one of them called, and served over MCP
    serve_doors     a session's services, shop and model, for agents tried by hand
    check_machine   what works on this machine, as ``doctor`` says it
    write_prompts   the prompts as files to change
    Result          what these commands return: tables, a readable text, a data frame
    open_model      a chat model by "provider:model"
    Agent, Answer   an agent, and what it returns
    Metric, Value   a metric, and what it returns for each report
    Tool            a tool that an agent calls
    Condition       something that systems differ in, for ``run --vary``
    shop_tools      the nine tools as LangChain tools, for an agent that is built before any run

The layers: data flows from the bottom of this list to its top, and a layer imports only those below it:

    __main__.py    ``python -m drretail``
    addons/        what only some need; the core imports none of it
    cli/           the command: a thin file for each subcommand
    api/           what commands do, for Python; where settings are read
    viewer/        pages, the terminal report, tables
    eval/          judges and scores
    querygen/      profile-aware queries
    agents/        agents that research in the shop and on the web, and their recorded runs
    conditions/    what systems differ in besides agent and model, each with its values
    doors/         what agents of others find in a run: services, pages, the run's model
    tools/         the nine tools
    data_ingest/   raw files → world
    env/           the world: store, catalog, web, session
    llm/           chat models by "provider:model"
    experiments/   an experiment's folder: its plan, runs and journals, and what is written when
    shopping/      what is right to buy, and what is wrong with a cart or report: pure functions
    reports/       what a report says and cites: pure functions over texts
    stats/         intervals, tests, agreement, ranking, power
    progress.py    how far a command has come, for who shows it
    event_loop.py  the process's one event loop and its threads, and how Ctrl-C cancels
    files.py       files that survive a killed process, and have one writer
    remembered.py  methods whose results an object remembers
    plugins.py     built-in things, entry points and module:attribute, by name
    records/       records that more than one layer uses
    parsing.py     JSON, TOML and CSV from outside
    errors.py      errors by who must act
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.addons import gym as gym
    from drretail.addons.assistants.check import Checked as Checked
    from drretail.addons.assistants.check import check as check
    from drretail.addons.assistants.forget import forget as forget
    from drretail.addons.downloads.commands import download as download
    from drretail.addons.exports.commands import export as export
    from drretail.addons.gym.trial import try_agent as try_agent
    from drretail.addons.imports.commands import import_reports as import_reports
    from drretail.addons.lab import commands as _lab
    from drretail.addons.reproduction.reproduce import reproduce as reproduce
    from drretail.addons.reproduction.verify import verify as verify
    from drretail.addons.sandboxes.commands import build_sandbox as build_sandbox
    from drretail.addons.sandboxes.commands import check_sandbox as check_sandbox
    from drretail.addons.voting.vote import vote as vote
    from drretail.agents.base import Agent as Agent
    from drretail.agents.registry import shop_tools as shop_tools
    from drretail.api import queries as queries
    from drretail.api.compare import compare as compare
    from drretail.api.demo import demo as demo
    from drretail.api.doctor import check_machine as check_machine
    from drretail.api.models import open_model as open_model
    from drretail.api.options.experiment_file import read_experiment as read_experiment
    from drretail.api.prompts import write_prompts as write_prompts
    from drretail.api.recorded import open_experiment as open_experiment
    from drretail.api.report import report as report
    from drretail.api.run import ask as ask
    from drretail.api.run import run as run
    from drretail.api.score import score as score
    from drretail.api.shops import world as _worlds
    from drretail.api.shops.ingest import ingest as ingest
    from drretail.api.shops.ingest import synth as synth
    from drretail.api.shops.serve import serve_doors as serve_doors
    from drretail.api.shops.tools import serve_tools as serve_tools
    from drretail.api.shops.tools import show_tools as show_tools
    from drretail.api.worlds import open_world as open_world
    from drretail.conditions.condition import Condition as Condition
    from drretail.eval.metric import Metric as Metric
    from drretail.eval.metric import Value as Value
    from drretail.eval.metric import metric as metric
    from drretail.records.run import Answer as Answer
    from drretail.tools.tool import Tool as Tool
    from drretail.viewer.drawing.result import Result as Result

    lab = _lab  # an import under another name is private to type checkers
    worlds = _worlds

__version__ = "2.0.0.dev0"
_PLACES = {
    "Agent": "drretail.agents.base:Agent",
    "Answer": "drretail.records.run:Answer",
    "Checked": "drretail.addons.assistants.check:Checked",
    "Condition": "drretail.conditions.condition:Condition",
    "Metric": "drretail.eval.metric:Metric",
    "Result": "drretail.viewer.drawing.result:Result",
    "Tool": "drretail.tools.tool:Tool",
    "Value": "drretail.eval.metric:Value",
    "ask": "drretail.api.run:ask",
    "check": "drretail.addons.assistants.check:check",
    "build_sandbox": "drretail.addons.sandboxes.commands:build_sandbox",
    "check_machine": "drretail.api.doctor:check_machine",
    "check_sandbox": "drretail.addons.sandboxes.commands:check_sandbox",
    "compare": "drretail.api.compare:compare",
    "demo": "drretail.api.demo:demo",
    "download": "drretail.addons.downloads.commands:download",
    "export": "drretail.addons.exports.commands:export",
    "forget": "drretail.addons.assistants.forget:forget",
    "gym": "drretail.addons.gym",
    "import_reports": "drretail.addons.imports.commands:import_reports",
    "ingest": "drretail.api.shops.ingest:ingest",
    "lab": "drretail.addons.lab.commands",
    "metric": "drretail.eval.metric:metric",
    "open_experiment": "drretail.api.recorded:open_experiment",
    "open_model": "drretail.api.models:open_model",
    "open_world": "drretail.api.worlds:open_world",
    "queries": "drretail.api.queries",
    "read_experiment": "drretail.api.options.experiment_file:read_experiment",
    "report": "drretail.api.report:report",
    "reproduce": "drretail.addons.reproduction.reproduce:reproduce",
    "run": "drretail.api.run:run",
    "score": "drretail.api.score:score",
    "serve_doors": "drretail.api.shops.serve:serve_doors",
    "serve_tools": "drretail.api.shops.tools:serve_tools",
    "shop_tools": "drretail.agents.registry:shop_tools",
    "write_prompts": "drretail.api.prompts:write_prompts",
    "show_tools": "drretail.api.shops.tools:show_tools",
    "synth": "drretail.api.shops.ingest:synth",
    "try_agent": "drretail.addons.gym.trial:try_agent",
    "verify": "drretail.addons.reproduction.verify:verify",
    "vote": "drretail.addons.voting.vote:vote",
    "worlds": "drretail.api.shops.world",
}
"""By public name, the module, or the module and the name in it."""


def _is_here(place: str) -> bool:
    """False for what an add-on brings whose folder is not there."""
    _, layer, name, *_ = place.split(".")
    return layer != "addons" or (Path(__file__).parent / layer / name / "__init__.py").is_file()


__all__ = [name for name, place in _PLACES.items() if _is_here(place)]  # pyright: ignore[reportUnsupportedDunderAll]  # it reads the imports above


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    value = getattr(import_module(module), attribute) if attribute else import_module(module)
    globals()[name] = value  # later lookups don't call this function
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

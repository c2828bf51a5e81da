"""drretail: an open implementation of DeepResearch Retail.

From Python (docs/reference/python.md), each imported on first use:

    demo            from a made-up shop to a page of results, small, without a key
    download, synth, ingest, worlds  raw files, worlds made of them, and what is said and done of worlds
    queries         the module whose functions are the commands of ``queries``
    import_reports  reports of other programs, as an experiment
    open_world      a world by its folder, "servers:NAME", or "demo"
    ask             one question, as ``drretail ask``; returns its run and report
    read_experiment the options in an experiment.toml, for ``run``
    run             agents over queries, as ``drretail run``; returns the recorded experiment
    open_experiment a recorded experiment by its folder
    score           its scores by judges and metrics
    verify          whether its folder shows what its systems did
    compare         systems side by side
    report, export, view  as pages and text, in other programs' formats, live in the browser
    build_sandbox, check_sandbox, write_sandbox_queries  a sealed web for each query
    try_agent       one agent on one query, with its reward and that of last time
    bench, lab      the modules whose functions are the commands of ``bench`` and ``lab``
    show_tools, serve_tools  the nine tools listed or one of them called, and served over MCP
    check_machine, show_prompts  what works on this machine, and the prompts, as ``doctor`` and ``prompts`` say them
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
    tools/         the nine tools
    data_ingest/   raw files → world
    env/           the world: store, catalog, web, session
    llm/           chat models by "provider:model"
    experiment.py  an experiment's folder
    journal.py     calls to models and the web, recorded: resume, replay, caching and accounting
    grounding/     how texts are read, cited, checked and rendered: pure functions
    stats/         intervals, tests, agreement, ranking, power
    progress.py    progress lines and bars on stderr
    files.py       files that survive a crash
    locks.py       one writer per folder
    plugins.py     built-in things, entry points and module:attribute, by name
    records/       records that more than one layer uses
    parsing.py     JSON, TOML and documents from outside
    errors.py      errors by who must act
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.addons.assistants.forget import forget
    from drretail.addons.bench import commands as bench
    from drretail.addons.exports.commands import export
    from drretail.addons.gym.trial import try_agent
    from drretail.addons.imports.commands import import_reports
    from drretail.addons.lab import commands as lab
    from drretail.addons.live.view import view
    from drretail.addons.sandboxes.commands import build_sandbox, check_sandbox, write_sandbox_queries
    from drretail.agents.base import Agent
    from drretail.agents.callables import shop_tools
    from drretail.api import queries
    from drretail.api.compare import compare
    from drretail.api.demo import demo
    from drretail.api.doctor.command import check_machine
    from drretail.api.models import open_model
    from drretail.api.options.experiment_file import read_experiment
    from drretail.api.prompts.listed import show_prompts
    from drretail.api.recorded import open_experiment
    from drretail.api.report import report
    from drretail.api.reproduce import reproduce
    from drretail.api.run import ask, run
    from drretail.api.score import score
    from drretail.api.shops import world as worlds
    from drretail.api.shops.ingest import ingest
    from drretail.api.shops.mcp import serve_tools
    from drretail.api.shops.raw_files import download, synth
    from drretail.api.shops.tools import show_tools
    from drretail.api.verification.verify import verify
    from drretail.api.worlds import open_world
    from drretail.conditions.condition import Condition
    from drretail.eval.metric import Metric, metric
    from drretail.eval.values import Value
    from drretail.records.run import Answer
    from drretail.records.tables.result import Result
    from drretail.tools.tool import Tool

__version__ = "1.0.0"
__all__ = [
    "Agent",
    "Answer",
    "Condition",
    "Metric",
    "Result",
    "Tool",
    "Value",
    "ask",
    "bench",
    "build_sandbox",
    "check_machine",
    "check_sandbox",
    "compare",
    "demo",
    "download",
    "export",
    "forget",
    "import_reports",
    "ingest",
    "lab",
    "metric",
    "open_experiment",
    "open_model",
    "open_world",
    "queries",
    "read_experiment",
    "report",
    "reproduce",
    "run",
    "score",
    "serve_tools",
    "shop_tools",
    "show_prompts",
    "show_tools",
    "synth",
    "try_agent",
    "verify",
    "view",
    "worlds",
    "write_sandbox_queries",
]

_NAMES = {
    "drretail.addons.gym.trial": ("try_agent",),
    "drretail.api.demo": ("demo",),
    "drretail.api.prompts.listed": ("show_prompts",),
    "drretail.api.shops.mcp": ("serve_tools",),
    "drretail.api.shops.tools": ("show_tools",),
    "drretail.addons.exports.commands": ("export",),
    "drretail.agents.base": ("Agent",),
    "drretail.agents.callables": ("shop_tools",),
    "drretail.api.compare": ("compare",),
    "drretail.api.doctor.command": ("check_machine",),
    "drretail.addons.assistants.forget": ("forget",),
    "drretail.addons.imports.commands": ("import_reports",),
    "drretail.api.models": ("open_model",),
    "drretail.api.options.experiment_file": ("read_experiment",),
    "drretail.api.recorded": ("open_experiment",),
    "drretail.api.report": ("report",),
    "drretail.api.reproduce": ("reproduce",),
    "drretail.api.run": ("ask", "run"),
    "drretail.addons.sandboxes.commands": ("build_sandbox", "check_sandbox", "write_sandbox_queries"),
    "drretail.api.score": ("score",),
    "drretail.api.shops.ingest": ("ingest",),
    "drretail.api.shops.raw_files": ("download", "synth"),
    "drretail.api.verification.verify": ("verify",),
    "drretail.addons.live.view": ("view",),
    "drretail.api.worlds": ("open_world",),
    "drretail.conditions.condition": ("Condition",),
    "drretail.eval.metric": ("Metric", "metric"),
    "drretail.eval.values": ("Value",),
    "drretail.records.run": ("Answer",),
    "drretail.records.tables.result": ("Result",),
    "drretail.tools.tool": ("Tool",),
}
_MODULES = {
    "bench": "drretail.addons.bench.commands",
    "lab": "drretail.addons.lab.commands",
    "queries": "drretail.api.queries",
    "worlds": "drretail.api.shops.world",
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        found = import_module(_MODULES[name])
    elif name in _PLACES:
        found = getattr(import_module(_PLACES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found  # later lookups don't call this function
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

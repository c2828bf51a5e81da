"""drretail: an open implementation of DeepResearch Retail.

From Python (docs/reference/python.md), each loaded when it is first asked for:

    open_world      a world by its folder, "servers:NAME", or "demo"
    ask             one question, as ``drretail ask``; gives its run and report
    read_experiment the options in an experiment.toml, for ``run``
    run             agents over queries, as ``drretail run``; gives the recorded experiment
    open_experiment a recorded experiment by its folder
    score           what judges say of it
    verify          whether its folder is what its systems did
    compare, compare_all  two systems side by side, and all of them
    report, export, view  pages and text, the forms of other programs, live in the browser
    build_sandbox, check_sandbox, write_sandbox_queries  a sealed web for each query
    open_model      a chat model by "provider:model"
    Agent, Answer   what an agent is, and what it gives back
    Family, Value   what a metric is, and what it gives each report
    Tool            what an agent calls
    shop_tools      the nine as LangChain tools, for an agent that is built before any run

Reading order = data flow = import order, top of this list last; a layer imports only what stands below it:

    __main__.py    ``python -m drretail``
    cli/           the command, a thin file each
    gym/           the shop for reinforcement learning: worlds by rollout, rewards from eval's baskets, Python alone
    inspect/       the shop as a task of inspect_ai, with our metrics as its scorers
    api/           what commands do, for Python; where settings are read
    viewer/        pages, the terminal report, tables
    exports/       the forms that other programs read
    imports/       reports from elsewhere, as experiments
    sandboxes/     a sealed web for each query
    doctor/        what works on this machine, and what a model does with our prompts
    lab/           is the judge any good? labels, planted errors, exploits, biases
    difficulty/    how hard queries are; harder ones, hidden wishes, twins that the shop can't meet
    eval/          judges and scores
    querygen/      profile-aware queries
    agents/        research in the shop and on the web, and the runs it leaves
    tools/         the nine
    data_ingest/   raw files → world
    env/           the world: store, catalog, web, session
    offline/       rule-based stand-ins for models, loaded by name only
    llm/           chat models by "provider:model"
    experiment.py  the folder of runs
    journal.py     outside effects: resume, replay, caching and accounting in one
    grounding/     how texts are read, cited, checked and rendered: pure functions
    stats/         intervals, tests, agreement, ranking, power
    tables/        a table as a record, numbers as text, and renderers
    local_server.py  a server that answers this machine alone
    prompts.py     prompts beside their callers
    progress.py    what a command tells while it works
    settings.py    flags, environment and drretail.toml, read at the edge only
    files.py       files that survive a crash; a last line that one cut is dropped
    locks.py       one writer a folder
    trajectory.py  the steps of a run
    plugins.py     things by name: built-in, entry points, module:attribute
    event_loop.py  the loop of a process, and Ctrl-C
    processes.py   jobs done by several processes
    records/       what crosses a folder
    parsing.py     JSON, TOML and documents from outside
    untrusted.py   texts of others as a model may read them
    screen.py      the one door to the terminal
    errors.py      who must act
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.agents.base import Agent
    from drretail.agents.callables import shop_tools
    from drretail.api.compare import compare, compare_all
    from drretail.api.models import open_model
    from drretail.api.options.experiment_file import read_experiment
    from drretail.api.recorded import open_experiment
    from drretail.api.report import export, report
    from drretail.api.reproduce import reproduce
    from drretail.api.run import ask, run
    from drretail.api.sandboxes import build_sandbox, check_sandbox, write_sandbox_queries
    from drretail.api.score import score
    from drretail.api.verification.verify import verify
    from drretail.api.view import view
    from drretail.api.worlds import open_world
    from drretail.eval.family import Family, metric
    from drretail.eval.values import Value
    from drretail.records.run import Answer
    from drretail.tools.tool import Tool

__version__ = "1.0.0"
__all__ = [
    "Agent",
    "Answer",
    "Family",
    "Tool",
    "Value",
    "ask",
    "build_sandbox",
    "check_sandbox",
    "compare",
    "compare_all",
    "export",
    "metric",
    "open_experiment",
    "open_model",
    "open_world",
    "read_experiment",
    "report",
    "reproduce",
    "run",
    "score",
    "shop_tools",
    "verify",
    "view",
    "write_sandbox_queries",
]

_PLACES = {
    "Agent": "drretail.agents.base",
    "Answer": "drretail.records.run",
    "Family": "drretail.eval.family",
    "Tool": "drretail.tools.tool",
    "Value": "drretail.eval.values",
    "ask": "drretail.api.run",
    "build_sandbox": "drretail.api.sandboxes",
    "check_sandbox": "drretail.api.sandboxes",
    "compare": "drretail.api.compare",
    "compare_all": "drretail.api.compare",
    "export": "drretail.api.report",
    "metric": "drretail.eval.family",
    "open_experiment": "drretail.api.recorded",
    "open_model": "drretail.api.models",
    "open_world": "drretail.api.worlds",
    "read_experiment": "drretail.api.options.experiment_file",
    "report": "drretail.api.report",
    "reproduce": "drretail.api.reproduce",
    "run": "drretail.api.run",
    "score": "drretail.api.score",
    "shop_tools": "drretail.agents.callables",
    "verify": "drretail.api.verification.verify",
    "view": "drretail.api.view",
    "write_sandbox_queries": "drretail.api.sandboxes",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found  # from now on it is found without this function
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

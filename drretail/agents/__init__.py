"""Agents that research in the shop and on the web, and the runner that makes recorded runs of their answers.

base.py              what an agent is, and what it returned, read and checked
names.py             the names and places of the built-in agents
files_read.py        the files that an agent of the user's own reads, by the source that reads them
registry.py          loads agents by name, plain callables and LangChain Runnables too; their prompts as files that a
                     user overrides
plan_to_function.py  one plan → its calls in order → report
react.py             think → tools → … → report
hybrid_react/        supervisor → researchers, each with its synthesis → report
grounded_hybrid/     the same, with a briefing before it and a verifier behind it
baselines.py         agents that research nothing, and the oracles: floors and ceilings of scores
loop.py              the graph of every role with tools, how a turn's calls are carried out, and its branches; findings
                     that do not fit the model are left out
graphs.py            an agent that is a graph: its state, its context, and the function that invokes it
picks.py             the cart that every report declares, and the one question for a missing one
information.py       what agents are told beside their prompts: the parts that all share, and the shopper, without the
                     user's tools
page_reading.py      +ws: summaries of whole pages
prompts/             what the agents are told, one file a role
external.py          agents that are commands or HTTP addresses: what they are asked, and what their doors tell of them
running/             from a query to a recorded run, and many runs side by side
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drretail.agents.running.graph import graph as graph


def __getattr__(name: str) -> Any:
    if name != "graph":  # for which LangGraph is loaded
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("drretail.agents.running.graph").graph

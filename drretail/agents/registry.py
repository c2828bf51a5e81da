"""Loads agents by name: the built-in ones, plugins (entry points of drretail.agents), ``module:attribute``, and
external commands or addresses.
"""

from dataclasses import replace

from drretail.agents.base import Agent
from drretail.agents.callables import as_agent
from drretail.agents.external.place import external_agent, is_external, split_name
from drretail.agents.names import BASELINES, BUILT_IN
from drretail.errors import UserError
from drretail.plugins import Plugins
from drretail.records.run import WebMode

AGENTS = Plugins("agent", BUILT_IN | BASELINES, "drretail.agents")


def named_agent(spec: str) -> tuple[str, Agent]:
    """An agent and the name that its systems use: its own with ``+ws``, or the one in ``NAME=PLACE``.

    Raises as ``load_agent`` does, and UserError for a NAME that another agent has.
    """
    name, place = split_name(spec)
    if place.startswith("replay:") or "=replay:" in place:
        raise UserError(
            "Answers that were recorded elsewhere are no agent: judge them with `drretail import chat FILE --world W "
            "--to EXP`, or repeat runs of drretail with `drretail run --replay EXP`."
        )
    plain, mode = split_web_mode(place)
    if name == place:
        return spec, load_agent(plain)
    if name in AGENTS.names():
        raise UserError(f"There is an agent {name} already: give {place} another name.")
    if not is_external(place):
        return name if mode == "snippets" else f"{name}+ws", replace(load_agent(plain), place=plain)
    if mode == "ws":
        raise UserError(f"{place}: an agent from outside reads pages by itself, so leave +ws out.")
    return name, external_agent(place)


def split_web_mode(name: str) -> tuple[str, WebMode]:
    """The agent's own name, and how it reads the web: ``react+ws`` gets summaries of whole pages."""
    plain = name.removesuffix("+ws")
    return plain, "snippets" if plain == name else "ws"


def load_agent(name: str) -> Agent:
    """The agent of that name. No other agent is imported.

    Raises UnknownName if there is no such agent, and UserError if its place holds nothing that can answer.
    """
    place, found = AGENTS.load(name)
    agent = as_agent(found)
    if agent is None:
        raise AGENTS.refused(place, found, "a drretail.Agent, a function that answers, or a LangChain Runnable")
    return agent

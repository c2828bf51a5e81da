"""Loads agents by name: the built-in ones, plugins (entry points of drretail.agents), ``module:attribute``, and
external commands or addresses.
"""

import re
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import cast

from drretail.agents.base import Agent
from drretail.agents.callables import as_agent
from drretail.agents.names import BASELINES, BUILT_IN
from drretail.errors import UserError, install_line, quoted
from drretail.plugins import Plugins
from drretail.records.run import COMMAND, OUTSIDE, WebMode, slug

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
    place, loaded = AGENTS.load(name)
    agent = as_agent(loaded)
    if agent is None:
        raise AGENTS.refused(place, loaded, "a drretail.Agent, a function that answers, or a LangChain Runnable")
    return agent


_NAMED = re.compile(rf"(?P<name>[^=:/\s]*)=(?P<place>(?:{'|'.join(OUTSIDE)}).*|[\w.]+:[\w.]+(?:\+ws)?)", re.DOTALL)
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")


def is_external(place: str) -> bool:
    """True for ``cmd:…``, ``http://…`` and ``https://…``."""
    return place.startswith(OUTSIDE)


def split_name(spec: str) -> tuple[str, str]:
    """The name and the place of an agent.

    Without ``NAME=`` the name of an external agent is made from its place, and that of any other agent is its place.
    Raises UserError for a name that cannot be part of a label.
    """
    named = _NAMED.fullmatch(spec)
    if named is None:
        if not is_external(spec):
            return spec, spec
        # A command is named by its words without the folders that they are in, an address by all of it.
        words = [PurePath(word).name for word in spec.removeprefix(COMMAND).split()]
        name = "-".join(["cmd", *words]) if spec.startswith(COMMAND) else spec
        return slug(name.replace("+", "-")), spec
    if _NAME.fullmatch(named["name"]) is None:
        raise UserError(
            f"{quoted(named['name'])} cannot name an agent: take up to 80 lower case letters, digits and - _ . in it."
        )
    return named["name"], named["place"]


def external_agent(place: str) -> Agent:
    """The agent at that place. Raises UserError if it cannot be asked, or mcp is not installed."""
    if find_spec("mcp") is None:
        raise UserError(f"Agents that are commands or addresses need mcp: {install_line('mcp')}.")
    module = "command" if place.startswith(COMMAND) else "endpoint"
    return cast(Agent, import_module(f"drretail.agents.external.{module}").agent_at(place))

"""The place of an agent: ``cmd:COMMAND``, an HTTP address, or ``module:attribute``. NAME= may precede it."""

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import cast

from drretail.agents.base import Agent
from drretail.errors import UserError, install_line, quoted
from drretail.records.run import COMMAND, OUTSIDE, slug

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

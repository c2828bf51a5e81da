"""Agents by name: the built-in ones, plugins (entry points of drretail.agents), and ``module:attribute``."""

from importlib import import_module
from importlib.metadata import entry_points

from drretail.agents.base import Agent
from drretail.errors import UnknownName, UserError

BUILT_IN = {"react": "drretail.agents.react:REACT"}
PLUGINS = "drretail.agents"


def agent_names() -> list[str]:
    """Every name that ``load_agent`` takes besides ``module:attribute``."""
    return sorted({*BUILT_IN, *(point.name for point in entry_points(group=PLUGINS))})


def load_agent(name: str) -> Agent:
    """The agent of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no Agent.
    """
    place = BUILT_IN.get(name) or _plugin(name) or (name if ":" in name else None)
    if place is None:
        raise UnknownName("agent", name, agent_names())
    module, _, attribute = place.partition(":")
    try:
        agent = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as problem:
        raise UserError(f"The agent {name!r} cannot be loaded from {place}: {problem}.") from problem
    if not isinstance(agent, Agent):
        raise UserError(f"{place} is not an agent: give it the type drretail.agents.base.Agent.")
    return agent


def _plugin(name: str) -> str | None:
    return next((point.value for point in entry_points(group=PLUGINS, name=name)), None)

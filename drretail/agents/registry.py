"""Agents by name: the built-in ones, plugins (entry points of drretail.agents), and ``module:attribute``."""

from drretail.agents.base import Agent
from drretail.errors import UserError
from drretail.plugins import Plugins

BUILT_IN = {"react": "drretail.agents.react:REACT"}
AGENTS = Plugins("agent", BUILT_IN, "drretail.agents")


def agent_names() -> list[str]:
    """Every name that ``load_agent`` takes besides ``module:attribute``."""
    return AGENTS.names()


def load_agent(name: str) -> Agent:
    """The agent of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no Agent.
    """
    place, agent = AGENTS.load(name)
    if not isinstance(agent, Agent):
        raise UserError(f"{place} is not an agent: give it the type drretail.agents.base.Agent.")
    return agent

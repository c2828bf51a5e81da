"""Agents by name: the built-in ones, plugins (entry points of drretail.agents), and ``module:attribute``."""

from drretail.agents.base import Agent
from drretail.agents.callables import as_agent
from drretail.plugins import Plugins
from drretail.records.run import WebMode

BUILT_IN = {
    "plan_to_function": "drretail.agents.plan_to_function:PLAN_TO_FUNCTION",
    "react": "drretail.agents.react:REACT",
    "hybrid_react": "drretail.agents.hybrid_react.agent:HYBRID_REACT",
    "grounded_hybrid": "drretail.agents.grounded_hybrid.agent:GROUNDED_HYBRID",
}
"""Those that research."""
BASELINES = {
    "null_empty": "drretail.agents.baselines.null:EMPTY",
    "null_copy": "drretail.agents.baselines.null:COPY",
    "null_keywords": "drretail.agents.baselines.null:KEYWORDS",
    "null_search": "drretail.agents.baselines.search:SEARCH",
    "null_bestsellers": "drretail.agents.baselines.null:BESTSELLERS",
    "oracle": "drretail.agents.baselines.oracle:ORACLE",
}
"""The floors and the ceiling, which stand beside them."""
AGENTS = Plugins("agent", BUILT_IN | BASELINES, "drretail.agents")


def agent_names() -> list[str]:
    """Every name that ``load_agent`` takes besides ``module:attribute``."""
    return AGENTS.names()


def split_web_mode(name: str) -> tuple[str, WebMode]:
    """The agent's own name, and how it reads the web: ``react+ws`` has whole pages summarised for it."""
    plain = name.removesuffix("+ws")
    return plain, "snippets" if plain == name else "ws"


def load_agent(name: str) -> Agent:
    """The agent of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds nothing that answers.
    """
    place, found = AGENTS.load(name)
    agent = as_agent(found)
    if agent is None:
        raise AGENTS.refused(place, found, "a drretail.Agent, a function that answers, or a LangChain Runnable")
    return agent

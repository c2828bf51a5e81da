"""The built-in agents by name, each with its place; nothing is loaded here."""

from drretail.plugins import addon_names
from drretail.records.run import MCP_AGENT, System

BUILT_IN: dict[str, str] = {
    "plan_to_function": "drretail.agents.plan_to_function:PLAN_TO_FUNCTION",
    "react": "drretail.agents.react:REACT",
    "hybrid_react": "drretail.agents.hybrid_react.agent:HYBRID_REACT",
    "grounded_hybrid": "drretail.agents.grounded_hybrid.agent:GROUNDED_HYBRID",
    **addon_names("agents"),
}
"""The agents that research."""
BASELINES = {
    "null_empty": "drretail.agents.baselines:EMPTY",
    "null_search": "drretail.agents.baselines:SEARCH",
    "null_first": "drretail.agents.baselines:FIRST",
    "null_last": "drretail.agents.baselines:LAST",
    "oracle": "drretail.agents.baselines:ORACLE",
}
"""The floors and the ceilings, which run beside them."""


def is_built_in(system: System) -> bool:
    """True if the system's agent is one of these, and not a command, an address or a module with such a name."""
    return system.agent in BUILT_IN | BASELINES and system.place is None


def answers_here(system: System) -> bool:
    """True if the agent is code of the user's own in the process of the command."""
    made_elsewhere = system.is_command_or_address or system.is_imported
    return not (is_built_in(system) or made_elsewhere or system.agent == MCP_AGENT)

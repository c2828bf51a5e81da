"""The built-in agents by name, each with its place; nothing is loaded here."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.records.run import System

BUILT_IN = {
    "plan_to_function": "drretail.agents.plan_to_function:PLAN_TO_FUNCTION",
    "react": "drretail.agents.react:REACT",
    "hybrid_react": "drretail.agents.hybrid_react.agent:HYBRID_REACT",
    "grounded_hybrid": "drretail.agents.grounded_hybrid.agent:GROUNDED_HYBRID",
    "dr3": "drretail.agents.dr3.agent:DR3",
}
"""Those that research."""
BASELINES = {
    "null_empty": "drretail.agents.baselines.null:EMPTY",
    "null_copy": "drretail.agents.baselines.null:COPY",
    "null_keywords": "drretail.agents.baselines.null:KEYWORDS",
    "null_search": "drretail.agents.baselines.search:SEARCH",
    "null_bestsellers": "drretail.agents.baselines.null:BESTSELLERS",
    "oracle": "drretail.agents.baselines.oracle:ORACLE",
    "mute_oracle": "drretail.agents.baselines.oracle:MUTE_ORACLE",
    "ask_all": "drretail.agents.baselines.oracle:ASK_ALL",
}
"""The floors and the ceiling, which stand beside them."""


def is_built_in(system: "System") -> bool:
    """Whether a system's agent is one of these, and nobody's command, address or module of that name."""
    return system.agent in BUILT_IN | BASELINES and system.place is None

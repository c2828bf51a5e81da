"""The page of drawings: each agent that is a LangGraph graph, with its subgraphs."""

from drretail.agents.graphs import Graphed
from drretail.agents.registry import load_agent
from scripts.reference.markdown import fence, page

AGENTS = ("plan_to_function", "react", "hybrid_react", "grounded_hybrid", "dr3")
ABOUT = (
    "The graphs that run, from `get_graph(xray=True).draw_mermaid()`. [Agents](../agents.md) says what they do. The "
    "node *challenge* answers an agent that ends too early."
)


def graphs_page() -> str:
    return page(["# Graphs of the agents", ABOUT, *(block for name in AGENTS for block in (f"## {name}", drawn(name)))])


def drawn(name: str) -> str:
    answering = load_agent(name).answer
    assert isinstance(answering, Graphed)
    return fence("mermaid", answering.graph().get_graph(xray=True).draw_mermaid().strip())

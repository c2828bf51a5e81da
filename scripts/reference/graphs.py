"""The drawings in docs/agents.md: the graph of each of the core's agents, with its subgraphs."""

from drretail.agents.graphs import Graphed
from drretail.agents.registry import load_agent
from scripts.reference.markdown import code, fence
from scripts.reference.source import ROOT

AGENTS = ("plan_to_function", "react", "hybrid_react", "grounded_hybrid")
AGENTS_PAGE = ROOT / "docs" / "agents.md"
BEGINNING = "<!-- Drawn by python -m scripts.reference -->"
END = "<!-- End of the drawings -->"


def agents_page() -> str:
    """docs/agents.md as it is, but for the drawings between its two comments, which are made anew."""
    before, rest = AGENTS_PAGE.read_text(encoding="utf-8").split(BEGINNING)
    _, after = rest.split(END)
    drawings = [block for name in AGENTS for block in (code(name), drawing(name))]
    return before + "\n\n".join([BEGINNING, *drawings, END]) + after


def drawing(name: str) -> str:
    answering = load_agent(name).answer
    assert isinstance(answering, Graphed)
    return fence("mermaid", answering.graph().get_graph(xray=True).draw_mermaid().strip())

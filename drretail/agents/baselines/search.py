"""The best hit for the words of a query, as a report: what searching without reading the question brings.

It keeps to no budget and rules nothing out, for that is written in the question.
"""

from drretail.agents.base import Agent
from drretail.agents.baselines.null import keywords
from drretail.agents.baselines.oracle import listed
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.text.serialisation import whole_items
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.reading import Pick
from drretail.records.run import Answer, Limits
from drretail.tools.toolkit import Toolkit

HITS = 5
_LONGEST_SEARCH = 500
"""Characters that the search takes."""


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best rated of the first hits. Raises ModelError when the shop can't be searched."""
    del models, limits
    with Toolkit(session) as toolkit:
        words = " ".join(keywords(task.text))[:_LONGEST_SEARCH]
        (reply,) = await toolkit.acall_all([("product_catalog_search", {"query": words, "limit": HITS})])
    if reply.error is not None:
        raise ModelError("tool", f"the shop can't be searched: {reply.text}")
    hits = whole_items(reply.value, "hits")
    if not hits:
        return Answer(report="Nothing in this shop has a word of the question.", picks=())
    best = max(hits, key=lambda card: (card.get("average_rating", 0), card.get("rating_number", 0)))
    return Answer(report=f"# Best hit\n\n{listed(best)}", picks=(Pick(product=best["product_id"]),))


SEARCH = Agent(answer, roles=(), heeds=frozenset(), is_baseline=True)

"""What sells best in the part of the shop that a query speaks of, as a report; no research into what would suit."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from drretail.agents.base import Agent
from drretail.agents.floors.keywords import keywords
from drretail.agents.listed import listed
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits
from drretail.tools.toolkit import Toolkit

PICKS = 3
HITS = 10
"""Of the keywords: the category of most of them is taken for the wanted one."""
_LONGEST_SEARCH = 500
"""Characters that the search takes."""


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The products with the most ratings in the wanted category. Raises ModelError when the shop can't be searched."""
    del models, limits
    with Toolkit(session) as toolkit:
        wanted = " ".join(keywords(task.text))[:_LONGEST_SEARCH]
        category = _category(await _search(toolkit, query=wanted, limit=HITS))
        within = {} if category is None else {"category": category}
        bestsellers = await _search(toolkit, query="", sort_by="popularity", limit=PICKS, **within)
    return Answer(report="\n".join(["# Bestsellers", "", *(listed(card) for card in bestsellers)]))


async def _search(toolkit: Toolkit, **arguments: Any) -> list[dict[str, Any]]:
    (reply,) = await toolkit.acall_all([("product_catalog_search", arguments)])
    if reply.error is not None:
        raise ModelError("tool", f"the shop can't be searched: {reply.text}")
    return reply.value["hits"]


def _category(cards: Sequence[dict[str, Any]]) -> str | None:
    """The category in which most of the products stand, ties by what was found first."""
    counted = Counter(card["category"] for card in cards)
    return counted.most_common(1)[0][0] if counted else None


BESTSELLERS = Agent(answer, roles=(), heeds=frozenset(), is_yardstick=True)

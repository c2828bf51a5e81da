"""A report without a word."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from drretail.agents.base import Agent
from drretail.agents.baselines.oracle import listed
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.text.serialisation import whole_items
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.reading import Pick
from drretail.records.run import Answer, Limits
from drretail.tools.toolkit import Toolkit


async def empty_report(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """Nothing, as a report."""
    del task, session, models, limits
    return Answer(report="", picks=())


EMPTY = Agent(empty_report, roles=(), heeds=frozenset(), is_baseline=True)


async def copied_query(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The question, given back as the answer."""
    del session, models, limits
    return Answer(report=task.text, picks=())


COPY = Agent(copied_query, roles=(), heeds=frozenset(), is_baseline=True)


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SHORTEST = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TELL_NOTHING = _words(
    """
    about after again all already also although always and any anyone anything are around ask away back because been
    before being best better between both bought but buy buying can could did does doesn't don't down each easily else
    enough even ever every everything exactly far few find for from gave get getting give given goes good got great
    had has have haven't having her here hers him his how i'd i'll i'm i've into it's its itself just keep kind know
    last later least less let like look looking lot made make makes many may maybe mine more most much must myself
    need needs never new next nobody none nor not nothing now off once one only order ordered orders other others our
    ours out over own part per please product products put rather really recommend recommendation recommendations same
    say see she should show since some somebody something stay still such suggest sure take tell than that that's the
    their them then there these they thing things think this those through together too try two under until upon use
    used using very want wants was way well went were what whatever when where whether which while who whole why will
    with within without would years yes yet you your
    """
)


async def query_keywords(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The keywords of the question, separated by commas."""
    del session, models, limits
    return Answer(report=", ".join(keywords(task.text)), picks=())


def keywords(text: str) -> tuple[str, ...]:
    """The distinct words of a text that are neither short nor common, in lower case and its order."""
    words = (match[0].casefold().replace("’", "'") for match in _WORD.finditer(text))
    return tuple(dict.fromkeys(word for word in words if len(word) >= _SHORTEST and word not in _TELL_NOTHING))


KEYWORDS = Agent(query_keywords, roles=(), heeds=frozenset(), is_baseline=True)


PICKS = 3
HITS = 10
"""Of the keywords: the category of most of them is taken for the wanted one."""
_LONGEST_SEARCH = 500
"""Characters that the search takes."""


async def best_sellers(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The products with the most ratings in the wanted category. Raises ModelError when the shop can't be searched."""
    del models, limits
    with Toolkit(session) as toolkit:
        wanted = " ".join(keywords(task.text))[:_LONGEST_SEARCH]
        category = _category(await _search(toolkit, query=wanted, limit=HITS))
        within = {} if category is None else {"category": category}
        bestsellers = await _search(toolkit, query="", sort_by="popularity", limit=PICKS, **within)
    report = "\n".join(["# Bestsellers", "", *(listed(card) for card in bestsellers)])
    return Answer(report=report, picks=tuple(Pick(product=card["product_id"]) for card in bestsellers))


async def _search(toolkit: Toolkit, **arguments: Any) -> list[dict[str, Any]]:
    (reply,) = await toolkit.acall_all([("product_catalog_search", arguments)])
    if reply.error is not None:
        raise ModelError("tool", f"the shop can't be searched: {reply.text}")
    return whole_items(reply.value, "hits")


def _category(cards: Sequence[dict[str, Any]]) -> str | None:
    """The category in which most of the products stand, ties by what was found first."""
    counted = Counter(card["category"] for card in cards)
    return counted.most_common(1)[0][0] if counted else None


BESTSELLERS = Agent(best_sellers, roles=(), heeds=frozenset(), is_baseline=True)

"""What each page of a signal is there for, judged by a model: it supports, it misleads, or neither."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from drretail.agents.page_reading import is_on
from drretail.event_loop import all_ended
from drretail.prompts import load_prompt, tagged
from drretail.records.base import Record
from drretail.sandboxes.search_based.asker import Asker, TaskFailed
from drretail.sandboxes.search_based.keywords import numbered_needs
from drretail.sandboxes.search_based.pages import FoundPage

Ruling = Literal["supportive", "outdated", "one_sided", "inaccurate", "irrelevant"]
KINDS: dict[Ruling, str] = {"outdated": "outdated", "one_sided": "one-sided", "inaccurate": "inaccurate"}
"""Of distractors, as labels name them."""


class SaidFact(Record):
    need: int
    fact: str = Field(min_length=1)
    quote: str = Field(min_length=1)


class PageRuling(Record):
    """What a page is to somebody who has to settle the needs."""

    facts: list[SaidFact]
    why: str
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class RuledPage:
    """A page with its ruling; ``ruling`` is None if no answer could be used."""

    found: FoundPage
    ruling: PageRuling | None
    problem: str = ""


async def judge_pages(
    asker: Asker, task: str, question: str, needs: Sequence[str], pages: Sequence[FoundPage], today: str
) -> list[RuledPage]:
    """The pages in their order, side by side; one without a usable answer says why. Raises CapReached."""
    prompt = load_prompt(__file__, "label")
    values = {"today": today, "query": tagged("query", question), "needs": numbered_needs(needs)}

    async def one(found: FoundPage) -> RuledPage:
        def unfounded(answer: PageRuling) -> str | None:
            return _unfounded(answer, found.page.text, len(needs))

        page = found.page
        data = [tagged("page", page.text, url=page.url, title=page.title, date=page.date or "unknown")]
        try:
            return RuledPage(
                found, await asker.ask(f"{task}/label/{page.url}", prompt, data, PageRuling, unfounded, **values)
            )
        except TaskFailed as problem:
            return RuledPage(found, None, str(problem))

    return await all_ended(map(one, pages))


def _unfounded(answer: PageRuling, text: str, needs: int) -> str | None:
    if answer.ruling == "irrelevant":
        return None
    if not answer.facts:
        return f"a page that is {answer.ruling} says something of the needs: list it under facts, or it is irrelevant"
    if wrong := [fact.need for fact in answer.facts if not 1 <= fact.need <= needs]:
        return f"there is no need {wrong[0]}: they go from 1 to {needs}"
    if strange := [fact.quote for fact in answer.facts if not is_on(fact.quote, text)]:
        return f"these words don't stand on the page, letter for letter in one piece: {' | '.join(strange)}"
    return None

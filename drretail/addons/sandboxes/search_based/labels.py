"""Labels the pages that signals found, by a model: a page supports an answer, misleads, or does neither."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from drretail.addons.sandboxes.search_based.asker import Asker, TaskFailed
from drretail.addons.sandboxes.search_based.keywords import numbered_needs
from drretail.addons.sandboxes.search_based.pages import FoundPage
from drretail.agents.page_reading import is_on
from drretail.llm.event_loop import all_ended
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record

Ruling = Literal["supportive", "outdated", "one_sided", "inaccurate", "irrelevant"]
KINDS: dict[Ruling, str] = {"outdated": "outdated", "one_sided": "one-sided", "inaccurate": "inaccurate"}
"""The rulings that make a page a distractor, with the names that labels use."""


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

    @property
    def facts(self) -> list[SaidFact]:
        return [] if self.ruling is None else self.ruling.facts


async def judge_pages(
    asker: Asker, task: str, question: str, needs: Sequence[str], pages: Sequence[FoundPage], today: str
) -> list[RuledPage]:
    """The pages with their rulings, in order; they are judged concurrently. A page without a usable answer says why.

    Raises CapReached.
    """
    prompt = load_prompt(__file__, "label")
    values = {"today": today, "query": tagged("query", question), "needs": numbered_needs(needs)}

    async def one(found_page: FoundPage) -> RuledPage:
        page = found_page.page
        name, count = f"{task}/label/{page.url}", len(needs)
        data = [tagged("page", page.text, url=page.url, title=page.title, date=page.date or "unknown")]
        try:
            ruling = await asker.ask(
                name, prompt, data, PageRuling, lambda answer: _unfounded(answer, page.text, count), **values
            )
        except TaskFailed as problem:
            return RuledPage(found_page, None, str(problem))
        return RuledPage(found_page, ruling)

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

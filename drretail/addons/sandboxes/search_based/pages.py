"""The searches for a task (DR³-Eval, stage 2), the pages they find (read, cleaned of personal data, none twice),
and the label of each by a model: a page supports an answer, misleads, or does neither.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from threading import Event
from typing import Literal

from pydantic import Field

from drretail.addons.sandboxes.folder import Keyword, Keywords
from drretail.addons.sandboxes.search_based.asker import Asker, TaskFailed
from drretail.agents.page_reading import is_on
from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.web.cleaning import clean_text, cleaned_result
from drretail.env.web.sandbox import SandboxPage
from drretail.errors import ToolError
from drretail.event_loop import all_ended
from drretail.experiments.journal import ActionResult, Effects
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record
from drretail.reports.text.evidence_ids import normalise_url
from drretail.reports.text.personal_data import People, personal_data
from drretail.tools.web import fetch_pages

TEN = 10
FEWEST = 3
"""The fewest keywords of each kind, signal and noise."""
LONGEST_KEYWORD = 120
"""The most characters of a search."""
WIDE = 12
"""The fewest searches that the model proposes, of which ten are chosen."""


class SaidFacet(Record):
    facet: str
    keyword: str = Field(min_length=3, max_length=LONGEST_KEYWORD)


class Divergence(Record):
    """What is to be found out, and searches that might bring it."""

    matter: str = Field(min_length=1)
    needs: list[str] = Field(min_length=2, max_length=8)
    keywords: list[SaidFacet] = Field(min_length=WIDE)


class SaidKeyword(Record):
    keyword: str
    kind: Literal["signal", "noise"]
    why: str


class Convergence(Record):
    """Ten of these searches, each sorted."""

    keywords: list[SaidKeyword]


async def keywords_of(asker: Asker, task: str, about: Sequence[str], people: People, today: str) -> Keywords:
    """The ten searches for what is to be found out.

    ``about`` is what is known of the question, the shopper and the files, in tags. Raises TaskFailed.
    """

    def names_nobody(answer: Divergence) -> str | None:
        naming = [facet.keyword for facet in answer.keywords if personal_data(facet.keyword, people)]
        return f"these searches tell who the shopper is: {'; '.join(naming)}" if naming else None

    wide = await asker.ask(
        f"{task}/diverge", load_prompt(__file__, "diverge"), about, Divergence, names_nobody, today=today
    )
    offered = list(dict.fromkeys(facet.keyword.strip() for facet in wide.keywords))
    needs = tuple(need.strip() for need in wide.needs)
    shown = [
        tagged("query", wide.matter),
        numbered_needs(needs),
        tagged("keywords", "\n".join(f"{facet.keyword.strip()} – {facet.facet}" for facet in wide.keywords)),
    ]

    def unsorted(answer: Convergence) -> str | None:
        chosen = [keyword.keyword.strip() for keyword in answer.keywords]
        if strange := [search for search in chosen if search not in offered]:
            return f"these stand not among the searches, letter for letter: {'; '.join(strange)}"
        if len(set(chosen)) != TEN or len(chosen) != TEN:
            return f"there have to be ten different ones, and these are {len(set(chosen))}"
        signals = sum(keyword.kind == "signal" for keyword in answer.keywords)
        if not FEWEST <= signals <= TEN - FEWEST:
            return f"{signals} are signals and {TEN - signals} noise: at least {FEWEST} have to be of each"
        return None

    narrow = await asker.ask(f"{task}/converge", load_prompt(__file__, "converge"), shown, Convergence, unsorted)
    ten = tuple(
        Keyword(text=keyword.keyword.strip(), kind=keyword.kind, why=keyword.why.strip()) for keyword in narrow.keywords
    )
    return Keywords(convergent=ten, needs=needs, made_by=asker.session.model.spec)


def numbered_needs(needs: Sequence[str]) -> str:
    """The needs with their numbers, in a tag."""
    return tagged("needs", "\n".join(f"{number}. {need}" for number, need in enumerate(needs, 1)))


LONGEST = 24_000
"""The most characters kept of a page: several pages must fit into the smallest size together."""
RESULTS = 100
"""Results that are read for each keyword: what search engines give at most for one question."""
AT_ONCE = 12
"""Pages fetched at the same time."""
SECONDS = 60.0
"""The time limit for fetching ``AT_ONCE`` pages."""


class SaidFact(Record):
    need: int
    fact: str = Field(min_length=1)
    quote: str = Field(min_length=1)


Ruling = Literal["supportive", "outdated", "one_sided", "inaccurate", "irrelevant"]
KINDS: dict[Ruling, str] = {"outdated": "outdated", "one_sided": "one-sided", "inaccurate": "inaccurate"}
"""The rulings that make a page a distractor, with the names that labels use."""


class PageRuling(Record):
    """What a page is to somebody who has to settle the needs."""

    facts: list[SaidFact]
    why: str
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page with the first search that found it, and its ruling."""

    page: SandboxPage
    keyword: Keyword
    ruling: PageRuling | None = None
    """None before the page is judged, and if no answer could be used."""
    problem: str = ""
    """Why no answer could be used."""

    @property
    def facts(self) -> list[SaidFact]:
        return [] if self.ruling is None else self.ruling.facts


@dataclass(slots=True)
class GatheredPages:
    """The pages of a task, those of signals first, and what happened to the others."""

    pages: list[FoundPage] = field(default_factory=list[FoundPage])
    results: dict[str, int] = field(default_factory=dict[str, int])
    """The number of new addresses that each keyword found."""
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Keywords whose search failed, and why."""
    unread: Counter[str] = field(default_factory=Counter[str])
    """Pages that could not be read, counted by state."""
    duplicates: int = 0
    personal: Counter[str] = field(default_factory=Counter[str])
    """Lines from which personal data was removed, counted by kind."""


def gather_pages(
    web: Web, asker: Asker, task: str, keywords: Sequence[Keyword], people: People, day: date, stop: Event
) -> GatheredPages:
    """Searches for the keywords, then fetches and cleans the pages; every effect is journalled.

    Failures are counted, never raised. It ends soon after ``stop`` is set.
    """
    gathered, seen = GatheredPages(), set[str]()
    by_address: dict[str, tuple[WebResult, Keyword]] = {}
    for keyword in sorted(keywords, key=lambda keyword: keyword.kind != "signal"):
        try:
            results = _searched(web, asker, f"{task}/search/{keyword.text}", keyword.text)
        except ToolError as problem:
            gathered.failed[keyword.text] = problem.message
            continue
        # Reversed, so that of two results with one address the first one counts.
        new = {normalise_url(result.url): (result, keyword) for result in reversed(results)}
        new = {address: page for address, page in reversed(new.items()) if address not in by_address}
        gathered.results[keyword.text] = len(new)
        by_address |= new
    for (result, keyword), page in _fetched(
        web, asker.session.journal.scope(f"{task}/pages"), list(by_address.values()), stop
    ):
        if page.state != "ok":
            gathered.unread[page.state] += 1
            continue
        text = clean_text(page.text, LONGEST)
        if personal_data(text, people):
            text = "\n".join(_line(part, people, gathered.personal) for part in text.split("\n"))
        title = _line(page.title or result.title, people, gathered.personal)
        written = page.date or result.date
        # A future date is an error or a trick; with it, the sealed web would withhold the page.
        published = None if written is None or written > day.isoformat() else written
        clean, words = SandboxPage(url=result.url, title=title, text=text, date=published), " ".join(text.split())
        if not words:
            gathered.unread["no_content"] += 1
        elif words in seen:
            gathered.duplicates += 1
        else:
            gathered.pages.append(FoundPage(clean, keyword))
        seen.add(words)
    return gathered


def _searched(web: Web, asker: Asker, name: str, query: str) -> list[WebResult]:
    """The results of a search. Raises ToolError if no try succeeded."""

    def search() -> ActionResult:
        results = (cleaned_result(result) for result in web.search(query, RESULTS)[:RESULTS])
        return ActionResult({"results": [asdict(result) for result in results if result is not None]})

    problem: ToolError | None = None
    for scope in asker.session.scopes(name):
        request = {"provider": web.provider, "query": query, "k": RESULTS}
        try:
            effect = asker.session.journal.scope(scope).perform("web_search", request, search)
        except ToolError as failure:
            problem = failure
        else:
            return [WebResult(**result) for result in effect.response["results"]]
    raise problem or ToolError("unavailable", "nothing was asked")


def _fetched(
    web: Web, effects: Effects, results: Sequence[tuple[WebResult, Keyword]], stop: Event
) -> Iterator[tuple[tuple[WebResult, Keyword], WebPage]]:
    for at in range(0, len(results), AT_ONCE):
        part = results[at : at + AT_ONCE]
        if stop.is_set():
            return
        yield from zip(part, fetch_pages(web, [result.url for result, _ in part], effects, SECONDS), strict=True)


def _line(text: str, people: People, personal: Counter[str]) -> str:
    """The line; empty if it names anybody."""
    kinds = {place.what for place in personal_data(text, people)}
    personal.update(kinds)
    return "" if kinds else text


async def judge_pages(
    asker: Asker, task: str, question: str, needs: Sequence[str], pages: Sequence[FoundPage], today: str
) -> list[FoundPage]:
    """The pages with their rulings, in order; they are judged concurrently. A page without a usable answer says why.

    Raises CapReached.
    """
    prompt = load_prompt(__file__, "label")
    values = {"today": today, "query": tagged("query", question), "needs": numbered_needs(needs)}

    async def judged(page_found: FoundPage) -> FoundPage:
        page, count = page_found.page, len(needs)
        data = [tagged("page", page.text, url=page.url, title=page.title, date=page.date or "unknown")]
        try:
            ruling = await asker.ask(
                f"{task}/label/{page.url}",
                prompt,
                data,
                PageRuling,
                lambda answer: _unfounded(answer, page.text, count),
                **values,
            )
        except TaskFailed as problem:
            return replace(page_found, problem=str(problem))
        return replace(page_found, ruling=ruling)

    return await all_ended(map(judged, pages))


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

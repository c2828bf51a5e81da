"""The tool that searches the web."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.live import Pages, no_page, page_of, page_outcome
from drretail.env.web.reading.cleaning import cleaned_result
from drretail.errors import ToolError
from drretail.grounding.report.evidence_ids import normalise_url, web_evidence_id
from drretail.grounding.text.serialisation import compact_json
from drretail.journal import Effects, Outcome
from drretail.records.evidence import Evidence, Source
from drretail.tools.privacy import outgoing
from drretail.tools.tool import ToolResult
from drretail.tools.workers import Job, Workers
from drretail.trajectory import Place


def fetch_pages(web: Pages, urls: Sequence[str], effects: Effects, seconds: float) -> list[WebPage]:
    """The page at each address, in the order of the addresses; its state and problem say why one has no text.

    All are fetched at the same time, and one that is not there after ``seconds`` counts as an error. Each is an effect
    of its own, written down in the order of the addresses whichever comes first.
    """
    under_way = _UnderWay(web, urls, seconds)
    try:
        return [_page(web, url, effects, partial(under_way.wait, rank)) for rank, url in enumerate(urls)]
    finally:
        under_way.close()


def _page(web: Pages, url: str, effects: Effects, wait: Callable[[], WebPage]) -> WebPage:
    def fetched() -> Outcome:
        return page_outcome(wait())

    try:
        return page_of(effects.perform("page_fetch", {"provider": web.provider, "url": url}, fetched).response)
    except ToolError as problem:
        return no_page(url, problem.message)


class _UnderWay:
    """Pages being fetched. The first that is waited for starts itself and all after it: none before is missing."""

    def __init__(self, web: Pages, urls: Sequence[str], seconds: float) -> None:
        self._web = web
        self._urls = urls
        self._end = time.monotonic() + seconds
        self._workers = Workers(len(urls))
        self._seconds = seconds
        self._jobs: dict[int, Job[WebPage]] = {}

    def wait(self, rank: int) -> WebPage:
        """The page at that rank. Raises ToolError when it is not there in time, and what the web raises."""
        if not self._jobs:
            self._seconds = max(0.0, self._end - time.monotonic())
            for later in range(rank, len(self._urls)):
                self._jobs[later] = self._workers.submit(partial(self._web.fetch, self._urls[later]))
        try:
            return self._workers.wait(self._jobs[rank], self._seconds)
        except TimeoutError:
            raise ToolError("timeout", "The page was not there when the time of its search was over.") from None

    def close(self) -> None:
        self._workers.close()


WEB_SEARCH = "web_search"
LIVE = "These pages are of the live web and may be younger than the shop's today, {today}."
NOTHING_FOUND = (
    "No page fits this query: try the two or three words that matter most, or other words for the same thing."
)
READ_BEFORE = "This summary is of an earlier search that found the page, too; of this search it may say less."
"""What stands beside a summary that was not written for the query."""
PAGES_SHARE = 0.9
"""Of the time of a tool call: with it pages are given up for their snippets, before the whole call is."""


def web_search(
    session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects, place: Place
) -> ToolResult:
    """Searches the web for knowledge that the shop does not hold, such as guides, tests and advice.

    Its results are pages, not products of this shop. You are shown one passage of each page, or a search engine's
    snippet, and never the whole page: what it does not say you cannot know from it.

    Args:
        query: What to look for, e.g. "how high to hang a bird feeder".

    Returns:
        The best pages: for each evidence (the evidence id to cite it by), title, url, snippet (the passage that fits
        the query, with … where the page goes on), and the date of the page where it is known.
    """
    return _searched(session, query, effects, place, chunks=False)


def _searched(session: Session, query: str, effects: Effects, place: Place, *, chunks: bool) -> ToolResult:
    began = time.monotonic()
    query = query.strip()
    if not query:
        raise ToolError("invalid_argument", "query is blank: say what to look for.", field="query")
    outgoing_query = outgoing(session, place, query)
    found = _found(session, effects, outgoing_query.query, chunks=chunks)
    if session.web_mode == "ws":
        found = _read(session, found, effects, place, PAGES_SHARE * session.tool_timeout - (time.monotonic() - began))
    shown = [_shown(item) for item in found]
    sources = [source for item, hit in zip(found, shown, strict=True) for source in _sources(item, hit)]
    results = [hit | ({"note": READ_BEFORE} if item.summary else {}) for item, hit in zip(found, shown, strict=True)]
    value: dict[str, Any] = {"shown": len(results), "results": results}
    if not results:
        value["note"] = NOTHING_FOUND
    elif session.web_is_live:
        value["note"] = LIVE.format(today=session.now.date().isoformat())
    if outgoing_query.redacted:
        value["redacted"] = list(outgoing_query.redacted)
    return ToolResult(value, tuple(sources))


def web_search_of_pages(
    session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects, place: Place
) -> ToolResult:
    """Searches the web for knowledge that the shop does not hold, such as guides, tests and advice.

    Its results are pages, not products of this shop. Each page is read whole for you, and you are shown a summary of
    what it says about your query, which says so where it says nothing. A page that cannot be read shows a passage, or a
    search engine's snippet, instead.

    Args:
        query: What to look for, e.g. "how high to hang a bird feeder".

    Returns:
        The best pages: for each evidence (the evidence id to cite it by), title, url, a summary of the page with quotes
        that stand in it word for word, or a snippet, and the date of the page where it is known.
    """
    return _searched(session, query, effects, place, chunks=False)


def web_search_of_chunks(
    session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects, place: Place
) -> ToolResult:
    """Searches the web for knowledge that the shop does not hold, such as guides, tests and advice.

    Its results are pages, not products of this shop. You are shown the part of each page that fits the query best,
    whole, or a search engine's snippet: what it does not say you cannot know from it. Another query may bring another
    part of the same page.

    Args:
        query: What to look for, e.g. "how high to hang a bird feeder".

    Returns:
        The best pages: for each evidence (the evidence id to cite it by), title, url, snippet (that part of the page),
        and the date of the page where it is known.
    """
    return _searched(session, query, effects, place, chunks=True)


@dataclass(frozen=True, slots=True)
class _Found:
    """One result; ``page`` is None where no page was asked for, ``summary`` what was read to this path before."""

    evidence: str
    result: WebResult
    page: WebPage | None = None
    summary: Evidence | None = None

    @property
    def date(self) -> str | None:
        """What the page says of itself goes before what a search engine says of it."""
        return (self.page and self.page.date) or self.result.date


def _found(session: Session, effects: Effects, query: str, *, chunks: bool) -> list[_Found]:
    web, k = session.world.web, session.web_k

    def search() -> Outcome:
        # Cleaned before it is written down: whatever the provider, nothing unbounded or hidden goes further.
        found = [
            cleaned_result(replace(web_result, snippet=web_result.chunk) if chunks and web_result.chunk else web_result)
            for web_result in web.search(query, k)[:k]
        ]
        return Outcome({"results": [asdict(result) for result in found if result is not None]})

    effect = effects.perform("web_search", {"provider": web.provider, "query": query, "k": k}, search)
    found: dict[str, WebResult] = {}
    for item in effect.response["results"]:
        # Two spellings of one address are one page.
        found.setdefault(web_evidence_id(item["url"]), WebResult(**item))
    return [_Found(evidence, result) for evidence, result in found.items()]


def _read(session: Session, found: list[_Found], effects: Effects, place: Place, seconds: float) -> list[_Found]:
    """The results with their pages; a page that was summarised before for this path is not fetched again."""
    known = {entry.id: entry for entry in session.ledger.known_at(place.path) if _summary(entry) is not None}
    new = [item for item in found if item.evidence not in known]
    fetched = fetch_pages(session.world.web, [item.result.url for item in new], effects, max(0.0, seconds))
    pages = {item.evidence: page for item, page in zip(new, fetched, strict=True)}
    return [replace(item, page=pages.get(item.evidence), summary=known.get(item.evidence)) for item in found]


def _summary(entry: Evidence) -> str | None:
    """The first summary that an agent was shown of a page; one that held nothing on another search has none."""
    shown = (text.text for text in entry.texts if text.form == "summary" and text.shown)
    return next((text for text in shown if "summary" in json.loads(text)), None)


def _shown(found: _Found) -> dict[str, Any]:
    if found.summary is not None and (summary := _summary(found.summary)) is not None:
        return json.loads(summary)
    result = found.result
    known = {"evidence": found.evidence, "title": result.title, "url": result.url, "snippet": result.snippet}
    return known if found.date is None else known | {"date": found.date}


def _sources(found: _Found, shown: dict[str, Any]) -> list[Source]:
    """What was shown, and the page behind it where the session's agent has whole pages read to it."""
    page = found.page
    snippet = Source(
        id=found.evidence,
        kind="web",
        key=normalise_url(found.result.url),
        title=found.result.title,
        url=found.result.url,
        form="snippet" if found.summary is None else "summary",
        text=compact_json(shown),
        date=found.date,
        state="ok" if page is None else page.state,
        problem=None if page is None else page.problem,
    )
    if page is None or page.state != "ok":
        return [snippet]
    return [snippet, snippet.model_copy(update={"form": "page", "text": page.text, "shown": False})]

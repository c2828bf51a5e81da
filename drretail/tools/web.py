"""The tool that searches the web; also the pages that a report cites, which are fetched for judging after the run."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.env.web.base import Pages, WebPage, WebResult
from drretail.env.web.cleaning import cleaned_page, cleaned_result
from drretail.errors import ModelError, ToolError
from drretail.experiments.journal import ActionResult, Effects
from drretail.records.evidence import Evidence, Source
from drretail.records.trajectory import StepPlace
from drretail.reports.text.evidence_ids import normalise_url, web_evidence_id
from drretail.reports.text.serialisation import compact_json
from drretail.tools.tool import ToolResult
from drretail.tools.workers import Job, Workers


def fetch_pages(web: Pages, urls: Sequence[str], effects: Effects, seconds: float) -> list[WebPage]:
    """The page at each address, in the order of the addresses. If a page has no text, its state and problem say why.

    All pages are fetched at the same time; a page that is missing after ``seconds`` counts as an error. Each fetch is
    an effect of its own, recorded in the order of the addresses, whichever page comes first.
    """
    end = time.monotonic() + seconds
    workers = Workers(len(urls))
    jobs: dict[int, Job[WebPage]] = {}

    def fetched(rank: int) -> ActionResult:
        # The journal holds the pages before the first missing one, so this fetch starts that page and all later ones.
        nonlocal seconds
        if not jobs:
            seconds = max(0.0, end - time.monotonic())
            jobs.update((later, workers.submit(partial(web.fetch, urls[later]))) for later in range(rank, len(urls)))
        outcome = workers.wait(jobs[rank], seconds)
        if isinstance(outcome, TimeoutError):
            raise ToolError("timeout", "The page was not there when the time of its search was over.")
        if isinstance(outcome, Exception):
            raise outcome
        # Cleaned before it is recorded: from no web does anything unbounded or hidden go further.
        return ActionResult({"page": asdict(cleaned_page(outcome))})

    pages: list[WebPage] = []
    for rank, url in enumerate(urls):
        request = {"provider": web.provider, "url": url}
        try:
            response = effects.perform("page_fetch", request, partial(fetched, rank)).response
            pages.append(WebPage(**response["page"]))
        except ToolError as problem:
            pages.append(cleaned_page(WebPage(url, title="", text="", state="error", problem=problem.message)))
    return pages


CITED_AT_ONCE = 4
"""The most cited pages that are fetched at once, each from another site. Nobody waits for them, and no site should get
many requests at once.
"""


def fetch_cited(pages: Pages, urls: Sequence[str], effects: Effects, seconds: float) -> Iterator[tuple[str, WebPage]]:
    """Each address with its page, whose state says whether it has text; ``seconds`` is the time limit of one round.

    A replay leaves out the pages that its journal lacks, as that of a run without cited pages.
    """
    for some in rounds(urls):
        try:
            fetched = fetch_pages(_Guarded(pages), some, effects, seconds)
        except ModelError:  # a replay's journal lacks the answer
            return
        yield from zip(some, fetched, strict=True)


def rounds(urls: Sequence[str]) -> Iterator[list[str]]:
    """The distinct addresses in order, in rounds: none has two of one site, or more than ``CITED_AT_ONCE``."""
    left = list(dict.fromkeys(urls))
    while left:
        sites: dict[str, str] = {}
        for url in left:
            sites.setdefault(url.partition("://")[2].partition("/")[0].casefold(), url)
        some = list(sites.values())[:CITED_AT_ONCE]
        yield some
        left = [url for url in left if url not in some]


class _Guarded:
    """A web whose every fault makes only one page unreadable: the run that cites it has ended and must not be lost."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def provider(self) -> str:
        return self._pages.provider

    def fetch(self, url: str) -> WebPage:
        try:
            return self._pages.fetch(url)
        except ToolError:
            raise
        # The boundary of a web: an error of a plugin is kept with the page.
        except Exception as problem:
            raise ToolError("unavailable", f"the web failed ({type(problem).__name__}: {problem})") from problem


WEB_SEARCH = "web_search"
LIVE = "These pages are of the live web and may be younger than the shop's today, {today}."
READ_BEFORE = "This summary is of an earlier search that found the page, too; of this search it may say less."
"""The note beside a summary that was written for an earlier query."""
PAGES_SHARE = 0.9
"""The share of a tool call's time that pages may take. After it, snippets replace missing pages; without it, the whole
call would time out.
"""


def web_search(
    session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects, place: StepPlace
) -> ToolResult:
    """Searches the web for knowledge that the shop does not hold, such as guides, tests and advice.

    Its results are pages, not products of this shop. You are shown a snippet of each page, as search engines show it,
    and never the whole page: what it does not say you cannot know from it.

    Args:
        query: What to look for, e.g. "how high to hang a bird feeder".

    Returns:
        The best pages: for each evidence (the evidence id to cite it by), title, url, snippet (about 160
        characters around the query's words, with … where the page goes on), and the date of the page where it is known.
    """
    return _searched(session, query, effects, place, chunks=False)


def _searched(session: Session, query: str, effects: Effects, place: StepPlace, *, chunks: bool) -> ToolResult:
    began = time.monotonic()
    query = query.strip()
    if not query:
        raise ToolError("invalid_argument", "query is blank: say what to look for.", field="query")
    pages = _results(session, effects, query, chunks=chunks)
    if session.settings.web_mode == "ws":
        # A page that was summarised for this path before is not fetched again.
        left = max(0.0, PAGES_SHARE * session.settings.tool_timeout - (time.monotonic() - began))
        summaries = {entry.id: entry for entry in session.ledger.known_at(place.path) if _summary(entry) is not None}
        new = [item for item in pages if item.evidence not in summaries]
        fetched = fetch_pages(session.settings.world.web, [item.result.url for item in new], effects, left)
        of_page = {item.evidence: page for item, page in zip(new, fetched, strict=True)}
        pages = [replace(page, page=of_page.get(page.evidence), summary=summaries.get(page.evidence)) for page in pages]
    results, sources = list[dict[str, Any]](), list[Source]()
    for item in pages:
        result, summary = item.result, None if item.summary is None else _summary(item.summary)
        hit = {"evidence": item.evidence, "title": result.title, "url": result.url, "snippet": result.snippet}
        if item.date is not None:
            hit["date"] = item.date
        hit = hit if summary is None else json.loads(summary)
        sources += _sources(item, hit)
        results.append(hit | ({"note": READ_BEFORE} if item.summary else {}))
    value: dict[str, Any] = {"shown": len(results), "results": results}
    if results and session.settings.web_is_live:
        value["note"] = LIVE.format(today=session.settings.now.date().isoformat())
    return ToolResult(value, tuple(sources))


def web_search_of_pages(
    session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects, place: StepPlace
) -> ToolResult:
    """Searches the web for knowledge that the shop does not hold, such as guides, tests and advice.

    Its results are pages, not products of this shop. Each page is read whole for you, and you are shown a summary of
    what it says about your query, which says so where it says nothing. A page that cannot be read shows a snippet
    instead.

    Args:
        query: What to look for, e.g. "how high to hang a bird feeder".

    Returns:
        The best pages: for each evidence (the evidence id to cite it by), title, url, a summary of the page with quotes
        that stand in it word for word, or a snippet, and the date of the page where it is known.
    """
    return _searched(session, query, effects, place, chunks=False)


def web_search_of_chunks(
    session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects, place: StepPlace
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
    """One result. ``page`` is None if none was fetched; ``summary``: its evidence if its summary was read before."""

    evidence: str
    result: WebResult
    page: WebPage | None = None
    summary: Evidence | None = None

    @property
    def date(self) -> str | None:
        """The date that the page states, or else the date that the search engine states."""
        return (self.page and self.page.date) or self.result.date


def _results(session: Session, effects: Effects, query: str, *, chunks: bool) -> list[_Found]:
    web, k = session.settings.world.web, session.settings.web_k

    def search() -> ActionResult:
        # Cleaned before it is recorded: nothing unbounded or hidden goes further, whichever provider it came from.
        results = web.search(query, k)[:k]
        if chunks:
            parts = [result.chunk and result.chunk() for result in results]
            results = [
                replace(result, snippet=part or result.snippet) for result, part in zip(results, parts, strict=True)
            ]
        cleaned = map(cleaned_result, results)
        return ActionResult({"results": [asdict(result) for result in cleaned if result is not None]})

    effect = effects.perform("web_search", {"provider": web.provider, "query": query, "k": k}, search)
    by_id: dict[str, WebResult] = {}
    for item in effect.response["results"]:
        # Two spellings of one address are one page.
        by_id.setdefault(web_evidence_id(item["url"]), WebResult(**item))
    return [_Found(evidence, result) for evidence, result in by_id.items()]


def _summary(entry: Evidence) -> str | None:
    """The first summary of a page that an agent was shown; None without one, as for a page with nothing relevant."""
    shown = (text.text for text in entry.texts if text.form == "summary" and text.shown)
    return next((text for text in shown if "summary" in json.loads(text)), None)


def _sources(item: _Found, shown: dict[str, Any]) -> list[Source]:
    """The text that was shown, and the page behind it if the session has whole pages read."""
    page = item.page
    snippet = Source(
        id=item.evidence,
        kind="web",
        key=normalise_url(item.result.url),
        title=item.result.title,
        url=item.result.url,
        form="snippet" if item.summary is None else "summary",
        text=compact_json(shown),
        date=item.date,
        state="ok" if page is None else page.state,
        problem=None if page is None else page.problem,
    )
    if page is None or page.state != "ok":
        return [snippet]
    return [snippet, snippet.model_copy(update={"form": "page", "text": page.text, "shown": False})]

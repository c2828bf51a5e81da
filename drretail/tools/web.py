"""The tool that searches the web."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.effects import Effects, Outcome
from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.reading.cleaning import cleaned_page, cleaned_result
from drretail.errors import ToolError
from drretail.grounding.evidence_ids import normalise_url, web_evidence_id
from drretail.grounding.products import compact_json
from drretail.records.evidence import Source
from drretail.tools.tool import ToolResult

WEB_SEARCH = "web_search"


def web_search(session: Session, query: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects) -> ToolResult:
    """Searches the web for knowledge that the shop does not hold, such as guides, tests and advice.

    Its results are pages, not products of this shop.

    Args:
        query: What to look for, e.g. "how high to hang a bird feeder".

    Returns:
        The best pages: for each its evidence id to cite it by, title, url, a snippet that fits the query, and the date
        of the page where it is known.
    """
    query = query.strip()
    if not query:
        raise ToolError("invalid_argument", "query is blank: say what to look for.", field="query")
    web, k = session.world.web, session.web_k

    def search() -> Outcome:
        # Cleaned before it is written down: whatever the provider, nothing unbounded or hidden goes further.
        found = (cleaned_result(result) for result in web.search(query, k)[:k])
        return Outcome({"results": [asdict(result) for result in found if result is not None]})

    effect = effects.perform("web_search", {"provider": web.provider, "query": query, "k": k}, search)
    found: dict[str, WebResult] = {}
    for item in effect.response["results"]:
        # Two spellings of one address are one page.
        found.setdefault(web_evidence_id(item["url"]), WebResult(**item))
    read = [_read(session, effects, evidence, result) for evidence, result in found.items()]
    results = [_shown(item) for item in read]
    sources = [source for item, shown in zip(read, results, strict=True) for source in _sources(item, shown)]
    return ToolResult({"shown": len(results), "results": results}, tuple(sources))


@dataclass(frozen=True, slots=True)
class _Found:
    """One result; ``page`` is None where pages are not read, or this one has no text."""

    evidence: str
    result: WebResult
    page: WebPage | None

    @property
    def date(self) -> str | None:
        """What the page says of itself goes before what a search engine says of it."""
        return (self.page and self.page.date) or self.result.date


def _read(session: Session, effects: Effects, evidence: str, result: WebResult) -> _Found:
    return _Found(evidence, result, _page(session, effects, result.url) if session.web_mode == "ws" else None)


def _shown(found: _Found) -> dict[str, Any]:
    result = found.result
    known = {"evidence": found.evidence, "title": result.title, "url": result.url, "snippet": result.snippet}
    return known if found.date is None else known | {"date": found.date}


def _sources(found: _Found, shown: dict[str, Any]) -> list[Source]:
    """The snippet, and the page behind it where the session's agent has whole pages read to it."""
    snippet = Source(
        id=found.evidence,
        kind="web",
        key=normalise_url(found.result.url),
        title=found.result.title,
        url=found.result.url,
        form="snippet",
        text=compact_json(shown),
        date=found.date,
    )
    if found.page is None:
        return [snippet]
    return [snippet, snippet.model_copy(update={"form": "page", "text": found.page.text, "shown": False})]


def _page(session: Session, effects: Effects, url: str) -> WebPage | None:
    """The page, None where it has no text or cannot be had: its snippet then has to do."""
    web = session.world.web

    def fetch() -> Outcome:
        return Outcome({"page": asdict(cleaned_page(web.fetch(url)))})

    try:
        effect = effects.perform("page_fetch", {"provider": web.provider, "url": url}, fetch)
    except ToolError:
        return None
    page = WebPage(**effect.response["page"])
    return page if page.state == "ok" else None

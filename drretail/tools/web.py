"""The tool that searches the web."""

from dataclasses import asdict
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.effects import Effects, Outcome
from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
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
        return Outcome({"results": [asdict(result) for result in web.search(query, k)]})

    effect = effects.perform("web_search", {"provider": web.provider, "query": query, "k": k}, search)
    found: dict[str, WebResult] = {}
    for item in effect.response["results"]:
        # Two spellings of one address are one page.
        found.setdefault(web_evidence_id(item["url"]), WebResult(**item))
    results = [_shown(evidence, result) for evidence, result in found.items()]
    sources = [source for result in results for source in _sources(session, effects, result)]
    return ToolResult({"shown": len(results), "results": results}, tuple(sources))


def _shown(evidence: str, result: WebResult) -> dict[str, Any]:
    known = {"evidence": evidence, "title": result.title, "url": result.url, "snippet": result.snippet}
    return known if result.date is None else known | {"date": result.date}


def _sources(session: Session, effects: Effects, result: dict[str, Any]) -> list[Source]:
    """The snippet, and the page behind it where the session's agent has whole pages read to it."""
    snippet = Source(
        id=result["evidence"],
        kind="web",
        key=normalise_url(result["url"]),
        title=result["title"],
        url=result["url"],
        form="snippet",
        text=compact_json(result),
    )
    page = _page(session, effects, result["url"]) if session.web_mode == "ws" else None
    if page is None:
        return [snippet]
    return [snippet, snippet.model_copy(update={"form": "page", "text": page.text, "shown": False})]


def _page(session: Session, effects: Effects, url: str) -> WebPage | None:
    """The page, None where it has no text or cannot be had: its snippet then has to do."""
    web = session.world.web

    def fetch() -> Outcome:
        return Outcome({"page": asdict(web.fetch(url))})

    try:
        effect = effects.perform("page_fetch", {"provider": web.provider, "url": url}, fetch)
    except ToolError:
        return None
    page = WebPage(**effect.response["page"])
    return page if page.state == "ok" else None

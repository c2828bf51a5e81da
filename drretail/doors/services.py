"""The services that agents search and read the web by, in their own protocols, over one WorldDoor.

Tavily (search, extract), Serper, SearXNG, Firecrawl v1 and v2 (search, scrape), and DuckDuckGo's plain pages.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from drretail.doors.pages import Hit, templates
from drretail.doors.world_door import MOST_RESULTS, WorldDoor

Service = Callable[[WorldDoor, Request], Awaitable[Response]]
MOST_PAGES = 20
"""Pages that one request may extract."""


async def _asked(request: Request) -> dict[str, Any]:
    """The parameters of a request: of its address, and over these the fields of its body."""
    body, asked = await request.body(), dict[str, Any](request.query_params)
    try:
        fields = json.loads(body or b"{}")
    except ValueError:
        fields = dict(parse_qsl(body.decode("utf-8", "replace")))
    fields = fields[0] if isinstance(fields, list) and fields else fields
    return asked | (fields if isinstance(fields, dict) else {})


def _text(asked: Mapping[str, Any], name: str) -> str:
    return str(asked.get(name) or "")


def _number(asked: Mapping[str, Any], name: str, usual: int) -> int:
    text = str(asked.get(name) or usual)
    return min(MOST_RESULTS, int(text)) if text.isdecimal() else usual


async def _searched(door: WorldDoor, query: str, k: int, pages: object) -> list[tuple[Hit, str | None]]:
    """The results, with the texts of their pages if these are asked for."""
    hits = await door.search(query, k)
    return [(hit, (await door.page(hit.url)).text if pages else None) for hit in hits]


async def tavily_search(door: WorldDoor, request: Request) -> Response:
    asked = await _asked(request)
    sites = "".join(f" site:{site}" for site in asked.get("include_domains") or ())
    k = _number(asked, "max_results", 5)
    results = [
        {
            "url": hit.url,
            "title": hit.title,
            "content": hit.snippet,
            "score": round(1 - rank / 50, 2),
            "raw_content": text,
        }
        for rank, (hit, text) in enumerate(
            await _searched(door, _text(asked, "query") + sites, k, asked.get("include_raw_content"))
        )
    ]
    empty = {"follow_up_questions": None, "answer": None, "images": []}
    return JSONResponse({"query": asked.get("query"), **empty, "results": results, "response_time": 0.1})


async def tavily_extract(door: WorldDoor, request: Request) -> Response:
    urls: Any = (await _asked(request)).get("urls") or []
    results: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for url in ([urls] if isinstance(urls, str) else list(map(str, urls)))[:MOST_PAGES]:
        page = await door.page(url)
        if page.status == 200:
            results.append({"url": url, "raw_content": page.text, "images": []})
        else:
            failed.append({"url": url, "error": page.text})
    return JSONResponse({"results": results, "failed_results": failed, "response_time": 0.1})


async def serper(door: WorldDoor, request: Request) -> Response:
    asked = await _asked(request)
    hits = await door.search(_text(asked, "q"), _number(asked, "num", 10))
    rows = [
        {"title": hit.title, "link": hit.url, "snippet": hit.snippet, "position": rank}
        | ({"date": hit.date} if hit.date else {})
        for rank, hit in enumerate(hits, 1)
    ]
    about = {"q": asked.get("q"), "type": "search", "engine": "google"}
    return JSONResponse({"searchParameters": about, "organic": rows, "credits": 1})


async def searxng(door: WorldDoor, request: Request) -> Response:
    asked = await _asked(request)
    hits = await door.search(_text(asked, "q"))
    engine = {"engine": "drretail", "engines": ["drretail"], "category": "general"}
    rows = [
        {"url": hit.url, "title": hit.title, "content": hit.snippet, "publishedDate": hit.date, "score": 1 / rank}
        | {"parsed_url": [*urlsplit(hit.url)[:5], ""], **engine}
        for rank, hit in enumerate(hits, 1)
    ]
    empty = dict.fromkeys(("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"), ())
    return JSONResponse({"query": asked.get("q"), "number_of_results": len(rows), "results": rows, **empty})


async def firecrawl_search(door: WorldDoor, request: Request) -> Response:
    asked = await _asked(request)
    options: Any = asked.get("scrapeOptions") or {}
    wants_pages = isinstance(options, dict) and options.get("formats")
    searched = await _searched(door, _text(asked, "query"), _number(asked, "limit", 5), wants_pages)
    rows = [
        {"url": hit.url, "title": hit.title, "description": hit.snippet, "position": rank}
        | ({} if text is None else {"markdown": text})
        for rank, (hit, text) in enumerate(searched, 1)
    ]
    return JSONResponse({"success": True, "data": {"web": rows} if "/v2/" in request.url.path else rows})


async def firecrawl_scrape(door: WorldDoor, request: Request) -> Response:
    url = _text(await _asked(request), "url")
    page = await door.page(url)
    about = {"title": page.title, "sourceURL": url, "url": url, "statusCode": page.status}
    return JSONResponse({"success": True, "data": {"markdown": page.text, "html": page.html(), "metadata": about}})


async def duckduckgo(door: WorldDoor, request: Request) -> Response:
    """The table of lite.duckduckgo.com, or the blocks of html.duckduckgo.com."""
    hits = await door.search(_text(await _asked(request), "q"))
    is_lite = (request.url.hostname or "").startswith("lite.")
    return HTMLResponse(templates().get_template("duckduckgo.html.jinja").render(hits=hits, is_lite=is_lite))


_TAVILY: Mapping[str, Service] = {"/search": tavily_search, "/extract": tavily_extract}
_FIRECRAWL: Mapping[str, Service] = {
    f"/{version}/{what}": service
    for version in ("v1", "v2")
    for what, service in (("search", firecrawl_search), ("scrape", firecrawl_scrape))
}
BY_HOST: Mapping[str, Mapping[str, Service]] = {
    "api.tavily.com": _TAVILY,
    "api.firecrawl.dev": _FIRECRAWL,
    "google.serper.dev": {"/search": serper},
    "lite.duckduckgo.com": {"/lite": duckduckgo},
    "html.duckduckgo.com": {"/html": duckduckgo},
}
"""The services by the host that clients have written into their code, and by path without a slash at its end."""
BY_PATH: Mapping[str, Service] = {
    **{f"/tavily{path}": service for path, service in _TAVILY.items()},
    **{f"/firecrawl{path}": service for path, service in _FIRECRAWL.items()},
    **_FIRECRAWL,  # its client drops the path of the address that it is given
    "/serper/search": serper,
    "/searxng": searxng,
    "/searxng/search": searxng,
}
"""The same at the gateway's own address, for clients that can be given one."""

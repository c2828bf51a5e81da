"""The services that agents search and read the web by, in their own protocols, over one WorldDoor.

Tavily (search, extract), Serper, SearXNG, Firecrawl v1 and v2 (search, scrape), and DuckDuckGo's plain pages.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.responses import HTMLResponse, JSONResponse, Response

from drretail.doors.pages import templates
from drretail.doors.world_door import MOST_RESULTS, WorldDoor
from drretail.parsing import parse_toml

Fields = Mapping[str, Any]
Service = Callable[[WorldDoor, Fields], Awaitable[Response]]
MOST_PAGES = 20
"""Pages that one request may extract."""


def fields_of(query: Mapping[str, str], body: bytes) -> Fields:
    """The parameters of a request: of its address, and over these the fields of its body, a form or JSON."""
    text = body.decode("utf-8", "replace")
    try:
        fields = json.loads(text or "{}")
    except ValueError:
        fields = dict(parse_qsl(text))
    fields = fields[0] if isinstance(fields, list) and fields else fields
    return dict(query) | (fields if isinstance(fields, dict) else {})


@dataclass(frozen=True, slots=True)
class Search:
    """A search service as ``services.toml`` describes it."""

    at: tuple[str, ...]
    query: str
    results: str
    """Where its answer holds the results: a field, or one within another behind a dot."""
    row: Mapping[str, str]
    """A result's fields, and what each holds."""
    about: Fields
    """The rest of its answer."""
    count: str = ""
    usual: int = 10
    pages: str = ""
    """The parameter that asks for the texts of the pages, too."""

    async def __call__(self, door: WorldDoor, asked: Fields) -> Response:
        given = str(asked.get(self.count) or self.usual)
        sites = "".join(f" site:{site}" for site in asked.get("include_domains") or ())
        words = f"{asked.get(self.query) or ''}{sites}"
        hits = await door.search(words, min(MOST_RESULTS, int(given)) if given.isdecimal() else self.usual)
        rows: list[dict[str, Any]] = []
        for rank, hit in enumerate(hits, 1):
            text = (await door.page(hit.url)).text if asked.get(self.pages) else None
            engine = {"engine": "drretail", "engines": ["drretail"], "category": "general"}
            values = {"rank": rank, "score": round(1 / rank, 2), "text": text, **engine, **asdict(hit)}
            rows.append({name: values[of] for name, of in self.row.items() if values[of] is not None})
        within, _, last = self.results.rpartition(".")
        found: dict[str, Any] = {within: {last: rows}} if within else {last: rows}
        return JSONResponse({"query": asked.get(self.query), **self.about, **found})


async def tavily_extract(door: WorldDoor, asked: Fields) -> Response:
    urls: Any = asked.get("urls") or []
    said: dict[str, Any] = {"results": [], "failed_results": [], "response_time": 0.1}
    for url in ([urls] if isinstance(urls, str) else list(map(str, urls)))[:MOST_PAGES]:
        page = await door.page(url)
        if page.status == 200:
            said["results"].append({"url": url, "raw_content": page.text, "images": []})
        else:
            said["failed_results"].append({"url": url, "error": page.text})
    return JSONResponse(said)


async def firecrawl_scrape(door: WorldDoor, asked: Fields) -> Response:
    url = str(asked.get("url"))
    page = await door.page(url)
    about = {"title": page.title, "sourceURL": url, "url": url, "statusCode": page.status}
    return JSONResponse({"success": True, "data": {"markdown": page.text, "html": page.html(), "metadata": about}})


@dataclass(frozen=True, slots=True)
class DuckDuckGo:
    """The table of lite.duckduckgo.com, or the blocks of html.duckduckgo.com."""

    is_lite: bool

    async def __call__(self, door: WorldDoor, asked: Fields) -> Response:
        hits = await door.search(str(asked.get("q") or ""))
        page = templates().get_template("duckduckgo.html.jinja")
        return HTMLResponse(page.render(hits=hits, is_lite=self.is_lite))


_OTHERS: Mapping[str, Service] = {
    "api.tavily.com/extract": tavily_extract,
    "/tavily/extract": tavily_extract,
    **{
        f"{place}/{version}/scrape": firecrawl_scrape
        for place in ("api.firecrawl.dev", "/firecrawl", "")
        for version in ("v1", "v2")
    },
    "lite.duckduckgo.com/lite": DuckDuckGo(is_lite=True),
    "html.duckduckgo.com/html": DuckDuckGo(is_lite=False),
}


@cache
def services() -> Mapping[str, Service]:
    """The services by host and path, without a slash at its end; at the gateway's own address by path alone."""
    rows = parse_toml(Path(__file__).with_name("services.toml").read_text("utf-8"))["search"]
    searches = [Search(**row) for row in rows]
    return {**{place: search for search in searches for place in search.at}, **_OTHERS}

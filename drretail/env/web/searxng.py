"""Results of a SearXNG, which anybody can run without a key."""

from pydantic import ValidationError

from drretail.env.web.base import WebResult
from drretail.env.web.searches import AnswerPart, Request, Service, ask, encodable, iso_date, results_of_pages
from drretail.errors import ToolError

ACCESS = (
    "let it answer in JSON (search: formats: [html, json] in its settings.yml), let this machine pass its limiter, and"
    " start it again."
)


class _Hit(AnswerPart):
    url: str
    title: str = ""
    content: str | None = None
    publishedDate: str | None = None  # noqa: N815 -- SearXNG's own name


class _Page(AnswerPart):
    results: tuple[object, ...]
    unresponsive_engines: tuple[object, ...] = ()


class SearxngSearch:
    """Implements ``live.SearchProvider`` over the service's ``/search``."""

    provider = "searxng"

    def __init__(self, service: Service) -> None:
        self._service = service

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best results, of as many pages as it takes.

        Raises ToolError where the first page cannot be had, also when none of its engines answered.
        """
        return results_of_pages(lambda number: self._page(query, number), k)

    def _page(self, query: str, number: int) -> list[WebResult]:
        params = {"q": encodable(query), "format": "json"} | ({} if number == 1 else {"pageno": str(number)})
        value = ask(self._service, Request("GET", {}, params=params))
        try:
            page = _Page.model_validate(value)
        except ValidationError:
            raise ToolError("unavailable", "SearXNG answers in a form that is not known; update it.") from None
        found = [*filter(None, map(self._result, page.results))]
        if not found and page.unresponsive_engines:
            raise ToolError("unavailable", f"SearXNG got no answer from its engines ({_named(page)}); search again.")
        return found

    def _result(self, item: object) -> WebResult | None:
        try:
            hit = _Hit.model_validate(item)
        except ValidationError:
            return None
        return WebResult(hit.title, hit.url, hit.content or "", iso_date(hit.publishedDate, self._service.now()))


def _named(page: _Page) -> str:
    """``engine: reason`` of the first few; SearXNG gives pairs."""
    pairs = [item for item in page.unresponsive_engines if isinstance(item, list) and item]
    return ", ".join(": ".join(str(part)[:40] for part in pair[:2]) for pair in pairs[:5]) or "none of them"

"""Google's results by Serper, the paper's search engine (section 5.3)."""

from pydantic import SecretStr, ValidationError

from drretail.env.web.base import WebResult
from drretail.env.web.searches import (
    PAGE_SIZE,
    AnswerPart,
    Request,
    Service,
    ask,
    encodable,
    iso_date,
    results_of_pages,
)
from drretail.errors import ToolError

ACCESS = "set SERPER_API_KEY to a key that is valid (https://serper.dev/api-keys), or choose another --web."


class _Hit(AnswerPart):
    link: str
    title: str = ""
    snippet: str = ""
    date: str | None = None


class _Page(AnswerPart):
    organic: tuple[object, ...] = ()


class SerperSearch:
    """Implements ``live.SearchProvider``: the organic results, without adverts, answer boxes and products."""

    provider = "serper"

    def __init__(self, service: Service, key: SecretStr) -> None:
        self._service = service
        self._key = key

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best results, of as many pages as it takes.

        Raises ToolError, in whose sentences the key never stands, where the first page cannot be had.
        """
        return results_of_pages(lambda number: self._page(query, min(k, PAGE_SIZE), number), k)

    def _page(self, query: str, size: int, number: int) -> list[WebResult]:
        headers = {"X-API-KEY": self._key.get_secret_value()}
        body = {"q": encodable(query), "num": size} | ({} if number == 1 else {"page": number})
        value = ask(self._service, Request("POST", headers, body=body))
        try:
            page = _Page.model_validate(value)
        except ValidationError:
            raise ToolError("unavailable", "Serper answers in a form that is not known; search again.") from None
        return [*filter(None, map(self._result, page.organic))]

    def _result(self, item: object) -> WebResult | None:
        """None for an item that isn't a link with words: one of them must not cost the others."""
        try:
            hit = _Hit.model_validate(item)
        except ValidationError:
            return None
        return WebResult(hit.title, hit.link, hit.snippet, iso_date(hit.date, self._service.now()))

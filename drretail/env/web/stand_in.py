"""A web that connects nowhere: it returns as many results as asked for, and at every address a typical page."""

from drretail.env.web.base import WebPage, WebResult
from drretail.llm.stand_in import PROSE

PAGE = 12_000
"""The approximate number of characters of a page."""


class StandInWeb:
    """Replaces the open web in a dry run."""

    provider = "stand-in"
    corpus = None

    def search(self, query: str, k: int) -> list[WebResult]:
        return [WebResult(query, f"https://stand-in.example/{n}", PROSE) for n in range(1, k + 1)]

    def fetch(self, url: str) -> WebPage:
        return WebPage(url, title=url, text=f"{PROSE}\n\n" * (PAGE // len(PROSE)), state="ok")

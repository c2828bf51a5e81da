"""A web that connects nowhere: as many results as are asked for, and a page of typical length at every address."""

from drretail.env.web.base import WebPage, WebResult
from drretail.llm.stand_in import PROSE

PAGE = 12_000
"""Characters of a page."""


class StandInWeb:
    """For a dry run, in the place of the open web."""

    provider = "stand-in"
    corpus = None

    def search(self, query: str, k: int) -> list[WebResult]:
        return [WebResult(query, f"https://stand-in.example/{n}", PROSE) for n in range(1, k + 1)]

    def fetch(self, url: str) -> WebPage:
        return WebPage(url, title=url, text=f"{PROSE}\n\n" * (PAGE // len(PROSE)), state="ok")

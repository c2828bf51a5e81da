"""``--web notice_board``: a web of one page."""

from drretail.env.web.base import WebPage, WebResult

URL = "https://corner-shop.example/board"
SAYS = "A bird feeder should hang in the shade."


class Board:
    provider = "notice_board"
    corpus = None

    def search(self, query: str, k: int) -> list[WebResult]:
        return [WebResult(url=URL, title="Notice board", snippet=SAYS)]

    def fetch(self, url: str) -> WebPage:
        return WebPage(url=url, title="Notice board", text=SAYS, state="ok")


def open_board(argument, options):
    return Board()

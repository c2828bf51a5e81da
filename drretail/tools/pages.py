"""The pages of one search, fetched side by side."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from drretail.effects import Effects, Outcome
from drretail.env.web.base import Web, WebPage
from drretail.env.web.pages import no_page, page_of, page_outcome
from drretail.errors import ToolError
from drretail.tools.workers import Job, Workers


def fetch_pages(web: Web, urls: Sequence[str], effects: Effects, seconds: float) -> list[WebPage]:
    """The page at each address, in the order of the addresses; its state and problem say why one has no text.

    All are fetched at the same time, and one that is not there after ``seconds`` counts as an error. Each is an effect
    of its own, written down in the order of the addresses whichever comes first.
    """
    under_way = _UnderWay(web, urls, seconds)
    try:
        return [_page(web, url, effects, partial(under_way.wait, rank)) for rank, url in enumerate(urls)]
    finally:
        under_way.close()


def _page(web: Web, url: str, effects: Effects, wait: Callable[[], WebPage]) -> WebPage:
    def fetched() -> Outcome:
        return page_outcome(wait())

    try:
        return page_of(effects.perform("page_fetch", {"provider": web.provider, "url": url}, fetched).response)
    except ToolError as problem:
        return no_page(url, problem.message)


class _UnderWay:
    """Pages being fetched. The first that is waited for starts itself and all after it: none before is missing."""

    def __init__(self, web: Web, urls: Sequence[str], seconds: float) -> None:
        self._web = web
        self._urls = urls
        self._end = time.monotonic() + seconds
        self._workers = Workers(len(urls))
        self._seconds = seconds
        self._jobs: dict[int, Job[WebPage]] = {}

    def wait(self, rank: int) -> WebPage:
        """The page at that rank. Raises ToolError when it is not there in time, and what the web raises."""
        if not self._jobs:
            self._seconds = max(0.0, self._end - time.monotonic())
            for later in range(rank, len(self._urls)):
                self._jobs[later] = self._workers.submit(partial(self._web.fetch, self._urls[later]))
        try:
            return self._workers.wait(self._jobs[rank], self._seconds)
        except TimeoutError:
            raise ToolError("timeout", "The page was not there when the time of its search was over.") from None

    def close(self) -> None:
        self._workers.close()

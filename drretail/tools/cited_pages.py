"""Pages that a report cites and that nobody has read: fetched for judging, a few at a time."""

from collections.abc import Iterator, Sequence

from drretail.env.web.base import WebPage
from drretail.env.web.live import Pages
from drretail.errors import ModelError, ToolError
from drretail.journal import Effects
from drretail.tools.web import fetch_pages

AT_ONCE = 4
"""Pages under way, each of another site: nobody waits for them, and no site is to be asked for many at once."""


def fetch_cited(pages: Pages, urls: Sequence[str], effects: Effects, seconds: float) -> Iterator[tuple[str, WebPage]]:
    """Each address with its page, whose state says what became of it; ``seconds`` is for one round of ``AT_ONCE``.

    A replay of a journal that was kept before pages were fetched holds none: those are left out.
    """
    for some in rounds(urls):
        try:
            found = fetch_pages(_Guarded(pages), some, effects, seconds)
        except ModelError:  # how a replay says that its journal holds no answer
            return
        yield from zip(some, found, strict=True)


def rounds(urls: Sequence[str]) -> Iterator[list[str]]:
    """The addresses in their order as far as no round holds a site twice, or more than ``AT_ONCE``."""
    left = list(dict.fromkeys(urls))
    while left:
        sites: dict[str, str] = {}
        for url in left:
            sites.setdefault(url.partition("://")[2].partition("/")[0].casefold(), url)
        some = list(sites.values())[:AT_ONCE]
        yield some
        left = [url for url in left if url not in some]


class _Guarded:
    """A web whose every fault makes one page unreadable: the run that cites it has ended and must not be lost."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def provider(self) -> str:
        return self._pages.provider

    def fetch(self, url: str) -> WebPage:
        try:
            return self._pages.fetch(url)
        except ToolError:
            raise
        # The boundary of a web: what a plugin raises is kept with the page.
        except Exception as problem:
            raise ToolError("unavailable", f"the web failed ({type(problem).__name__}: {problem})") from problem

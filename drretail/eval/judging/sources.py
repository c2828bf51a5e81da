"""Cited pages as they are at judging time: each is fetched once for a whole experiment, whoever judges by it."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from drretail.env.web.base import WebPage
from drretail.env.web.live import Pages, no_page, page_of, page_outcome
from drretail.errors import ToolError
from drretail.journal import Effect, Journal, Outcome, read_effects

Key = tuple[str, str]


def live_journal(experiment: Path) -> Path:
    """Where the pages are kept: beside the verdicts that rest on them."""
    return experiment / "verdicts" / "live_pages.journal.jsonl"


class LivePages:
    """Pages by the label of the system that cites them, from journal or web; close it, or use a ``with`` block.

    ``pages`` are the webs by label. With ``anew`` a page that was fetched by an earlier command is fetched again; the
    last one counts. Belongs to one event loop.
    """

    def __init__(self, path: Path, pages: Mapping[str, Pages], *, anew: bool = False) -> None:
        self._path = path
        self._pages = pages
        self._anew = anew
        self._before = read_effects(path) if path.exists() else []
        self._last = {_key(effect): effect for effect in self._before}
        self._times = Counter(map(_key, self._before))
        self._journal: Journal | None = None
        self._fetching: dict[Key, asyncio.Task[WebPage]] = {}

    async def page(self, label: str, url: str) -> WebPage:
        """The page at an address as the web of that system has it; its state says why there is no text."""
        pages = self._pages[label]
        key = (pages.provider, url)
        if key not in self._fetching:
            self._fetching[key] = asyncio.create_task(self._page(pages, key))
        # One who gives up must not take the page away from others who wait for it.
        return await asyncio.shield(self._fetching[key])

    async def _page(self, pages: Pages, key: Key) -> WebPage:
        known = None if self._anew else self._last.get(key)
        if known is not None:
            return no_page(key[1], known.error["message"]) if known.error is not None else page_of(known.response)
        if self._journal is None:
            self._journal = Journal(self._path)

        async def fetched() -> Outcome:
            try:
                return page_outcome(await asyncio.to_thread(pages.fetch, key[1]))
            except ToolError:
                raise
            # The boundary of a web: a plugin's fault makes one page unreadable, and is kept with it.
            except Exception as problem:
                raise ToolError("unavailable", f"the web failed ({type(problem).__name__}: {problem})") from problem

        # A scope of its own for each time, so that the journal does not answer with an earlier one.
        effects = self._journal.scope(f"live/{self._times[key] + 1}")
        try:
            return page_of(
                (await effects.aperform("page_fetch", {"provider": key[0], "url": key[1]}, fetched)).response
            )
        except ToolError as problem:
            return no_page(key[1], problem.message)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def __enter__(self) -> "LivePages":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _key(effect: Effect) -> Key:
    return effect.request["provider"], effect.request["url"]

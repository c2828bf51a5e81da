"""A web of fixed pages: no network, the same results on every machine."""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import Field, ValidationError

from drretail.env.manifest import Manifest
from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.web.bm25 import Bm25
from drretail.env.web.passages import LONGEST_CHUNK, best_passage
from drretail.errors import UserError
from drretail.files import read_lines
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.parsing import parse_json
from drretail.records.base import Record, fault_of, sha256_of

FLOOR = 0.25
"""The least score of a result, as a share of the highest score that any page could have for the query. A page below it
shares only common words with the query, or one of many. The value is half of the least best score (.49) on 65 short
questions that the pages were written to answer, since agents ask longer ones. Its effect on others is shown in
drretail/addons/sandboxes/README.md.
"""
LEAST_PAGES = 100
"""A web of fewer pages is ranked as if it were part of one of this size, about the demo's, for which ``FLOOR`` was
chosen.
"""
CORPORA = {
    "6addac56870ea3a737ea95a22b4be4c5c24bd2ffe392a096c04b09b9f4baebdd": "sandbox_pages.jsonl",
    "faca993ddd543a0dfe26a70491819a8bc4393a4a9e0bba29865e84431bff9632": "market_pages.jsonl",
}
"""The corpora that ship by the shops that they were written for (demo, market), as ``rows_of`` the shop's manifest."""


class SandboxPage(Record):
    """A line of a corpus; ``date`` is ISO (YYYY-MM-DD)."""

    url: str = Field(min_length=1)
    title: str
    text: str
    date: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")


def default_corpus() -> Path:
    """The corpus that ships for the demo shop, and for all shops that have none of their own."""
    return _shipped(next(iter(CORPORA.values())))


@cache
def shipped_corpora() -> Mapping[str, Path]:
    """The corpora that ship, by the sha256 of their bytes."""
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in map(_shipped, CORPORA.values())}


def _shipped(name: str) -> Path:
    return Path(str(resources.files("drretail.env.web").joinpath(name)))


class SandboxWeb:
    """Implements ``base.Web`` over a corpus file (JSONL, may be packed) or pages in memory.

    Raises UserError that names the line if the corpus is broken, or holds an address twice.
    """

    provider = "sandbox"

    def __init__(self, pages: Path | Sequence[SandboxPage]) -> None:
        if isinstance(pages, Path):
            corpus, self._corpus = read_corpus(pages), hashlib.sha256(pages.read_bytes()).hexdigest()
        else:
            corpus = list(pages)
            lines = "".join(f"{page.model_dump_json()}\n" for page in corpus)
            self._corpus = hashlib.sha256(lines.encode()).hexdigest()
        self._all = sorted(corpus, key=lambda page: page.url)
        self._by_address = {normalise_url(page.url): page for page in self._all}
        self._lock = threading.Lock()
        self._serve(None)

    def _serve(self, today: str | None) -> None:
        self._today = today
        self._pages = [page for page in self._all if not self._is_to_come(page)]
        self._index: Bm25 | None = None

    def _is_to_come(self, page: SandboxPage) -> bool:
        return self._today is not None and page.date is not None and page.date > self._today

    def as_of(self, today: date) -> "SandboxWeb":
        """The same corpus without pages of a later date, which on the shop's day are not written yet."""
        web = copy(self)
        web._lock = threading.Lock()
        web._serve(today.isoformat())
        return web

    @property
    def pages(self) -> Sequence[SandboxPage]:
        """The pages that are served, in order of their addresses."""
        return self._pages

    @property
    def withheld(self) -> int:
        """The number of pages that are not served because they are dated after the shop's today."""
        return len(self._all) - len(self._pages)

    @property
    def corpus(self) -> str:
        """sha256 of the corpus file's bytes."""
        return self._corpus

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best pages that reach ``FLOOR``; ties in order of their addresses."""
        index = self._indexed()
        floor = FLOOR * index.ceiling(query)
        ranked = [(number, score) for number, score in index.scores(query).items() if score >= floor]
        # The pages are in order of their addresses, so their numbers are too.
        ranked.sort(key=lambda scored: (-scored[1], scored[0]))
        return [self._result(self._pages[number], query, index) for number, _ in ranked[:k]]

    def _result(self, page: SandboxPage, query: str, index: Bm25) -> WebResult:
        snippet = best_passage(page.text, query, index.idf)
        chunk = best_passage(page.text, query, index.idf, LONGEST_CHUNK)
        return WebResult(page.title, page.url, snippet, page.date, chunk)

    def fetch(self, url: str) -> WebPage:
        """The page at an address in any spelling; state "error" for an address that the corpus lacks or withholds."""
        page = self._by_address.get(normalise_url(url))
        if page is None:
            return WebPage(url, title="", text="", state="error", problem="The sandbox holds no page at this address.")
        if self._is_to_come(page):
            problem = f"The page is dated {page.date}, after the shop's today, {self._today}: the sandbox withholds it."
            return WebPage(page.url, title="", text="", state="error", problem=problem)
        if not page.text.strip():
            return WebPage(page.url, page.title, text="", state="no_content", date=page.date)
        return WebPage(page.url, page.title, page.text, state="ok", date=page.date)

    def _indexed(self) -> Bm25:
        # At the first search: most commands open a world without searching its web.
        with self._lock:
            if self._index is None:
                self._index = Bm25([(page.title, page.text) for page in self._pages], LEAST_PAGES)
            return self._index


def read_corpus(path: Path) -> list[SandboxPage]:
    """The pages of a corpus file; blank lines are skipped."""
    lines: dict[str, int] = {}
    pages: list[SandboxPage] = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        page = _page(path, number, line)
        first = lines.setdefault(normalise_url(page.url), number)
        if first != number:
            raise UserError(f"{path}, line {number}: {page.url} stands in line {first} already; keep one of the two.")
        pages.append(page)
    if not pages:
        raise UserError(f"{path} holds no page: give a file with one JSON object {{url, title, text, date?}} a line.")
    return pages


def _page(path: Path, number: int, line: str) -> SandboxPage:
    try:
        return SandboxPage.model_validate(parse_json(line))
    except json.JSONDecodeError as problem:
        raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem
    except ValidationError as problem:
        reason = fault_of(problem)
        raise UserError(f"{path}, line {number}, is no page {{url, title, text, date?}}: {reason}.") from problem


def rows_of(manifest: Manifest) -> str:
    """A hash of a world's raw files, whichever rows were then chosen from them.

    Packed files are left out: other versions of zlib pack them into other bytes.
    """
    return sha256_of(sorted(source.sha256 for source in manifest.sources if not source.name.endswith(".gz")))


def pages_of_shop(web: SandboxWeb, manifest: Manifest) -> SandboxWeb:
    """The pages that ship for this shop in place of those that ship for another; pages of other origin unchanged."""
    own = CORPORA.get(rows_of(manifest)) if web.corpus in shipped_corpora() else None
    return web if own is None or shipped_corpora()[web.corpus].name == own else SandboxWeb(_shipped(own))


def has_foreign_pages(web: Web, manifest: Manifest) -> bool:
    """True if the web holds pages that ship with drretail, and the world is of another shop."""
    return isinstance(web, SandboxWeb) and web.corpus in shipped_corpora() and rows_of(manifest) not in CORPORA


def cautions(web: Web, manifest: Manifest) -> list[str]:
    """Warnings for a user who runs agents on this web in this world, one sentence each."""
    if not isinstance(web, SandboxWeb):
        return []
    sentences: list[str] = []
    if has_foreign_pages(web, manifest):
        sentences.append(
            "The sandbox's pages are made for the demo shop and may say nothing of this one's goods: name another web "
            "(--web serper, searxng or sandbox:FILE), or --vary without=web."
        )
    if web.withheld:
        pages = "1 page of the sandbox is" if web.withheld == 1 else f"{web.withheld} pages of the sandbox are"
        sentences.append(f"{pages} dated after the shop's today, {manifest.now.date()}, and not served.")
    return sentences

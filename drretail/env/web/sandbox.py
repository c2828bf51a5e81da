"""Fixed pages (sandbox_pages.jsonl), and a sealed web of them for each query, in several sizes.

    S/sandbox.json                        what it was made from, and its sizes
    S/queries.jsonl                       the queries
    S/tasks/<query>/pages.jsonl.gz        {url, title, text, date?, from}: in that size and in all larger ones
    S/tasks/<query>/labels.jsonl          the purpose of each page; no agent reads it
    S/tasks/<query>/files/                the user's own files

Only ``compose`` uses the labels, when a task's web is opened; the web serves pages alone.
"""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import date, datetime
from functools import cache, lru_cache, partial
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import Field, PositiveInt, ValidationError

from drretail.env.manifest import Manifest
from drretail.env.web.base import Web, WebOptions, WebPage, WebResult
from drretail.env.web.bm25 import LONGEST_CHUNK, Bm25, best_passage
from drretail.errors import ToolError, UserError, check_known
from drretail.experiments.query_files import gold_file, with_gold
from drretail.files import check_inside, read_document, read_lines
from drretail.parsing import parse_json
from drretail.records.base import Document, Record, fault_of, file_name, sha256_of
from drretail.records.query import ASK, Query
from drretail.records.run import COMPOSE, SIZE, System
from drretail.reports.text.evidence_ids import normalise_url

FLOOR = 0.25
"""The least score of a result, as a share of the highest score that any page could have for the query. A page below it
shares only common words with the query, or one of many. The value is half of the least best score (.49) on 65 short
questions that the pages were written to answer, since agents ask longer ones. Its effect on others is shown in
drretail/addons/sandboxes/README.md.
"""
LEAST_PAGES = 100
"""A web of fewer pages is ranked as if part of one of this size, about the demo's, for which ``FLOOR`` was chosen."""
CORPORA = {
    "6addac56870ea3a737ea95a22b4be4c5c24bd2ffe392a096c04b09b9f4baebdd": ("sandbox_pages.jsonl", "demo_pages.jsonl"),
    "faca993ddd543a0dfe26a70491819a8bc4393a4a9e0bba29865e84431bff9632": ("market_pages.jsonl",),
}
"""The files of the corpora that ship by the shops that they were written for (demo, market), as their
``raw_files_hash``.
"""
ANY_SHOP = ("sandbox_pages.jsonl",)
"""That of all other shops: no page names a maker."""


class SandboxPage(Record):
    """A line of a corpus; ``date`` is ISO (YYYY-MM-DD)."""

    url: str = Field(min_length=1)
    title: str
    text: str
    date: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")


def default_corpus() -> "SandboxWeb":
    """The corpus that ships for all shops that have none of their own."""
    return SandboxWeb(*_shipped(ANY_SHOP))


@cache
def shipped_corpora() -> Mapping[str, Sequence[Path]]:
    """The files of the corpora that ship, by the sha256 of their bytes."""
    return {_sha_of(files): files for files in map(_shipped, (ANY_SHOP, *CORPORA.values()))}


def _shipped(names: Sequence[str]) -> Sequence[Path]:
    folder = resources.files("drretail.env.web")
    return [Path(str(folder.joinpath(name))) for name in names]


def _sha_of(pages: Sequence[Path | Sequence[SandboxPage]]) -> str:
    """The sha256 of files one after the other, or of what pages in memory would be as lines."""
    sha = hashlib.sha256()
    for part in pages:
        lines = [] if isinstance(part, Path) else [f"{page.model_dump_json()}\n".encode() for page in part]
        sha.update(part.read_bytes() if isinstance(part, Path) else b"".join(lines))
    return sha.hexdigest()


def facts_of(web: Web) -> list[dict[str, Any]]:
    """What pages of a web that ships establish, one page a row; empty for any other web.

    The fields of a row: ``url``, ``kind`` (of products) and ``facts``, each with the ``limit`` that follows for a wish.
    """
    pages = shipped_corpora().get(web.corpus or "", ())
    facts = [path.with_name(path.name.replace("_pages", "_facts")) for path in pages]
    return [parse_json(line) for path in facts if path.exists() for line in path.read_text("utf-8").splitlines()]


class SandboxWeb:
    """Implements ``base.Web`` over corpus files (JSONL, may be packed) or pages in memory.

    Raises UserError that names the line if the corpus is broken, or holds an address twice.
    """

    provider = "sandbox"

    def __init__(self, *pages: Path | Sequence[SandboxPage]) -> None:
        corpus = [page for part in pages for page in (read_corpus(part) if isinstance(part, Path) else part)]
        self._corpus = _sha_of(pages)
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
        # At the first search: most commands open a world without searching its web.
        with self._lock:
            if self._index is None:
                self._index = Bm25([(page.title, page.text) for page in self._pages], LEAST_PAGES)
            index = self._index
        floor = FLOOR * index.ceiling(query)
        ranked = [(number, score) for number, score in index.scores(query).items() if score >= floor]
        # The pages are in order of their addresses, so their numbers are too.
        ranked.sort(key=lambda scored: (-scored[1], scored[0]))
        results = list[WebResult]()
        for page in (self._pages[number] for number, _ in ranked[:k]):
            passage = partial(best_passage, page.text, query, index.idf)
            results.append(WebResult(page.title, page.url, passage(), page.date, partial(passage, LONGEST_CHUNK)))
        return results

    def fetch(self, url: str) -> WebPage:
        """The page at an address in any spelling. It is "not_found" if the corpus lacks it, and in "error" if it is
        withheld.
        """
        page = self._by_address.get(normalise_url(url))
        if page is None:
            problem = "The sandbox holds no page at this address."
            return WebPage(url, title="", text="", state="not_found", problem=problem)
        if self._is_to_come(page):
            problem = f"The page is dated {page.date}, after the shop's today, {self._today}: the sandbox withholds it."
            return WebPage(page.url, title="", text="", state="error", problem=problem)
        if not page.text.strip():
            return WebPage(page.url, page.title, text="", state="no_content", date=page.date)
        return WebPage(page.url, page.title, page.text, state="ok", date=page.date)


def read_corpus(path: Path) -> list[SandboxPage]:
    """The pages of a corpus file; blank lines are skipped."""
    lines: dict[str, int] = {}
    pages: list[SandboxPage] = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            page = SandboxPage.model_validate(parse_json(line))
        except json.JSONDecodeError as problem:
            raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem
        except ValidationError as problem:
            reason = fault_of(problem)
            raise UserError(f"{path}, line {number}, is no page {{url, title, text, date?}}: {reason}.") from problem
        first = lines.setdefault(normalise_url(page.url), number)
        if first != number:
            raise UserError(f"{path}, line {number}: {page.url} stands in line {first} already; keep one of the two.")
        pages.append(page)
    if not pages:
        raise UserError(f"{path} holds no page: give a file with one JSON object {{url, title, text, date?}} a line.")
    return pages


def raw_files_hash(manifest: Manifest) -> str:
    """A hash of a world's raw files, whichever rows were then chosen from them.

    Packed files are left out: other versions of zlib pack them into other bytes.
    """
    return sha256_of(sorted(source.sha256 for source in manifest.sources if not source.name.endswith(".gz")))


def pages_of_shop(web: SandboxWeb, manifest: Manifest) -> SandboxWeb:
    """The pages that ship for this shop in place of those that ship for another; pages of other origin unchanged."""
    names = CORPORA.get(raw_files_hash(manifest)) if web.corpus in shipped_corpora() else None
    return web if names is None else SandboxWeb(*_shipped(names))


def has_foreign_pages(web: Web, manifest: Manifest) -> bool:
    """True if the web holds pages that ship with drretail, and the world is of another shop."""
    return isinstance(web, SandboxWeb) and web.corpus in shipped_corpora() and raw_files_hash(manifest) not in CORPORA


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


T = TypeVar("T", bound=Record)
SANDBOX_FILE, QUERIES_FILE = "sandbox.json", "queries.jsonl"
PAGES_FILE, LABELS_FILE, GOLD_FILE = "pages.jsonl.gz", "labels.jsonl", "gold.json"
MOST_WEBS, MOST_TASKS = 16, 32
"""The most webs that are kept with their indices, and the most tasks whose pages are kept."""
Label = Literal["supportive", "distractor", "noise"]
Compose = Literal["all", "no_distractor", "supportive_only", "no_supportive"]
SERVED: dict[str, tuple[Label, ...]] = {
    "all": ("supportive", "distractor", "noise"),
    "no_distractor": ("supportive", "noise"),
    "supportive_only": ("supportive",),
    "no_supportive": ("distractor", "noise"),
}
"""The labels of the pages that each composition serves."""


class SandboxFolder(Document):
    """sandbox.json."""

    world_fingerprint: str
    now: datetime
    seed: str
    sizes: dict[str, PositiveInt] = Field(min_length=1)
    """Tokens by name of the size."""
    counter: str
    """How tokens are counted: "characters/4", or a tokenizer's name."""
    web: str
    made_by: str
    versions: dict[str, str] = Field(default_factory=dict)
    sums: dict[str, str] = Field(default_factory=dict)
    """The sha256 of each file by its path."""
    own_sum: str = ""
    """The sha256 of the rest of this description."""

    @property
    def names(self) -> list[str]:
        """The names of the sizes, smallest first."""
        return sorted(self.sizes, key=lambda name: self.sizes[name])


class TaskPage(SandboxPage):
    """A page of a task, which belongs to the size ``from`` and to all larger ones."""

    since: str = Field(alias="from")


class PageLabel(Record):
    """A line of labels.jsonl."""

    url: str
    label: Label
    kind: str = ""
    keyword: str = ""
    why: str = ""


def open_sandbox(argument: str | None, options: WebOptions) -> "SandboxWeb | SealedWeb":
    """``sandbox`` with the pages that ship with drretail, ``sandbox:FILE``, or ``sandbox:FOLDER``, a web per query."""
    if argument is None:
        return default_corpus()
    path = Path(argument)
    return SealedWeb(path) if path.is_dir() else SandboxWeb(path)


class SealedWeb:
    """All webs of a sandbox; ``of`` returns one query's own ``base.Web``, at one size and in one composition.

    The default is the smallest size with all of its pages; ``at`` returns others. The last used webs are kept, for all
    sizes and compositions together. Measured: a web of 512k tokens takes 0.3 s and 15 MB once it has been searched.
    Raises UserError for a folder that is not a sandbox.
    """

    provider = "sandbox"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = read_sandbox(folder)
        self.queries = tuple(query.task for query in read_queries_of(folder))
        self.size = self.about.names[0]
        self.compose: Compose = "all"
        # The cached methods do not read ``size`` and ``compose``, so that copies can share the caches.
        self._webs = lru_cache(MOST_WEBS)(self._web)
        self._corpora = cache(self._corpus)
        self._pages = lru_cache(MOST_TASKS)(self._read)

    def at(self, size: str | None = None, compose: str | None = None) -> "SealedWeb":
        """The same sandbox at that size (None: the smallest) and in that composition; copies share their caches.

        Raises UserError for a size that the sandbox lacks, and if it has no labels to choose pages by.
        """
        if size is not None and size not in self.about.sizes:
            raise UserError(f"{self.folder} has no size {size}: it has {', '.join(self.about.names)}.")
        if compose is not None:
            check_known("composition", SERVED, compose)
        other = copy(self)
        other.size = size or self.about.names[0]
        other.compose = cast(Compose, compose or "all")
        if other.compose != "all":
            for task in (self._task(query.query_id) for query in self.queries):
                if not (task / LABELS_FILE).is_file():
                    raise UserError(f"{task} has no {LABELS_FILE}, by which compose chooses pages: leave it out.")
        return other

    @property
    def options(self) -> dict[str, str]:
        """The options by which systems on this web differ from those on another size or composition."""
        return {SIZE: self.size} | ({} if self.compose == "all" else {COMPOSE: self.compose})

    @property
    def corpus(self) -> str:
        """sha256 over the pages that are served for all queries."""
        return self._corpora(self.size, self.compose)

    def of(self, query: Query) -> SandboxWeb:
        """The web of one query. Raises UserError for a query that the sandbox lacks."""
        return self._webs(self.own_query(query).query_id, self.size, self.compose)

    def files(self, query: Query) -> Path | None:
        """The folder of the user's files; None if the query has none. Raises UserError for a link out of the task."""
        task = self._task(self.own_query(query).query_id)
        if not (task / "files").is_dir():
            return None
        check_inside(task / "files", task)
        return task / "files"

    def own_query(self, query: Query) -> Query:
        """The sandbox's own query with this id, words and user; for a question from ``ask``, the id does not count.

        Raises UserError if there is none.
        """
        for task_query in self.queries:
            is_named = query.query_id == task_query.query_id or query.source == ASK
            if is_named and (query.text, query.user_id) == (task_query.text, task_query.user_id):
                return task_query
        is_known = any(query.query_id == task_query.query_id for task_query in self.queries)
        why = "another query or user under that id" if is_known else "no such query of this user: ask one of its own"
        raise UserError(f"The query {query.query_id} has no web: {self.folder / QUERIES_FILE} has {why}.")

    def with_gold(self, queries: Sequence[Query]) -> list[Query]:
        """The sandbox's own queries with their gold, and others with what their webs here establish about products.

        Raises as ``own_query`` does.
        """
        golden = {query.query_id: query for query in read_queries_of(self.folder)}
        with_facts: list[Query] = []
        for query in queries:
            task = golden[self.own_query(query).query_id]
            is_own = query == task.task
            with_facts.append(task if is_own else query.with_facts(() if task.gold is None else task.gold.facts))
        return with_facts

    def search(self, query: str, k: int) -> list[WebResult]:
        raise ToolError("unavailable", "This sandbox has a web for each query, and none without one.")

    def fetch(self, url: str) -> WebPage:
        """The page at an address in the webs that have one; state "error" if these have different pages there."""
        pages = [self.of(query).fetch(url) for query in self.queries]
        present = [page for page in pages if page.state != "not_found"] or pages
        if len({page.text for page in present}) == 1:
            return present[0]
        problem = "Queries of the sandbox have different pages at this address."
        return WebPage(url, title="", text="", state="error", problem=problem)

    def _task(self, query_id: str) -> Path:
        return task_folder(self.folder, query_id)

    def _web(self, query_id: str, size: str, compose: Compose) -> SandboxWeb:
        return SandboxWeb(self._served(query_id, size, compose)).as_of(self.about.now.date())

    def _corpus(self, size: str, compose: Compose) -> str:
        ids = [query.query_id for query in self.queries]
        return sha256_of({query_id: SandboxWeb(self._served(query_id, size, compose)).corpus for query_id in ids})

    def _served(self, query_id: str, size: str, compose: Compose) -> list[SandboxPage]:
        sizes = set(self.about.names[: self.about.names.index(size) + 1])
        pages = [page for since, page in self._pages(query_id) if since in sizes]
        if not pages:
            raise UserError(f"{self._task(query_id) / PAGES_FILE} is broken: it has no page of the size {size}.")
        if compose == "all":
            return pages
        task = self._task(query_id)
        labels: dict[str, Label] = {line.url: line.label for line in read_labels(task)}
        without = [page.url for page in pages if page.url not in labels]
        if without:
            raise UserError(
                f"{task / LABELS_FILE} is broken: it has no label of {len(without)} pages, {without[0]} first."
            )
        return [page for page in pages if labels[page.url] in SERVED[compose]]

    def _read(self, query_id: str) -> list[tuple[str, SandboxPage]]:
        """A task's pages, each with the smallest size that holds it; plain pages: a web serves nothing else of them."""
        return [
            (page.since, SandboxPage(url=page.url, title=page.title, text=page.text, date=page.date))
            for page in read_pages(self._task(query_id))
        ]


def served_to(system: System, web: Web) -> Web:
    """The web that a system searches: for a sandbox, the system's size and composition."""
    return web.at(system.options.get(SIZE), system.options.get(COMPOSE)) if isinstance(web, SealedWeb) else web


def web_for(query: Query, system: System, web: Web) -> Web:
    """The web that a system's run for this query searches."""
    part = served_to(system, web)
    return part.of(query) if isinstance(part, SealedWeb) else part


def task_folder(sandbox: Path, query_id: str) -> Path:
    return sandbox / "tasks" / file_name(query_id)


def written_queries(sandbox: Path) -> tuple[Query, ...]:
    """The queries of a sandbox that is complete or being built, with what its pages establish about products."""
    path = sandbox / QUERIES_FILE
    return with_gold(_lines(path, Query) if path.exists() else (), gold_file(path))


def read_queries_of(sandbox: Path) -> tuple[Query, ...]:
    """The queries of a sandbox. Raises UserError if there are none."""
    path, queries = sandbox / QUERIES_FILE, written_queries(sandbox)
    if not queries:
        raise UserError(f"The sandbox is not whole: {path} {'holds no query' if path.exists() else 'does not exist'}.")
    return queries


def has_gold(sandbox: Path) -> bool:
    """True if any task has a file of what a good answer tells."""
    return any(sandbox.glob(f"tasks/*/{GOLD_FILE}"))


def read_sandbox(folder: Path) -> SandboxFolder:
    """A sandbox's description of itself. Raises UserError if the folder is not a sandbox."""
    path = folder / SANDBOX_FILE
    if not path.is_file():
        raise UserError(f"{folder} is no sandbox: it has no {SANDBOX_FILE} (drretail sandbox build makes one).")
    return read_document(path, SandboxFolder)


def read_pages(task: Path) -> list[TaskPage]:
    """The pages of a task, of all sizes."""
    return _lines(task / PAGES_FILE, TaskPage)


def read_labels(task: Path) -> list[PageLabel]:
    """The label of each page of a task."""
    return _lines(task / LABELS_FILE, PageLabel)


def _lines(path: Path, kind: type[T]) -> list[T]:
    if not path.is_file():
        raise UserError(f"The sandbox is not whole: there is no {path}.")
    try:
        return [kind.model_validate_json(line) for line in read_lines(path) if line.strip()]
    except ValidationError as problem:
        raise UserError(f"{path} is broken: {problem.errors()[0]['msg']}.") from problem

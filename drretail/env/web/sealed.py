"""A web of its own for each query, in several sizes: the folders that ``drretail sandbox build`` makes.

    S/sandbox.json                        what it was made from, and its sizes
    S/queries.jsonl                       the queries
    S/tasks/<query>/pages.jsonl.gz        {url, title, text, date?, from}: in that size and in all larger ones
    S/tasks/<query>/labels.jsonl          the purpose of each page; no agent reads it
    S/tasks/<query>/files/                the user's own files

Only ``compose`` uses the labels, when a task's web is opened; the web serves pages alone.
"""

from collections.abc import Sequence
from copy import copy
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, TypeVar, cast

from pydantic import Field, PositiveInt, ValidationError

from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.web.registry import WebOptions
from drretail.env.web.sandbox import SandboxPage, SandboxWeb, default_corpus
from drretail.errors import ToolError, UnknownName, UserError
from drretail.files import check_inside, read_documents, read_json, read_lines
from drretail.grounding.constraints.gold_files import gold_path, with_gold
from drretail.records.base import Document, Record, file_name, sha256_of
from drretail.records.query import ASK, Query
from drretail.records.run import COMPOSE, SIZE, System

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
    sums: dict[str, str] | None = None
    """The sha256 of each file by its path; None in sandboxes from before there were sums."""
    own_sum: str | None = None
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
    """``sandbox`` with the pages that ship with drretail, ``sandbox:FILE``, or ``sandbox:FOLDER`` with a web for each
    query.
    """
    path = Path(argument) if argument else default_corpus()
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
        if compose is not None and compose not in SERVED:
            raise UnknownName("composition", compose, SERVED)
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
        for own in self.queries:
            is_named = query.query_id == own.query_id or query.source == ASK
            if is_named and (query.text, query.user_id) == (own.text, own.user_id):
                return own
        is_known = any(query.query_id == own.query_id for own in self.queries)
        why = "another query or user under that id" if is_known else "no such query of this user: ask one of its own"
        raise UserError(f"The query {query.query_id} has no web: {self.folder / QUERIES_FILE} has {why}.")

    def with_gold(self, queries: Sequence[Query]) -> list[Query]:
        """The sandbox's own queries with their gold, and others with what their webs here establish about products.

        Raises as ``own_query`` does.
        """
        golden = {query.query_id: query for query in read_queries_of(self.folder)}
        found: list[Query] = []
        for query in queries:
            own = golden[self.own_query(query).query_id]
            is_own = query == own.task
            found.append(own if is_own else query.with_facts(() if own.gold is None else own.gold.facts))
        return found

    def search(self, query: str, k: int) -> list[WebResult]:
        raise ToolError("unavailable", "This sandbox has a web for each query, and none without one.")

    def fetch(self, url: str) -> WebPage:
        """The page at an address in any query's web; state "error" if queries have different pages there."""
        pages = [page for query in self.queries if (page := self.of(query).fetch(url)).state != "error"]
        if pages and len({page.text for page in pages}) == 1:
            return pages[0]
        problem = "Queries of the sandbox have different pages" if pages else "The sandbox holds no page"
        return WebPage(url, title="", text="", state="error", problem=f"{problem} at this address.")

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
        """A task's pages, each with the smallest size that holds it. They are plain pages, since a web serves nothing
        else of their lines.
        """
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
    return with_gold(read_documents(path, Query, "query"), gold_path(path))


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
    try:
        return SandboxFolder.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is broken: {problem.errors()[0]['msg']}.") from problem


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

"""A web of its own for each query, in several sizes: the folders that ``drretail sandbox build`` makes.

    S/sandbox.json                        what it was made from, and its sizes
    S/queries.jsonl                       the queries
    S/tasks/<query>/pages.jsonl.gz        {url, title, text, date?, from}: in that size and in all larger ones
    S/tasks/<query>/labels.jsonl          what each page is there for: nobody who answers reads it
    S/tasks/<query>/files/                what the user has lying about

Of labels only ``compose`` knows, when a task's web is opened; what it serves are pages.
"""

from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar, get_args

from pydantic import Field, ValidationError

from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.registry import WebOptions
from drretail.env.web.sandbox import SandboxPage, SandboxWeb, default_corpus
from drretail.errors import ToolError, UnknownName, UserError
from drretail.files import read_documents, read_json, read_lines
from drretail.records.base import Document, Record, sha256_of
from drretail.records.ids import file_name
from drretail.records.query import Query

T = TypeVar("T", bound=Record)
SANDBOX_FILE = "sandbox.json"
LABELS_FILE = "labels.jsonl"
Label = Literal["supportive", "distractor", "noise"]
Compose = Literal["all", "no_distractor", "supportive_only", "no_supportive"]
SERVED: dict[str, tuple[Label, ...]] = {
    "all": ("supportive", "distractor", "noise"),
    "no_distractor": ("supportive", "noise"),
    "supportive_only": ("supportive",),
    "no_supportive": ("distractor", "noise"),
}
"""The labels that each composition lets through."""


class SandboxFolder(Document):
    """sandbox.json."""

    world_fingerprint: str
    now: datetime
    seed: str
    sizes: dict[str, int]
    """Tokens by name, the smallest first when sorted by them."""
    counter: str
    """How tokens are counted: "characters/4", or a tokenizer's name."""
    web: str
    made_by: str
    versions: dict[str, str] = Field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The sizes by name, smallest first."""
        return sorted(self.sizes, key=lambda name: self.sizes[name])


class TaskPage(SandboxPage):
    """A page of a task: it stands in the size ``from`` and in all larger ones."""

    since: str = Field(alias="from")


class PageLabel(Record):
    """A line of labels.jsonl."""

    url: str
    label: Label
    kind: str = ""
    keyword: str = ""
    why: str = ""


def open_sandbox(argument: str | None, options: WebOptions) -> "SandboxWeb | SealedWeb":
    """``sandbox`` with the pages that ship with drretail, ``sandbox:FILE``, or ``sandbox:FOLDER``, a web a query."""
    path = Path(argument) if argument else default_corpus()
    if path.is_dir():
        return SealedWeb(path, options.size, options.compose)
    if options.size is not None or options.compose is not None:
        raise UserError("--size and --compose are of a sandbox's folder: name one with --web sandbox:FOLDER.")
    return SandboxWeb(path)


class SealedWeb:
    """Implements ``base.Web`` for none of the queries: ``of`` gives each one's own.

    Raises UserError for a folder that is no sandbox, a size that it does not have, and labels that are missing where
    ``compose`` needs them.
    """

    provider = "sandbox"

    def __init__(self, folder: Path, size: str | None = None, compose: str | None = None) -> None:
        self.folder = folder
        self.about = read_sandbox(folder)
        if size is not None and size not in self.about.sizes:
            raise UserError(f"{folder} has no size {size}: it has {', '.join(self.about.names)}.")
        if compose is not None and compose not in SERVED:
            raise UnknownName("composition", compose, get_args(Compose))
        self.size = size or self.about.names[0]
        self.compose = compose or "all"

    @property
    def options(self) -> dict[str, str]:
        """What tells systems on this web from those on another of its sizes."""
        return {"size": self.size} | ({} if self.compose == "all" else {"compose": self.compose})

    @cached_property
    def corpus(self) -> str:
        """sha256 over the corpora of all queries as they are served."""
        return sha256_of({it.query_id: self.of(it).corpus for it in self.queries})

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        return read_documents(self.folder / "queries.jsonl", Query, "query")

    def of(self, query: Query) -> SandboxWeb:
        """The web of one query, found by its id or else by its words. Raises UserError for one that is not there."""
        folder = self.task(query)
        served = set(self.about.names[: self.about.names.index(self.size) + 1])
        pages = [page for page in read_pages(folder) if page.since in served]
        if self.compose != "all":
            labels = {it.url: it.label for it in read_labels(folder)}
            pages = [page for page in pages if labels.get(page.url) in SERVED[self.compose]]
        plain = [SandboxPage(url=it.url, title=it.title, text=it.text, date=it.date) for it in pages]
        return SandboxWeb(plain).as_of(self.about.now.date())

    def files(self, query: Query) -> Path | None:
        """The folder of the user's files; None where a query has none."""
        folder = self.task(query) / "files"
        return folder if folder.is_dir() else None

    def task(self, query: Query) -> Path:
        """The folder of a query's task. Raises UserError where there is none."""
        own = task_folder(self.folder, query.query_id)
        if own.is_dir():
            return own
        found = next((it for it in self.queries if it.text == query.text), None)
        if found is None:
            raise UserError(f"{self.folder} has no web for the query {query.query_id}: ask one of its queries.jsonl.")
        return task_folder(self.folder, found.query_id)

    def as_of(self, today: date) -> "SealedWeb":
        """The same: it says itself what day it was made for."""
        return self

    def search(self, query: str, k: int) -> list[WebResult]:
        raise ToolError("unavailable", "This sandbox has a web for each query, and none without one.")

    def fetch(self, url: str) -> WebPage:
        raise ToolError("unavailable", "This sandbox has a web for each query, and none without one.")


def task_folder(sandbox: Path, query_id: str) -> Path:
    return sandbox / "tasks" / file_name(query_id)


def read_sandbox(folder: Path) -> SandboxFolder:
    """What a sandbox says of itself. Raises UserError where the folder is none."""
    path = folder / SANDBOX_FILE
    if not path.is_file():
        raise UserError(f"{folder} is no sandbox: it has no {SANDBOX_FILE} (drretail sandbox build makes one).")
    try:
        return SandboxFolder.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is broken: {problem.errors()[0]['msg']}.") from problem


def read_pages(task: Path) -> list[TaskPage]:
    """The pages of a task, of all sizes."""
    return _lines(task / "pages.jsonl.gz", TaskPage)


def read_labels(task: Path) -> list[PageLabel]:
    """What each page of a task is there for."""
    return _lines(task / LABELS_FILE, PageLabel)


def _lines(path: Path, kind: type[T]) -> list[T]:
    try:
        return [kind.model_validate_json(line) for line in read_lines(path) if line.strip()]
    except ValidationError as problem:
        raise UserError(f"{path} is broken: {problem.errors()[0]['msg']}.") from problem

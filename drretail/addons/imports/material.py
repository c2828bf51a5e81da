"""What every format is read from and into: rows from JSON and JSONL, packed or not; tasks, and systems' reports."""

import gzip
import json
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from drretail.addons.assistants.redaction import Redactor
from drretail.errors import UserError, file_error, without_keys
from drretail.parsing import json_or_none, json_values, without_thoughts
from drretail.records.account import Account
from drretail.records.criteria import GoldPart, PartOfGold
from drretail.records.evidence import Evidence
from drretail.records.run import Step, Turn, Usage
from drretail.reports.text.untrusted import visible

LARGEST = 500_000_000
"""The most bytes of a file, unpacked."""
MOST_FILES = 100_000
ROW_FILES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
NO_ROW, NOT_JSON, SAME_ROW = "no row of this format", "not JSON", "the same as another row"
CUT = "an input of JSON that was cut"
_PIECE = 1 << 20
T = TypeVar("T")
_redactor: ContextVar[Redactor | None] = ContextVar("redactor", default=None)


@contextmanager
def redacting(redactor: Redactor | None) -> Generator[None]:
    """All rows and texts that are read in the block come without personal data."""
    token = _redactor.set(redactor)
    try:
        yield
    finally:
        _redactor.reset(token)


def redacted(value: Any) -> Any:
    """A row or a text, without personal data if that was asked for."""
    redactor = _redactor.get()
    return value if redactor is None else redactor.row(value)


class Unreadable(ValueError):
    """Why nothing can be made of a row."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """An object of a file, and its place there."""

    value: dict[str, Any]
    file: Path
    where: str
    fault: str = ""
    """Why it is no row: ``NO_ROW`` or ``NOT_JSON``."""

    def text(self, *names: str) -> str:
        """The first of these fields that holds words or a number, stripped; empty if none does."""
        for name in names:
            value = self.value.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return ""

    def report(self, name: str) -> str | None:
        """The text of this field, unchanged; empty for null, None if the row lacks the field.

        Raises Unreadable for what is no text, and above ``LONGEST_REPORT``.
        """
        if name not in self.value:
            return None
        value = self.value[name]
        if value is not None and not isinstance(value, str):
            raise Unreadable(f"its {name!r} is no text")
        if value is not None and len(value) > LONGEST_REPORT:
            raise Unreadable(TOO_LONG)
        return value or ""

    def id(self, *names: str) -> str:
        """As ``text``, but raises Unreadable instead of returning an empty text."""
        text = self.text(*names)
        if not text:
            raise Unreadable(f"no {' or '.join(map(repr, names))} in it")
        return text


def file_stem(path: Path) -> str:
    """The name of a file without its endings."""
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


def files_under(path: Path, endings: Sequence[str], account: Account | None = None) -> list[Path]:
    """The file itself, or a folder's files with these endings, sorted by path, without hidden ones.

    Other files are left out of the account, if there is one. Raises UserError if there is none with these endings.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UserError(f"{path} does not exist.")
    files: list[Path] = []
    for file in path.rglob("*"):
        if any(part.startswith(".") for part in file.relative_to(path).parts) or not file.is_file():
            continue
        if file.name.casefold().endswith(tuple(endings)):
            files.append(file)
            if len(files) > MOST_FILES:
                raise UserError(f"{path} holds more than {MOST_FILES:,} files: name a folder of reports.")
        elif account is not None:
            account.take()
            account.leave_out(f"its name ends in {file.suffix or 'nothing'}", str(file))
    if not files:
        raise UserError(f"{path} holds no file that ends in {' or '.join(endings)}.")
    return sorted(files)


def read_text(path: Path) -> str:
    """As ``unpacked_text``, without personal data if that was asked for."""
    return redacted(unpacked_text(path))


def unpacked_text(path: Path) -> str:
    """A file's text, unpacked if its name ends in .gz.

    Raises UserError if the file is missing, is not UTF-8, or has more than ``LARGEST`` bytes.
    """
    try:
        with gzip.open(path) if path.suffix.casefold() == ".gz" else path.open("rb") as file:
            parts: list[bytes] = []
            size = 0
            while piece := file.read(_PIECE):
                parts.append(piece)
                size += len(piece)
                if size > LARGEST:
                    raise UserError(f"{path} holds more than {LARGEST:,} bytes: no file of reports is as large.")
        return without_keys(b"".join(parts).decode("utf-8-sig"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem


def row_files(path: Path, material: "Material", endings: Sequence[str] = ROW_FILES) -> Iterator[Path]:
    """The files of rows, of which the material's account says whether rows came of them."""
    for file in files_under(path, endings, material.files):
        before = material.rows.came
        yield file
        material.files.take()
        if material.rows.came > before:
            material.files.use()
        else:
            material.files.leave_out("nothing in it", str(file))


def read_rows(
    path: Path, is_row: Callable[[dict[str, Any]], bool], account: Account, read: Callable[[FileRow], T]
) -> Iterator[tuple[FileRow, T]]:
    """The rows of ``read_units``, each with what ``read`` makes of it. Whoever takes them says what became of each.

    What is no row, or what ``read`` raises Unreadable for, is left out of the account.
    """
    for row in read_units(path, is_row):
        account.take()
        if row.fault:
            account.leave_out(row.fault, row.where)
            continue
        try:
            value = read(row)
        except Unreadable as problem:
            account.leave_out(str(problem), row.where)
        else:
            yield row, value


def read_units(path: Path, is_row: Callable[[dict[str, Any]], bool]) -> Iterator[FileRow]:
    """The rows of a file: the outermost objects for which ``is_row`` holds, however deep they are nested, in order.

    The file is JSON Lines, an array, a document around the rows, or objects printed one below the other. What stands
    beside rows, in a list of them or on a line, comes too, with its fault. Raises UserError if the file is no JSON.
    """
    text = unpacked_text(path)
    if text.lstrip()[:1] == "<":
        raise UserError(f"{path} is a page of the web (HTML), not JSON: fetch the file itself.")
    values = _values(path, text)
    if len(values) == 1 and isinstance(whole := values[0][1], list):
        values = [(f"{path}, item {number}", item, "") for number, item in enumerate(whole, 1)]
    for where, value, fault in values:
        value = redacted(value)
        rows = _rows_in(value, is_row, path, where)
        yield from rows if _has_row(rows) or len(values) == 1 else [_strange(value, path, where, fault or NO_ROW)]


def _values(path: Path, text: str) -> list[tuple[str, Any, str]]:
    """The values that follow each other in a text, each with its place, and a fault where a line is not JSON."""
    try:
        return [(f"{path}, line {line}", value, "") for line, value in json_values(text)]
    except json.JSONDecodeError as problem:
        lines = ((at, json_or_none(line)) for at, line in enumerate(text.split("\n"), 1) if line.strip())
        values = [(f"{path}, line {at}", value, NOT_JSON if value is None else "") for at, value in lines]
        # Of an array that is damaged, lines that are JSON by themselves are accidents of its print.
        if text.lstrip()[:1] == "[" or not any(isinstance(value, dict) for _, value, _ in values):
            raise UserError(f"{path} is not JSON: {problem}.") from problem
        return values


def _rows_in(value: Any, is_row: Callable[[dict[str, Any]], bool], file: Path, where: str) -> list[FileRow]:
    """The rows in a value, with what stands beside them; without any, the objects of its longest list, or itself."""
    if isinstance(value, dict) and is_row(value):
        return [FileRow(value, file, where)]
    if isinstance(value, list):
        items = ((item, f"{where}, item {number}") for number, item in enumerate(value, 1))
        of_items = ((item, place, _rows_in(item, is_row, file, place)) for item, place in items)
        parts = [rows if _has_row(rows) else [_strange(item, file, place)] for item, place, rows in of_items]
        return [*chain.from_iterable(parts)]
    if isinstance(value, dict):
        parts = [_rows_in(inner, is_row, file, f"{where}, {name}") for name, inner in value.items()]
        if with_rows := [*filter(_has_row, parts)]:
            # Rows by their ids are a list of rows, too.
            is_by_id = sum(isinstance(inner, dict) and is_row(inner) for inner in value.values()) > 1
            return [*chain.from_iterable(parts if is_by_id else with_rows)]
        lists = (part for part, inner in zip(parts, value.values(), strict=True) if isinstance(inner, list))
        longest = max(lists, key=lambda part: sum(bool(row.value) for row in part), default=[])
        if any(row.value for row in longest):
            return longest
    return [_strange(value, file, where)]


def _has_row(rows: Iterable[FileRow]) -> bool:
    return not all(row.fault for row in rows)


def _strange(value: Any, file: Path, where: str, fault: str = NO_ROW) -> FileRow:
    return FileRow(value if isinstance(value, dict) else {}, file, where, fault)


LONGEST_REPORT = 1_000_000
"""The most characters of a report: as many as a book has, ten times the longest report in these benchmarks."""
TOO_LONG = f"a report of more than {LONGEST_REPORT:,} characters"


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """A question as a file has it."""

    task_id: str
    text: str
    guessed: bool = False
    """True if the text is only the report's own heading."""
    persona: str | None = None
    """Who asks, in the file's words."""
    user_id: str | None = None
    """Who asked, by the id in a log."""
    time: str | None = None
    """When, in ISO form with the zone of the log."""
    kind: str | None = None
    checklist: tuple[str, ...] = ()
    """What the file's own checklist demands of an answer."""
    files: tuple[str, ...] = ()
    """Names of files that belong to the task."""
    gold: Mapping[GoldPart, PartOfGold] | None = None
    """What the file knows beforehand about a good answer."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How a report was made, according to a log."""

    steps: tuple[Step, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools' results by their sha256."""
    evidence: tuple[Evidence, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ForeignReport:
    """A system's report on a task; the text is empty if it wrote nothing."""

    system: str
    """The name in files and folders."""
    task_id: str
    text: str
    where: str
    """File and line, for messages."""
    trace: Trace = field(default_factory=Trace)
    turns: tuple[Turn, ...] = ()
    """The turns of a conversation of several, by their places in the text."""


@dataclass(slots=True)
class Material:
    """The tasks and reports of an import, each once."""

    tasks: dict[str, ForeignTask] = field(default_factory=dict[str, ForeignTask])
    """By id."""
    reports: dict[tuple[str, str], ForeignReport] = field(default_factory=dict[tuple[str, str], ForeignReport])
    """By system and task."""
    rows: Account = field(default_factory=lambda: Account("import", "row"))
    """What became of the rows of all files."""
    files: Account = field(default_factory=lambda: Account("import", "file"))
    """What became of the files: of rows, or of a report each."""
    parts: Account = field(default_factory=lambda: Account("import", "conversation part"))
    """What became of the conversations' messages, and of what in or beside them is no message that is read."""
    unread_times: list[str] = field(default_factory=list[str])
    """What a log has as times and is none that is read."""

    @property
    def accounts(self) -> list[Account]:
        return [account for account in (self.rows, self.files, self.parts) if account.came]

    def add_task(self, task: ForeignTask, where: str) -> bool:
        """Adds a task; False if it is held already. Raises UserError if its id already belongs to another question."""
        held = self.tasks.setdefault(task.task_id, task)
        if held.guessed and not task.guessed:
            self.tasks[task.task_id] = task
        elif held.text != task.text and not task.guessed:
            raise UserError(f"{where}: the task {task.task_id!r} stands there with another question before: keep one.")
        return self.tasks[task.task_id] is task

    def add_report(self, report: ForeignReport) -> bool:
        """Adds a report; False if it is held already. Raises UserError for another one of the system on the task."""
        report = replace(report, text=visible(without_thoughts(report.text)))
        held = self.reports.setdefault((report.system, report.task_id), report)
        if held.text != report.text:
            raise UserError(
                f"{report.where}: the task {report.task_id!r} has another report by {report.system} in {held.where}: "
                "keep one."
            )
        return held is report

    @property
    def is_empty(self) -> bool:
        return not (self.tasks or self.reports)

    def systems(self) -> list[str]:
        return sorted({system for system, _ in self.reports})

    def renamed(self, system: str) -> "Material":
        """The same material with the one system's reports under this name. Raises UserError if there are several."""
        if len(self.systems()) > 1:
            raise UserError(
                f"There are reports of {len(self.systems())} systems ({', '.join(self.systems()[:5])}), and --system "
                "names one: import their files one by one."
            )
        reports = {(system, report.task_id): replace(report, system=system) for report in self.reports.values()}
        return replace(self, reports=reports)

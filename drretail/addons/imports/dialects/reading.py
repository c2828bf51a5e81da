"""The conversations in files, whatever their dialect."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.addons.imports.conversation import Conversation
from drretail.addons.imports.dialects import (
    completions,
    exchanges,
    langfuse,
    langgraph,
    langsmith,
    messages,
    opentelemetry,
    questions,
)
from drretail.addons.imports.dialects.dialect import Dialect
from drretail.addons.imports.material import ROW_FILES, FileRow, files_under, read_units, redacted
from drretail.errors import UserError
from drretail.records.tables.figures import counted, first_few
from drretail.records.tables.sheets import read_sheet

READERS = (opentelemetry, langgraph, langsmith, langfuse, completions, exchanges, messages, questions)
DIALECTS: tuple[Dialect, ...] = tuple(reader.DIALECT for reader in READERS)
"""The first that fits a row reads it."""
_NAMED_KEYS = 8


@dataclass(frozen=True, slots=True)
class Log:
    """What a file or a folder holds."""

    conversations: list[tuple[Conversation, FileRow]]
    """Each conversation with its first row, in the order of the files; without messages where its rows have none."""
    unread: str | None
    """A sentence on rows that no dialect fits; None if there are none."""


def read_log(path: Path) -> Log:
    """The conversations of a file or a folder. Raises UserError of one sentence if there is none."""
    groups: dict[tuple[str, str], tuple[Dialect, list[FileRow]]] = {}
    met, strange = Counter[str](), 0
    for file in files_under(path, (*ROW_FILES, ".csv")):
        for row in _table(file) if file.suffix.casefold() == ".csv" else read_units(file, _is_row):
            dialect = dialect_of(row.value)
            if dialect is None:
                met.update(row.value.keys())
                strange += 1
                continue
            # A row that shares nothing with others is a conversation by itself, wherever it stands.
            key = dialect.name, dialect.group(row.value) or row.where
            groups.setdefault(key, (dialect, []))[1].append(row)
    read = [(dialect, dialect.read(rows), rows) for dialect, rows in groups.values()]
    if read and not any(conversation for _, conversation, _ in read):
        raise UserError(
            f"{path} holds {read[0][0].name} without messages: have the assistant record them "
            "(of OpenTelemetry: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true)."
        )
    unread = _unread(path, strange, met) if strange else None
    if not read:
        raise UserError(unread or f"{path} holds no conversation.")
    return Log([(conversation or Conversation([]), rows[0]) for _, conversation, rows in read], unread)


def dialect_of(value: Mapping[str, Any]) -> Dialect | None:
    """The first dialect that fits an object of a file."""
    return next((dialect for dialect in DIALECTS if dialect.fits(value)), None)


def _is_row(value: Mapping[str, Any]) -> bool:
    return dialect_of(value) is not None


def _table(file: Path) -> Iterator[FileRow]:
    for number, row in read_sheet(file).rows:
        yield FileRow(redacted(dict(row)), file, f"{file}, row {number}")


def _unread(path: Path, rows: int, met: Counter[str]) -> str:
    """The sentence on rows that no dialect fits: the keys that they have, and the dialect that has most of them."""
    nearest = max(DIALECTS, key=lambda dialect: sum(key in met for key in dialect.keys))
    if not any(key in met for key in nearest.keys):
        nearest = questions.DIALECT if path.suffix.casefold() == ".csv" else messages.DIALECT
    keys = first_few([repr(key) for key, _ in met.most_common()], _NAMED_KEYS)
    return (
        f"{path} has {counted(rows, 'row')} of no known form of log: with the keys {keys or 'none'}, where the "
        f"nearest form, {nearest.name}, has {', '.join(map(repr, nearest.keys))} (drretail/addons/imports/README.md)."
    )

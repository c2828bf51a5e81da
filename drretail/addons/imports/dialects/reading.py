"""The conversations in files, whatever their dialect."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    turns,
)
from drretail.addons.imports.dialects.dialect import Dialect
from drretail.addons.imports.material import (
    NOT_JSON,
    ROW_FILES,
    SAME_ROW,
    FileRow,
    Material,
    read_units,
    redacted,
    row_files,
)
from drretail.errors import UserError
from drretail.parsing import read_sheet
from drretail.records.figures import counted, first_few

READERS = (opentelemetry, langgraph, langsmith, langfuse, completions, exchanges, messages, turns, questions)
DIALECTS: tuple[Dialect, ...] = tuple(reader.DIALECT for reader in READERS)
"""The first that fits a row reads it."""
_NAMED_KEYS = 8


def read_log(path: Path, material: Material) -> list[tuple[Conversation, Sequence[FileRow]]]:
    """The conversations of a file or a folder, each with its rows, in the order of the files.

    What becomes of their rows is for the caller to say; what is no row of a conversation is left out here.
    Raises UserError of one sentence if there is no conversation.
    """
    account = material.rows
    groups: dict[tuple[str, str], tuple[Dialect, list[FileRow]]] = {}
    strange: list[FileRow] = []
    for file in row_files(path, material, (*ROW_FILES, ".csv")):
        for row in _table(file) if file.suffix.casefold() == ".csv" else read_units(file, _is_row):
            account.take()
            dialect = dialect_of(row.value)
            if row.fault == NOT_JSON:
                account.leave_out(row.fault, row.where)
            elif dialect is None:
                strange.append(row)
            else:
                # A row that shares nothing with others is a conversation by itself, wherever it stands.
                key = dialect.name, dialect.group(row.value) or row.where
                _, rows = groups.setdefault(key, (dialect, []))
                if dialect.merges(row.value) and any(row.value == held.value for held in rows):
                    account.merge(SAME_ROW, row.where)
                else:
                    rows.append(row)
    if strange:
        account.leave_out(unread := _unread(strange), strange[0].where, len(strange))
        if not groups:
            raise UserError(f"{path} holds no conversation, but {counted(len(strange), 'row')} {unread}.")
    if not groups:
        raise UserError(f"{path} holds no conversation.")
    conversations: list[tuple[Conversation, Sequence[FileRow]]] = []
    for dialect, rows in groups.values():
        for part in dialect.parted(rows):
            conversation = dialect.read(part)
            if conversation is None:
                account.leave_out(f"{dialect.name} without messages", part[0].where, len(part))
            else:
                conversations.append((conversation, part))
    if not conversations:
        name = next(iter(groups.values()))[0].name
        raise UserError(
            f"{path} holds {name} without messages: have the assistant record them "
            "(of OpenTelemetry: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true)."
        )
    return conversations


def dialect_of(value: Mapping[str, Any]) -> Dialect | None:
    """The first dialect that fits an object of a file."""
    return next((dialect for dialect in DIALECTS if dialect.fits(value)), None)


def _is_row(value: Mapping[str, Any]) -> bool:
    return dialect_of(value) is not None


def _table(file: Path) -> Iterator[FileRow]:
    for number, row in read_sheet(file).rows:
        yield FileRow(redacted(dict(row)), file, f"{file}, row {number}")


def _unread(rows: Sequence[FileRow]) -> str:
    """Why no dialect fits the rows: the keys that they have, and the dialect that has most of them."""
    met = Counter(key for row in rows for key in row.value)
    nearest = max(DIALECTS, key=lambda dialect: sum(key in met for key in dialect.keys))
    if not any(key in met for key in nearest.keys):
        is_flat = not any(isinstance(value, list | dict) for row in rows for value in row.value.values())
        nearest = questions.DIALECT if is_flat else messages.DIALECT
    keys = first_few([repr(key) for key, _ in met.most_common()], _NAMED_KEYS)
    return (
        f"of no known form of log: with the keys {keys or 'none'}, where the nearest form, {nearest.name}, has "
        f"{', '.join(map(repr, nearest.keys))}, not empty (drretail/addons/imports/README.md)"
    )

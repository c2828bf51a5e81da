"""What a command found or made, with its tables and sentences, as Python gets it and as the command line prints it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from drretail.records.account import Account, wrong_sums
from drretail.records.figures import counted
from drretail.viewer.drawing.layout import table_lines
from drretail.viewer.drawing.screen import wrapped
from drretail.viewer.drawing.table import Table, table_of

T = TypeVar("T")
WIDTH = 100
"""The width of a result in Python, where nobody says how wide a line may be."""
Part = Table | str
"""What is printed: a table, a paragraph, or a text that stays as it is."""


class Prose(str):
    """A paragraph, which a terminal wraps. Plain texts are lines that stay whole, such as paths and commands."""

    __slots__ = ()


def prose(*paragraphs: str) -> Iterator[str]:
    """The paragraphs as parts of a result."""
    return map(Prose, paragraphs)


class Markdown(str):
    """A text in markdown, which a terminal shows formatted."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Tables under one heading, which each output shows in its own way."""

    title: str
    by: str = ""
    """As ``Table.by``."""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    """What holds for all of its tables, or why it has none."""

    @property
    def separate_tables(self) -> Iterator[Table]:
        """The tables for outputs without its heading: each says by itself who judged."""
        for table in self.tables:
            by = table.by if self.by in table.by else ", ".join(filter(None, (table.by, self.by)))
            yield replace(table, by=by)

    @property
    def parts(self) -> Iterator[Part]:
        """The section on a terminal."""
        title = ", ".join(filter(None, (self.title, self.by)))
        if not self.tables:
            first, *others = self.notes
            yield from prose(f"{title}: {first}", *others, "")
            return
        yield from [] if self.tables[0].title == self.title else [Table(title, (), ())]
        yield from self.tables
        if self.notes:
            yield from prose(*self.notes, "")


@dataclass(frozen=True, slots=True, repr=False)
class Result(Generic[T]):
    """What a command found or made, with the tables and sentences that say so."""

    value: T
    """The record of it."""
    documented: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    """What ``--json`` prints, or what makes it if that takes long."""
    parts: Sequence[Part] = ()
    """What is printed without ``--json``: tables, lines and paragraphs, in order."""
    _: KW_ONLY
    notes: Sequence[str] = ()
    """Sentences about what is missing or has to be done. They go to stderr."""
    hints: Sequence[str] = ()
    """Sentences about what may be done next. They go to stderr, if progress is shown."""
    next: str = ""
    """The command that comes next, printed last."""
    left: int = 0
    """How much failed, is missing or is wrong. The command then ends with 3."""
    code: int = 3
    """The exit code if something is left."""
    tracebacks: Sequence[str] = ()
    """Where errors of others' code came from. They go to stderr with ``--debug``."""
    path: Path | None = None
    """The file or folder that was written."""
    accounts: Sequence[Account] = ()
    """What became of all that came in, by stage. Printed where not everything was used."""

    @property
    def document(self) -> Mapping[str, Any]:
        """What ``--json`` prints."""
        document = self.documented() if callable(self.documented) else self.documented
        return (
            {**document, "accounts": [account.document() for account in self.accounts]} if self.accounts else document
        )

    @property
    def printed(self) -> Sequence[Part]:
        """What is printed without ``--json``: the parts, then what was not used, then the next command."""
        table = account_table(self.accounts)
        return [*self.parts, *([] if table is None else [table]), *([f"Next: {self.next}"] if self.next else [])]

    @property
    def exit_code(self) -> int:
        """0, 1 if a stage lost count, or ``code`` if something is left, failed, or nothing was used."""
        if wrong_sums(self.accounts):
            return 1
        return self.code if self.left or any(account.is_unfinished for account in self.accounts) else 0

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.printed if isinstance(part, Table)]

    def __repr__(self) -> str:
        return "\n".join([*part_lines(self.printed, WIDTH), *self.notes]) or repr(self.value)


class Printable(Protocol):
    """A record with methods of its own, such as a recorded experiment, that the command line prints as a result."""

    def result(self) -> Result[Any]:
        """What the command prints of it."""
        ...


def account_table(accounts: Iterable[Account]) -> Table | None:
    """What became of all that came in: one row per stage, the reasons below. None if everything was used."""
    partial = [account for account in accounts if account.came != account.used or not account.adds_up]
    rows = [
        (
            f"{account.stage}: {counted(2, account.unit).partition(' ')[2]}",
            account.came,
            account.used,
            account.n_merged,
            account.n_left_out,
        )
        for account in partial
    ]
    notes = [
        f"{account.stage}, {word}: {', '.join(f'{reason} ({fate})' for reason, fate in fates.items())}."
        for account in partial
        for word, fates in (("merged", account.merged), ("left out", account.left_out))
        if fates
    ]
    columns = ("", "in", "used", "merged", "left out")
    return table_of("What was not used", columns, rows, notes=notes) if partial else None


def paragraph(text: str, width: int) -> str:
    """The text, at most so wide, with continued lines indented.

    Only its first line is wrapped. The others are commands, which have to stay whole.
    """
    first, newline, commands = text.partition("\n")
    return wrapped(first, width, indent="  ") + newline + commands


def part_lines(parts: Iterable[Part], width: int) -> Iterator[str]:
    """The parts as lines of plain text that fit the width; a table has its title above and its notes below."""
    for part in parts:
        if isinstance(part, Prose):
            yield from paragraph(part, width).split("\n")
        elif not isinstance(part, Table):
            yield part
        else:
            below = (part.basis, *part.notes)
            yield from filter(None, [part.full_title])
            yield from table_lines(part, width) if part.columns else ()
            yield from (line for note in below if note for line in paragraph(note, width).split("\n"))
            yield ""

"""What a command found or made, as Python gets it and as the command line prints it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from drretail.errors import UserError
from drretail.records.tables.screen import wrapped
from drretail.records.tables.table import Table
from drretail.records.tables.terminal import draw, table_lines

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]

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
    left: int = 0
    """How much failed, is missing or is wrong. The command then ends with 3."""
    code: int = 3
    """The exit code if something is left."""
    tracebacks: Sequence[str] = ()
    """Where errors of others' code came from. They go to stderr with ``--debug``."""
    path: Path | None = None
    """The file or folder that was written."""

    @property
    def document(self) -> Mapping[str, Any]:
        """What ``--json`` prints."""
        return self.documented() if callable(self.documented) else self.documented

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]

    def to_pandas(self, table: int = 0) -> "pandas.DataFrame":
        """One of the tables as a data frame. Raises UserError if there is no such table, or no pandas."""
        if not 0 <= table < len(self.tables):
            raise UserError(f"There is no table {table}: the result has {len(self.tables)}.")
        shown = self.tables[table]
        names = [shown.heading, *(column.name for column in shown.columns)]
        rows = [[row.name, *(cell and cell.value for cell in row.cells)] for row in shown.rows]
        return library("pandas").DataFrame(rows, columns=names)

    def __repr__(self) -> str:
        return "\n".join([*part_lines(self.parts, WIDTH), *self.notes]) or repr(self.value)


class Printable(Protocol):
    """A record with methods of its own, such as a recorded experiment, that the command line prints as a result."""

    def result(self) -> Result[Any]:
        """What the command prints of it."""
        ...


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
            drawn = draw(part, width)
            left_out = [f"Left out for lack of width: {', '.join(drawn.left_out)}."] if drawn.left_out else []
            below = (*left_out, part.basis, part.legends[drawn.has_intervals], *part.notes)
            yield from filter(None, [part.full_title])
            yield from table_lines(part, width) if part.columns else ()
            yield from (line for note in below if note for line in paragraph(note, width).split("\n"))
            yield ""


def library(name: str) -> Any:
    """A library for data frames. Raises UserError if it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UserError(f"{name} is not installed: pip install {name}.") from None

"""How results reach the terminal: tables for people, one JSON document with --json. Talk goes to stderr."""

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from drretail.records.base import FORMAT

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: dict[str, Any]) -> None:
    """One document with its format, keys in the order given."""
    typer.echo(json_text(value))


def json_text(value: dict[str, Any]) -> str:
    """The document as ``print_json`` prints it."""
    return dumped({"format": FORMAT, **value})


def dumped(value: Any) -> str:
    """JSON for stdout, with other letters than ASCII's escaped where stdout cannot take them."""
    is_utf = (getattr(sys.stdout, "encoding", None) or "utf-8").casefold().startswith("utf")
    return json.dumps(value, ensure_ascii=not is_utf, indent=2)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; columns of numbers are set to the right. Whole numbers get thousands separators.

    Cells are broken between words: a table that would need more is wider than the terminal.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    cells = [list(row) for row in rows]
    texts = [[_cell(value) for value in row] for row in cells]
    console = stdout_console()
    widths = _widths([columns, *texts], console.width - _GAP * len(columns))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, (column, width) in enumerate(zip(columns, widths, strict=True)):
        numeric = bool(cells) and all(isinstance(row[index], int | float | None) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold", width=width)
    for row in texts:
        table.add_row(*row)
    if title:
        print_title(title)
    needed = sum(widths) + _GAP * len(columns)
    Console(highlight=False, markup=False, emoji=False, width=max(console.width, needed)).print(table)


_GAP = 3
"""Between columns, as the box has it."""
_LONGEST_WORD = 60
"""What is longer is broken: addresses, made-up words."""
_LITTLE = 3
"""Characters that keep a short cell in one line are had by whoever needs them."""


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Of each column: its longest word at least, and of the room that is left what it needs, shared alike."""
    from rich.cells import cell_len

    columns = [*zip(*rows, strict=True)]
    least = [max(min(_LONGEST_WORD, cell_len(word)) for text in it for word in [*text.split(), ""]) for it in columns]
    widths, spare = least.copy(), room - sum(least)
    wanted = {at: max(map(cell_len, it)) - least[at] for at, it in enumerate(columns)}
    for number, at in enumerate(sorted(wanted, key=lambda at: wanted[at])):
        share = spare if wanted[at] <= _LITTLE else spare // (len(columns) - number)
        more = max(0, min(wanted[at], share))
        widths[at], spare = widths[at] + more, spare - more
    return [max(1, width) for width in widths]


def print_title(text: str) -> None:
    """What stands above a table on stdout, in bold."""
    from rich.text import Text

    console = stdout_console()
    console.print(Text(wrapped(text, console.width), style="bold"))


def print_notes(lines: Iterable[str]) -> None:
    """What must be known beside a table, on stdout, each as wide as it is."""
    width = stdout_console().width
    for line in lines:
        typer.echo(wrapped(line, width))


def wrapped(text: str, width: int) -> str:
    """The text in lines of that width, broken between words; a word that is longer is broken behind its "+"."""
    words = [part for word in text.split(" ") for part in _parts(word, width)]
    lines = [""]
    for word, gap in words:
        joined = lines[-1] + gap + word if lines[-1] else word
        if lines[-1] and len(joined) > width:
            lines.append(word)
        else:
            lines[-1] = joined
    return "\n".join(lines)


def _parts(word: str, width: int) -> list[tuple[str, str]]:
    """What may stand on lines of its own, each with what is put between it and the line so far."""
    pieces = re.findall(r"[^+]*\+|[^+]+$", word) if len(word) > width else [word]
    return [(piece, "" if place else " ") for place, piece in enumerate(pieces)]


def stdout_console() -> "Console":
    """Where tables go: as wide as the terminal or COLUMNS say, else 160 characters."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(highlight=False, markup=False, emoji=False, width=160)
    return console


def say(text: str) -> None:
    """One line of talk on stderr."""
    typer.echo(text, err=True)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)

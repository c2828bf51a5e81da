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
    """A table on stdout; columns of numbers are set to the right. Whole numbers get thousands separators."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    cells = [list(row) for row in rows]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = bool(cells) and all(isinstance(row[index], int | float | None) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(_cell(value) for value in row))
    if title:
        print_title(title)
    stdout_console().print(table)


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

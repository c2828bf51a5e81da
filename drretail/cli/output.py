"""How results reach the terminal: tables for people, one JSON document with --json. Talk goes to stderr."""

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from drretail.records.base import FORMAT

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: dict[str, Any]) -> None:
    """One document with its format, keys in the order given."""
    typer.echo(json.dumps({"format": FORMAT, **value}, ensure_ascii=False, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; columns of numbers are set to the right. Whole numbers get thousands separators."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    cells = [list(row) for row in rows]
    table = Table(title=title or None, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = bool(cells) and all(isinstance(row[index], int | float | None) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(_cell(value) for value in row))
    stdout_console().print(table)


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

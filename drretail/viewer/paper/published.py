"""The paper's own numbers."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from drretail.viewer.paper.table import Cell, Spread


@cache
def _published() -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def columns_of(table: str) -> tuple[str, ...]:
    """The names of a table's columns."""
    return tuple(_published()[table]["columns"])


def rows_of(table: str) -> dict[str, tuple[Cell, ...]]:
    """A table's lines by name; two numbers are mean and ±."""
    return {name: tuple(map(_cell, cells)) for name, cells in _published()[table]["rows"].items()}


def numbers_of(table: str) -> dict[str, float]:
    """Numbers by name, of what is no table."""
    return dict(_published()[table])


def _cell(value: Any) -> Cell:
    return Spread(*value) if isinstance(value, list) else value

"""The paper's own numbers, from published.toml."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from drretail.records.tables.table import Cell, Kind


@cache
def published() -> Mapping[str, Mapping[str, Any]]:
    """The paper's tables by key: names, columns, rows, notes."""
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def published_rows(table: str) -> dict[str, dict[str, Cell]]:
    """A table's rows by name, each by column; a value of two numbers is a mean with its ±. Empty for other tables."""
    its = published().get(table, {})
    kind: Kind = "tenths" if its.get("digits") == 1 else "number"
    return {
        name: {column: _cell(value, kind) for column, value in zip(its["columns"], values, strict=True)}
        for name, values in its.get("rows", {}).items()
    }


def _cell(value: Any, kind: Kind) -> Cell:
    if isinstance(value, list):
        mean, deviation = value
        return Cell(mean, "count" if isinstance(mean, int) else kind, deviation=deviation)
    return Cell(value, "check" if isinstance(value, bool) else kind)


def published_numbers(table: str) -> dict[str, float]:
    """A table's numbers by name, where it has one a row."""
    return dict(published()[table]["numbers"])

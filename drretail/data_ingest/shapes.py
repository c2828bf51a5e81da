"""What a file holds, told from the fields of its rows and never from its name."""

import json
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

from drretail.data_ingest.elements import BrokenElement, read_elements
from drretail.data_ingest.sources import Layout, Shape, Source, is_packed, open_text

# Enough lines to get past some broken ones, and enough characters for any real row.
_ROWS = 50
_LONGEST_LINE = 4 << 20
_NAMED_FIELDS = 6


def recognise(path: Path) -> Source:
    """The file with its shape and layout; raises UserError where it is cut, damaged or unreadable."""
    packed = is_packed(path)
    with open_text(path, packed) as file:
        first = _first_character(file)
    if first == "":
        return Source(path, packed, "empty", why="empty")
    if first == "[" and (array := _judged(path, packed, "array", _first_rows(path, packed, "array"))).why is None:
        return array
    rows = _first_rows(path, packed, "lines")
    if first == "{" and sum(isinstance(row, dict) for row in rows) <= 1:
        mapped = _first_rows(path, packed, "mapping")
        # Every value must be a product: the fields of a single row may hold one as well.
        if mapped and all(shape_of(row) == "products" for row in mapped):
            return Source(path, packed, "products", "mapping")
    return _judged(path, packed, "lines", rows)


def _judged(path: Path, packed: bool, layout: Layout, rows: list[Any]) -> Source:
    """The file by the first of its rows whose shape is known."""
    for row in rows:
        if (shape := shape_of(row)) != "unknown":
            return Source(path, packed, shape, layout)
    return Source(path, packed, "unknown", why=_described(rows))


def shape_of(row: Any) -> Shape:
    """Reviews have a user, a product and a time; products an id and a title, and no user."""
    if not isinstance(row, dict):
        return "unknown"
    if {"user_id", "parent_asin", "timestamp"} <= row.keys():
        return "reviews"
    return "products" if {"parent_asin", "title"} <= row.keys() and "user_id" not in row else "unknown"


def as_row(key: str | None, value: Any) -> Any:
    """An element as a row: in a mapping the key is the product's id, unless the row has one of its own."""
    if key is not None and isinstance(value, dict):
        return {"parent_asin": key, **value}
    return value


def _first_character(file: TextIOWrapper) -> str:
    while block := file.read(1 << 16):
        if stripped := block.lstrip():
            return stripped[0]
    return ""


def _first_rows(path: Path, packed: bool, layout: Layout) -> list[Any]:
    with open_text(path, packed) as file:
        return list(islice(_lines(file) if layout == "lines" else _elements(file), _ROWS))


def _lines(file: TextIOWrapper) -> Iterator[Any]:
    while line := file.readline(_LONGEST_LINE):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            if len(line) >= _LONGEST_LINE:
                return
            yield None


def _elements(file: TextIOWrapper) -> Iterator[Any]:
    try:
        for element in read_elements(file):
            yield as_row(element.key, element.value)
    except BrokenElement:
        return


def _described(rows: list[Any]) -> str:
    fields = next((list(row) for row in rows if isinstance(row, dict)), None)
    if fields is None:
        return "not JSON objects"
    more = ", …" if len(fields) > _NAMED_FIELDS else ""
    return f"neither products nor reviews: fields {', '.join(map(str, fields[:_NAMED_FIELDS]))}{more}"

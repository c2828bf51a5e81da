"""The tables of your own shop, CSV or JSONL: their columns, and their rows by line."""

import csv
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from drretail.data_ingest.raw.columns import Mapping, OrderColumns, ProductColumns, columns_named, read_mapping
from drretail.data_ingest.raw.sources import Source, check_packed, is_packed, open_binary
from drretail.errors import UserError, nearest_names
from drretail.records.tables.figures import first_few
from drretail.records.tables.sheets import check_width, csv_reader

_CSV, _JSONL = (".csv", ".tsv", ".txt"), (".jsonl", ".ndjson")
_SEPARATORS = ",;\t|"
_NAMED_COLUMNS = 60
_ROWS = 50
_LONGEST_LINE = 4 << 20


@dataclass(frozen=True, slots=True)
class Table:
    """A file of your own shop, its columns and how to read it."""

    path: Path
    packed: bool
    columns: tuple[str, ...]
    separator: str | None
    """None in a file of JSON lines."""

    def rows(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        """The line of each row with its cells, or with why it cannot be read.

        Raises UserError for bytes that are not UTF-8, and for a quote that is not closed on its line.
        """
        if self.separator is None:
            yield from _json_rows(self.path, self.packed)
            return
        reader = csv_reader(_decoded(self.path, self.packed), self.separator)
        line, begins, is_header = 1, 1, True
        try:
            for cells in reader:
                line, begins = begins, reader.line_num + 1
                if not cells:
                    continue
                if is_header:
                    is_header = False
                elif len(cells) == len(self.columns):
                    yield line, dict(zip(self.columns, cells, strict=True))
                elif begins - line > 1:
                    raise csv.Error
                else:
                    size = "more" if len(cells) > len(self.columns) else "fewer"
                    yield line, f"{size} values than the header has columns"
        except csv.Error:
            raise UserError(
                f"{self.path}, line {line:,}: a quote is not closed, which hides the rows after it; close it, or "
                "double the quotes that stand within values."
            ) from None


def is_mapping(paths: Sequence[Path]) -> bool:
    """True if the paths are the one mapping file of your own shop."""
    return len(paths) == 1 and paths[0].suffix.lower() == ".toml"


def is_table(path: Path) -> bool:
    """True if the file's name has the ending of a table that is no form of the dataset."""
    return path.name.removesuffix(".gz").lower().endswith(_CSV)


def shop_sources(path: Path) -> tuple[Mapping, list[Source]]:
    """The mapping in a file, and its tables as sources. Raises UserError if a named table or column is missing."""

    def table_of(part: ProductColumns | OrderColumns) -> Table:
        table = open_table((path.parent / part.file).absolute())
        counts = Counter(table.columns)
        for key, column in columns_named(part):
            if counts[column] == 1:
                continue
            if counts[column]:
                raise UserError(
                    f"{path}: {key} = {column!r}, but {part.file} has {counts[column]} columns of that name."
                )
            nearest = nearest_names(column, table.columns)
            hint = f" Did you mean {', '.join(map(repr, nearest))}?" if nearest else ""
            there = first_few(table.columns, _NAMED_COLUMNS)
            raise UserError(f"{path}: {key} = {column!r}, but {part.file} has no such column; it has {there}.{hint}")
        if table.packed:
            check_packed(table.path)
        return table

    mapping = read_mapping(path, lambda file: open_table(path.parent / file).columns)
    products = table_of(mapping.products)
    sources = [Source(products.path, products.packed, "products", "table", mapping=mapping)]
    if mapping.orders is not None:
        orders = table_of(mapping.orders)
        beside = (products.path,)
        sources.append(Source(orders.path, orders.packed, "reviews", "table", mapping=mapping, beside=beside))
    return mapping, sources


def open_table(path: Path) -> Table:
    """The table in a file. Raises UserError if it is missing, empty, too wide, not UTF-8 or of an unknown form."""
    name = path.name.removesuffix(".gz").lower()
    if not name.endswith((*_CSV, *_JSONL)):
        raise UserError(f"{path} is none of {', '.join((*_CSV, *_JSONL))}, each of which may be packed (.gz).")
    if not path.is_file():
        why = "is a folder" if path.is_dir() else "does not exist"
        raise UserError(f"{path} {why}: a mapping names its files relative to itself.")
    packed, separator = is_packed(path), None
    if name.endswith(_JSONL):
        rows = islice(_json_rows(path, packed), _ROWS)
        columns = [*dict.fromkeys(key for _, row in rows if isinstance(row, dict) for key in row)]
        if not columns:
            raise UserError(f"{path} holds no JSON objects: write one on each line.")
    else:
        header = _header(path, packed)
        separator = max(_SEPARATORS, key=header.count)
        try:
            columns = [column.strip() for column in next(csv.reader([header], delimiter=separator))]
        except csv.Error:
            ends = "lines must end in a line feed, alone or after a carriage return."
            raise UserError(f"{path} has no header that can be read: {ends}") from None
    check_width(path, len(columns))
    return Table(path, packed, tuple(columns), separator)


def _json_rows(path: Path, packed: bool) -> Iterator[tuple[int, dict[str, Any] | str]]:
    for line, text in enumerate(_decoded(path, packed, "replace"), 1):
        if text.strip():
            try:
                row = json.loads(text)
            except (ValueError, RecursionError) as problem:
                row = f"not JSON: {problem}"
            yield line, row if isinstance(row, dict | str) else "no JSON object"


def _header(path: Path, packed: bool) -> str:
    """The first line that is not blank, including line breaks within quotes."""
    text = ""
    for line in _decoded(path, packed):
        text += line
        if text.strip() and text.count('"') % 2 == 0:
            return text.lstrip("\r\n")
        if len(text) > _LONGEST_LINE:
            break
    is_empty = not text.strip()
    raise UserError(
        f"{path} is empty." if is_empty else f"{path} has no header: a quote in its first line is never closed."
    )


def _decoded(path: Path, packed: bool, errors: str = "strict") -> Iterator[str]:
    """The decoded lines of a file. A line without end comes in pieces."""
    with open_binary(path, packed) as file:
        encoding = "utf-8-sig"
        while line := file.readline(_LONGEST_LINE):
            try:
                yield line.decode(encoding, errors)
            except UnicodeDecodeError:
                with path.open("rb") as begun:
                    other = "UTF-16" if begun.read(2) in (BOM_UTF16_LE, BOM_UTF16_BE) else "LATIN1"
                raise UserError(
                    f"{path} is not UTF-8: save it as UTF-8, for example by `iconv -f {other} -t UTF-8`."
                ) from None
            encoding = "utf-8"

"""The tables of your own shop, CSV, JSONL or Parquet: their columns, and their rows by line."""

import csv
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from drretail.data_ingest.raw.columns import (
    LineColumns,
    Mapping,
    OrderColumns,
    ProductColumns,
    TitleColumns,
    columns_named,
    read_mapping,
)
from drretail.data_ingest.raw.sources import Source, check_packed, is_packed, open_binary
from drretail.errors import UserError, nearest_names
from drretail.records.tables.figures import first_few
from drretail.records.tables.sheets import check_width

Form = Literal["csv", "jsonl", "parquet"]
_FORMS: dict[str, Form] = {
    **{".csv": "csv", ".tsv": "csv", ".txt": "csv"},
    **{".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"},
}
_SEPARATORS = ",;\t|"
_NAMED_COLUMNS = 60
_ROWS = 50
_LONGEST_LINE = 4 << 20
csv.field_size_limit(_LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class Table:
    """A file of your own shop, its columns and how to read it."""

    path: Path
    form: Form
    packed: bool
    columns: tuple[str, ...]
    separator: str = ","

    def rows(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        """The line of each row, or its number in Parquet, with its cells, or with why it cannot be read.

        Raises UserError for bytes that are not UTF-8, and for a quote that is not closed on its line.
        """
        if self.form == "parquet":
            yield from enumerate(self._of_parquet(), 1)
        elif self.form == "jsonl":
            for line, text in enumerate(_decoded(self.path, self.packed, "replace"), 1):
                if text.strip():
                    try:
                        row = json.loads(text)
                    except (ValueError, RecursionError) as problem:
                        row = f"not JSON: {problem}"
                    yield line, row if isinstance(row, dict | str) else "no JSON object"
        else:
            yield from self._of_csv()

    def _of_csv(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        reader = csv.reader(_decoded(self.path, self.packed), delimiter=self.separator)
        begins, is_header = 1, True
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if not cells:
                continue
            if is_header:
                is_header = False
            elif len(cells) == len(self.columns):
                yield line, dict(zip(self.columns, cells, strict=True))
            elif begins - line > 1:
                raise UserError(
                    f"{self.path}, line {line:,}: a quote is not closed, which hides the rows after it; close it, or "
                    "double the quotes that stand within values."
                )
            else:
                yield (
                    line,
                    f"{'more' if len(cells) > len(self.columns) else 'fewer'} values than the header has columns",
                )

    def _of_parquet(self) -> Iterator[dict[str, Any]]:
        import duckdb

        try:
            with duckdb.connect() as db:
                rows = db.execute("SELECT * FROM read_parquet($file)", {"file": str(self.path)})
                while batch := rows.fetchmany(10_000):
                    yield from (dict(zip(self.columns, row, strict=True)) for row in batch)
        except duckdb.Error as problem:
            raise UserError(f"{self.path} cannot be read as Parquet: {str(problem).splitlines()[0]}.") from problem


def is_mapping(paths: Sequence[Path]) -> bool:
    """True if the paths are the one mapping file of your own shop."""
    return len(paths) == 1 and paths[0].suffix.lower() == ".toml"


def is_table(path: Path) -> bool:
    """True if the file's name has the ending of a table that is no form of the dataset."""
    return _form_of(path) in ("csv", "parquet")


def shop_sources(path: Path) -> tuple[Mapping, list[Source]]:
    """The mapping in a file, and its tables as sources. Raises UserError if a named table or column is missing."""

    def table_of(part: ProductColumns | OrderColumns | LineColumns | TitleColumns) -> Path:
        table = open_table((path.parent / part.file).absolute())
        counts = Counter(table.columns)
        for key, column in columns_named(part):
            if counts[column] > 1:
                raise UserError(
                    f"{path}: {key} = {column!r}, but {part.file} has {counts[column]} columns of that name."
                )
            if not counts[column]:
                nearest = nearest_names(column, table.columns)
                hint = f" Did you mean {', '.join(map(repr, nearest))}?" if nearest else ""
                there = first_few(table.columns, _NAMED_COLUMNS)
                raise UserError(
                    f"{path}: {key} = {column!r}, but {part.file} has no such column; it has {there}.{hint}"
                )
        if table.packed:  # without a word otherwise: a damaged file is read to its end
            check_packed(table.path)
        return table.path

    mapping = read_mapping(path, lambda file: open_table(path.parent / file).columns)
    products, titles = table_of(mapping.products), mapping.products.translations
    more = () if titles is None else (table_of(titles),)
    sources = [Source(products, is_packed(products), "products", "table", mapping=mapping, beside=more)]
    if mapping.orders is not None:
        heads = table_of(mapping.orders)
        rows = heads if mapping.orders.lines is None else table_of(mapping.orders.lines)
        beside = tuple(file for file in (heads, products) if file != rows)
        sources.append(Source(rows, is_packed(rows), "reviews", "table", mapping=mapping, beside=beside))
    return mapping, sources


def open_table(path: Path) -> Table:
    """The table in a file. Raises UserError if it is missing, empty, too wide, not UTF-8 or of an unknown form."""
    form = _form_of(path)
    if form is None:
        raise UserError(f"{path} is none of {', '.join(_FORMS)}; all but Parquet may be packed (.gz).")
    if not path.is_file():
        why = "is a folder" if path.is_dir() else "does not exist"
        raise UserError(f"{path} {why}: a mapping names its files relative to itself.")
    if not path.stat().st_size:
        raise UserError(f"{path} is empty.")
    packed, separator = is_packed(path), ","
    if form == "parquet":
        import duckdb

        try:
            with duckdb.connect() as db:
                described = db.execute("DESCRIBE SELECT * FROM read_parquet($file)", {"file": str(path)}).fetchall()
        except duckdb.Error as problem:
            raise UserError(f"{path} cannot be read as Parquet: {str(problem).splitlines()[0]}.") from problem
        names = [row[0] for row in described]
    elif form == "csv":
        header = _header(path, packed)
        separator = max(_SEPARATORS, key=header.count)
        try:
            names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
        except csv.Error:
            ends = "lines must end in a line feed, alone or after a carriage return."
            raise UserError(f"{path} has no header that can be read: {ends}") from None
        if not any(names):
            raise UserError(f"{path} has no header: its first line names no column.")
    else:
        lines = islice((line for line in _decoded(path, packed, "replace") if line.strip()), _ROWS)
        names = list(dict.fromkeys(key for line in lines for key in _keys(line)))
        if not names:
            raise UserError(f"{path} holds no JSON objects: write one on each line.")
    check_width(path, len(names))
    return Table(path, form, packed, tuple(names), separator)


def _keys(line: str) -> list[str]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return [*row] if isinstance(row, dict) else []


def _form_of(path: Path) -> Form | None:
    return _FORMS.get(Path(path.name.removesuffix(".gz")).suffix.lower())


def _header(path: Path, packed: bool) -> str:
    """The first line that is not blank, including line breaks within quotes."""
    text = ""
    for line in _decoded(path, packed):
        text += line
        if text.strip() and text.count('"') % 2 == 0:
            return text.lstrip("\r\n")
        if len(text) > _LONGEST_LINE:
            break
    if not text.strip():
        raise UserError(f"{path} is empty.")
    raise UserError(f"{path} has no header: a quote in its first line is never closed.")


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

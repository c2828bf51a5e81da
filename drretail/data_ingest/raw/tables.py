"""The tables of your own shop, CSV, JSONL or Parquet: their columns, and how an engine reads them."""

import csv
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from drretail.data_ingest.raw.mapping import LineColumns, Mapping, TableColumns, columns_named, read_mapping
from drretail.data_ingest.raw.sources import Source, check_packed, is_packed, open_binary
from drretail.errors import UserError, nearest_names
from drretail.records.tables.figures import first_few
from drretail.records.tables.sheets import check_width

Form = Literal["csv", "jsonl", "parquet"]
_FORMS: dict[str, Form] = {
    **{".csv": "csv", ".tsv": "csv", ".txt": "csv"},
    **{".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"},
}
_MAPPING = ".toml"
_SEPARATORS = ",;\t|"
_NAMED_COLUMNS = 60
_ROWS = 50
_LONGEST_LINE = 4 << 20


@dataclass(frozen=True, slots=True)
class Table:
    """A file of your own shop: its form, its columns and how to read it."""

    path: Path
    form: Form
    packed: bool
    columns: tuple[str, ...]
    types: tuple[str, ...] = ()
    """The SQL types of Parquet's columns."""
    separator: str = ","


def is_mapping(paths: Sequence[Path]) -> bool:
    """True if the paths are the one mapping file of your own shop."""
    return len(paths) == 1 and paths[0].suffix.lower() == _MAPPING


def is_table(path: Path) -> bool:
    """True if the file's name has the ending of a table that is no form of the dataset."""
    return _form_of(path) in ("csv", "parquet")


def shop_sources(path: Path) -> tuple[Mapping, list[Source]]:
    """The mapping in a file, and its tables as sources. Raises UserError if a named table or column is missing."""

    def columns_of(file: str) -> tuple[str, ...]:
        return open_table(path.parent / file, None).columns

    def table_of(part: TableColumns | LineColumns) -> Path:
        file = (path.parent / part.file).absolute()
        table = open_table(file, mapping)
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
        if table.packed:  # the engine would read a damaged file without a word: it compares no checksum
            check_packed(table.path)
        return file

    mapping = read_mapping(path, columns_of)
    products, titles = table_of(mapping.products), mapping.products.translations
    more = () if titles is None else (table_of(titles),)
    sources = [Source(products, is_packed(products), "products", "table", mapping=mapping, beside=more)]
    if mapping.orders is not None:
        heads = table_of(mapping.orders)
        rows = heads if mapping.orders.lines is None else table_of(mapping.orders.lines)
        beside = tuple(file for file in (heads, products) if file != rows)
        sources.append(Source(rows, is_packed(rows), "reviews", "table", mapping=mapping, beside=beside))
    return mapping, sources


def open_table(path: Path, mapping: Mapping | None) -> Table:
    """The table in a file. Raises UserError if it is missing, empty, too wide, not UTF-8 or of an unknown form."""
    form = _form_of(path)
    if form is None:
        raise UserError(f"{path} is none of {', '.join(_FORMS)}; all but Parquet may be packed (.gz).")
    if not path.is_file():
        why = "is a folder" if path.is_dir() else "does not exist"
        raise UserError(f"{path} {why}: a mapping names its files relative to itself.")
    if not path.stat().st_size:
        raise UserError(f"{path} is empty.")
    packed = is_packed(path)
    if form == "parquet":
        import duckdb

        try:
            with duckdb.connect() as db:
                rows = db.execute("DESCRIBE SELECT * FROM read_parquet($file)", {"file": str(path)}).fetchall()
        except duckdb.Error as problem:
            raise UserError(f"{path} cannot be read as Parquet: {str(problem).splitlines()[0]}.") from problem
        described = {row[0]: row[1] for row in rows}
        table = Table(path, form, packed, tuple(described), tuple(described.values()))
    elif form == "csv":
        header = _header(path, packed)
        separator = (mapping.separator if mapping else None) or max(_SEPARATORS, key=header.count)
        try:
            names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
        except csv.Error:
            ends = "lines must end in a line feed, alone or after a carriage return."
            raise UserError(f"{path} has no header that can be read: {ends}") from None
        if not any(names):
            raise UserError(f"{path} has no header: its first line names no column.")
        table = Table(path, form, packed, tuple(names), separator=separator)
    else:
        table = Table(path, form, packed, _jsonl_columns(path, packed))
    check_width(path, len(table.columns))
    return table


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


def _jsonl_columns(path: Path, packed: bool) -> tuple[str, ...]:
    """The fields of the first rows, in order of appearance."""
    columns = dict[str, None]()
    for line in islice((line for line in _decoded(path, packed, "replace") if line.strip()), _ROWS):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        columns |= dict.fromkeys(row if isinstance(row, dict) else ())
    if not columns:
        raise UserError(f"{path} holds no JSON objects: write one on each line.")
    return tuple(columns)


def _decoded(path: Path, packed: bool, errors: str = "strict") -> Iterator[str]:
    """The decoded lines of a file. A line without end comes in pieces."""
    with open_binary(path, packed) as file:
        encoding = "utf-8-sig"
        while line := file.readline(_LONGEST_LINE):
            try:
                yield line.decode(encoding, errors)
            except UnicodeDecodeError:
                raise UserError(not_utf8(path)) from None
            encoding = "utf-8"


def not_utf8(path: Path) -> str:
    """The message for a file in another encoding."""
    with path.open("rb") as file:
        encoding = "UTF-16" if file.read(2) in (BOM_UTF16_LE, BOM_UTF16_BE) else "LATIN1"
    return f"{path} is not UTF-8: save it as UTF-8, for example by `iconv -f {encoding} -t UTF-8`."


def lines_of(
    table: Table, rows: Sequence[int], named: Sequence[int], refused: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The lines on which a CSV file's records begin, for ``rows`` and ``named``: values may hold line breaks.

    ``refused`` are the records that the engine could not read; they are numbered with the header as 1 and with blank
    lines. ``named`` are those of them that are asked for. ``rows`` are numbers, from 1, of the records that it could
    read.
    """
    rejected, row, ordinal = set(refused), 0, 0
    of_rows, of_refused, before = dict.fromkeys(rows, 0), dict.fromkeys(named, 0), 0
    with open_binary(table.path, table.packed) as file:
        reader = csv.reader((line.decode("utf-8", "replace") for line in file), delimiter=table.separator)
        with suppress(csv.Error):  # records that this reader cannot follow keep their number in place of a line
            for values in reader:
                ordinal += 1
                if ordinal in of_refused:
                    of_refused[ordinal] = before + 1
                elif ordinal > 1 and values and ordinal not in rejected:
                    row += 1
                    if row in of_rows:
                        of_rows[row] = before + 1
                before = reader.line_num
                if row >= max(rows, default=0) and ordinal >= max(of_refused, default=0):
                    break
    return [of_rows[number] or number + 1 for number in rows], [of_refused[number] or number for number in of_refused]

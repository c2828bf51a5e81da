"""The tables of one's own shop, CSV, JSONL or Parquet: which columns they have, and how an engine reads them."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from drretail.data_ingest.raw.feeds import feed_columns, write_feed_rows
from drretail.data_ingest.raw.mapping import LineColumns, Mapping, TableColumns, columns_named, read_mapping
from drretail.data_ingest.raw.sources import Source, check_packed, is_packed, most_unpacked, open_binary, without_end
from drretail.errors import UserError, nearest_names
from drretail.tables.cells import check_width

Form = Literal["csv", "jsonl", "parquet", "xml"]
_FORMS: dict[str, Form] = {
    **{".csv": "csv", ".tsv": "csv", ".txt": "csv"},
    **{".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".xml": "xml"},
}
_MAPPING = ".toml"
_SEPARATORS = ",;\t|"
SHOWN = 3
"""How many of the bad rows of a file are told."""
_NAMED_COLUMNS = 60
_ROWS = 50
_LONGEST_LINE = 4 << 20
_TEXTS = ("VARCHAR", "BLOB")
_MEMORY: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "2GB"}


@dataclass(frozen=True, slots=True)
class Table:
    """A file and its columns, by which it can be read."""

    path: Path
    form: Form
    packed: bool
    columns: tuple[str, ...]
    types: tuple[str, ...] = ()
    """Of Parquet's columns, as SQL names them."""
    separator: str = ","
    feed: Path | None = None
    """The feed in XML of which ``path`` holds the items as lines of JSON."""

    @property
    def name(self) -> Path:
        """The file that a person knows."""
        return self.feed or self.path

    def as_lines(self, target: Path) -> "Table":
        """The table as an engine reads it: a feed's items are written to ``target``, others are as they are."""
        if self.form != "xml":
            return self
        write_feed_rows(self.path, self.packed, target)
        return replace(self, path=target, form="jsonl", packed=False, feed=self.path)


def is_mapping(paths: Sequence[Path]) -> bool:
    """Whether what a person gave is the mapping of a shop of one's own."""
    return len(paths) == 1 and paths[0].suffix.lower() == _MAPPING


def is_table(path: Path) -> bool:
    """Whether a file is by its name a table that is no form of the dataset."""
    return _form_of(path) in ("csv", "parquet")


def shop_sources(path: Path) -> tuple[Mapping, list[Source]]:
    """The mapping in a file and the files it names, which have the columns it names; raises UserError otherwise."""

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
            more = ", …" if len(table.columns) > _NAMED_COLUMNS else ""
            there = f"{', '.join(table.columns[:_NAMED_COLUMNS])}{more}"
            raise UserError(f"{path}: {key} = {column!r}, but {part.file} has no such column; it has {there}.{hint}")
        _check_unpacked(table)
        return file

    mapping = read_mapping(path, columns_of)
    products = table_of(mapping.products)
    sources = [Source(products, is_packed(products), "products", "table", mapping=mapping)]
    if mapping.orders is not None:
        heads = table_of(mapping.orders)
        rows = heads if mapping.orders.lines is None else table_of(mapping.orders.lines)
        beside = tuple(file for file in (heads, products) if file != rows)
        sources.append(Source(rows, is_packed(rows), "reviews", "table", mapping=mapping, beside=beside))
    return mapping, sources


def open_table(path: Path, mapping: Mapping | None) -> Table:
    """The table in a file; raises UserError where it is missing, empty, too wide, no UTF-8 or of no known form."""
    table = _opened(path, mapping)
    check_width(path, len(table.columns))
    return table


def _opened(path: Path, mapping: Mapping | None) -> Table:
    form = _form_of(path)
    if form is None:
        raise UserError(f"{path} is none of {', '.join(_FORMS)}; all but Parquet may be packed (.gz).")
    if not path.is_file():
        raise UserError(f"{path} does not exist: a mapping names its files relative to itself.")
    if not path.stat().st_size:
        raise UserError(f"{path} is empty.")
    packed = is_packed(path)
    if form == "parquet":
        described = _parquet_columns(path)
        return Table(path, form, packed, tuple(described), tuple(described.values()))
    if form != "csv":
        columns = feed_columns(path, packed) if form == "xml" else _jsonl_columns(path, packed)
        return Table(path, form, packed, columns)
    header = _header(path, packed)
    separator = (mapping.separator if mapping else None) or max(_SEPARATORS, key=header.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
    except csv.Error:
        raise UserError(
            f"{path} has no header that can be read: lines must end in a line feed, alone or after a carriage return."
        ) from None
    if not any(names):
        raise UserError(f"{path} has no header: its first line names no column.")
    return Table(path, form, packed, tuple(names), separator=separator)


def _form_of(path: Path) -> Form | None:
    return _FORMS.get(Path(path.name.removesuffix(".gz")).suffix.lower())


def _header(path: Path, packed: bool) -> str:
    """The first line with anything on it, quoted line breaks included."""
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
    """The fields of the first rows, in the order of their appearance."""
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


def _parquet_columns(path: Path) -> dict[str, str]:
    """The type of each column."""
    import duckdb

    try:
        with duckdb.connect() as db:
            described = db.execute("DESCRIBE SELECT * FROM read_parquet($file)", {"file": str(path)})
            return {row[0]: row[1] for row in described.fetchall()}
    except duckdb.Error as problem:
        raise UserError(f"{path} cannot be read as Parquet: {str(problem).splitlines()[0]}.") from problem


def _check_unpacked(table: Table) -> None:
    """UserError for a file of few bytes that has no end: the engine would unpack it by itself, for hours.

    In Parquet these are millions of equal rows, or one long text that all rows share.
    """
    import duckdb

    if table.packed:
        check_packed(table.path)
    if table.form != "parquet":
        return
    lengths = [str(len(table.columns))]
    for name, kind in zip(table.columns, table.types, strict=True):
        column = '"{}"'.format(name.replace('"', '""'))
        if kind in _TEXTS:
            lengths.append(f"coalesce(strlen({column}), 0)")
        elif kind.endswith("]"):
            lengths.append(f"coalesce(8 * len({column}), 0)")
    try:
        with duckdb.connect(config=_MEMORY) as db:
            query = f"SELECT sum({' + '.join(lengths)}) FROM read_parquet($file)"  # noqa: S608 -- names are quoted
            ((size,),) = db.execute(query, {"file": str(table.path)}).fetchall()
    except duckdb.OutOfMemoryException:
        raise UserError(without_end(table.path)) from None
    if (size or 0) > most_unpacked(table.path):
        raise UserError(without_end(table.path))


def _decoded(path: Path, packed: bool, errors: str = "strict") -> Iterator[str]:
    """The lines of a file's beginning; a line that goes on without end is cut."""
    with open_binary(path, packed) as file:
        encoding = "utf-8-sig"
        while line := file.readline(_LONGEST_LINE):
            try:
                yield line.decode(encoding, errors)
            except UnicodeDecodeError:
                raise UserError(not_utf8(path)) from None
            encoding = "utf-8"


def not_utf8(path: Path) -> str:
    """What to say of a file in another encoding."""
    return f"{path} is not UTF-8: save it as UTF-8, for example by `iconv -f LATIN1 -t UTF-8`."


def lines_of(
    table: Table, rows: Sequence[int], named: Sequence[int], refused: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The lines of a CSV file on which records begin, since values may hold line breaks.

    ``refused`` are the records that the engine could not read, the header being 1 and blank lines counted, and
    ``named`` those of them that are asked for; ``rows`` number what it could read, from 1.
    """
    rejected, row, ordinal = set(refused), 0, 0
    of_rows, of_refused, before = dict.fromkeys(rows, 0), dict.fromkeys(named, 0), 0
    with open_binary(table.path, table.packed) as file:
        reader = csv.reader((line.decode("utf-8", "replace") for line in file), delimiter=table.separator)
        with suppress(csv.Error):  # what this reader cannot follow has no line
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

"""The tables of one's own shop, CSV, JSONL or Parquet: which columns they have, and how an engine reads them."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from drretail.data_ingest.raw.mapping import Mapping, OrderColumns, ProductColumns, columns_named, read_mapping
from drretail.data_ingest.raw.sources import Shape, Source, is_packed, open_binary
from drretail.errors import UserError, nearest_names

Form = Literal["csv", "jsonl", "parquet"]
_FORMS: dict[str, Form] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_MAPPING = ".toml"
_SEPARATORS = ",;\t|"
SHOWN = 3
"""How many of the bad rows of a file are told."""
_ROWS = 50
_LONGEST_LINE = 4 << 20


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


def is_mapping(paths: Sequence[Path]) -> bool:
    """Whether what a person gave is the mapping of a shop of one's own."""
    return len(paths) == 1 and paths[0].suffix.lower() == _MAPPING


def is_table(path: Path) -> bool:
    """Whether a file is by its name a table that is no form of the dataset."""
    return _form_of(path) in ("csv", "parquet")


def shop_sources(path: Path) -> tuple[Mapping, list[Source]]:
    """The mapping in a file and the files it names, which have the columns it names; raises UserError otherwise."""
    mapping = read_mapping(path)
    parts: list[tuple[Shape, ProductColumns | OrderColumns | None]] = [
        ("products", mapping.products),
        ("reviews", mapping.orders),
    ]
    sources = list[Source]()
    for shape, part in parts:
        if part is None:
            continue
        file = (path.parent / part.file).absolute()
        _check_columns(path, part, open_table(file, mapping))
        sources.append(Source(file, is_packed(file), shape, "table", mapping=mapping))
    return mapping, sources


def open_table(path: Path, mapping: Mapping) -> Table:
    """The table in a file; raises UserError where it is missing, empty, no UTF-8 or of no known form."""
    form = _form_of(path)
    if form is None:
        raise UserError(
            f"{path} is none of {', '.join(_FORMS)}; the first two and the lines of JSON may be packed (.gz)."
        )
    if not path.is_file():
        raise UserError(f"{path} does not exist: a mapping names its files relative to itself.")
    if not path.stat().st_size:
        raise UserError(f"{path} is empty.")
    packed = is_packed(path)
    if form == "parquet":
        described = _parquet_columns(path)
        return Table(path, form, packed, tuple(described), tuple(described.values()))
    if form == "jsonl":
        return Table(path, form, packed, _jsonl_columns(path, packed))
    header = _header(path, packed)
    separator = mapping.separator or max(_SEPARATORS, key=header.count)
    return Table(path, form, packed, _csv_columns(path, header, separator), separator=separator)


def _form_of(path: Path) -> Form | None:
    return _FORMS.get(Path(path.name.removesuffix(".gz")).suffix.lower())


def _check_columns(path: Path, part: ProductColumns | OrderColumns, table: Table) -> None:
    counts = Counter(table.columns)
    for key, column in columns_named(part):
        if counts[column] == 1:
            continue
        if counts[column]:
            raise UserError(f"{path}: {key} = {column!r}, but {part.file} has {counts[column]} columns of that name.")
        nearest = nearest_names(column, table.columns)
        hint = f" Did you mean {', '.join(map(repr, nearest))}?" if nearest else ""
        raise UserError(
            f"{path}: {key} = {column!r}, but {part.file} has no such column; it has {', '.join(table.columns)}.{hint}"
        )


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


def _csv_columns(path: Path, header: str, separator: str) -> tuple[str, ...]:
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
    except csv.Error:
        raise UserError(
            f"{path} has no header that can be read: lines must end in a line feed, alone or after a carriage return."
        ) from None
    if not any(names):
        raise UserError(f"{path} has no header: its first line names no column.")
    return tuple(names)


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
        raise UserError(f"{path} holds no lines of JSON objects.")
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

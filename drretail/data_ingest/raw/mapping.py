"""The mapping file of one's own shop: which columns of which files are ids, titles, prices, orders."""

import tomllib
from pathlib import Path
from typing import Any, Literal, cast

import duckdb
from pydantic import BaseModel, Field, ValidationError

from drretail.errors import UserError, nearest_names, suggestion
from drretail.records.base import Record
from drretail.records.money import USD
from drretail.records.parsing import parse_toml

Form = Literal["csv", "jsonl", "parquet"]
_FORMS: dict[str, Form] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_READERS: dict[Form, str] = {
    "csv": "read_csv($file, header = true, all_varchar = true)",
    "jsonl": "read_json($file, format = 'newline_delimited')",
    "parquet": "read_parquet($file)",
}


class ProductColumns(Record):
    """[products]: the file, and the column that holds each field."""

    file: str
    id: str
    title: str
    category: str | None = None
    price: str | None = None
    currency: str | None = None
    store: str | None = None
    description: str | None = None
    rating: str | None = None
    ratings: str | None = None
    stock: str | None = None


class OrderColumns(Record):
    """[orders]: the file, and the column that holds each field."""

    file: str
    user: str
    product: str
    date: str
    id: str | None = None
    quantity: str | None = None
    status: str | None = None
    price: str | None = None


class Mapping(Record):
    """A mapping file. ``currency`` is that of prices whose row names none."""

    currency: str = Field(default=USD, pattern="^[A-Z]{3}$")
    products: ProductColumns
    orders: OrderColumns | None = None


def read_mapping(path: Path) -> Mapping:
    """The mapping, whose files are there and have the columns it names; raises UserError in one sentence otherwise."""
    try:
        content = parse_toml(path.read_text(encoding="utf-8-sig"))
        mapping = Mapping.model_validate(content)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UserError(f"{path} cannot be read as a mapping: {problem}.") from problem
    except ValidationError as problem:
        raise UserError(f"{path}: {_in_words(problem)}") from problem
    for part in (mapping.products, mapping.orders):
        if part is not None:
            _check_columns(path, part)
    return mapping


def columns_of(file: Path) -> list[str]:
    """The columns that a file has, in its order; raises UserError where it is missing or of no known form."""
    form = _FORMS.get(file.suffix.lower())
    if form is None:
        raise UserError(f"{file} is none of {', '.join(_FORMS)}.")
    if not file.is_file():
        raise UserError(f"{file} does not exist: a mapping names its files relative to itself.")
    try:
        with duckdb.connect() as db:
            described = db.execute(f"DESCRIBE SELECT * FROM {_READERS[form]}", {"file": str(file)})  # noqa: S608
            return [row[0] for row in described.fetchall()]
    except duckdb.Error as problem:
        raise UserError(f"{file} cannot be read as {form}: {str(problem).splitlines()[0]}.") from problem


def _check_columns(path: Path, part: ProductColumns | OrderColumns) -> None:
    there = columns_of(path.parent / part.file)
    for key, column in part.model_dump(exclude={"file"}, exclude_none=True).items():
        if column not in there:
            raise UserError(
                f"{path}: {key} = {column!r}, but {part.file} has no such column; it has {', '.join(there)}."
            )


def _in_words(problem: ValidationError) -> str:
    first = problem.errors()[0]
    where = [str(it) for it in first["loc"]]
    if first["type"] != "extra_forbidden":
        return f"{'.'.join(where)}: {first['msg']}."
    models: dict[str, type[BaseModel]] = {"products": ProductColumns, "orders": OrderColumns}
    fields = cast("dict[str, Any]", (models[where[0]] if len(where) > 1 else Mapping).model_fields)
    nearest = nearest_names(where[-1], fields)
    return f"the key {'.'.join(where)} is unknown. {suggestion(nearest, fields)}"

"""The mapping file of one's own shop: which columns of which files are ids, titles, prices, orders."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, Field, ValidationError

from drretail.env.catalog.base import Language
from drretail.errors import UserError, nearest_names, suggestion
from drretail.parsing import parse_toml
from drretail.records.base import Record
from drretail.records.money import USD
from drretail.records.shop import OrderStatus

Column = Annotated[str, Field(min_length=1)]
Columns = Column | Annotated[tuple[Column, ...], Field(min_length=1)]
"""One column, or several of which each says a part."""
_NO_USERS = (
    "a mapping has no [users]: the users of a shop are those who ordered, and their names and addresses are made up, "
    "so that no personal data gets into prompts"
)


class ProductColumns(Record):
    """[products]: the file, and the column that holds each field."""

    file: str
    id: Column
    title: Column
    category: Columns | None = None
    """A path, or its parts from the root on."""
    price: Column | None = None
    currency: Column | None = None
    store: Column | None = None
    description: Columns | None = None
    features: Columns | None = None
    rating: Column | None = None
    ratings: Column | None = None
    stock: Column | None = None
    details: Column | dict[str, Column] | None = None
    """A column of JSON objects, or the column of each detail by its name."""


class OrderColumns(Record):
    """[orders]: the file, a line of which is one product of an order, and the column that holds each field."""

    file: str
    user: Column
    product: Column
    date: Column
    id: Column | None = None
    quantity: Column | None = None
    status: Column | None = None


class Mapping(Record):
    """A mapping file. ``currency`` is that of prices where no column says it."""

    currency: str = Field(default=USD, pattern="^[A-Z]{3}$")
    decimal: str = Field(default=".", pattern=r"^[.,]$")
    """What stands before the cents."""
    date_format: str | None = None
    """As strptime has it, such as "%d.%m.%Y"; None for ISO dates, and for seconds or milliseconds since 1970."""
    separator: str | None = Field(default=None, min_length=1, max_length=1)
    """Between the columns of a CSV file; None finds it in the header."""
    category_separator: str = Field(default=">", min_length=1)
    """Between the parts of a category path."""
    language: Language | None = None
    """Of the products' texts: searches compare words by its stems. None is "english"."""
    products: ProductColumns
    orders: OrderColumns | None = None
    status: dict[str, OrderStatus] = Field(default_factory=dict[str, OrderStatus])
    """The shop's words for what became of an order; ours need no entry."""

    def as_manifest(self) -> dict[str, Any]:
        """What the file says, as a manifest keeps it."""
        return self.model_dump(mode="json", exclude_defaults=True)


def read_mapping(path: Path) -> Mapping:
    """The mapping in a file; raises UserError of one sentence where it is none."""
    try:
        content = parse_toml(path.read_text(encoding="utf-8-sig"))
        mapping = Mapping.model_validate(content)
    except FileNotFoundError:
        raise UserError(f"There is no file {path}: name the mapping of your shop's columns.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UserError(f"{path} cannot be read as a mapping: {problem}.") from problem
    except ValidationError as problem:
        raise UserError(f"{path}: {_in_words(problem)}") from problem
    if mapping.date_format is not None and "%" not in mapping.date_format:
        raise UserError(
            f"{path}: date_format is as strptime has it, such as '%d.%m.%Y', and not {mapping.date_format!r}."
        )
    if mapping.status and (mapping.orders is None or mapping.orders.status is None):
        raise UserError(f"{path}: [status] says what words mean, but no orders.status says which column has them.")
    return mapping


def columns_named(part: ProductColumns | OrderColumns) -> list[tuple[str, str]]:
    """Every column that a part of a mapping names, with the key that names it."""
    named = list[tuple[str, str]]()
    for key, value in part.model_dump(exclude={"file"}, exclude_none=True).items():
        columns = value.values() if isinstance(value, dict) else [value] if isinstance(value, str) else value
        named += [(key, column) for column in columns]
    return named


def _in_words(problem: ValidationError) -> str:
    first = problem.errors()[0]
    where = [str(number) for number in first["loc"]]
    if first["type"] == "missing":
        return f"{'.'.join(where)} is missing; docs/own-shop.md shows a whole mapping."
    if first["type"] != "extra_forbidden":
        return f"{'.'.join(where)}: {first['msg']}."
    if where[0] == "users":
        return f"{_NO_USERS}."
    models: dict[str, type[BaseModel]] = {"products": ProductColumns, "orders": OrderColumns}
    fields = cast("dict[str, Any]", (models[where[0]] if len(where) > 1 else Mapping).model_fields)
    nearest = nearest_names(where[-1], fields)
    return f"the key {'.'.join(where)} is unknown. {suggestion(nearest, fields)}"

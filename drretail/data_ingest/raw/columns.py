"""The mapping file of your own shop: which columns of which files are ids, titles, prices, orders; and the columns of
the exports of shop systems, by their names (columns.toml).
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field, ValidationError

from drretail.env.catalog.base import Language
from drretail.errors import UnknownName, UserError, file_error, nearest_names, suggestion
from drretail.parsing import parse_toml
from drretail.records.base import Record
from drretail.records.shop import OrderStatus, Policy

FormatName = Literal["shopify", "woocommerce", "merchant"]
ColumnsOf = Callable[[str], tuple[str, ...]]
"""Returns the columns of a file that a mapping names."""

NAMES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("columns.toml").read_text(encoding="utf-8"))
"""The names of columns by format, table and field."""
_METAFIELD = "(product.metafields."
"""Stands behind the name of a field that a shop made itself: "Waterproof (product.metafields.custom.waterproof)"."""
_NEEDED = {"id", "title", "user", "product", "date"}
_MOST_OPTIONS = 10
Column = Annotated[str, Field(min_length=1)]
Columns = Column | Annotated[tuple[Column, ...], Field(min_length=1)]
"""One column, or several of which the first that is not empty counts; of categories and texts, each says a part."""


class ProductColumns(Record):
    """[products]: the file, and the column that holds each field."""

    file: str
    id: Columns
    title: Column
    parent: Column | None = None
    """The id of the product that a row is a variant of; empty for the product itself."""
    options: dict[str, Column] | tuple[tuple[Column, Column], ...] = ()
    """How variants differ: the column of each option by its name, or pairs of columns with its name and its value."""
    category: Columns | None = None
    """One column with a path, or several with its parts from the root on."""
    price: Columns | None = None
    sale_price: Column | None = None
    """The price instead, between ``sale_from`` and ``sale_to``; the other one is then the list price."""
    sale_from: Column | None = None
    """A date, or two with a slash between them."""
    sale_to: Column | None = None
    list_price: Columns | None = None
    """An earlier price, or the price elsewhere; kept if it is above the price."""
    store: Column | None = None
    description: Columns | None = None
    features: Columns | None = None
    rating: Column | None = None
    ratings: Column | None = None
    stock: Column | None = None
    tracker: Column | None = None
    """If there is this column and it is empty, the stock is not counted."""
    backorders: Column | None = None
    """If it says yes, the product is sold without stock."""
    available: Column | None = None
    """If it says no, the product is sold out, whatever its stock says."""
    published: Columns | None = None
    """A row in which one of these says no, draft, archived or hidden is left out."""
    image: Columns | None = None
    """The address of a picture, or several with commas between them; the first is kept."""
    link: Column | None = None
    """The address of the product's page; without it, ``product_url`` is filled in."""
    details: dict[str, Column] = Field(default_factory=dict[str, Column])
    """The column of each detail by its name."""


class OrderColumns(Record):
    """[orders]: a file with one product of an order per line, and the column that holds each field."""

    file: str
    user: Columns
    hash_users: bool = False
    """Names users by a hash of their column's text, such as an e-mail address."""
    product: Columns
    """The id or the title of a product or a variant."""
    date: Columns
    id: Column | None = None
    quantity: Column | None = None
    status: Columns | None = None
    """Of several columns, the first whose word says what became of the order counts."""
    cancelled: Column | None = None
    """If it has any text, the order was cancelled."""


class Mapping(Record):
    """A mapping file."""

    format: FormatName | None = None
    """The shop system whose export this is; the names of its columns are then known (``columns.toml``)."""
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    """The currency of prices. None takes the one that the prices name, or US dollars."""
    decimal: str | None = Field(default=None, pattern=r"^[.,]$")
    """The mark before the cents. None finds it in the prices."""
    date_format: str | None = None
    """The format of dates in strptime's notation, such as "%d.%m.%Y". None finds it in the column."""
    product_url: str | None = Field(default=None, pattern=r"^https?://\S*\{(?:handle|id)\}\S*$")
    """The address of a product, with {handle} in place of its id: answers name products by it, and pages link to it."""
    language: Language | None = None
    """The language of the products' texts, by whose stems searches compare words. None is "english"."""
    policy: Policy | None = None
    """What holds for every order: an assistant's answers are compared with it."""
    products: ProductColumns
    orders: OrderColumns | None = None
    status: dict[str, OrderStatus | Literal[""]] = Field(default_factory=dict[str, OrderStatus | Literal[""]])
    """The shop's words for what became of an order; drretail's own need no entry. "" leaves it to the next column."""


def read_mapping(path: Path, columns_of: ColumnsOf | None = None) -> Mapping:
    """The mapping in a file. Raises UserError of one sentence if it is not a mapping.

    ``columns_of`` returns the columns of a table; with it, the columns of a format are found by their names.
    """
    try:
        content = parse_toml(path.read_text(encoding="utf-8-sig"))
        if columns_of is not None and content.get("format") in [*NAMES]:
            content = _with_format(content, columns_of)
        mapping = Mapping.model_validate(content)
    except FileNotFoundError:
        raise UserError(f"There is no file {path}: name the mapping of your shop's columns.") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except tomllib.TOMLDecodeError as problem:
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


def columns_named(part: BaseModel) -> Iterator[tuple[str, str]]:
    """Every column that a part of a mapping names, with the key that names it."""
    for key, value in part.model_dump(exclude={"file", "hash_users"}, exclude_none=True).items():
        columns = list(value.values()) if isinstance(value, dict) else [value] if isinstance(value, str) else value
        yield from ((key, name) for each in columns for name in ([each] if isinstance(each, str) else each))


def listed(columns: Columns | None) -> tuple[str, ...]:
    """The columns as a tuple; empty for None."""
    return () if columns is None else (columns,) if isinstance(columns, str) else columns


def _with_format(content: dict[str, Any], columns_of: ColumnsOf) -> dict[str, Any]:
    """The content of a mapping file, completed by the columns of its format that the files have."""
    names = NAMES[content["format"]]
    whole = dict(content)
    for part in ("products", "orders"):
        given = content.get(part)
        if isinstance(given, dict) and isinstance(given.get("file"), str) and part in names:
            whole[part] = _found(names[part], columns_of(given["file"])) | given
    orders = whole.get("orders")
    columns = orders.get("status") if isinstance(orders, dict) else None
    if columns is not None:
        words = {**names.get("status", {}), **content.get("status", {})}
        if isinstance(columns, list) and len(columns) == 1:  # there is no next column to which "paid" could leave it
            words = {word: ours or words.get("", "") for word, ours in words.items()}
        whole["status"] = words
    return whole


def _found(rules: dict[str, Any], columns: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a table with the file's own names of their columns, without fields that it lacks."""
    known = {_folded(column): column for column in reversed(columns)}

    def column(names: str) -> str | None:
        return next((known[_folded(name)] for name in names.split("|") if _folded(name) in known), None)

    found = dict[str, Any]()
    for key, rule in rules.items():
        value: Any = rule
        if isinstance(rule, str):
            value = column(rule)
        elif isinstance(rule, list):
            value = [name for names in rule if (name := column(names)) is not None]
        elif isinstance(rule, dict):
            value = {name: own for name, names in rule.items() if (own := column(names)) is not None}
        if key in _NEEDED and not value:  # kept under its first name, so that the error names a column that lacks
            value = (rule if isinstance(rule, str) else rule[0]).split("|")[0]
        if value and key not in ("option_name", "option_value"):
            found[key] = value
    numbers = range(1, _MOST_OPTIONS + 1) if "option_name" in rules else ()
    pairs = [[column(rules[key].replace("{n}", str(n))) for key in ("option_name", "option_value")] for n in numbers]
    own = {name.partition(_METAFIELD)[0].strip(): name for name in columns if _METAFIELD in name}
    return (
        found
        | ({"options": options} if (options := [pair for pair in pairs if None not in pair]) else {})
        | ({"details": own | found.get("details", {})} if own else {})
    )


def _folded(name: str) -> str:
    """The name in lower case, without "g:" and brackets, as "product_detail(section_name:…)" has them."""
    plain = re.sub(r"\([^()]*+\)", "", name.casefold().removeprefix("g:")).replace("’", "'")
    return "_".join(plain.replace("_", " ").split())


def _in_words(problem: ValidationError) -> str:
    errors = problem.errors()
    # A misspelt key is reported before the one that is missing because of it.
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    # In a union pydantic also names the member, which is no key of the file.
    where = [part for part in map(str, first["loc"]) if not part.startswith(("literal[", "tuple[", "dict["))]
    if first["type"] == "missing":
        return f"{'.'.join(where)} is missing; docs/shop.md shows a whole mapping."
    if first["type"] == "value_error":
        return f"{first['msg'].removeprefix('Value error, ')}."
    if first["type"] == "literal_error":
        known = re.findall(r"'([^']*)'", first.get("ctx", {}).get("expected", ""))
        unknown = UnknownName(where[0], str(first["input"]), known)
        is_code = where[0] == "language" and not unknown.nearest
        return f"{'.'.join(where)}: {unknown}{' Write its English name, such as german.' if is_code else ''}"
    if first["type"] in ("model_type", "model_attributes_type"):
        part = f'{where[-1]} = {{file = "{where[-1]}.csv"}}'
        return f"{'.'.join(where)} is a table, and not {first['input']!r:.60}: write {part}."
    if where == ["currency"]:
        return f"currency = {first['input']!r} is no code of three capitals, such as EUR."
    if first["type"] != "extra_forbidden":
        return f"{'.'.join(where)}: {first['msg']}."
    if where[0] == "users":
        return (
            "a mapping has no [users]: the users of a shop are those who ordered, and their names and addresses are "
            "made up, so that no personal data gets into prompts."
        )
    models: dict[str, type[BaseModel]] = {"products": ProductColumns, "orders": OrderColumns, "policy": Policy}
    fields = cast("dict[str, Any]", (models[where[-2]] if len(where) > 1 else Mapping).model_fields)
    nearest = nearest_names(where[-1], fields)
    return f"the key {'.'.join(where)} is unknown. {suggestion(nearest, fields, len([*fields]))}"

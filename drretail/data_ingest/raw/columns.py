"""The mapping file of your own shop: which columns of which files are ids, titles, prices, orders; and the columns of
the exports of shop systems, by their names (columns.toml).
"""

import re
import tomllib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from drretail.env.catalog.base import Language
from drretail.errors import UserError, file_error
from drretail.parsing import numbered_cells, parse_toml
from drretail.records.base import Record, fault_of, tuples
from drretail.records.shop import OrderStatus, Policy

FormatName = Literal["shopify", "woocommerce", "merchant"]
_ENDINGS = (".csv", ".tsv", ".txt")

NAMES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("columns.toml").read_text(encoding="utf-8"))
"""The names of columns by format, table and field."""
_NEEDED = ("id", "title", "user", "product", "date")
_MOST_OPTIONS = 10
Column = Annotated[str, Field(min_length=1)]
Columns = Annotated[
    tuple[Column, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else tuples(value))
]
"""Of several columns the first that is not empty counts; of categories, features and descriptions, each says a part."""


class ProductColumns(Record):
    """[products]: the file, and the columns that hold each field."""

    file: str
    id: Columns
    title: Columns
    parent: Columns = ()
    """The id of the product that a row is a variant of; empty for the product itself."""
    options: dict[str, Column] = Field(default_factory=dict[str, Column])
    """How variants differ: the column of each option by its name, or by the column that holds its name."""
    category: Columns = ()
    """A path, or its parts from the root on."""
    price: Columns = ()
    sale_price: Columns = ()
    """The price instead, between ``sale_from`` and ``sale_to``; the other one is then the list price."""
    sale_from: Columns = ()
    """A date, or two with a slash between them."""
    sale_to: Columns = ()
    list_price: Columns = ()
    """An earlier price, or the price elsewhere; kept if it is above the price."""
    store: Columns = ()
    description: Columns = ()
    features: Columns = ()
    rating: Columns = ()
    ratings: Columns = ()
    stock: Columns = ()
    tracker: Columns = ()
    """If there is such a column and it is empty, the stock is not counted."""
    backorders: Columns = ()
    """If it says yes, the product is sold without stock."""
    available: Columns = ()
    """If it says no, the product is sold out, whatever its stock says."""
    published: Columns = ()
    """A row in which one of these says no, draft, archived or hidden is left out."""
    image: Columns = ()
    """The address of a picture, or several with commas between them; the first is kept."""
    link: Columns = ()
    """The address of the product's page; without it, ``product_url`` is filled in."""
    details: dict[str, Column] = Field(default_factory=dict[str, Column])
    """The column of each detail by its name."""


class OrderColumns(Record):
    """[orders]: a file with one product of an order per line, and the columns that hold each field."""

    file: str
    user: Columns
    hash_users: bool = False
    """Names users by a hash of their column's text, such as an e-mail address."""
    product: Columns
    """The id or the title of a product or a variant."""
    date: Columns
    id: Columns = ()
    quantity: Columns = ()
    status: Columns = ()
    """Of several columns, the first whose word says what became of the order counts."""
    cancelled: Columns = ()
    """If it has any text, the order was cancelled."""


class Mapping(Record):
    """A mapping file."""

    format: FormatName | None = None
    """The shop system whose export this is; the names of its columns are then known (``columns.toml``)."""
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    """The currency of prices. None takes the one that the prices name, or US dollars."""
    decimal: str | None = Field(default=None, pattern=r"^[.,]$")
    """The mark before the cents. None finds it in the prices."""
    date_format: str | None = Field(default=None, pattern="%")
    """The format of dates in strptime's notation, such as "%d.%m.%Y". None reads ISO, seconds and milliseconds."""
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


def read_mapping(path: Path) -> Mapping:
    """The mapping in a file; the columns of a format are found by their names. Raises UserError of one sentence."""
    try:
        content = parse_toml(path.read_text(encoding="utf-8-sig"))
        is_export = content.get("format") in [*NAMES]
        mapping = Mapping.model_validate(_with_format(content, path.parent) if is_export else content)
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} cannot be read as a mapping: {problem}.") from problem
    except ValidationError as problem:
        raise UserError(f"{path}: {fault_of(problem)}; docs/shop.md shows a whole mapping.") from problem
    if mapping.status and (mapping.orders is None or not mapping.orders.status):
        raise UserError(f"{path}: [status] says what words mean, but no orders.status says which column has them.")
    return mapping


def is_table(path: Path) -> bool:
    """True if the file's name has the ending of a table that is no form of the dataset."""
    return path.name.lower().endswith(_ENDINGS)


def columns_of(path: Path) -> tuple[str, ...]:
    """The columns of a table. Raises UserError if it is empty, of another ending, or as ``numbered_cells``."""
    if not is_table(path):
        raise UserError(f"{path} is none of {', '.join(_ENDINGS)}.")
    heading = next((cells for _, cells in islice(numbered_cells(path), 1)), [])
    if not any(heading):
        raise UserError(f"{path} is empty, or its first line is.")
    return tuple(name.strip() for name in heading)


def columns_named(part: BaseModel) -> Iterator[tuple[str, str]]:
    """Every column that a part of a mapping names, with the key that names it."""
    for key, value in part:
        names = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
        yield from ((key, name) for name in names)


def _with_format(content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The content of a mapping file, completed by the columns of its format that the files have."""
    names, whole = NAMES[content["format"]], dict(content)
    for part in ("products", "orders"):
        given = content.get(part)
        if isinstance(given, dict) and isinstance(given.get("file"), str) and part in names:
            whole[part] = _found(names[part], columns_of(folder / given["file"])) | given
    if isinstance(orders := whole.get("orders"), dict) and "status" in orders:
        whole["status"] = {**names.get("status", {}), **content.get("status", {})}
    return whole


def _found(rules: dict[str, Any], columns: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a table with the file's own names of their columns, without fields that it lacks."""
    known = {_folded(column): column for column in reversed(columns)}

    def there(names: str) -> list[str]:
        return [known[_folded(name)] for name in names.split("|") if _folded(name) in known]

    found = dict[str, Any]()
    for key, rule in rules.items():
        value: Any = rule
        if isinstance(rule, str):
            # Kept under its first name where it is needed, so that the error names a column that lacks.
            value = there(rule) or ([rule.split("|")[0]] if key in _NEEDED else None)
        elif isinstance(rule, dict):
            value = {name: own[0] for name, names in rule.items() if (own := there(names))}
        if value and not key.startswith("option_"):
            found[key] = value
    numbers = range(1, _MOST_OPTIONS + 1) if "option_name" in rules else ()
    pairs = [
        [*there(rules[f"option_{part}"].replace("{n}", str(n))), None][0] for n in numbers for part in ("name", "value")
    ]
    # Without the column of its name, an option is called as its column is.
    if options := {name or value: value for name, value in zip(pairs[::2], pairs[1::2], strict=True) if value}:
        found["options"] = options
    return found


def _folded(name: str) -> str:
    """The name in lower case, without "g:" and brackets, as "product_detail(section_name:…)" has them."""
    plain = re.sub(r"\([^()]*+\)", "", name.casefold().removeprefix("g:")).replace("’", "'")
    return "_".join(plain.replace("_", " ").split())

"""The mapping file of your own shop: which columns of which files are ids, titles, prices, orders; the ready ones for
exports of shop systems (formats.toml), fitted to the columns that an export has.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, Field, ValidationError, model_validator

from drretail.env.catalog.base import Language
from drretail.errors import UnknownName, UserError, file_error, nearest_names, suggestion
from drretail.parsing import parse_toml
from drretail.records.base import Record
from drretail.records.shop import OrderStatus, Policy

FormatName = Literal["shopify", "woocommerce", "merchant"]
ColumnsOf = Callable[[str], tuple[str, ...]]
"""Returns the columns of a file that a mapping names."""

FORMATS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("formats.toml").read_text(encoding="utf-8"))
_METAFIELD = "(product.metafields."
"""Stands behind the name of a field that a shop made itself: "Waterproof (product.metafields.custom.waterproof)"."""
_NEEDED = {"id", "title", "user", "product", "date", "of"}
_EXPECTED = {"parent", "category", "price", "store", "description", "stock", "quantity", "status"}
"""Fields whose absence is reported: an export in another language has them under other names."""
Column = Annotated[str, Field(min_length=1)]
Columns = Column | Annotated[tuple[Column, ...], Field(min_length=1)]
"""One column, or several of which each says a part."""
_NO_USERS = (
    "a mapping has no [users]: the users of a shop are those who ordered, and their names and addresses are made up, "
    "so that no personal data gets into prompts"
)


class TableColumns(Record):
    """The part that products and orders share: the file, and which of its rows count."""

    file: str
    fill_down: tuple[Column, ...] = ()
    """Columns whose empty cells repeat the cell above, within one product or order."""
    keep: dict[Column, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """A row is kept if each of these columns holds one of its texts, in any case; "" is an empty cell."""


class TitleColumns(TableColumns):
    """[products.translations]: a file with products' titles in another language."""

    of: Columns
    """The id or the title that the product has in the first file."""
    title: Column


_BY_WORDS = ("keep", "stock_unless", "sold_out")
"""The keys that choose rows by the texts of columns."""


class ProductColumns(TableColumns):
    """[products]: the file, and the column that holds each field."""

    id: Columns
    """Of several columns, the first that is not empty counts, as for ``price``."""
    title: Column
    parent: Column | None = None
    """The id of the product that a row is a variant of; empty for the product itself."""
    parent_prefix: str = ""
    """The text before an id in ``parent`` that is not part of the id."""
    options: dict[str, Column] | tuple[tuple[Column, Column], ...] = ()
    """How variants differ: the column of each option by its name, or pairs of columns with its name and its value."""
    category: Columns | None = None
    """One column with a path, or several with its parts from the root on."""
    price: Columns | None = None
    currency: Column | None = None
    store: Column | None = None
    description: Columns | None = None
    features: Columns | None = None
    rating: Column | None = None
    ratings: Column | None = None
    list_price: Columns | None = None
    """An earlier price, or the price elsewhere; kept if it is above the price."""
    stock: Column | None = None
    stock_unless: dict[Column, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """A row has no stock if one of these columns holds one of its texts: uncounted, or sold without stock."""
    sold_out: dict[Column, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """Of others, those whose column holds one of these texts are sold out, whatever their stock says."""
    image: Columns | None = None
    """The address of a picture, or several with commas between them; the first is kept."""
    link: Column | None = None
    """The address of the product's page; without it, ``product_url`` is filled in."""
    details: Column | dict[str, Column] | None = None
    """A column of JSON objects, or the column of each detail by its name."""
    translations: TitleColumns | None = None
    """Titles in another language, by which products are found and checked as well."""


class LineColumns(Record):
    """[orders.lines]: a file with one product of an order per line. Each line of ``orders.file`` is then an order."""

    file: str
    order: Column
    """The id of the order."""
    product: Columns
    quantity: Column | None = None


class OrderColumns(TableColumns):
    """[orders]: a file with one product of an order per line, and the column that holds each field."""

    user: Columns
    hash_users: bool = False
    """Names users by a hash of their column's text, such as an e-mail address."""
    product: Columns | None = None
    """The id or the title of a product or a variant. Of several columns, the first that is not empty counts."""
    date: Columns
    id: Column | None = None
    quantity: Column | None = None
    status: Columns | None = None
    """Of several columns, the first whose word says what became of the order counts."""
    cancelled: Column | None = None
    """If it has any text, the order was cancelled."""
    lines: LineColumns | None = None

    @model_validator(mode="after")
    def _has_products(self) -> Self:
        if (self.product is None) == (self.lines is None):
            raise ValueError("either orders.product or orders.lines says which products were ordered")
        if self.lines is not None and (self.id is None or self.quantity is not None):
            raise ValueError("with orders.lines, orders.id is needed, and the quantity is a column of the lines")
        return self


class Mapping(Record):
    """A mapping file."""

    format: FormatName | None = None
    """The shop system whose export this is; its columns are then known (``formats.toml``)."""
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    """The currency of prices. None takes the one that the prices name, or US dollars."""
    decimal: str = Field(default=".", pattern=r"^[.,]$")
    """The mark before the cents."""
    date_format: str | None = None
    """The format of dates in strptime's notation, such as "%d.%m.%Y". None finds it in the column."""
    separator: str | None = Field(default=None, min_length=1, max_length=1)
    """The separator between the columns of a CSV file. None finds it in the header."""
    category_separator: str = Field(default=">", min_length=1)
    """The separator between the parts of a category path."""
    category_list: str | None = Field(default=None, min_length=1)
    """The separator between several category paths in one cell."""
    line_break: str | None = Field(default=None, min_length=1)
    """The text for the end of a line within a cell."""
    empty: tuple[str, ...] = ()
    """Texts that mean an empty cell, such as "n/a"."""
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

    ``columns_of`` returns the columns of a table; with it, a format's rules are fitted to the export.
    """
    try:
        content = parse_toml(path.read_text(encoding="utf-8-sig"))
        if columns_of is not None and content.get("format") in FORMATS:
            content = with_format(content, columns_of)
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


def columns_named(part: TableColumns | LineColumns) -> list[tuple[str, str]]:
    """Every column that a part of a mapping names, with the key that names it."""
    named = list[tuple[str, str]]()
    others = {"file", "parent_prefix", "hash_users", "lines", "translations"}
    for key, value in part.model_dump(exclude=others, exclude_none=True).items():
        columns = value if isinstance(value, list | tuple) else [value]
        if isinstance(value, dict):
            columns = value if key in _BY_WORDS else value.values()
        named += [(key, name) for column in columns for name in ([column] if isinstance(column, str) else column)]
    return named


def listed(columns: Columns | None) -> tuple[str, ...]:
    """The columns as a tuple; empty for None."""
    return () if columns is None else (columns,) if isinstance(columns, str) else columns


def _in_words(problem: ValidationError) -> str:
    errors = problem.errors()
    # A misspelt key is reported before the one that is missing because of it.
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    # In a union pydantic also names the member, which is no key of the file.
    where = [part for part in map(str, first["loc"]) if not part.startswith(("literal[", "tuple[", "dict["))]
    if first["type"] == "missing":
        return f"{'.'.join(where)} is missing; docs/shop.md shows a whole mapping."
    if first["type"] == "value_error":
        return f"{first['msg'].removeprefix('Value error, ')}; docs/shop.md shows both forms."
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
        return f"{_NO_USERS}."
    models: dict[str, type[BaseModel]] = {"products": ProductColumns, "orders": OrderColumns, "lines": LineColumns}
    models |= {"policy": Policy, "translations": TitleColumns}
    fields = cast("dict[str, Any]", (models[where[-2]] if len(where) > 1 else Mapping).model_fields)
    nearest = nearest_names(where[-1], fields)
    return f"the key {'.'.join(where)} is unknown. {suggestion(nearest, fields, len([*fields]))}"


def with_format(content: dict[str, Any], columns_of: ColumnsOf) -> dict[str, Any]:
    """The content of a mapping file, completed by its format's rules for columns that the files have."""
    preset = FORMATS[content["format"]]
    whole = {**preset, **content, "status": {**preset.get("status", {}), **content.get("status", {})}}
    for part in ("products", "orders"):
        given = content.get(part)
        if isinstance(given, dict) and isinstance(file := given.get("file"), str) and part in preset:
            columns = columns_of(file)
            rules = {key: rule for key, rule in preset[part].items() if key not in given or key == "translations"}
            titles, of_titles = given.get("translations"), rules.pop("translations", None)
            if of_titles is not None and isinstance(titles, dict) and isinstance(titles.get("file"), str):
                of_titles = {key: rule for key, rule in of_titles.items() if key not in titles}
                given = {**given, "translations": {**_fitted(of_titles, columns_of(titles["file"])), **titles}}
            whole[part] = {**_fitted(rules, columns), **given}
            own = {name.partition(_METAFIELD)[0].strip(): name for name in columns if _METAFIELD in name}
            if own and "details" not in given:
                whole[part]["details"] = own | whole[part].get("details", {})
        elif given is None:
            whole.pop(part, None)
    orders = whole.get("orders")
    columns = orders.get("status") if isinstance(orders, dict) else None
    if columns is None:
        whole.pop("status")
    elif isinstance(columns, list) and len(columns) == 1:  # there is no next column to which "paid" could leave it
        whole["status"] = {word: ours or whole["status"].get("", "") for word, ours in whole["status"].items()}
    return whole


def found_nowhere(name: FormatName, part: str, fitted: dict[str, Any]) -> list[str]:
    """The columns of the format that an export lacks and for which ``fitted`` names no other."""
    rules = FORMATS[name].get(part, {})
    lacking = [rule for key, rule in rules.items() if key in _EXPECTED and not fitted.get(key)]
    # Columns without which other values or rows are read: the regular price, the last status, and those of keep.
    for key in ("price", "status"):
        lacking += _lacks_of(rules.get(key, [])[-1:], rules.get(key, []), fitted.get(key) or ())
    lacking += _lacks_of(rules.get("keep", {}), rules.get("keep", {}), fitted.get("keep") or ())
    return [" or ".join(rule.split("|")) if isinstance(rule, str) else " or ".join(rule) for rule in lacking]


def _lacks_of(needed: Iterable[str], rule: Iterable[str], columns: str | Iterable[str]) -> list[str]:
    """The ``needed`` names that no column has. Empty if the mapping names no columns, or columns of its own."""
    named = {_folded(column) for column in ([columns] if isinstance(columns, str) else columns)}
    if not named or not named <= {_folded(name) for names in rule for name in names.split("|")}:
        return []
    return [names for names in needed if named.isdisjoint(map(_folded, names.split("|")))]


def _fitted(rules: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """The rules with the file's own column names, without rules for columns that it lacks."""
    known = {_folded(column): column for column in reversed(columns)}

    def found(names: str) -> str | None:
        return next((known[_folded(name)] for name in names.split("|") if _folded(name) in known), None)

    def present(named: Iterable[str]) -> list[str]:
        return [column for names in named if (column := found(names)) is not None]

    fitted = dict[str, Any]()
    for key, rule in rules.items():
        if key in ("parent_prefix", "hash_users"):
            value: Any = rule
        elif isinstance(rule, str):
            value = found(rule)
        elif isinstance(rule, dict) and key in _BY_WORDS:
            value = {column: kept for names, kept in rule.items() if (column := found(names)) is not None}
        elif isinstance(rule, dict):
            value = {name: column for name, names in rule.items() if (column := found(names)) is not None}
        elif isinstance(rule[0], list):
            value = [pair for names in rule if len(pair := present(names)) == len(names)]
        else:
            value = present(rule)
        if value:
            fitted[key] = value
        elif key in _NEEDED:
            # Kept under its first name, so that the error names a column that the file lacks.
            fitted[key] = (rule if isinstance(rule, str) else rule[0]).split("|")[0]
    return fitted


def _folded(name: str) -> str:
    """The name in lower case, without "g:" and without brackets, as "product_detail(section_name:…)" has them."""
    return name.casefold().removeprefix("g:").partition("(")[0].strip().replace(" ", "_")

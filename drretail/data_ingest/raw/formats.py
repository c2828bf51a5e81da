"""Mappings for the exports of shop systems, fitted to the columns that an export has."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

FormatName = Literal["shopify", "woocommerce", "merchant"]
ColumnsOf = Callable[[str], tuple[str, ...]]
"""Returns the columns of a file that a mapping names."""

FORMATS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_METAFIELD = "(product.metafields."
"""Stands behind the name of a field that a shop made itself: "Waterproof (product.metafields.custom.waterproof)"."""
_NEEDED = {"id", "title", "user", "product", "date", "of"}
_EXPECTED = {"parent", "category", "price", "store", "description", "stock", "quantity", "status"}
"""Fields whose absence is reported: an export in another language has them under other names."""


def with_format(content: Mapping[str, Any], columns_of: ColumnsOf) -> dict[str, Any]:
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


def found_nowhere(name: FormatName, part: str, fitted: Mapping[str, Any]) -> list[str]:
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


def _fitted(rules: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
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
        elif isinstance(rule, dict) and key in ("keep", "stock_unless"):
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

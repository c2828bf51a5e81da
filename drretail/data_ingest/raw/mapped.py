"""The rows of a table of your own shop as rows of the dataset, by SQL made from the mapping."""

import json
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from drretail.data_ingest.raw.cells import (
    Cells,
    check_ids,
    check_prices,
    check_statuses,
    currency_of,
    define_macros,
    quoted,
    read_dates,
    reject_rows,
)
from drretail.data_ingest.raw.lines import SHOWN, Saved, later_than
from drretail.data_ingest.raw.mapping import Mapping, OrderColumns, ProductColumns, TableColumns, found_nowhere, listed
from drretail.data_ingest.raw.products import ROW_FIELDS
from drretail.data_ingest.raw.sources import Source
from drretail.data_ingest.raw.tables import open_table
from drretail.data_ingest.selection import sql_text
from drretail.records.base import ID_RULE, NO_ID, SAFE_ID
from drretail.records.shop import LIST_PRICE, ORDER_STATUSES, SIGNS, STOCK, VARIANTS
from drretail.records.tables.figures import counted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Characters: with the number of an order's line, an id stays within the 64 that a citation may have.
_LONGEST_ID = 60
_ORDER_FIELDS = ("user_id", "parent_asin", "timestamp", "order_id", "quantity", "order_status", "utc_offset")


def save_table(db: "DuckDBPyConnection", source: Source, target: Path, until_ms: int) -> Saved:
    """Writes the good rows of a table as lines of JSON in the dataset's form, and counts the others.

    Raises UserError if the mapping does not fit the rows: another decimal mark, several currencies, statuses that it
    does not name, dates that may be read in two ways, or bytes that are not UTF-8.
    """
    assert source.mapping is not None, "a table has a mapping"
    saved = Saved()
    define_macros(db)
    cells = _cells(source.path, source.mapping)
    if source.mapping.format is not None:
        part = "products" if source.shape == "products" else "orders"
        columns = getattr(source.mapping, part)
        if lacking := found_nowhere(source.mapping.format, part, columns.model_dump()):
            saved.notes.append(
                f"found nowhere of the columns of {source.mapping.format}: {', '.join(lacking)}; where the export has "
                "them under other names, say these in the mapping"
            )
    if source.shape == "products":
        _shelve(db, cells, saved)
        rows = _product_rows(cells)
    else:
        assert source.mapping.orders is not None, "a mapping without orders names no file of them"
        _enter_orders(db, cells, source, saved)
        rows = _order_rows(source.mapping.orders, until_ms)
    db.execute(f"CREATE TEMP TABLE mapped AS {rows}")
    reject_rows(db, cells, saved)
    check_ids(db, cells, saved)
    if source.shape == "products":
        check_prices(db, cells, saved)
        currency = currency_of(db, cells, saved)
        if source.mapping.products.parent is not None:
            merge_variants(db, saved)
        if source.beside:
            _add_titles(db, _cells(source.beside[0], source.mapping))
        db.execute(f"ALTER TABLE mapped ADD COLUMN shop_currency VARCHAR DEFAULT {quoted(currency)}")
        fields = ("parent_asin", *ROW_FIELDS)
    else:
        check_statuses(db, cells)
        fields = _ORDER_FIELDS
    good = f"SELECT {', '.join(fields)} FROM mapped WHERE reason IS NULL ORDER BY number"  # noqa: S608 -- names of ours
    ((saved.rows,),) = db.execute(f"COPY ({good}) TO {quoted(target)} (FORMAT json)").fetchall()
    with target.open(encoding="utf-8") as file:
        saved.first += map(json.loads, islice(file, SHOWN))
    return saved


def _add_titles(db: "DuckDBPyConnection", cells: Cells) -> None:
    """Adds each product once more with its title in another language: a shop in several has a row for each."""
    columns = cells.mapping.products.translations
    assert columns is not None, "a table of titles lies beside products alone"
    of, kept = cells.first_text(columns.of), " AND ".join(["true", *cells.holds(columns.keep)])
    titles = f"SELECT DISTINCT {of} AS of_said, citable({of}) AS of_id, {cells.text(columns.title)} AS title "
    db.execute(f"CREATE TEMP TABLE titles AS {titles} FROM ({cells.rows(columns)}) WHERE {kept}")
    db.execute(
        "INSERT INTO mapped SELECT m.* REPLACE (t.title AS title) FROM mapped m JOIN titles t "
        "ON (t.of_said = m.title OR t.of_id = m.parent_asin) AND t.title <> m.title WHERE m.reason IS NULL"
    )


def _cells(path: Path, mapping: Mapping) -> Cells:
    return Cells(open_table(path, mapping), mapping)


def _shelve(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Makes the table ``shelf``: the cells of the kept rows, by field of a product."""
    columns = cells.mapping.products
    parent = cells.first_id(columns.parent)
    if columns.parent_prefix:
        begins = f"starts_with({parent}, {quoted(columns.parent_prefix)})"
        parent = f"CASE WHEN {begins} THEN substr({parent}, {len(columns.parent_prefix) + 1}) ELSE {parent} END"
    signs = " ".join(f"WHEN {quoted(sign)} THEN {quoted(codes[0])}" for sign, codes in SIGNS.items())
    currency = cells.first_text(columns.currency)
    details = columns.details if isinstance(columns.details, dict) else {}
    named = [f"{quoted(name)}, {cells.json(column)}" for name, column in details.items()]
    uncounted, sold_out = (
        " OR ".join(["false", *cells.holds(words)]) for words in (columns.stock_unless, columns.sold_out)
    )
    fields = {
        "own_said": cells.first_id(columns.id),
        "parent_said": parent,
        "title": cells.text(columns.title),
        "average_rating": cells.number(columns.rating),
        "rating_number": f"replace({cells.number(columns.ratings)}, ',', '')",
        "features": f"nullif({cells.parts(columns.features)}, [])",
        "description": f"nullif({cells.parts(columns.description)}, [])",
        "price_read": cells.number(columns.price),
        "price_said": cells.first_text(columns.price),
        "currency_said": f"CASE {currency} {signs} ELSE upper({currency}) END",
        "store": cells.first_text(columns.store),
        "images": cells.first_text(columns.image),
        "link": cells.first_text(columns.link),
        "categories": f"nullif({cells.paths(columns.category)}, [])",
        "details": f"json_object({', '.join(named)})",
        "own_details": "NULL" if not isinstance(columns.details, str) else cells.json(columns.details),
        # NULL in rows whose stock isn't counted, or doesn't end the sale.
        "stock": f"CASE WHEN {uncounted} THEN NULL WHEN {sold_out} THEN 'sold out' "
        f"ELSE {cells.first_text(columns.stock)} END",
        "list_price": cells.number(columns.list_price),
        "options": _options(cells, columns),
        "number_said": cells.text(listed(columns.id)[-1]),
    }
    _keep_rows(db, "shelf", cells, columns, fields, columns.parent, saved)
    if columns.parent_prefix:
        # A row may name its parent by the last of several id columns; products go by the first.
        db.execute(
            "UPDATE shelf SET parent_said = p.own_said FROM (SELECT own_said, number_said FROM shelf) p "
            "WHERE shelf.parent_said = p.number_said AND shelf.parent_said NOT IN (SELECT own_said FROM shelf "
            "WHERE own_said IS NOT NULL)"
        )
    # The variants of a product that is left out are left out with it.
    gone = "parent_said IN (SELECT own_said FROM shelf WHERE NOT is_kept)"
    db.execute(f"DELETE FROM shelf WHERE NOT is_kept OR {gone}")  # noqa: S608 -- constants


def _options(cells: Cells, columns: ProductColumns) -> str:
    """A list of the (name, value) pairs of a variant, each name once."""
    if isinstance(columns.options, dict):
        pairs = [(quoted(name), cells.text(column)) for name, column in columns.options.items()]
    else:
        pairs = [(cells.text(name), cells.text(value)) for name, value in columns.options]
    listed_pairs = ", ".join(f"{{'name': {name}, 'value': {value}}}" for name, value in pairs)
    if not pairs:
        return "CAST([] AS STRUCT(name VARCHAR, value VARCHAR)[])"
    named = f"[o FOR o IN [{listed_pairs}] IF o.name IS NOT NULL AND o.value IS NOT NULL]"
    return f"[o FOR o, i IN {named} IF list_position([p.name FOR p IN {named}], o.name) = i]"


def _keep_rows(
    db: "DuckDBPyConnection",
    name: str,
    cells: Cells,
    part: TableColumns,
    fields: dict[str, str],
    key: str | None,
    saved: Saved,
) -> None:
    """Makes the table ``name`` of these fields and ``is_kept``; notes how many rows which columns leave out."""
    columns = ", ".join(f"{expression} AS {field}" for field, expression in fields.items())
    kept = f"{' AND '.join(['true', *cells.holds(part.keep)])} AS is_kept"
    db.execute(f"CREATE TEMP TABLE {name} AS SELECT number, {columns}, {kept} FROM ({cells.rows(part, key)})")  # noqa: S608
    ((left,),) = db.execute(f"SELECT count(*) FROM {name} WHERE NOT is_kept").fetchall()  # noqa: S608
    if left:
        saved.notes.append(f"{counted(left, 'row')} left out by keep ({', '.join(part.keep)})")


def _product_rows(cells: Cells) -> str:
    """The rows of ``shelf`` in the dataset's form, with the reason if a row is bad."""
    columns = cells.mapping.products
    before, behind = re.split(r"\{(?:handle|id)\}", cells.mapping.product_url or "{id}", maxsplit=1)
    address = f"{quoted(before)} || url_encode(coalesce(parent_said, own_said)) || {quoted(behind)}"
    identity = columns.parent or " or ".join(listed(columns.id))
    title = (f"no title ({columns.title})", "title IS NULL", "NULL")
    return _filled(
        "product_rows",
        family="number" if columns.parent is None else "parent_asin",
        address=address if before else "NULL",
        longest_id=_LONGEST_ID,
        reason=_reason([*_own_id_problems(identity, "parent_asin"), title]),
    )


def _filled(name: str, **values: object) -> str:
    """The statements of sql/duckdb/<name>.sql with these values and the names of details."""
    details = {"stock": quoted(STOCK), "list_price": quoted(LIST_PRICE), "variants": quoted(VARIANTS)}
    return Template(sql_text(f"duckdb/{name}")).substitute(details, **values)


def _enter_orders(db: "DuckDBPyConnection", cells: Cells, source: Source, saved: Saved) -> None:
    """Makes the table ``entries``: one row per product of an order, from one table or from two."""
    orders = cells.mapping.orders
    assert orders is not None, "there is a table of orders"
    lines = orders.lines
    heads = cells if lines is None else _cells(source.beside[0], cells.mapping)
    user = f"[x FOR x IN [{heads.first_id(orders.user)}] IF lower(x) NOT IN ({', '.join(map(quoted, NO_ID))})][1]"
    fields = {
        "order_said": heads.first_id(orders.id),
        "user_id": f"'u' || substr(sha256(lower({user})), 1, 12)" if orders.hash_users else user,
        "timestamp": heads.moment(orders.date),
        "date_said": heads.first_text(orders.date),
        "utc_offset": f"coalesce(read_offset({heads.first_text(orders.date)}), 0)",
        **_status_fields(heads, orders),
    }
    product = orders.product if lines is None else lines.product
    assert product is not None, "either orders or their lines say the product"
    of_lines = {
        **{f"product_{place}": cells.text(column) for place, column in enumerate(listed(product))},
        "parent_asin": f"citable({cells.first_id(product)})",
        "product_said": cells.first_text(product),
        "quantity_said": cells.first_text(orders.quantity if lines is None else lines.quantity),
    }
    if lines is None:
        _keep_rows(db, "entries", heads, orders, {**fields, **of_lines}, orders.id, saved)
        db.execute("DELETE FROM entries WHERE NOT is_kept")
        read_dates(db, "entries", heads, saved)
    else:
        _keep_rows(db, "heads", heads, orders, fields, orders.id, saved)
        read_dates(db, "heads", heads, saved)
        texts = ", ".join(f"{expression} AS {field}" for field, expression in of_lines.items())
        joined = f"SELECT number, {cells.text(lines.order)} AS line_of, {texts} FROM ({cells.rows()})"  # noqa: S608
        db.execute(
            "CREATE TEMP TABLE entries AS SELECT l.*, h.* EXCLUDE (number, order_said), l.line_of AS order_said "  # noqa: S608
            f"FROM ({joined}) l LEFT JOIN heads h ON h.order_said = l.line_of WHERE coalesce(h.is_kept, true)"
        )
    if cells.mapping.products.parent is not None or len(listed(product)) > 1:
        products = _cells(source.beside[-1], cells.mapping)
        _shelve(db, products, Saved())
        db.execute(_filled("aliases", products=_product_rows(products)))
        for place in reversed(range(len(listed(product)))):
            db.execute(f"UPDATE entries SET parent_asin = a.parent_asin FROM aliases a WHERE a.alias = product_{place}")  # noqa: S608


def _status_fields(cells: Cells, orders: OrderColumns) -> dict[str, str]:
    """SQL for the status of an order, and for its word if the mapping does not explain it."""
    if orders.status is None and orders.cancelled is None:
        return dict.fromkeys(("status_said", "order_status"), "CAST(NULL AS VARCHAR)")
    words: dict[str, str] = {word.lower(): word for word in ORDER_STATUSES}
    words |= {word.strip().lower(): ours for word, ours in cells.mapping.status.items()}
    meanings = " ".join(f"WHEN {quoted(word)} THEN {quoted(ours)}" for word, ours in words.items())
    columns = [f"lower({cells.text(column)})" for column in listed(orders.status)]
    # An empty cell can have a meaning only in the last column; in the others it leaves the status to the next.
    columns[-1:] = [f"coalesce({column}, '')" for column in columns[-1:]] or ["'delivered'"]
    strange = " ".join(f"WHEN {word} <> '' AND CASE {word} {meanings} END IS NULL THEN {word}" for word in columns)
    meant = ", ".join(f"nullif(CASE {column} {meanings} END, '')" for column in columns)
    status_said = f"CASE {strange} ELSE {columns[-1]} END"
    status = f"CASE WHEN (CASE {strange} END) IS NULL THEN coalesce({meant}, NULL) END"
    if orders.cancelled is not None:
        status = f"CASE WHEN {cells.text(orders.cancelled)} IS NOT NULL THEN 'Cancelled' ELSE {status} END"
    return {"status_said": status_said, "order_status": status}


def _order_rows(orders: OrderColumns, until_ms: int) -> str:
    """The rows of ``entries`` in the dataset's form, with the reason if a row is bad."""
    lines = orders.lines
    quantity = orders.quantity if lines is None else lines.quantity
    product = " or ".join(listed(orders.product if lines is None else lines.product))
    user, date = " or ".join(listed(orders.user)), " or ".join(listed(orders.date))
    problems: list[Problem] = []
    if lines is not None:
        problems.append((f"no order of this id ({lines.order})", "is_kept IS NULL", "order_said"))
    problems += [
        (f"no {user}", "user_id IS NULL", "NULL"),
        (
            f"{user} is no id ({ID_RULE}): hash_users = true makes ids of all",
            f"NOT regexp_full_match(user_id, {quoted(SAFE_ID)})",
            "user_id",
        ),
        *_own_id_problems(product, "parent_asin"),
    ]
    problems.append((f"no date ({date})", "timestamp IS NULL", "date_said"))
    problems.append((later_than(until_ms), f"timestamp > {until_ms}", "date_said"))
    order, number = "citable(order_said)", "NULL"
    if orders.id is not None:
        problems += _own_id_problems(orders.id, order)
    if quantity is not None:
        number = r"TRY_CAST(regexp_replace(quantity_said, '[.,]0+$', '') AS INTEGER)"
        problems.append((f"no whole number from 1 ({quantity})", f"coalesce({number}, 0) < 1", "quantity_said"))
    return (
        f"SELECT *, {number} AS quantity, {order} AS order_id, {order} AS own_id, order_said AS id_said, "  # noqa: S608
        f"{_reason(problems)} FROM entries"
    )


Problem = tuple[str, str, str]
"""A problem's name, the SQL test for it, and the SQL for the text that the row has there."""


def _own_id_problems(column: str, text: str) -> list[Problem]:
    """The problems that an id by which reports cite may have."""
    return [
        (f"no {column}", f"{text} IS NULL", "NULL"),
        (f"{column} has more than {_LONGEST_ID} characters", f"length({text}) > {_LONGEST_ID}", text),
    ]


def _reason(problems: Sequence[Problem]) -> str:
    """SQL for ``reason``, a row's first problem, and ``written``, the text that it has there; NULL in good rows."""
    reasons = " ".join(f"WHEN {test} THEN {quoted(name)}" for name, test, _ in problems)
    cells = " ".join(f"WHEN {test} THEN {value}" for _, test, value in problems)
    return f"CASE {reasons} END AS reason, CAST(CASE {cells} END AS VARCHAR) AS written"


def merge_variants(db: "DuckDBPyConnection", saved: Saved) -> None:
    """Merges the good rows of ``mapped`` into one per product, and notes how many variants there are."""
    db.execute(_filled("merge_variants"))
    counts = db.execute("SELECT coalesce(sum(variants), 0), count(*) FROM families").fetchone()
    if counts is not None and counts[1]:
        saved.notes.append(f"{counts[0]:,} rows are variants of {counted(counts[1], 'product')}")

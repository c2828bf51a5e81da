"""The selected products and orders, read back in bounded memory in the order in which a world is written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from drretail.data_ingest.accounts import NO_CATEGORY
from drretail.data_ingest.engines.base import Selected
from drretail.data_ingest.engines.duckdb.session import close_engine, engine_errors, parquet, session
from drretail.data_ingest.raw.products import ROW_FIELDS, parse_json, product_of, richness
from drretail.env.manifest import CategoryCounts, OrderRow
from drretail.files import is_unfinished
from drretail.records.shop import OTHER_TITLES, Product

MEMORY_MB = 250
_BATCH = 5_000


def selected_products(
    selected: Selected, categories: tuple[str, ...], *, keep_titles: bool = False
) -> Iterator[Product]:
    """The kept products by id. Of several rows for one product the richest is taken, of equally rich ones the first.

    With ``keep_titles`` it has the titles of the others as well: a shop in several languages has a row for each.
    """
    fields = ", ".join(ROW_FIELDS)
    columns = f"product_id, category, {fields}"
    query = f"SELECT {columns} FROM {{}} WHERE title IS NOT NULL AND title <> 'null'"  # noqa: S608 -- constants
    rows = _rows(selected.kept_rows, f"{query} ORDER BY product_id, source, number")
    for product_id, group in groupby(rows, key=itemgetter(0)):
        candidates = [
            product_of(product_id, categories[row[1]], dict(zip(ROW_FIELDS, _values(row[2:]), strict=True)))
            for row in group
        ]
        chosen = max(candidates, key=richness)
        others = [title for title in dict.fromkeys(one.title for one in candidates) if title != chosen.title]
        more = {OTHER_TITLES: others} if keep_titles and others else {}
        yield chosen.model_copy(update={"details": chosen.details | more}) if more else chosen


def selected_orders(selected: Selected, *, held_out: bool) -> Iterator[OrderRow]:
    """The orders by user, time and order id: those of the world, or those that are held out of it."""
    columns = "order_id, user_id, product_id, milliseconds, quantity, order_status"
    which = "held_out" if held_out else "NOT held_out"
    query = f"SELECT {columns} FROM {{}} WHERE {which} ORDER BY user_id, milliseconds, order_id"  # noqa: S608 -- constants
    return map(OrderRow._make, _rows(selected.orders, query))


class OwnCategories:
    """The categories of your own shop. A product's category is the first part of its category path.

    They are counted while rows pass on their way into a world; orders must be sorted by user.
    """

    def __init__(self, default: str) -> None:
        self._default = default
        self._of_product = dict[str, str]()
        self._products, self._orders, self._users = Counter[str](), Counter[str](), Counter[str]()

    def take_products(self, products: Iterable[Product]) -> Iterator[Product]:
        """The products, each in its category."""
        for product in products:
            name = product.categories[0] if product.categories else self._default
            self._of_product[product.product_id] = name
            self._products[name] += 1
            yield product.model_copy(update={"category": name})

    def take_orders(self, orders: Iterable[OrderRow]) -> Iterator[OrderRow]:
        for _, of_user in groupby(orders, key=itemgetter(1)):
            rows = list(of_user)
            names = [self._of_product.get(row[2], self._default) for row in rows]
            self._orders.update(names)
            self._users.update(set(names))
            yield from rows

    def counts(self, read: Sequence[CategoryCounts]) -> Iterator[CategoryCounts]:
        """One row per category, then one for the rows ``read`` of all. Call it after all rows have passed."""
        for name in sorted({*self._products, *self._orders}):
            yield CategoryCounts(
                name=name, products=self._products[name], users=self._users[name], orders=self._orders[name]
            )
        for row in read:
            nothing = {"name": NO_CATEGORY, "products": 0, "users": 0, "orders": 0}
            yield row.model_copy(update=nothing)


def _values(texts: Sequence[str | None]) -> list[Any]:
    """The values of JSON texts; None for a text that is not JSON, or is nested deeper than Python can read."""
    # One call for all texts takes half the time of one call for each.
    values = parse_json(f"[{','.join(text or 'null' for text in texts)}]")
    if isinstance(values, list) and len(values) == len(texts):
        return values
    return [parse_json(text) for text in texts]


def _rows(folder: Path, query: str) -> Iterator[tuple[Any, ...]]:
    files = sorted(file for file in folder.rglob("*.parquet") if not any(map(is_unfinished, file.parents[:2])))
    if not files:
        return
    with session(folder, MEMORY_MB) as db, engine_errors():
        cursor = db.execute(query.format(parquet(files)))
        while rows := cursor.fetchmany(_BATCH):
            yield from rows
    close_engine(folder)

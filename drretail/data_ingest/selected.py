"""What an engine selected, read back in the order in which a world is written, in bounded memory."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from drretail.data_ingest.engines.base import ROW_FIELDS, Selected
from drretail.data_ingest.engines.duckdb.session import engine_errors, parquet, session
from drretail.data_ingest.raw.products import parse_json, product_of, richness
from drretail.env.manifest import OrderRow
from drretail.records.shop import Product

MEMORY_MB = 250
_BATCH = 5_000
_UNFINISHED = ".part-"


def selected_products(selected: Selected, categories: tuple[str, ...]) -> Iterator[Product]:
    """The kept products by id; of several rows for one product the richest, of equally rich ones the first."""
    fields = ", ".join(ROW_FIELDS)
    columns = f"product_id, category, {fields}"
    query = f"SELECT {columns} FROM {{}} WHERE title IS NOT NULL AND title <> 'null'"  # noqa: S608 -- constants
    rows = _rows(selected.kept_rows, f"{query} ORDER BY product_id, source, number")
    for product_id, group in groupby(rows, key=itemgetter(0)):
        candidates: Iterable[Product] = (
            product_of(product_id, categories[row[1]], dict(zip(ROW_FIELDS, map(parse_json, row[2:]), strict=True)))
            for row in group
        )
        yield max(candidates, key=richness)


def selected_orders(selected: Selected, *, held_out: bool) -> Iterator[OrderRow]:
    """The orders by user, time and order id: those of the world, or those that are held out of it."""
    columns = "order_id, user_id, product_id, milliseconds, quantity, order_status"
    which = "held_out" if held_out else "NOT held_out"
    query = f"SELECT {columns} FROM {{}} WHERE {which} ORDER BY user_id, milliseconds, order_id"  # noqa: S608 -- constants
    return map(OrderRow._make, _rows(selected.orders, query))


def _rows(folder: Path, query: str) -> Iterator[tuple[Any, ...]]:
    files = sorted(
        file
        for file in folder.rglob("*.parquet")
        if not any(part.startswith(_UNFINISHED) for part in file.relative_to(folder).parts)
    )
    if not files:
        return
    with session(folder, MEMORY_MB) as db, engine_errors():
        cursor = db.execute(query.format(parquet(files)))
        while rows := cursor.fetchmany(_BATCH):
            yield from rows

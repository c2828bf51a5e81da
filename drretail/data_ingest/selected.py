"""What the selection left: the report, counted from the engine's tables; products and orders in a world's order."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

from drretail.data_ingest.engines.base import Selected
from drretail.data_ingest.engines.duckdb_reading import close_engines, engine_errors, parquet, session
from drretail.data_ingest.plan import CategoryReport, FileReport, IngestPlan
from drretail.data_ingest.raw.products import ROW_FIELDS, loads_or_none, product_from_row, richness
from drretail.env.manifest import CategoryCounts, OrderValues
from drretail.files import is_unfinished
from drretail.records.account import Account
from drretail.records.shop import OTHER_TITLES, Product

# The row of reviews and bad lines in files whose category is unknown.
NO_CATEGORY = "(none)"
# What the reader calls the fates that the engines' SQL names.
LEFT_OUT = {
    "other_category": "of a product of another category",
    "too_few_interactions": "of a product with too few interactions",
    "over_cap": "of a product above the cap",
    "no_meta": "of an unknown product",
    "before_since": "dated before --since",
    "product_not_kept": "of a product that is not kept",
}


Tables = Mapping[str, list[dict[str, Any]]]
"""The rows of an engine's queries, by the name of the query (``selection.ACCOUNTS``)."""


def count_categories(tables: Tables, plan: IngestPlan, files: Sequence[FileReport]) -> tuple[CategoryReport, ...]:
    """One row per category in preset order, then one for what belongs to none; ``files`` in the plan's order."""
    names = [*plan.categories, NO_CATEGORY]
    orders = "reviews" if all(item.source.mapping is None for item in plan.inputs) else "orders"
    products, reviews = ({name: Account(unit, "row") for name in names} for unit in ("products", orders))
    for file in files:
        account = (products if file.shape == "products" else reviews)[file.category or NO_CATEGORY]
        # Its used rows come with their fates.
        lost = file.account.n_merged + file.account.n_left_out
        account.add(replace(file.account, came=lost, used=0), f"{file.name}, line ")
    for row in tables["product_fates"]:
        account = products[names[int(row["category"])]]
        account.take(row["read_rows"])
        if row["fate"] == "other_category":
            account.leave_out(LEFT_OUT["other_category"], row["first"], row["read_rows"])
            continue
        account.merge("the same product again", row["first_copied"] or "", row["read_rows"] - row["products"])
        if row["fate"] == "kept":
            account.use(row["products"])
        else:
            account.leave_out(LEFT_OUT[row["fate"]], row["first"], row["products"])
    # Counts every recent review of a kept product as an order; duplicates are subtracted below.
    for row in tables["review_fates"]:
        if row["category"] is None:
            account = reviews[files[row["source"]].category or NO_CATEGORY]
            account.take(row["reviews"])
            account.leave_out(LEFT_OUT["no_meta"], row["first"], row["reviews"])
            continue
        account = reviews[names[int(row["category"])]]
        account.take(row["reviews"])
        account.leave_out(LEFT_OUT["before_since"], row["first_old"] or "", row["reviews"] - row["recent"])
        if row["fate"] == "kept":
            account.use(row["recent"])
        else:
            account.leave_out(LEFT_OUT[row["fate"]], row["first"] or "", row["recent"])
    users = Counter[str]()
    for row in tables["category_orders"]:
        name = names[int(row["category"])]
        users[name] = row["users"]
        reviews[name].merge("the same order again", count=reviews[name].used - row["orders"])
        reviews[name].used = row["orders"]
    rows = [
        CategoryReport(name=name, products=products[name], reviews=reviews[name], users=users[name]) for name in names
    ]
    return tuple(row for row in rows if row.products.came or row.reviews.came)


def total_of(shape: str, parts: Iterable[Account], files: Iterable[FileReport]) -> Account:
    """The sum of the categories' accounts. What came in is counted from the files, so that a lost row shows."""
    whole = Account(shape, "row")
    for part in parts:
        whole.stage = part.stage
        whole.add(part)
    whole.came = sum(file.account.came for file in files if file.shape == shape)
    return whole


MEMORY_MB = 200
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
    rows = parquet_rows(selected.kept_rows, f"{query} ORDER BY product_id, source, number")
    for product_id, group in groupby(rows, key=itemgetter(0)):
        candidates = [
            product_from_row(product_id, categories[row[1]], dict(zip(ROW_FIELDS, _values(row[2:]), strict=True)))
            for row in group
        ]
        chosen = max(candidates, key=richness)
        others = [title for title in dict.fromkeys(one.title for one in candidates) if title != chosen.title]
        more = {OTHER_TITLES: others} if keep_titles and others else {}
        yield chosen.model_copy(update={"details": chosen.details | more}) if more else chosen


def selected_orders(selected: Selected) -> Iterator[OrderValues]:
    """The orders by user, time and order id."""
    columns = "order_id, user_id, product_id, milliseconds, quantity, order_status, utc_offset"
    rows = parquet_rows(selected.orders, f"SELECT {columns} FROM {{}}")  # noqa: S608 -- constants
    return cast("Iterator[OrderValues]", rows)


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

    def take_orders(self, orders: Iterable[OrderValues]) -> Iterator[OrderValues]:
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
    values = loads_or_none(f"[{','.join(text or 'null' for text in texts)}]")
    if isinstance(values, list) and len(values) == len(texts):
        return values
    return [loads_or_none(text) for text in texts]


def parquet_rows(folder: Path, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query over the Parquet files below a folder, which take the place of ``{}``, in bounded memory."""
    files = sorted(file for file in folder.rglob("*.parquet") if not any(map(is_unfinished, file.parents[:2])))
    if not files:
        return
    with session(folder, MEMORY_MB) as db, engine_errors():
        cursor = db.execute(query.format(parquet(files)))
        while rows := cursor.fetchmany(_BATCH):
            yield from rows
    close_engines(folder)

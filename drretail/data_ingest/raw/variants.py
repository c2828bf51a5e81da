"""The variants of a product merged into one: with options in its details and features, and the lowest price."""

from string import Template
from typing import TYPE_CHECKING

from drretail.data_ingest.raw.cells import quoted
from drretail.data_ingest.raw.lines import Saved
from drretail.data_ingest.selection import sql_text
from drretail.records.shop import LIST_PRICE, STOCK, VARIANTS
from drretail.tables.figures import counted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def amount_of(price: str) -> str:
    """SQL for the first number in a column of prices."""
    return f"TRY_CAST(replace(regexp_extract(CAST({price} AS VARCHAR), '[0-9.,]+'), ',', '') AS DOUBLE)"


def merge_variants(db: "DuckDBPyConnection", saved: Saved) -> None:
    """Merges the good rows of ``mapped`` into one per product, and notes how many variants there are."""
    names = {"stock": quoted(STOCK), "list_price": quoted(LIST_PRICE), "variants": quoted(VARIANTS)}
    amounts = {"amount": amount_of("price"), "high_amount": amount_of("list_price")}
    db.execute(Template(sql_text("duckdb/merge_variants")).substitute(names | amounts))
    found = db.execute("SELECT coalesce(sum(variants), 0), count(*) FROM families").fetchone()
    if found is not None and found[1]:
        saved.notes.append(f"{found[0]:,} rows are variants of {counted(found[1], 'product')}")

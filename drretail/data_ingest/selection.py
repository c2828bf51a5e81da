"""Algorithm 1 of the paper (App. A.2) as SQL that every engine runs unchanged.

The texts of sql/ keep to what DuckDB and Spark share: a total order in every window, BIGINT milliseconds,
``CAST(sum(x) AS BIGINT)``, md5 as the only hash, no time zones. Parameters come from a table of one row.
"""

from importlib import resources

from drretail.records.ids import SAFE_ID

# In the order in which each needs the ones before; the engine has loaded product_rows, reviews and parameters.
TABLES = (
    "tally",
    "products",
    "candidates",
    "repeated",
    "eligible",
    "kept",
    "interactions",
    "order_hashes",
    "orders",
    "held_out",
)
# What the report is counted from, once the tables exist.
ACCOUNTS = ("product_fates", "review_fates", "category_orders", "totals")


def sql_text(name: str) -> str:
    """The query in sql/<name>.sql, where ``$safe_id`` is what an id must match."""
    text = resources.files("drretail.data_ingest").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
    return text.replace("$safe_id", f"'{SAFE_ID}'")

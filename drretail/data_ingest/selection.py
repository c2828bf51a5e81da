"""Algorithm 1 of the paper (App. A.2) as SQL that every engine runs unchanged.

The queries of sql/ use only what DuckDB and Spark share: a total order in every window, BIGINT milliseconds,
``CAST(sum(x) AS BIGINT)``, md5 as the only hash, no time zones. Parameters come from a table of one row.
"""

from pathlib import Path
from typing import Any

from drretail.data_ingest.plan import IngestSettings
from drretail.records.base import NO_ID, SAFE_ID

SQL = Path(__file__).with_name("sql")
# In order, since each needs those before it. The engine has loaded product_rows, reviews and parameters.
TABLES = (
    "tally",
    "products",
    "candidates",
    "repeated",
    "eligible",
    "kept",
    "gone",
    "interactions",
    "order_hashes",
    "shared_ids",
    "orders",
)
# The queries from which the report is counted, once the tables exist.
ACCOUNTS = ("product_fates", "review_fates", "category_orders", "totals")


def parameters_of(options: IngestSettings) -> dict[str, Any]:
    """The values of sql/parameters.sql by their names."""
    names = {"seed", "cap", "cap_by", "min_interactions", "vary_orders"}
    return {**options.model_dump(include=names), "since": options.since_ms, "keep_gone": options.mapping is not None}


def sql_text(name: str, folder: Path = SQL) -> str:
    """The query in sql/<name>.sql, with the pattern of ids for ``$safe_id``, and what is none for ``$no_id``."""
    text = (folder / f"{name}.sql").read_text(encoding="utf-8")
    return text.replace("$safe_id", f"'{SAFE_ID}'").replace("$no_id", ", ".join(f"'{word}'" for word in NO_ID))

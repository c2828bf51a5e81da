"""The variants of a product merged into one: with options in its details and features, and the lowest price."""

from typing import TYPE_CHECKING

from drretail.data_ingest.raw.lines import Saved
from drretail.records.shop import LIST_PRICE, STOCK, VARIANTS
from drretail.tables.figures import counted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def amount_of(price: str) -> str:
    """SQL for the first number in a column of prices."""
    return f"TRY_CAST(replace(regexp_extract(CAST({price} AS VARCHAR), '[0-9.,]+'), ',', '') AS DOUBLE)"


# A row without data of its own, such as one for a further picture, is no variant.
_GOOD = f"""
SELECT *,
    variant_id IS DISTINCT FROM parent_asin
        AND (own_said IS NOT NULL OR price IS NOT NULL OR len(options) > 0) AS is_variant,
    {amount_of("price")} AS amount, {amount_of("list_price")} AS high_amount,
    to_json(map_from_entries(options)) AS chosen,
    row_number() OVER (
        PARTITION BY parent_asin ORDER BY variant_id IS DISTINCT FROM parent_asin, number
    ) AS place
FROM mapped WHERE reason IS NULL
"""  # noqa: S608 -- constants
_FAMILIES = """
SELECT parent_asin, count(*) AS variants, to_json(list(variant ORDER BY number)) AS listed, min(amount) AS low,
    max(amount) AS high
FROM (
    SELECT parent_asin, amount, min(number) AS number,
        json_merge_patch(
            '{}', json_object('id', own_said), chosen, json_object('price', amount, 'stock', stock),
            json_object('list_price', CASE WHEN high_amount > amount THEN high_amount END)
        ) AS variant
    FROM good WHERE is_variant GROUP BY ALL
)
GROUP BY parent_asin
HAVING count(*) > 1 OR parent_asin IN (SELECT parent_asin FROM good WHERE variant_id = parent_asin)
"""
_VALUES = """
SELECT parent_asin, list(name || ': ' || named ORDER BY number) AS features
FROM (
    SELECT parent_asin, name, string_agg(value, ', ' ORDER BY number) AS named, min(number) AS number
    FROM (
        SELECT parent_asin, option.name AS name, option.value AS value, min(number) AS number
        FROM (SELECT parent_asin, number, unnest(options) AS option FROM good WHERE is_variant) GROUP BY ALL
    )
    GROUP BY parent_asin, name
)
GROUP BY parent_asin
"""
_MERGED = f"""
SELECT good.* REPLACE (
    CASE WHEN low < high THEN 'from ' || low WHEN variants > 0 THEN CAST(low AS VARCHAR) ELSE price END AS price,
    CASE WHEN variants > 0 THEN list_concat(good.features, v.features) ELSE good.features END AS features,
    CASE
        WHEN variants > 0 AND is_variant
            THEN json_merge_patch(
                details, json_object('{STOCK}', NULL, '{LIST_PRICE}', NULL), json_object('{VARIANTS}', listed)
            )
        WHEN variants > 0 THEN json_merge_patch(details, chosen, json_object('{VARIANTS}', listed))
        ELSE json_merge_patch(details, chosen)
    END AS details
)
FROM good LEFT JOIN families USING (parent_asin) LEFT JOIN option_values v USING (parent_asin) WHERE place = 1
"""  # noqa: S608 -- constants


def merge_variants(db: "DuckDBPyConnection", saved: Saved) -> None:
    """Merges the good rows of ``mapped`` into one per product, and notes how many variants there are."""
    tables = {"good": _GOOD, "families": _FAMILIES, "option_values": _VALUES, "merged": _MERGED}
    for name, query in tables.items():
        db.execute(f"CREATE TEMP TABLE {name} AS {query}")
    found = db.execute("SELECT coalesce(sum(variants), 0), count(*) FROM families").fetchone()
    if found is not None and found[1]:
        saved.notes.append(f"{found[0]:,} rows are variants of {counted(found[1], 'product')}")
    db.execute("DROP TABLE mapped; ALTER TABLE merged RENAME TO mapped")

"""The report of an ingest, counted from the tables of the selection."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from drretail.data_ingest.plan import Plan
from drretail.data_ingest.report import CategoryReport, FileReport, Funnel

# The row of reviews and bad lines in files whose category is unknown.
NO_CATEGORY = "(none)"
PRODUCT_REASONS = ("bad_line", "other_category", "too_few_interactions", "over_cap", "duplicate")
REVIEW_REASONS = ("bad_line", "after_until", "no_meta", "before_since", "product_not_kept", "duplicate", "held_out")


Tables = Mapping[str, list[dict[str, Any]]]
"""The rows of an engine's queries, by the name of the query (``selection.ACCOUNTS``)."""


def count_categories(tables: Tables, plan: Plan, files: Sequence[FileReport]) -> tuple[CategoryReport, ...]:
    """One row per category in preset order, then one for what belongs to none. ``files`` are in the
    order of the plan.
    """
    names = [*plan.categories, NO_CATEGORY]
    # By category, how many rows were "kept", and how many were dropped for each reason.
    products, reviews = ({name: Counter[str]() for name in names} for _ in range(2))
    for file in files:
        fates = (products if file.shape == "products" else reviews)[file.category or NO_CATEGORY]
        fates["bad_line"] += file.bad_lines - file.late
        fates["after_until"] += file.late
    for row in tables["product_fates"]:
        fates = products[names[int(row["category"])]]
        if row["fate"] == "other_category":
            fates["other_category"] += row["read_rows"]
            continue
        fates["duplicate"] += row["read_rows"] - row["products"]
        fates[row["fate"]] += row["products"]
    # Counts every recent review of a kept product as an order; duplicates are subtracted below.
    for row in tables["review_fates"]:
        if row["category"] is None:
            reviews[files[row["source"]].category or NO_CATEGORY]["no_meta"] += row["reviews"]
            continue
        fates = reviews[names[int(row["category"])]]
        fates["before_since"] += row["reviews"] - row["recent"]
        fates[row["fate"]] += row["recent"]
    users = Counter[str]()
    for row in tables["category_orders"]:
        name = names[int(row["category"])]
        users[name] = row["users"]
        reviews[name]["duplicate"] += reviews[name]["kept"] - row["orders"]
        reviews[name]["held_out"] += row["held_out"]
        reviews[name]["kept"] = row["orders"] - row["held_out"]
    rows = [
        CategoryReport(
            name=name,
            products=_funnel(products[name], PRODUCT_REASONS),
            reviews=_funnel(reviews[name], REVIEW_REASONS),
            users=users[name],
        )
        for name in names
    ]
    # Every row of every file has exactly one fate.
    for shape, funnels in (("products", [row.products for row in rows]), ("reviews", [row.reviews for row in rows])):
        read = sum(file.rows for file in files if file.shape == shape)
        counted = sum(funnel.read for funnel in funnels)
        assert read == counted, f"{read} rows of {shape} were read and {counted} are accounted for"
    return tuple(row for row in rows if row.products.read or row.reviews.read)


def _funnel(fates: Mapping[str, int], reasons: Sequence[str]) -> Funnel:
    """A funnel whose ``read`` is the sum of all fates, so that a lost row shows when it is compared with the files'
    counts.
    """
    dropped = {reason: fates[reason] for reason in reasons if fates[reason]}
    return Funnel(read=fates["kept"] + sum(dropped.values()), kept=fates["kept"], dropped=dropped)

"""The report of an ingest, counted from the tables of the selection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drretail.data_ingest.plan import Plan
from drretail.data_ingest.report import CategoryReport, FileReport, Funnel

# Reviews and bad lines of files that no category is known of.
NO_CATEGORY = "(none)"
PRODUCT_REASONS = ("bad_line", "other_category", "too_few_interactions", "over_cap", "duplicate")
REVIEW_REASONS = ("bad_line", "no_meta", "before_since", "product_not_kept", "duplicate", "held_out")


Tables = Mapping[str, list[dict[str, Any]]]
"""The rows that every engine answers with, by the name of the query (``selection.ACCOUNTS``)."""


@dataclass(slots=True)
class _Count:
    """A funnel while it fills; rows come in as their fate is known."""

    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict[str, int])

    def drop(self, reason: str, rows: int) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + rows

    def add(self, fate: str, rows: int) -> None:
        """Rows that are "kept", or dropped for the reason that is their fate."""
        if fate == "kept":
            self.kept += rows
        else:
            self.drop(fate, rows)

    def funnel(self, reasons: Iterable[str]) -> Funnel:
        """``read`` is what came in, so that a row forgotten on the way is caught against the files' own counts."""
        dropped = {reason: self.dropped[reason] for reason in reasons if self.dropped.get(reason)}
        return Funnel(read=self.kept + sum(dropped.values()), kept=self.kept, dropped=dropped)


def count_categories(tables: Tables, plan: Plan, files: Sequence[FileReport]) -> tuple[CategoryReport, ...]:
    """One row a category, in preset order, then what belongs to none. ``files`` stand in the order of the plan."""
    names = [*plan.categories, NO_CATEGORY]
    products = {name: _Count() for name in names}
    for row in tables["product_fates"]:
        count = products[names[int(row["category"])]]
        if row["fate"] == "other_category":
            count.drop("other_category", row["read_rows"])
            continue
        count.drop("duplicate", row["read_rows"] - row["products"])
        count.add(row["fate"], row["products"])
    _add_bad_lines(products, files, shape="products")
    reviews = _review_counts(tables, names, files)
    users = dict[str, int]()
    for row in tables["category_orders"]:
        name = names[int(row["category"])]
        users[name] = row["users"]
        reviews[name].drop("duplicate", reviews[name].kept - row["orders"])
        reviews[name].drop("held_out", row["held_out"])
        reviews[name].kept = row["orders"] - row["held_out"]
    rows = [
        CategoryReport(
            name=name,
            products=products[name].funnel(PRODUCT_REASONS),
            reviews=reviews[name].funnel(REVIEW_REASONS),
            users=users.get(name, 0),
        )
        for name in names
    ]
    # Every row of every file has exactly one fate.
    for shape, funnels in (("products", [row.products for row in rows]), ("reviews", [row.reviews for row in rows])):
        read = sum(file.rows for file in files if file.shape == shape)
        counted = sum(funnel.read for funnel in funnels)
        assert read == counted, f"{read} rows of {shape} were read and {counted} are accounted for"
    return tuple(row for row in rows if row.products.read or row.reviews.read)


def _review_counts(tables: Tables, names: Sequence[str], files: Sequence[FileReport]) -> dict[str, _Count]:
    """As if every recent review of a kept product were an order; duplicates are told apart by the orders."""
    counts = {name: _Count() for name in names}
    for row in tables["review_fates"]:
        if row["category"] is None:
            counts[files[row["source"]].category or NO_CATEGORY].drop("no_meta", row["reviews"])
            continue
        count = counts[names[int(row["category"])]]
        count.drop("before_since", row["reviews"] - row["recent"])
        count.add(row["fate"], row["recent"])
    _add_bad_lines(counts, files, shape="reviews")
    return counts


def _add_bad_lines(counts: dict[str, _Count], files: Sequence[FileReport], shape: str) -> None:
    for file in files:
        if file.shape == shape:
            counts[file.category or NO_CATEGORY].drop("bad_line", file.bad_lines)

"""Algorithm 1 of the paper in plain Python, to hold the SQL against."""

import hashlib
from collections import Counter
from dataclasses import dataclass

from drretail.data_ingest.plan import IngestOptions

Interaction = tuple[str, str, int]
"""User, product, milliseconds."""


@dataclass(frozen=True)
class Result:
    products: dict[str, str]
    """Id → category."""
    orders: list[tuple[str, str, str, int, int, str]]
    """Order id, user, product, milliseconds, quantity, status; by user, time and id."""


def select(meta: list[tuple[str, str]], reviews: list[Interaction], ranks: list[str], options: IngestOptions) -> Result:
    """What the paper's rule keeps of product rows (id, category) and reviews; ``ranks`` orders the categories."""
    category: dict[str, str] = {}
    for product, name in meta:
        category[product] = min(category.get(product, name), name, key=ranks.index)
    recent = {review for review in reviews if review[2] >= options.since_ms and review[1] in category}
    counts = Counter(product for _, product, _ in recent)
    products = dict[str, str]()
    for name in ranks:
        eligible = [p for p, own in category.items() if own == name and counts[p] >= options.min_interactions]
        if options.cap_by == "interactions":
            eligible.sort(key=lambda product: (-counts[product], product))
        else:
            eligible.sort(key=lambda product: (md5(options.seed + product), product))
        products |= dict.fromkeys(eligible[: options.cap], name)
    return Result(products, number(sorted(row for row in recent if row[1] in products), options))


def number(rows: list[Interaction], options: IngestOptions) -> list[tuple[str, str, str, int, int, str]]:
    seen = Counter[int]()
    orders: list[tuple[str, str, str, int, int, str]] = []
    for user, product, moment in rows:
        h = int(md5(f"{options.seed}|{user}|{product}|{moment}"), 16) % 10**9
        draw = md5(f"{options.seed}|vary|{user}|{product}|{moment}")
        quantity, status = vary(int(draw[:4], 16) % 100, int(draw[4:8], 16) % 100)
        if not options.vary_orders:
            quantity, status = 1, "Delivered"
        orders.append((f"{seen[h]}{h:09d}", user, product, moment, quantity, status))
        seen[h] += 1
    return sorted(orders, key=lambda order: (order[1], order[3], order[0]))


def vary(quantity_draw: int, status_draw: int) -> tuple[int, str]:
    quantity = 1 + sum(quantity_draw >= share for share in (80, 93, 97, 99))
    statuses = ["Delivered", "Shipped", "Processing", "Cancelled", "Returned"]
    return quantity, statuses[sum(status_draw >= share for share in (88, 91, 93, 97))]


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()

"""Six made-up kitchen goods and the ledger of a run that has seen them, for tests that read reports."""

import json
from collections.abc import Sequence
from typing import Any

from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.evidence_ids import calculation_evidence_id
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.layout import read_layout
from drretail.grounding.text.serialisation import compact_json, record_text
from drretail.grounding.verify.findings import source_findings, value_findings
from drretail.grounding.verify.records import Ledger, read_ledger
from drretail.records.evidence import Evidence, Finding
from drretail.records.query import Query
from drretail.records.reading import Pick, Reading
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests import build


def a_product(
    key: str, title: str, price: float | None, rating: float | None, count: int | None, brand: str, **more: Any
) -> Product:
    fields = {"product_id": f"B0KITCHEN{key}", "title": title, "price": price, "average_rating": rating}
    fields |= {"rating_number": count, "store": brand, "category": "Home_and_Kitchen"}
    return Product.model_validate(fields | {"categories": ("Home & Kitchen", "Kitchen & Dining")} | more)


OF_KETTLE = {
    "Capacity": "0.9 Liters",
    "Is Dishwasher Safe": "No",
    "Item Weight": "2.4 Pounds",
    "Date First Available": "May 7, 2020",
}
KETTLE = a_product(
    "K", "Harrowgill Gooseneck Kettle, 0.9 L, Stainless Steel", 42.95, 4.6, 1843, "Harrowgill", details=OF_KETTLE
)
PAN = a_product("P", "Fennick Carbon Steel Pan, 10 inch", 38.5, 4.3, 512, "Fennick")
TOWELS = a_product("T", "Linnetwick Kitchen Towels, Cotton, 6 Pack", 17.99, 4.7, 2210, "Linnetwick")
SCALE = a_product("S", "Aldbrook Digital Kitchen Scale, 11 lb", 12.49, 4.1, 98, "Aldbrook")
MUGS = a_product("M", "Fennick Stoneware Mugs, Set of 4, 12 oz", 27.0, 4.8, 447, "Fennick")
JAR = a_product("J", "Ostermill Cookie Jar", None, 4.4, 61, "Ostermill")
GOODS = {item.product_id: item for item in (KETTLE, PAN, TOWELS, SCALE, MUGS, JAR)}
K, P, T, S, M, J = (f"[P:{key}]" for key in GOODS)

ORDERS = {"1000000001": (SCALE, "2022-03-14"), "1000000002": (MUGS, "2021-11-30")}
O1, O2 = (f"[O:{key}]" for key in ORDERS)
SUMS = {
    "42.95+17.99": "60.94",
    "75-60.94": "14.06",
    "17.99/6": "2.9983333333",
    "42.95-38.5": "4.45",
    "4*12.49": "49.96",
}
TOTAL, LEFT, EACH, GAP, FOUR = (f"[{calculation_evidence_id(one)}]" for one in SUMS)
WEB = "W:aaaaaaaa"
BRANDS = [{"name": "Fennick", "orders": 5}]
ORDER_ROWS = [
    {"order_date": f"{day}T10:00:00Z", "order_status": status}
    for day, status in (("2021-11-05", "Delivered"), ("2022-03-14", "Delivered"), ("2022-04-02", "Cancelled"))
]
QUERY = Query(
    query_id="k1",
    user_id="A1",
    text="A gift for my sister: a kettle and towels, $75 in all, with at least 4 stars and 100 reviews.",
    wish=Wish(
        wants=(Want(name="kettle", kinds=("kettle",)), Want(name="towels", kinds=("kitchen towel",))),
        budget=Money.of(75),
    ),
    source="a person",
)


def recorded(key: str, text: str) -> Evidence:
    return build.evidence(key, build.text(text, "record"))


def an_order(key: str) -> Evidence:
    item, day = ORDERS[key]
    record = {"order_id": key, "product_id": item.product_id, "order_date": f"{day}T10:00:00.000000", "quantity": 1}
    return recorded(f"O:{key}", compact_json(record | {"order_status": "Delivered"}))


EVIDENCE = {
    one.id: one
    for one in (
        *(recorded(f"P:{key}", record_text(item)) for key, item in GOODS.items()),
        *(an_order(key) for key in ORDERS),
        *(
            recorded(calculation_evidence_id(expression), f"{expression} = {result}")
            for expression, result in SUMS.items()
        ),
        recorded(WEB, "Steel lasts."),
        recorded("U:statistics", json.dumps({"orders": 12, "mean_order": 31.2, "top_brands": BRANDS})),
        recorded("U:orders", json.dumps({"total": 3, "shown": 3, "orders": ORDER_ROWS})),
        recorded("U:profile", json.dumps({"account_status": "active"})),
    )
}


def a_ledger(picks: Sequence[Pick] | None = None) -> Ledger:
    return read_ledger(EVIDENCE, QUERY, picks=picks)


def reading_of(report: str, picks: Sequence[Pick] | None = None) -> Reading:
    return read_by_form(read_layout(report, EVIDENCE), a_ledger(picks))


def errors_in(report: str, picks: Sequence[Pick] | None = None) -> list[Finding]:
    """What value and source findings a report gives."""
    return [
        *value_findings(report, reading_of(report, picks).values),
        *source_findings(find_citations(report, EVIDENCE), GOODS),
    ]

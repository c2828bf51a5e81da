"""A small shelf of products, the ledger of a run that has seen it, and the case of a report about it."""

from collections.abc import Collection, Mapping
from typing import Any

from drretail.grounding.report.evidence_ids import calculation_evidence_id, order_evidence_id, web_evidence_id
from drretail.grounding.text.serialisation import compact_json, order_item, record_text, user_record
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText, Finding
from drretail.records.money import Money
from drretail.records.query import Constraints, Query
from drretail.records.run import Run, Step
from drretail.records.shop import Address, Order, Product, UserProfile

USER = "AE" + "X" * 26
PAGE = "https://birds.example/poles"
WEB = web_evidence_id(PAGE)
SUM = calculation_evidence_id("43.99 + 36.99")


def a_product(
    number: int, title: str, price: float | None, rating: float | None, count: int | None, brand: str
) -> Product:
    return Product(
        product_id=f"B0SHELF00{number}",
        title=title,
        price=price,
        average_rating=rating,
        rating_number=count,
        store=brand,
        category="Patio_Lawn_and_Garden",
        categories=("Patio", "Birds"),
    )


STATION = a_product(1, "Quillet Bird Feeding Station Kit, 91 inch Pole with 4 Hooks", 43.99, 4.5, 2067, "Quillet")
FEEDER = a_product(2, "Ostrabel Panorama Tube Feeder, 2 lb, Green", 36.99, 4.3, 12408, "Ostrabel")
SEED = a_product(3, "Brindlecote Sunflower Hearts for Wild Birds, 10 lb", 47.98, 4.7, 512, "Brindlecote")
HOUSE = a_product(4, "Marlowick Cedar Nest Box with Clean-Out Door", 28.5, 4.6, 389, "Marlowick")
BATH = a_product(5, "Tarnside Heated Bird Bath with Stand", None, None, 0, "Tarnside")
PACK = a_product(6, "Brindlecote Suet Cakes, 12 Pack", 17.88, 4.4, 951, "Brindlecote").model_copy(
    update={"price_from": True}
)
SHELF = {product.product_id: product for product in (STATION, FEEDER, SEED, HOUSE, BATH, PACK)}
PROFILE = UserProfile(
    user_id=USER,
    email="mara.ellwood7@example.org",
    first_name="Mara",
    last_name="Ellwood",
    phone_number="001-555-010-4477",
    address=Address(address1="8646 Harrow Pass", city="Norman", state="OK", zip="73019"),
)
ORDER = Order(order_id="0526194960", user_id=USER, product_id=HOUSE.product_id, timestamp=1_600_000_000_000)


def text_of(text: str, form: Any = "record") -> EvidenceText:
    return EvidenceText(sha256=str(hash(text)), form=form, text=text, shown=True, path="0", seq=1)


def entry(evidence_id: str, kind: EvidenceKind, key: str, text: str, url: str | None = None) -> Evidence:
    form = "snippet" if kind == "web" else "record"
    return Evidence(id=evidence_id, kind=kind, key=key, title=key, url=url, texts=(text_of(text, form),))


def ledger() -> dict[str, Evidence]:
    entries = [
        entry(f"P:{key}", "product", key, record_text(product), product.product_url) for key, product in SHELF.items()
    ]
    entries += [
        entry(WEB, "web", PAGE, "A pole keeps squirrels away.", PAGE),
        entry(SUM, "calculation", "43.99+36.99", "43.99 + 36.99 = 80.98"),
        entry("U:profile", "user", f"profile of {USER}", compact_json(user_record(PROFILE, "U:profile"))),
        entry(order_evidence_id(ORDER.order_id), "order", ORDER.order_id, compact_json(order_item(ORDER, HOUSE))),
    ]
    return {item.id: item for item in entries}


def lookup(ids: Collection[str]) -> Mapping[str, Product]:
    return {key: SHELF[key] for key in ids if key in SHELF}


def a_query(text: str = "Find me feeders for my garden.", **constraints: Any) -> Query:
    if "budget" in constraints:
        constraints["budget"] = Money.of(constraints["budget"])
    return Query(query_id="q1", user_id=USER, text=text, constraints=Constraints(**constraints), source="a person")


def a_run(*searches: str, **fields: Any) -> Run:
    steps = tuple(
        Step(path="0", seq=number, kind="tool", role="researcher", name="web_search", args={"query": search})
        for number, search in enumerate(searches, 1)
    )
    return Run(
        run_id="a/q1-r1",
        system="a",
        query_id="q1",
        user_id=USER,
        repeat=1,
        status="done",
        stop="finished",
        steps=steps,
        **fields,
    )


def a_case(report: str, query: Query | None = None, **fields: Any) -> Case:
    fields.setdefault("lookup", lookup)
    return Case(report=report, evidence=ledger(), query=query or a_query(), **fields)


def found(report: str, query: Query | None = None, **fields: Any) -> list[Finding]:
    case = a_case(report, query, **fields)
    return check_report(case, read_report(case))


def codes(report: str, query: Query | None = None, **fields: Any) -> list[str]:
    return [finding.code for finding in found(report, query, **fields)]

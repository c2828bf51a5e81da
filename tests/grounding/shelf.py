"""A small shelf of products for birds, a user with an order, and the ledger of a run that has seen them."""

from drretail.grounding.report.evidence_ids import calculation_evidence_id, order_evidence_id, web_evidence_id
from drretail.grounding.text.serialisation import compact_json, order_item, record_text, user_record
from drretail.records.evidence import Evidence
from drretail.records.shop import Address, Order, Product, UserProfile
from tests.grounding.kitchen import a_product, recorded

USER = "AE" + "X" * 26
PAGE = "https://birds.example/poles"
BIRDS = {"category": "Patio_Lawn_and_Garden", "categories": ("Patio", "Birds")}


def of_birds(
    number: int, title: str, price: float | None, rating: float | None, count: int | None, brand: str, **more: bool
) -> Product:
    return a_product("", title, price, rating, count, brand, product_id=f"B0SHELF00{number}", **BIRDS, **more)


STATION = of_birds(1, "Quillet Bird Feeding Station Kit, 91 inch Pole with 4 Hooks", 43.99, 4.5, 2067, "Quillet")
FEEDER = of_birds(2, "Ostrabel Panorama Tube Feeder, 2 lb, Green", 36.99, 4.3, 12408, "Ostrabel")
SEED = of_birds(3, "Brindlecote Sunflower Hearts for Wild Birds, 10 lb", 47.98, 4.7, 512, "Brindlecote")
HOUSE = of_birds(4, "Marlowick Cedar Nest Box with Clean-Out Door", 28.5, 4.6, 389, "Marlowick")
BATH = of_birds(5, "Tarnside Heated Bird Bath with Stand", None, None, 0, "Tarnside")
PACK = of_birds(6, "Brindlecote Suet Cakes, 12 Pack", 17.88, 4.4, 951, "Brindlecote", price_from=True)
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


def ledger() -> dict[str, Evidence]:
    entries = [recorded(f"P:{key}", record_text(product)) for key, product in SHELF.items()]
    entries += [
        recorded(web_evidence_id(PAGE), "A pole keeps squirrels away.").model_copy(update={"url": PAGE}),
        recorded(calculation_evidence_id("43.99 + 36.99"), "43.99 + 36.99 = 80.98"),
        recorded("U:profile", compact_json(user_record(PROFILE, "U:profile"))),
        recorded(order_evidence_id(ORDER.order_id), compact_json(order_item(ORDER, HOUSE))),
    ]
    return {item.id: item for item in entries}

"""Made-up goods of a kitchen, what runs have seen of them, a user; and wants with what would do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from drretail.records.evidence import Evidence
from drretail.records.query import Fit, Query, WantedThing
from drretail.records.reading import Pick, ReadValue
from drretail.records.run import Run, Step
from drretail.records.shop import Address, Money, Product, UserProfile
from drretail.records.wish import Want, Wish
from drretail.reports.layout import read_layout
from drretail.reports.text.evidence_ids import calculation_evidence_id
from drretail.reports.text.serialisation import compact_json, record_text, user_record
from drretail.shopping.verify.form import read_by_form
from drretail.shopping.verify.parts import parts_by_marks
from drretail.shopping.verify.records import Ledger, read_ledger
from drretail.shopping.vocabulary import Vocabulary
from tests import build


def a_product(
    key: str, title: str, price: float | None, rating: float | None, count: int | None, brand: str, leaf: str
) -> Product:
    fields = {"product_id": f"B0KITCHEN{key}", "title": title, "price": price, "average_rating": rating}
    fields |= {"rating_number": count, "store": brand, "category": "Home_and_Kitchen"}
    return Product.model_validate(fields | {"categories": ("Home & Kitchen", "Kitchen & Dining", leaf)})


KETTLE = a_product(
    "K", "Harrowgill Gooseneck Kettle, 0.9 L, Stainless Steel", 42.95, 4.6, 1843, "Harrowgill", "Kettles"
)
PAN = a_product("P", "Fennick Carbon Steel Pan, 10 inch", 38.5, 4.3, 512, "Fennick", "Pans")
TOWELS = a_product("T", "Linnetwick Kitchen Towels, Cotton, 6 Pack", 17.99, 4.7, 2210, "Linnetwick", "Kitchen Towels")
SCALE = a_product("S", "Aldbrook Digital Kitchen Scale, 11 lb", 12.49, 4.1, 98, "Aldbrook", "Kitchen Scales")
MUGS = a_product("M", "Fennick Stoneware Mugs, Set of 4, 12 oz", 27.0, 4.8, 447, "Fennick", "Mugs")
JAR = a_product("J", "Ostermill Cookie Jar", None, 4.4, 61, "Ostermill", "Cookie Jars")
GOODS = {item.product_id: item for item in (KETTLE, PAN, TOWELS, SCALE, MUGS, JAR)}
K, P, T, S, M, J = (f"[P:{key}]" for key in GOODS)


@dataclass(frozen=True)
class Known:
    """The records of a shop, by id, as its store gives them."""

    by_id: Mapping[str, Product]

    def products(self, product_ids: Sequence[str]) -> Mapping[str, Product]:
        return {key: self.by_id[key] for key in product_ids if key in self.by_id}

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.by_id.values)


ORDERS = {"1000000001": (SCALE, "2022-03-14"), "1000000002": (MUGS, "2021-11-30")}
O1, O2 = (f"[O:{key}]" for key in ORDERS)
SUMS = {
    "42.95+17.99": "60.94",
    "75-60.94": "14.06",
    "17.99/6": "2.9983333333",
    "42.95-38.5": "4.45",
}
TOTAL, LEFT, EACH, GAP = (f"[{calculation_evidence_id(one)}]" for one in SUMS)
WEB = "W:aaaaaaaa"
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
    )
}


def a_ledger(picks: Sequence[Pick] | None = None) -> Ledger:
    return read_ledger(EVIDENCE, QUERY, picks=picks)


def values_in(report: str, ledger: Ledger | None = None) -> list[ReadValue]:
    """What form makes certain in a report on the kitchen."""
    layout = read_layout(report, EVIDENCE)
    return read_by_form(layout, ledger or a_ledger(), parts_by_marks(layout))


def in_words(values: Iterable[ReadValue]) -> str:
    """ "price 42.95, rating 4.9!": the values in order, the contradicted with an exclamation mark."""
    values = sorted(values, key=lambda value: value.start)
    return ", ".join(f"{value.kind} {value.amount}{'!' * (value.state == 'contradicted')}" for value in values)


def check_reading(rows: Mapping[str, str], behind: str = "") -> None:
    """Form makes this certain of each report, which the text ``behind`` ends."""
    found = {report: in_words(values_in(f"{report}{behind}")) for report in rows}
    assert {report: words for report, words in found.items() if words != rows[report]} == {}


GERMAN = (
    "Die Auswahl ist nach den Angaben im Laden und nach den früheren Bestellungen getroffen, und alle Preise gelten "
    "ohne Versand; geprüft wurde außerdem, ob die Bewertungen von vielen Käufern stammen und ob der Hersteller schon "
    "bekannt ist, denn das war in der Frage gewünscht."
)
USER = "AE" + "X" * 26
PROFILE = UserProfile(
    user_id=USER,
    email="mara.ellwood7@example.org",
    first_name="Mara",
    last_name="Ellwood",
    phone_number="001-555-010-4477",
    address=Address(address1="8646 Harrow Pass", city="Norman", state="OK", zip="73019"),
)
PROFILE_SHOWN = {"U:profile": recorded("U:profile", compact_json(user_record(PROFILE, "U:profile")))}


def a_search(*searches: str) -> Run:
    """A run of the user that has searched the web for these."""
    about: dict[str, Any] = {"path": "0", "kind": "tool", "role": "researcher", "name": "web_search"}
    steps = tuple(Step(seq=at, args={"query": search}, **about) for at, search in enumerate(searches, 1))
    return build.run(user_id=USER, steps=steps)


PRICES = st.none() | st.sampled_from(["1", "2", "2.5", "4", "8"])
FITS = st.lists(
    st.builds(Fit, offer_id=st.sampled_from([f"P{n}" for n in range(7)]), price=PRICES, worth=st.integers(0, 4)),
    max_size=6,
    unique_by=lambda fit: fit.product_id,
)


@st.composite
def things(draw: st.DrawFn) -> list[WantedThing]:
    """Up to four wanted things, for several of which a product may do, with one price and one worth each."""
    known: dict[str, Fit] = {}
    return [
        thing(
            str(number),
            *(known.setdefault(fit.product_id, fit) for fit in draw(FITS)),
            quantity=draw(st.integers(1, 3)),
            optional=draw(st.booleans()),
        )
        for number in range(draw(st.integers(1, 4)))
    ]


def fit(product_id: str, price: str | None = "10", worth: int = 0, **more: Any) -> Fit:
    return Fit.model_validate({"offer_id": product_id, "price": price, "worth": worth, **more})


def thing(name: str, *fits: Fit, quantity: int = 1, optional: bool = False) -> WantedThing:
    return WantedThing(name=name, quantity=quantity, optional=optional, fits=fits)


def product(product_id: str, price: float | None = 10.0, **fields: object) -> Product:
    return Product.model_validate(
        {"product_id": product_id, "title": f"Feeder {product_id}", "price": price, "category": "Pets"} | fields
    )


def want(name: str = "feeder", **limits: Any) -> Want:
    return Want.model_validate({"name": name, "kinds": (name,), **limits})

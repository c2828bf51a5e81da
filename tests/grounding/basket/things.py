"""Products, wants and what would do for them, made by hand."""

from typing import Any

from hypothesis import strategies as st

from drretail.records.query import Fit, WantedThing
from drretail.records.shop import Product
from drretail.records.wish import Want

PRICES = st.none() | st.sampled_from(["1", "2", "2.5", "4", "8"])
FITS = st.lists(
    st.builds(Fit, product_id=st.sampled_from([f"P{n}" for n in range(7)]), price=PRICES, worth=st.integers(0, 4)),
    max_size=6,
    unique_by=lambda fit: fit.product_id,
)


@st.composite
def things(draw: st.DrawFn, most: int = 4) -> list[WantedThing]:
    """Up to so many wanted things, for several of which a product may do, with one price and one worth each."""
    known: dict[str, Fit] = {}
    return [
        thing(
            str(number),
            *(known.setdefault(fit.product_id, fit) for fit in draw(FITS)),
            quantity=draw(st.integers(1, 3)),
            optional=draw(st.booleans()),
        )
        for number in range(draw(st.integers(1, most)))
    ]


def fit(product_id: str, price: str | None = "10", worth: int = 0, **more: Any) -> Fit:
    return Fit.model_validate({"product_id": product_id, "price": price, "worth": worth, **more})


def thing(name: str, *fits: Fit, quantity: int = 1, optional: bool = False) -> WantedThing:
    return WantedThing(name=name, quantity=quantity, optional=optional, fits=fits)


def product(product_id: str, price: float | None = 10.0, **fields: object) -> Product:
    return Product.model_validate(
        {"product_id": product_id, "title": f"Feeder {product_id}", "price": price, "category": "Pets"} | fields
    )


def want(name: str = "feeder", **limits: Any) -> Want:
    return Want.model_validate({"name": name, "kinds": (name,), **limits})

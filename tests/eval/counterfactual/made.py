"""Advice made by hand: what a report recommends of a small shop."""

from collections.abc import Collection

from drretail.eval.counterfactual.measure import Advice
from drretail.records.counterfactual import ProfileTraits
from tests.two_tastes import BIRDS, DOGS, PRODUCTS

KNOWN = {product.product_id: product for product in PRODUCTS}
BIRD_LOVER = ProfileTraits(
    user_id=BIRDS, orders=3, categories={"Bird Feeders": 3}, brands={"Tanagrove": 3}, price_position=0.0
)
DOG_OWNER = ProfileTraits(
    user_id=DOGS, orders=4, categories={"Dog Beds": 4}, brands={"Napperly": 4}, price_position=1.0
)


def advice(*product_ids: str, broken: Collection[str] = ()) -> Advice:
    return Advice(
        recommended={id_: KNOWN[id_] for id_ in product_ids},
        handed=KNOWN,
        broken=frozenset(broken),
    )

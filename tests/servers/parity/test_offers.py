"""What would do for a wish, wherever a world is kept."""

import pytest

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from tests.servers.parity.conftest import Copies


def test_wants_are_offered_the_same_and_come_to_the_same_baskets(
    copies: Copies, served: World, embedded: World, products: list[Product], monkeypatch: pytest.MonkeyPatch
) -> None:
    del copies
    monkeypatch.setattr("drretail.env.catalog.elastic.IDS_AT_ONCE", 50)
    leaves = sorted({product.categories[-1] for product in products if len(product.categories) > 1})[:12]
    # The last words of some titles stand for nouns, as people write them.
    nouns = sorted({" ".join(product.title.split(",")[0].split()[-2:]) for product in products[::97]} - {""})[:12]
    wants = tuple(Want(name=f"thing {number}", kinds=(kind,)) for number, kind in enumerate((*leaves, *nouns)))
    here, there = Offers(embedded), Offers(served)
    offered = [[each.product.product_id for each in here.of_want(want)] for want in wants]
    assert sum(map(bool, offered)) > len(leaves)
    assert [[each.product.product_id for each in there.of_want(want)] for want in wants] == offered
    for want in wants:
        wish = Wish(wants=(want,), budget=Money.of(40))
        query = Query(query_id="q1", text="What would do?", source="test", wish=wish)
        assert there.reference(query) == here.reference(query)

"""Queries of a world in the one that was made of it."""

from pathlib import Path

import pytest

from drretail.data_ingest.perturb.carried_queries import carried
from drretail.data_ingest.perturb.perturbed_world import Perturbation, perturb_world
from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from tests.build import query
from tests.shop import USER, build_shop


@pytest.fixture
def mapping(tmp_path: Path) -> Perturbation:
    return perturb_world(build_shop(tmp_path / "world"), tmp_path / "other", "1")[1]


def test_brands_and_products_are_those_of_the_other_world_and_all_else_stays(mapping: Perturbation) -> None:
    feeder = Want(name="feeder", kinds=("feeder",), brands_wanted=("Tanagrove",), must=("fits the Tanagrove pole",))
    text = "My Tanagrove feeder (B0TEST0001) leaks; another by tanagrove under $30?"
    wish = Wish(wants=(feeder,), budget=Money.of(30), owned=("B0TEST0001",))
    old = query("q1", text, user_id=USER, wish=wish, world_fingerprint=mapping.perturbed_from)
    (new, untyped) = carried([old, old.model_copy(update={"wish": None})], mapping)
    assert untyped.wish is None
    brand, product = mapping.brands["Tanagrove"], mapping.ids["B0TEST0001"]
    assert new.text == f"My {brand} feeder ({product}) leaks; another by {brand} under $30?"
    assert new.wish is not None
    (want,) = new.wish.wants
    assert (want.brands_wanted, want.must) == ((brand,), (f"fits the {brand} pole",))
    assert new.wish.owned == (product,)
    assert new.world_fingerprint == mapping.fingerprint
    assert (new.query_id, new.user_id) == (old.query_id, old.user_id)
    assert (new.wish.budget, want.name) == (Money.of(30), "feeder")

"""Queries of a world in the one that was made of it."""

from pathlib import Path

import pytest

from drretail.data_ingest.perturb.carried_queries import carried
from drretail.data_ingest.perturb.perturbed_world import Perturbation, perturb_world
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.shop import USER, build_shop


@pytest.fixture
def mapping(tmp_path: Path) -> Perturbation:
    return perturb_world(build_shop(tmp_path / "world"), tmp_path / "other", "1")[1]


def query(mapping: Perturbation, **more: object) -> Query:
    return Query.model_validate(
        {
            "query_id": "q1",
            "user_id": USER,
            "text": "My Tanagrove feeder (B0TEST0001) leaks; another by tanagrove under $30?",
            "wish": Wish(
                wants=(
                    Want(
                        name="feeder",
                        kinds=("feeder",),
                        brands_wanted=("Tanagrove",),
                        must=("fits the Tanagrove pole",),
                    ),
                ),
                budget=Money(amount="30", currency="USD"),
                owned=("B0TEST0001",),
            ),
            "world_fingerprint": mapping.perturbed_from,
            "source": "test",
            **more,
        }
    )


def test_brands_and_products_are_those_of_the_other_world_and_all_else_stays(mapping: Perturbation) -> None:
    old = query(mapping)
    (new,) = carried([old], mapping)
    brand, product = mapping.brands["Tanagrove"], mapping.ids["B0TEST0001"]
    assert new.text == f"My {brand} feeder ({product}) leaks; another by {brand} under $30?"
    assert new.wish is not None
    (want,) = new.wish.wants
    assert (want.brands_wanted, want.must) == ((brand,), (f"fits the {brand} pole",))
    assert new.wish.owned == (product,)
    assert new.world_fingerprint == mapping.fingerprint
    assert (new.query_id, new.user_id) == (old.query_id, old.user_id)
    assert (new.wish.budget, want.name) == (Money.of(30), "feeder")


def test_a_query_that_nobody_has_typed_stays_so(mapping: Perturbation) -> None:
    older = query(mapping, wish=None)
    (new,) = carried([older], mapping)
    assert new.wish is None

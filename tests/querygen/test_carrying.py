"""Queries of a world in the one that was made of it."""

from pathlib import Path

import pytest

from drretail.data_ingest.perturb.perturbed_world import Perturbation, perturb_world
from drretail.errors import UserError
from drretail.querygen.carrying import carried
from drretail.records.money import Money
from drretail.records.query import Constraints, Query, demands
from tests.shop import USER, build


@pytest.fixture
def mapping(tmp_path: Path) -> Perturbation:
    return perturb_world(build(tmp_path / "world"), tmp_path / "other", "1")[1]


def query(mapping: Perturbation, **more: object) -> Query:
    return Query.model_validate(
        {
            "query_id": "q1",
            "user_id": USER,
            "text": "My Tanagrove feeder (B0TEST0001) leaks; another by tanagrove under $30?",
            "constraints": Constraints(
                budget=Money(amount="30", currency="USD"),
                brands_wanted=("Tanagrove",),
                must=demands("fits the Tanagrove pole"),
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
    assert new.constraints.brands_wanted == (brand,)
    assert new.constraints.must[0].property == f"fits the {brand} pole"
    assert new.constraints.owned == (product,)
    assert new.world_fingerprint == mapping.fingerprint
    assert (new.query_id, new.user_id, new.constraints.budget) == (old.query_id, old.user_id, old.constraints.budget)


def test_a_query_of_a_third_world_is_refused(mapping: Perturbation) -> None:
    with pytest.raises(UserError, match="was made for the world"):
        carried([query(mapping, world_fingerprint="a" * 64)], mapping)

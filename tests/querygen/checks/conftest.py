"""A query of Anna's in which nothing is found, and a linter of her shop."""

import pytest

from drretail.env.world import World
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from tests.querygen.conftest import product_id

HOUSE: dict[str, object] = {"name": "birdhouse", "kinds": ["birdhouse"]}
BATH: dict[str, object] = {"name": "bird bath", "kinds": ["bird bath"]}
TEXT = (
    "I've had my bird feeder since January, and now I'd like to turn the yard into a small bird sanctuary. I need a "
    "birdhouse and a bird bath. Please find out how far apart everything should stand. Please keep the total under "
    "$60. My order history should show you what I can leave out."
)
RATIONALE = "The record shows a bird feeder, but no birdhouse or bird bath; the arrangement is a matter for the web."


@pytest.fixture(scope="session")
def linter(world: World) -> Linter:
    return Linter(world)


@pytest.fixture
def query() -> Query:
    return Query.model_validate(
        {
            "query_id": "anna-1",
            "user_id": "ANNA",
            "text": TEXT,
            "rationale": RATIONALE,
            "expected_tools": ["get_user_orders", "product_catalog_search", "web_search", "calculator"],
            "wish": {"wants": [HOUSE, BATH], "budget": {"amount": "60"}, "owned": [product_id("bird feeder", 1)]},
            "source": "a test",
        }
    )

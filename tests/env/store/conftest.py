"""The shop of ``tests.env`` in every kind of place."""

from collections.abc import Callable, Iterator

import pytest

from drretail.env.store.base import Store
from drretail.env.world import OrderRow
from drretail.records.shop import Product
from tests.places import PLACES, Place, PlaceKind


@pytest.fixture(scope="session", params=PLACES)
def place(
    request: pytest.FixtureRequest,
    new_place: Callable[[PlaceKind], Place],
    products: list[Product],
    orders: list[OrderRow],
) -> Place:
    """Where the shop is; tests change only the profiles of Bert and Cara."""
    made = new_place(request.param)
    made.write(products, orders)
    return made


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with place.open() as world:
        yield world.store

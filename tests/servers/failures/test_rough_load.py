"""A load through a bad line: it takes longer, and the world is the same."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.manifest import Manifest
from drretail.env.servers.naming import ServerSettings
from tests.servers.failures.shop import at, documents, load, orders, products, whole
from tests.servers.proxy import Proxy

pytestmark = pytest.mark.servers


@pytest.fixture
def through(server_settings: ServerSettings, before_mongo: Proxy) -> ServerSettings:
    """Both servers, MongoDB behind the troublemaker."""
    mongo_url = f"mongodb://127.0.0.1:{before_mongo.port}/?directConnection=true"
    return replace(server_settings, mongo_url=mongo_url)


@pytest.mark.parametrize("stream", ["products", "orders"])
@pytest.mark.parametrize("fault", ["drop", "cut", "stall"])
def test_a_load_survives_a_bad_line_to_mongodb(
    through: ServerSettings, before_mongo: Proxy, fresh_name: str, embedded: Manifest, stream: str, fault: str
) -> None:
    faults: dict[str, Callable[[], object]] = {
        "drop": before_mongo.drop,
        "cut": lambda: before_mongo.cut_after(40),
        "stall": before_mongo.stall,
    }
    shop: dict[str, tuple[list[Any], int]] = {"products": (products(), 3_000), "orders": (orders(), 20_000)}
    rows, place = shop[stream]
    healing = at(place, lambda: soon(before_mongo.flow), at(place, faults[fault], rows))
    given: dict[str, Any] = {stream: healing}
    assert load(through, fresh_name, **given).fingerprint == embedded.fingerprint
    assert whole(1, fresh_name).items() <= documents(through, fresh_name).items()


def soon(action: Callable[[], object]) -> None:
    threading.Timer(0.5, action).start()

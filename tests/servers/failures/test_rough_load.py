"""A load through a bad line, or into servers that are busy: it takes longer, and the world is the same."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from drretail.env.manifest import Manifest
from drretail.env.servers.naming import ServerSettings
from drretail.errors import UserError
from tests.servers.failures.shop import at, documents, load, orders, products, whole
from tests.servers.front import Front, always, times
from tests.servers.proxy import Proxy

pytestmark = pytest.mark.servers


@pytest.fixture
def through(server_settings: ServerSettings, front: Front, before_mongo: Proxy) -> ServerSettings:
    """Both servers, behind the troublemakers."""
    mongo_url = f"mongodb://127.0.0.1:{before_mongo.port}/?directConnection=true"
    return replace(server_settings, mongo_url=mongo_url, es_url=front.url)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("words", [("_bulk",), ()], ids=["bulk", "everything"])
def test_a_load_waits_for_an_elasticsearch_that_is_busy_for_a_while(
    through: ServerSettings,
    front: Front,
    fresh_name: str,
    embedded: Manifest,
    status: int,
    words: tuple[str, ...],
) -> None:
    rows = at(3_000, lambda: setattr(front, "rule", times(4, status, *words)), products())
    manifest = load(through, fresh_name, products=rows)
    assert front.refused == 4
    assert manifest.fingerprint == embedded.fingerprint
    assert whole(1, fresh_name).items() <= documents(through, fresh_name).items()


def test_a_load_gives_up_on_an_elasticsearch_that_stays_busy_and_goes_on_later(
    through: ServerSettings, front: Front, fresh_name: str, embedded: Manifest
) -> None:
    front.rule = always(429, "_bulk")
    with pytest.raises(UserError, match=r"overloaded \(status 429\).* goes on where") as caught:
        load(through, fresh_name, patience=0.5)
    assert urlsplit(front.url).netloc in str(caught.value)
    front.rule = None
    assert load(through, fresh_name).fingerprint == embedded.fingerprint
    assert whole(1, fresh_name).items() <= documents(through, fresh_name).items()


@pytest.mark.parametrize("stream", ["products", "orders"])
@pytest.mark.parametrize("fault", ["drop", "cut", "stall"])
def test_a_load_survives_a_bad_line_to_mongodb(
    through: ServerSettings,
    before_mongo: Proxy,
    fresh_name: str,
    embedded: Manifest,
    stream: str,
    fault: str,
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

"""How a world goes live on servers, and what becomes of a load that was cut. Also tests generations.py."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import create_index
from drretail.env.clients import Servers
from drretail.env.manifest import WorldRows
from drretail.env.servers.checking import check_servers
from drretail.env.servers.generations import read_generation
from drretail.env.servers.loading import write_servers
from drretail.env.servers.marks import LIVE, WORLDS
from drretail.env.store.mongo import order_document
from drretail.env.world import Manifest, OrderRow, World, default_pool, world_at
from drretail.errors import ToolError, UserError
from tests.build import known
from tests.shop import ORDERS, PRODUCTS


@pytest.fixture
def opened(servers: Servers) -> Iterator[Callable[[], World]]:
    """Opens what is live now."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(world_at(f"servers:{servers.name}", servers=servers.settings))


def write(servers: Servers, orders: Iterable[OrderRow] = ORDERS, **given: Any) -> Manifest:
    """``given`` are other fields of ``WorldRows``."""
    fields: dict[str, Any] = {"seed": "42", "pool": default_pool(), **given}
    return write_servers(servers, WorldRows(PRODUCTS, orders, **fields))


def keys(servers: Servers) -> set[str]:
    """The generations of which there is anything on either server."""
    names = [name for name in servers.database.list_collection_names() if name != WORLDS]
    indices = servers.elastic.indices.get(index=f"{servers.name}-g*")
    return {name[1:].partition("_")[0] for name in names} | {name[-8:] for name in indices}


def live_key(servers: Servers) -> str:
    return read_generation(servers).key


def test_the_last_two_generations_stay_and_older_ones_go(servers: Servers, opened: Callable[[], World]) -> None:
    write(servers)
    first, oldest = live_key(servers), opened()
    write(servers, ORDERS[1:])
    second = live_key(servers)
    assert keys(servers) == {first, second}
    assert len(oldest.store.products([PRODUCTS[0].product_id])) == 1
    assert oldest.store.order(ORDERS[0].order_id)
    with known(opened().open_former()) as former:
        assert former.manifest == oldest.manifest
    write(servers, ORDERS[2:])
    third = live_key(servers)
    assert keys(servers) == {second, third}
    indices = servers.elastic.indices.get_alias(index=f"{servers.name}-g*").body
    assert {name: list(index["aliases"]) for name, index in indices.items()} == {
        f"{servers.name}-g{second}": [],
        f"{servers.name}-g{third}": [servers.name],
    }
    with pytest.raises(ToolError) as caught:
        oldest.catalog.search(CatalogQuery(""))
    assert caught.value.kind == "unavailable"


def test_a_load_that_was_cut_never_shows_and_is_begun_anew(servers: Servers, opened: Callable[[], World]) -> None:
    made = write(servers)
    before = live_key(servers)

    def cut() -> Iterator[OrderRow]:
        yield ORDERS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(servers, cut())
    assert keys(servers) == {before}
    assert opened().manifest == made
    write(servers, ORDERS[1:])
    assert keys(servers) == {before, live_key(servers)}
    assert check_servers(f"servers:{servers.name}", servers.settings) == []


def test_of_two_loads_the_later_goes_live(servers: Servers) -> None:
    def overtaken() -> Iterator[OrderRow]:
        yield ORDERS[0]
        write(servers, ORDERS[1:])
        yield from ORDERS[1:]

    with pytest.raises(UserError, match=rf"has begun meanwhile \(process {os.getpid()} on .*, since 20.* UTC\)"):
        write(servers, overtaken())
    assert keys(servers) == {live_key(servers)}
    assert read_generation(servers).manifest.counts.orders == len(ORDERS) - 1
    assert check_servers(f"servers:{servers.name}", servers.settings) == []


def test_a_load_that_another_began_after_the_last_row_does_not_go_live(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = write(servers)

    def overtaken(*_: object) -> list[tuple[str, int]]:
        servers.database[WORLDS].update_one(LIVE, {"$set": {"latest.key": "0" * 8}})
        return []

    with monkeypatch.context() as patch:
        patch.setattr("drretail.env.servers.loading.row_counts", overtaken)
        with pytest.raises(UserError, match=f"Another load of servers:{servers.name} has begun meanwhile"):
            write(servers, ORDERS[1:])
    assert read_generation(servers).manifest == made


def test_other_rows_than_were_sent_or_expected_do_not_go_live(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        texts = {"quantity": "1"}
        patch.setattr("drretail.env.servers.loading.order_document", lambda row: {**order_document(row), **texts})
        write(servers)  # as many, and so live; a check reads them
        found = check_servers(f"servers:{servers.name}", servers.settings)
        assert [finding.code for finding in found] == ["unreadable"]
        patch.setattr("drretail.env.servers.loading.user_document", lambda user: {"_id": "the same"})
        with pytest.raises(UserError, match="refused the request"):
            write(servers)
    with pytest.raises(UserError, match="another fingerprint"):
        write(servers, ORDERS[1:], expected="f" * 64)
    made = write(servers)
    assert write(servers, expected=made.fingerprint).fingerprint == made.fingerprint


def test_a_damaged_description_is_said_and_replaced(servers: Servers, opened: Callable[[], World]) -> None:
    write(servers)
    servers.database[WORLDS].update_one(LIVE, {"$unset": {"generations.0.record": 1}})
    with pytest.raises(UserError, match="damaged or of another version"):
        opened()
    write(servers)
    assert opened().manifest.counts.products == len(PRODUCTS)
    assert opened().open_former() is None


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("read_only_allow_delete", "too little free disk space .*free some"),
        ("write", "blocks an index .*can lift that"),
    ],
)
def test_a_load_into_a_blocked_index_says_why_and_leaves_nothing(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, block: str, words: str
) -> None:
    made, before = write(servers), live_key(servers)

    def blocked(client: Elasticsearch, index: str, *rest: Any) -> None:
        create_index(client, index, *rest)
        client.indices.put_settings(index=index, settings={f"index.blocks.{block}": True})

    monkeypatch.setattr("drretail.env.servers.loading.create_index", blocked)
    monkeypatch.setattr("elasticsearch.helpers.actions.time.sleep", lambda _: None)  # it asks a busy server six times
    with pytest.raises(UserError, match=words):
        write(servers, ORDERS[1:])
    assert keys(servers) == {before}
    assert read_generation(servers).manifest == made


def test_a_closed_index_is_named_with_what_opens_it(servers: Servers, opened: Callable[[], World]) -> None:
    write(servers)
    index, world = f"{servers.name}-g{live_key(servers)}", opened()
    servers.elastic.indices.close(index=index)
    for use in (opened, lambda: world.catalog.search(CatalogQuery("bird"))):
        with pytest.raises(
            (UserError, ToolError), match=f"has closed an index of this world: open it with POST /{index}/_open"
        ):
            use()

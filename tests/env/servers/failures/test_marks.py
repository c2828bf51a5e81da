"""Nothing is written, replaced or dropped that is not the world's. Tests env/servers/marks.py."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from drretail.env.catalog.base import CatalogQuery
from drretail.env.copying import copy_world, writer_to
from drretail.env.servers.checking import check_servers
from drretail.env.servers.clients import Servers, hosts_of
from drretail.env.servers.marks import LIVE, WORLDS, Mark, create_marked
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import world_at
from drretail.errors import UserError
from tests.env.servers.failures.own import FORTY, SMALL, load, own_mongo

pytestmark = pytest.mark.servers
Given = tuple[ServerSettings, str]
INDEX = "{}-g00000000"


@pytest.fixture(scope="module")
def elsewhere(server_settings: ServerSettings) -> Iterator[ServerSettings]:
    """Another MongoDB over the same Elasticsearch."""
    with own_mongo() as url:
        yield replace(server_settings, mongo_url=url)


def state(servers: Servers) -> dict[str, Any]:
    """All documents of the database, and all indices with the world's name in theirs."""
    rows = {name: [*servers.database[name].find()] for name in servers.database.list_collection_names()}
    found = servers.elastic.indices.get(index=f"*{servers.name}*", expand_wildcards="all", features="aliases,mappings")
    return {"rows": rows, "indices": found.body}


def test_two_databases_over_one_elasticsearch_keep_out_of_each_others_worlds(
    server_settings: ServerSettings, elsewhere: ServerSettings, name_world: Callable[[], str]
) -> None:
    name, other = name_world(), name_world()
    made = load(server_settings, name, **FORTY)
    load(elsewhere, other, **SMALL)
    for copy in (
        lambda: copy_world(f"servers:{other}", f"servers:{name}", servers=elsewhere),
        lambda: load(elsewhere, name, **SMALL),
    ):
        with pytest.raises(UserError, match=r"belongs to servers:.* choose another name") as caught:
            copy()
        assert all(hosts_of(each.mongo_url) in str(caught.value) for each in (server_settings, elsewhere))
        assert hosts_of(server_settings.es_url) in str(caught.value)
    with world_at(f"servers:{name}", servers=server_settings) as world:
        assert (world.manifest, world.catalog.search(CatalogQuery("bird feeder")).total) == (made, 40)
    assert check_servers(f"servers:{name}", server_settings).findings == []
    assert load(server_settings, name, **SMALL).counts.products == 5


def a_copy(servers: Servers) -> None:
    """A database restored from another's backup: with its documents and marks, and in collections of its own."""
    load(servers.settings, servers.name, **SMALL)
    documents = [*servers.database[WORLDS].find()]
    servers.database.drop_collection(WORLDS)
    create_marked(servers, WORLDS, Mark.of(servers))
    servers.database[WORLDS].insert_many(documents)


def their_document(servers: Servers) -> None:
    create_marked(servers, WORLDS, Mark.of(servers))
    servers.database[WORLDS].insert_one({**LIVE, "planet": "earth"})


def theirs(do: Callable[[Database[Any]], object]) -> Callable[[Servers], object]:
    return lambda servers: do(servers.database)


FOREIGN: dict[str, tuple[str, Callable[[Servers], object]]] = {
    "an index of the world's name": ("the index '{}'", lambda it: it.elastic.indices.create(index=it.name)),
    "an alias of the world's name": (
        "the index '{}-theirs'",
        lambda it: it.elastic.indices.create(index=f"{it.name}-theirs", aliases={it.name: {}}),
    ),
    "an index like a generation's": (
        f"the index '{INDEX}'",
        lambda it: it.elastic.indices.create(index=INDEX.format(it.name)),
    ),
    "a closed one": (
        f"the index '{INDEX}'",
        lambda it: (
            it.elastic.indices.create(index=INDEX.format(it.name)),
            it.elastic.indices.close(index=INDEX.format(it.name)),
        ),
    ),
    "a hidden one": (
        f"the index '{INDEX}'",
        lambda it: it.elastic.indices.create(index=INDEX.format(it.name), settings={"hidden": True}),
    ),
    "one of another world": (
        f"the index '{INDEX}', which belongs to servers:another",
        lambda it: it.elastic.indices.create(
            index=INDEX.format(it.name), mappings={"_meta": {"drretail": Mark(world="another").model_dump()}}
        ),
    ),
    "a database of other things": ("the collection 'planets'", theirs(lambda db: db["planets"].insert_one({}))),
    "a collection worlds": ("the collection 'worlds'", theirs(lambda db: db[WORLDS].insert_one({"a": 1}))),
    "a document of that name": ("the collection 'worlds'", theirs(lambda db: db[WORLDS].insert_one({**LIVE}))),
    "such a document in ours": ("the document 'live'", their_document),
    "a collection like ours": (
        "the collection 'g00000000_orders'",
        theirs(lambda db: db["g00000000_orders"].insert_one({"a": 1})),
    ),
    "a copied database": ("belongs to servers:{} in another database", a_copy),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_not_the_worlds_is_refused_by_name_and_left_as_it_is(servers: Servers, what: str) -> None:
    message, make = FOREIGN[what]
    make(servers)
    before = state(servers)
    for begin in (
        lambda: writer_to(f"servers:{servers.name}", servers.settings).__enter__(),
        lambda: load(servers.settings, servers.name, **SMALL),
    ):
        with pytest.raises(UserError) as caught:
            begin()
        assert message.format(servers.name) in str(caught.value)
        assert str(caught.value).count("127.0.0.1") >= 2
        assert state(servers) == before

"""Nothing is written, replaced or dropped that is not the world's. Tests env/servers/marks.py."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from benchmarks.trouble.shared import FOREIGN, state
from drretail.env.catalog.base import CatalogQuery
from drretail.env.clients import Servers, hosts_of
from drretail.env.copying import copy_world, writer_to
from drretail.env.naming import ServerSettings
from drretail.env.servers.checking import check_servers
from drretail.env.world import world_at
from drretail.errors import UserError
from tests.env.servers.failures.own import FORTY, SMALL, load, own_mongo

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def elsewhere(server_settings: ServerSettings) -> Iterator[ServerSettings]:
    """Another MongoDB over the same Elasticsearch."""
    with own_mongo() as url:
        yield replace(server_settings, mongo_url=url)


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
    assert check_servers(f"servers:{name}", server_settings) == []
    assert load(server_settings, name, **SMALL).counts.products == 5


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

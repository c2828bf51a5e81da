"""Opens a world on servers."""

from collections.abc import Collection, Mapping, Sequence

from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.manifest import Manifest, OrderRow
from drretail.env.rows import by_user
from drretail.env.servers.clients import Servers, connect
from drretail.env.servers.documents import order_row
from drretail.env.servers.faults import mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, find_generations, read_live
from drretail.env.servers.naming import ServerSettings, world_name
from drretail.env.store.mongo import MongoStore


class ServerHoldout:
    """Implements ``holdout.Holdout`` on one generation; its connection is the store's."""

    def __init__(self, servers: Servers, generation: Generation) -> None:
        self._address = servers.mongo_address
        self._rows = collections_of(servers.database, generation.number)["holdout"]

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        with mongo_faults(self._address):
            return by_user(map(order_row, self._rows.find({"user_id": {"$in": sorted(set(user_ids))}})))


def read_generation(spec: str, settings: ServerSettings) -> Generation:
    """What is live as "servers:NAME"; UserError where that is nothing, or a server cannot be used."""
    with connect(settings, world_name(spec)) as servers:
        return read_live(servers)


def kept_on_servers(spec: str, settings: ServerSettings) -> tuple[Manifest, Manifest | None, bool] | None:
    """The live world, the one before it, and whether profiles are written out; None where nothing whole is live."""
    with connect(settings, world_name(spec)) as servers:
        generations = find_generations(servers)
    if not generations:
        return None
    before = generations[1].manifest if len(generations) > 1 else None
    return generations[0].manifest, before, generations[0].materialized


def open_servers(
    spec: str, settings: ServerSettings
) -> tuple[MongoStore, ElasticCatalog, Generation, ServerHoldout | None]:
    """Store, catalog and held-out orders of what is live as "servers:NAME"; all are closed with the store.

    Raises UserError where there is no such world, where its index is of another kind, or a server cannot be used.
    """
    servers = connect(settings, world_name(spec))
    try:
        generation = read_live(servers)
        catalog = ElasticCatalog(servers.elastic, generation.index, address=servers.elastic_address)
    except BaseException:
        servers.close()
        raise
    holdout = ServerHoldout(servers, generation) if generation.held_out else None
    return MongoStore(servers, generation), catalog, generation, holdout

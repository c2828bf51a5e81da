"""Opens a world on servers."""

from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.servers.connecting import connect
from drretail.env.servers.holdout import ServerHoldout, server_holdout
from drretail.env.servers.live import Generation, read_live
from drretail.env.servers.naming import world_name
from drretail.env.servers.settings import ServerSettings
from drretail.env.store.mongo import MongoStore


def read_generation(spec: str, settings: ServerSettings) -> Generation:
    """What is live as "servers:NAME"; UserError where that is nothing, or a server cannot be used."""
    with connect(settings, world_name(spec)) as servers:
        return read_live(servers)


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
    return MongoStore(servers, generation), catalog, generation, server_holdout(servers, generation)

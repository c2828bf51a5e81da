"""Whether a load can begin: asked before hours of reading, and without writing anything."""

from drretail.env.servers.connecting import Servers
from drretail.env.servers.faults import elastic_faults, mongo_faults
from drretail.env.servers.live import WORLDS, is_generation
from drretail.env.servers.naming import SPEC_PREFIX
from drretail.errors import UserError


def check_may_write(servers: Servers) -> None:
    """Raises ToolError where the user may not write the database: MongoDB refuses to delete even what is not there."""
    with mongo_faults(servers.mongo_address):
        servers.database[WORLDS].delete_one({"_id": "nothing"})


def check_name_is_free(servers: Servers) -> None:
    """Raises UserError where the world's name is that of somebody else's index or alias: then it can be no alias."""
    with elastic_faults(servers.elastic_address):
        client, name = servers.elastic, servers.name
        if not client.indices.exists(index=name):
            return
        found = client.options(ignore_status=404).indices.get_alias(name=name, filter_path="*.aliases")
    others = sorted(index for index in found if not is_generation(name, index))
    if others or not found:
        what = f"an alias of {others[0]}" if others else "an index"
        raise UserError(
            f"Elasticsearch at {servers.elastic_address} has {what} that is called {name!r}, as the alias of the world "
            f"{SPEC_PREFIX}{name} would be: choose another name for the world, or remove what has it."
        )

"""The names of worlds on servers, ``servers:NAME``, and the servers' settings."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from drretail.errors import UserError

SPEC_PREFIX = "servers:"
KEY = "[0-9a-f]{8}"
"""The key of a generation: its index is NAME-g<key>, so that no world may be called like that."""
# Both a database and an index; three databases are MongoDB's own.
NAME = re.compile(rf"(?!(?:admin|config|local|.*-g{KEY})$)[a-z0-9][a-z0-9_-]{{0,37}}")

SHIPPED = ("demo", "market")
"""The names of the made-up shops, whose worlds are built into the cache."""


def is_on_servers(spec: str | Path) -> bool:
    """True for "servers:NAME"; a folder of that name is ./servers:NAME."""
    return isinstance(spec, str) and spec.startswith(SPEC_PREFIX)


def world_name(spec: str) -> str:
    """NAME of "servers:NAME". Raises UserError if it cannot name both a database and an index."""
    name = spec.removeprefix(SPEC_PREFIX)
    if not NAME.fullmatch(name):
        raise UserError(
            f"{spec!r} cannot name a world on servers: after '{SPEC_PREFIX}' come at most 38 of a-z, 0-9, '_' and '-', "
            "the first a letter or digit. It is not admin, config or local. It does not end in '-g' and 8 of 0-9a-f."
        )
    return name


MONGO_PORT, ES_PORT = 27017, 9200
"""The ports on this machine. docker-compose.yml publishes the servers there, by the same settings."""
# Direct, since a replica set in a container names the port that it has inside.
LOCAL_MONGO = "mongodb://127.0.0.1:{port}/?directConnection=true"
LOCAL_ELASTIC = "http://127.0.0.1:{port}"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where MongoDB and Elasticsearch are, and who asks. What may hold a password is not in the representation."""

    mongo_url: str = field(default=LOCAL_MONGO.format(port=MONGO_PORT), repr=False)
    es_url: str = field(default=LOCAL_ELASTIC.format(port=ES_PORT), repr=False)
    mongo_user: str | None = None
    mongo_password: str | None = field(default=None, repr=False)
    es_user: str | None = None
    es_password: str | None = field(default=None, repr=False)
    es_api_key: str | None = field(default=None, repr=False)
    es_ca_file: str | None = None
    timeout: float = 10
    """Seconds for one request; half of it for finding a server at all."""


def required(servers: ServerSettings | None, spec: str | Path) -> ServerSettings:
    """The settings. Raises UserError if there are none: a default of this machine could show another world.

    Only the command line reads the environment and drretail.toml.
    """
    if servers is None:
        raise UserError(
            f"{str(spec)!r} needs the addresses of its servers: servers=ServerSettings(mongo_url=…, es_url=…), or "
            "servers=server_settings() of drretail.api.settings for what MONGO_URL, ES_URL and drretail.toml say."
        )
    return servers

"""The names of worlds on servers, ``servers:NAME``, and the servers' settings."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from drretail.errors import UserError

SPEC_PREFIX = "servers:"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,37}")
# A name of this form would be the name of another world's index.
INDEX_LIKE = re.compile(r".*-g[0-9]+")
# MongoDB's own databases.
RESERVED = frozenset({"admin", "config", "local"})
NEARLY = re.compile(r"servers?:\s*(.*)", re.IGNORECASE)


SHIPPED = ("demo", "market")
"""The names of the made-up shops, whose worlds are built into the cache."""


def is_on_servers(spec: str | Path) -> bool:
    """True for "servers:NAME"; a folder of that name is ./servers:NAME."""
    return isinstance(spec, str) and spec.startswith(SPEC_PREFIX)


def world_name(spec: str) -> str:
    """NAME of "servers:NAME". Raises UserError if it cannot name both a database and an index."""
    name = spec.removeprefix(SPEC_PREFIX)
    if not NAME.fullmatch(name) or INDEX_LIKE.fullmatch(name):
        raise UserError(
            f"{spec!r} cannot name a world on servers: after '{SPEC_PREFIX}' come at most 38 of a-z, 0-9, '_' and '-', "
            "the first a letter or digit, and not '-g' with a number at the end."
        )
    if name in RESERVED:
        raise UserError(f"{spec!r} cannot name a world on servers: {name!r} is a database of MongoDB's own.")
    return name


def check_place(spec: str | Path) -> None:
    """Raises UserError for a missing folder whose name looks like a misspelt "servers:NAME"."""
    nearly = NEARLY.fullmatch(spec) if isinstance(spec, str) and not is_on_servers(spec) else None
    if nearly is not None and not Path(str(spec)).exists():
        raise UserError(
            f"There is no folder {str(spec)!r}. A world on servers goes by '{SPEC_PREFIX}{nearly[1].lower()}', a "
            f"folder of this name by './{spec}'."
        )


MONGO_URL = "mongodb://127.0.0.1:27017"
ES_URL = "http://127.0.0.1:9200"

# 50 parallel runs, each with four threads of tools.
CONNECTIONS = 200


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The user's settings for MongoDB and Elasticsearch.

    The addresses may hold a user and a password, so they are not part of the representation.
    """

    mongo_url: str = field(default=MONGO_URL, repr=False)
    es_url: str = field(default=ES_URL, repr=False)
    mongo_user: str | None = None
    mongo_password: SecretStr | None = None
    es_user: str | None = None
    es_password: SecretStr | None = None
    es_api_key: SecretStr | None = None
    mongo_ca_file: Path | None = None
    """The certificates that MongoDB is checked against; setting it turns TLS on."""
    es_ca_file: Path | None = None
    timeout: float = 10
    """Seconds for one request; half of it for finding a server at all."""
    connections: int = CONNECTIONS
    """The most connections to each server; further requests wait for one."""
    shards: int = 1
    replicas: int = 0


def required(servers: ServerSettings | None, spec: str | Path) -> ServerSettings:
    """The settings. Raises UserError if there are none: a default of this machine could show another world.

    Only the command line reads the environment and drretail.toml.
    """
    if servers is None:
        raise UserError(
            f"{str(spec)!r} needs the addresses of its servers: servers=ServerSettings(mongo_url=…, es_url=…), or "
            "servers=server_settings() of drretail.api.worlds for what MONGO_URL, ES_URL and drretail.toml say."
        )
    return servers

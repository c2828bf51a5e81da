"""Where the servers of a world are, and how to enter them."""

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from drretail.errors import UserError

MONGO_URL = "mongodb://127.0.0.1:27017"
ES_URL = "http://127.0.0.1:9200"

# 50 runs side by side, each with four threads of tools.
CONNECTIONS = 200


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """MongoDB and Elasticsearch as a person set them.

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
    """Certificates by which MongoDB is recognised; it turns TLS on."""
    es_ca_file: Path | None = None
    verify: bool = True
    """False: a server with TLS may be anybody. It turns no TLS on."""
    timeout: float = 10
    """Seconds for one request; half of it for finding a server at all."""
    connections: int = CONNECTIONS
    """To each server, at most; more requests wait for one."""
    shards: int = 1
    replicas: int = 0


def required(servers: ServerSettings | None, spec: str | Path) -> ServerSettings:
    """The settings; UserError where there are none: to suppose this machine could show another's world.

    Only the command line reads the environment and drretail.toml.
    """
    if servers is None:
        raise UserError(
            f"Where the servers of {str(spec)!r} are must be said: servers=ServerSettings(mongo_url=…, es_url=…), or "
            "servers=server_settings() of drretail.cli.worlds for what MONGO_URL, ES_URL and drretail.toml say."
        )
    return servers

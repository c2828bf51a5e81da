"""How commands come to a world."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.env.servers.naming import ServerSettings
    from drretail.env.web.base import Web
    from drretail.env.world import World

DEMO = "demo"


@contextmanager
def opened_world(spec: str, *, quiet: bool = False, web: "Web | None" = None) -> "Generator[World]":
    """The world behind a ``--world`` value, closed afterwards; its web is the sandbox where none is given.

    "demo" is the built-in world, built on first use into the user's cache; a folder of that name is ``./demo``.
    "servers:NAME" is on the servers that the settings name. Raises UserError when there is no such world.
    """
    from drretail.env.servers.naming import is_on_servers
    from drretail.env.world import open_world

    place = place_of(spec, quiet=quiet)
    with open_world(place, servers=server_settings() if is_on_servers(place) else None, web=web) as world:
        yield world


def place_of(spec: str, *, quiet: bool = False) -> str:
    """The folder or the "servers:NAME" behind a ``--world`` value, whether a world is there or not.

    Raises UserError for what is nearly a name on servers, and names no folder that is there.
    """
    from drretail.env.servers.naming import check_place

    check_place(spec)
    return str(_demo_folder(quiet=quiet)) if spec == DEMO else spec


def server_settings() -> "ServerSettings":
    """Where the servers are, as the settings say."""
    from drretail.env.servers.naming import ES_URL, MONGO_URL, ServerSettings
    from drretail.settings import read_settings

    settings = read_settings()
    return ServerSettings(
        mongo_url=settings.mongo_url or MONGO_URL,
        es_url=settings.es_url or ES_URL,
        mongo_user=settings.mongo_user,
        mongo_password=settings.mongo_password,
        es_user=settings.es_user,
        es_password=settings.es_password,
        es_api_key=settings.es_api_key,
        mongo_ca_file=settings.mongo_ca_file,
        es_ca_file=settings.es_ca_file,
        verify=settings.servers_verify,
        timeout=settings.servers_timeout,
        connections=settings.servers_connections,
        shards=settings.es_shards,
        replicas=settings.es_replicas,
    )


def _demo_folder(*, quiet: bool) -> "Path":
    from drretail.data_ingest.demo import ensure_demo_world
    from drretail.progress import choose_progress
    from drretail.settings import read_settings

    return ensure_demo_world(read_settings().cache_dir, choose_progress("none" if quiet else None))

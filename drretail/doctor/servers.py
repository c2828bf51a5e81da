"""MongoDB and Elasticsearch: whether they answer, and their versions."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from drretail.doctor.checkup import Sign
from drretail.env.servers.addresses import shown
from drretail.env.servers.connecting import open_elastic, open_mongo, try_elastic, try_mongo
from drretail.env.servers.settings import ServerSettings
from drretail.errors import UserError

PREVENTS = "--world servers:NAME (worlds in folders need no server)"
PATIENCE = 4.0
"""Seconds at most for each: who has no servers should not wait for them."""
DATABASE = "drretail"
"""A name that need not exist: what counts is that it may be looked for."""


def examine_servers(settings: ServerSettings, *, mongo_is_set: bool, es_is_set: bool) -> Iterator[Sign]:
    """Both servers at their addresses; one that is only supposed there by default may be absent."""
    asked = replace(settings, timeout=min(settings.timeout, PATIENCE))
    yield _sign("MongoDB", shown(asked.mongo_url), lambda: _mongo_version(asked), needed=mongo_is_set)
    yield _sign("Elasticsearch", shown(asked.es_url), lambda: _elastic_version(asked), needed=es_is_set)


def _sign(what: str, where: str, version: Callable[[], str], *, needed: bool) -> Sign:
    try:
        return Sign(what=what, state="ok", found=f"{version()} at {where}")
    except UserError as problem:
        found, _, mend = str(problem).partition(": ")
        state = "broken" if needed else "absent"
        return Sign(what=what, state=state, found=found, prevents=PREVENTS, mend=mend or str(problem))


def _mongo_version(settings: ServerSettings) -> str:
    client = open_mongo(settings)
    try:
        return try_mongo(client, settings, DATABASE)
    finally:
        client.close()


def _elastic_version(settings: ServerSettings) -> str:
    client = open_elastic(settings)
    try:
        return try_elastic(client, settings)
    finally:
        client.close()

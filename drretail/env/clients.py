"""The servers' clients: their addresses, what is wrong if a server cannot be used, and their errors as one kind.

The clients' own messages are not passed on, since some repeat what was sent.
"""

import re
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import elastic_transport
import elasticsearch
from elasticsearch import Elasticsearch
from pymongo import MongoClient
from pymongo import errors as mongo
from pymongo.database import Database

from drretail.env.naming import ServerSettings
from drretail.errors import ToolError, UserError, file_error

Document = dict[str, Any]
# 50 parallel runs, each with four threads of tools.
CONNECTIONS = 200
LOADING_SECONDS = 600.0

FULL = "has too little free disk space and takes no writes: free some, or give it more"
NOWHERE = "has put an index on no node, mostly for want of disk space: GET /_cluster/allocation/explain says why"
# What is wrong, by MongoDB's code or Elasticsearch's status.
WRONG = {
    **dict.fromkeys((11, 18, 8000, 401), "refused the credentials"),
    **dict.fromkeys((13, 403), "does not let this user do that (docs/shop.md names the rights)"),
    **dict.fromkeys((429, 502, 503), "is overloaded"),
    **dict.fromkeys((10107, 13435), "is not the primary of its replica set: name that one, or ?replicaSet=…"),
    14031: FULL,
    404: "no longer has the index of this world: open the world anew",
    13297: "has a database of this name in other upper and lower case: choose another name for the world",
}
# What Elasticsearch says of itself under statuses that mean much else, by the number of its block or its error's type.
BLOCKS = {
    "6": "is read-only as a whole (cluster.blocks.read_only): its administrator can lift that",
    "12": FULL,
    "": "blocks an index of this world (its settings index.blocks): its administrator can lift that",
}
TYPES = {
    "index_closed_exception": "has closed an index of this world: open it with POST /{index}/_open",
    "unavailable_shards_exception": NOWHERE,
    "no_shard_available_action_exception": NOWHERE,
}
UNREACHABLE = (mongo.ConnectionFailure, elastic_transport.ConnectionError)
LATE = (mongo.NetworkTimeout, mongo.ExecutionTimeout, elastic_transport.ConnectionTimeout)


@contextmanager
def server_faults(settings: ServerSettings) -> Generator[None]:
    """Turns the errors of both clients into ToolError("timeout" or "unavailable")."""
    try:
        yield
    except (mongo.PyMongoError, elastic_transport.TransportError, elasticsearch.ApiError) as problem:
        is_mongo = isinstance(problem, mongo.PyMongoError)
        server, url = (
            ("database (MongoDB", settings.mongo_url) if is_mongo else ("search (Elasticsearch", settings.es_url)
        )
        where = f"{server} at {hosts_of(url)})"
        details: Document = getattr(problem, "details", None) or {}
        code = getattr(problem, "code" if is_mongo else "status_code", details.get("code")) or 0
        if isinstance(problem, LATE) or code in (408, 504):
            raise ToolError("timeout", f"The shop's {where} gave no answer in time.") from problem
        body: object = getattr(problem, "body", None)
        wrong = (said_of(body["error"]) if isinstance(body, dict) and "error" in body else None) or WRONG.get(code)
        wrong = wrong or ("cannot be reached" if isinstance(problem, UNREACHABLE) else "refused the request")
        reason = code or type(problem).__name__
        raise ToolError("unavailable", f"The shop's {where} {wrong} ({reason}).") from problem


def said_of(error: object) -> str | None:
    """What an error of Elasticsearch says beyond its status, and the cure; None if that is nothing known.

    Its reason may repeat what was sent: only the number of a block is read of it.
    """
    if not isinstance(error, dict):
        return None
    cause: Document = next(iter(error.get("root_cause", [])), error)
    if cause.get("type") == "cluster_block_exception":
        block = re.search(r"\[[A-Z_]+/(\d+)/", str(cause.get("reason")))
        return BLOCKS.get(block[1] if block else "", BLOCKS[""])
    index = re.fullmatch(r"[a-z0-9_-]+", str(cause.get("index")))
    return TYPES.get(str(cause.get("type")), "").format(index=index[0] if index else "NAME-g…") or None


# Messages show only what is plainly hosts: an unescaped password may hold any character.
HOST = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?"
ADDRESS = re.compile(rf"(?:[a-z+]+://)?(?:[^/?#@]*@)?({HOST}(?:,{HOST})*)(?:[/?#][^@]*)?")


def hosts_of(url: str) -> str:
    """The hosts of an address for messages, without user, password and options."""
    match = ADDRESS.fullmatch(url)
    return match[1] if match else "(not shown: it may hold a password)"


@dataclass(frozen=True, slots=True)
class Servers(AbstractContextManager["Servers"]):
    """Both servers, for one world. Safe to use from several threads; close it, or use it in ``with``."""

    name: str
    settings: ServerSettings
    mongo: MongoClient[Document]
    elastic: Elasticsearch
    versions: dict[str, str]

    @property
    def database(self) -> Database[Document]:
        return self.mongo[self.name]

    def faults(self) -> AbstractContextManager[None]:
        return server_faults(self.settings)

    def close(self) -> None:
        self.mongo.close()
        self.elastic.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(settings: ServerSettings, name: str, *, loading: bool = False) -> Servers:
    """Both servers for the world ``name``; each is asked once whether it can be used.

    ``loading`` sets a long time-out: building an index over millions of orders is one request. Raises UserError that
    names the address of the unusable server, and says what to do.
    """
    settings = replace(settings, timeout=LOADING_SECONDS) if loading else settings
    client, mongo_version = open_mongo(settings, name)
    try:
        elastic, elastic_version = open_elastic(settings)
    except BaseException:
        client.close()
        raise
    return Servers(name, settings, client, elastic, {"mongodb": mongo_version, "elasticsearch": elastic_version})


CERTIFICATES = {"MONGO": "tlsCAFile or tlsCertificateKeyFile in MONGO_URL", "ES": "DRRETAIL_ES_CA_FILE"}
"""Where the settings of a server name files of certificates."""


@contextmanager
def _unusable(settings: ServerSettings, prefix: str) -> Generator[ExitStack]:
    """A stack of what is to be closed if the server cannot be used. Every error becomes a UserError with advice."""
    settings_of_it = f"check {prefix}_URL, DRRETAIL_{prefix}_USER and DRRETAIL_{prefix}_PASSWORD"
    try:
        with ExitStack() as opened, server_faults(settings):
            yield opened
            opened.pop_all()
    except ToolError as problem:
        is_down = isinstance(problem.__cause__, (*UNREACHABLE, *LATE))
        start = "start it (`docker compose up --detach --wait`), or " if is_down else ""
        message = problem.message.rstrip(".")
        raise UserError(f"{message}: {start}{settings_of_it} (docs/shop.md has all settings).") from problem
    except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
        reason = file_error(problem).removeprefix("A file ")
        raise UserError(f"A file of certificates ({CERTIFICATES[prefix]}) cannot be read: {reason}.") from problem
    except (LookupError, ValueError, TypeError, AttributeError, OSError) as problem:
        unfit = f"{prefix}_URL, a password or a certificate ({CERTIFICATES[prefix]}) cannot be used"
        kind = type(problem).__name__
        raise UserError(f"{unfit} ({kind}): {settings_of_it} (docs/shop.md has all settings).") from problem


def open_mongo(settings: ServerSettings, name: str) -> tuple[MongoClient[Document], str]:
    """A client, and its server's version. Raises UserError if the server cannot be used for the database ``name``."""
    milliseconds = int(settings.timeout * 1000)
    # A server that is up is found in milliseconds; a user should not wait long to read that it is down.
    search = min(milliseconds // 2, 5000)
    user: dict[str, Any] = {"username": settings.mongo_user, "password": settings.mongo_password}
    with _unusable(settings, "MONGO") as opened:
        client = MongoClient[Document](
            settings.mongo_url,
            serverSelectionTimeoutMS=search,
            connectTimeoutMS=search,
            socketTimeoutMS=milliseconds,
            waitQueueTimeoutMS=milliseconds,
            maxPoolSize=CONNECTIONS,
            appname="drretail",
            **{option: value for option, value in user.items() if value is not None},
        )
        opened.callback(client.close)
        version: str = client.server_info()["version"]
        client[name].list_collection_names()
    return client, version


def open_elastic(settings: ServerSettings) -> tuple[Elasticsearch, str]:
    """A client, and its server's version. Raises UserError if the server cannot be used."""
    user = (settings.es_user, settings.es_password or "") if settings.es_user and not settings.es_api_key else None
    options: dict[str, Any] = {"api_key": settings.es_api_key, "basic_auth": user, "ca_certs": settings.es_ca_file}
    with _unusable(settings, "ES") as opened:
        if settings.es_ca_file is not None:
            Path(settings.es_ca_file).open("rb").close()  # the client's own error names no file
        client = Elasticsearch(
            settings.es_url,
            request_timeout=settings.timeout,
            connections_per_node=CONNECTIONS,
            max_retries=2,
            http_compress=False,
            **{option: value for option, value in options.items() if value is not None},
        )
        opened.callback(client.close)
        # Not every server answers the usual GET /: the test server has no handler for it.
        nodes = client.nodes.info(filter_path="nodes.*.version")["nodes"]
        version = min(str(node["version"]) for node in nodes.values())
    return client, version

"""The servers' clients and their addresses. They turn the servers' errors into one kind, say what to do at the start,
and retry steps for a bounded time.

The clients' own messages are not passed on, since some repeat what was sent.
"""

import random
import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import elastic_transport
import elasticsearch
from elasticsearch import Elasticsearch
from pymongo import MongoClient
from pymongo import errors as mongo
from pymongo.database import Database

from drretail.env.servers.naming import ServerSettings
from drretail.errors import ToolError, UserError

TIMED_OUT = frozenset({408, 504})
BUSY = frozenset({429, 502, 503})
# What is wrong by the kind of an error, the first that fits; otherwise by its code or status.
_MONGO_KINDS: dict[type[Exception], str] = {
    mongo.ServerSelectionTimeoutError: "cannot be reached",
    mongo.WaitQueueTimeoutError: "has no connection free: too many requests at once",
    mongo.ConnectionFailure: "closed the connection",
    mongo.InvalidOperation: "was asked after its world was closed",
}
_MONGO_CODES = {
    **dict.fromkeys((11, 18, 8000), "refused the credentials"),
    13: "does not let this user do that: to read a world takes the role `read` on its database, to load it `readWrite`",
    13297: "has a database of this name in other upper and lower case: choose another name for the world",
}
_ES_KINDS: dict[type[Exception], str] = {
    elastic_transport.TlsError: "has a certificate that is not trusted",
    elastic_transport.ConnectionError: "cannot be reached",
    elastic_transport.TransportError: "gave an answer that cannot be read",
    elasticsearch.UnsupportedProductError: "is another kind of server",
}
_ES_STATUSES = {
    **dict.fromkeys(BUSY, "is overloaded"),
    401: "refused the credentials",
    403: (
        "does not let this user do that: to read a world takes `monitor` on the cluster, `read` and "
        "`view_index_metadata` on its indices NAME-g*, to load it `manage`, `create` and `read` on NAME and NAME-g*"
    ),
    404: "no longer has the index of this world: open the world anew",
}


@contextmanager
def mongo_faults(address: str) -> Generator[None]:
    """Turns pymongo's errors into ToolError("timeout" or "unavailable")."""
    try:
        yield
    except mongo.PyMongoError as problem:
        raise mongo_fault(problem, address) from problem


@contextmanager
def elastic_faults(address: str) -> Generator[None]:
    """Turns the errors of Elasticsearch's client into ToolError("timeout" or "unavailable")."""
    try:
        yield
    except (elastic_transport.TransportError, elasticsearch.ApiError) as problem:
        raise elastic_fault(problem, address) from problem


def mongo_fault(problem: mongo.PyMongoError, address: str) -> ToolError:
    """The ToolError for an error of pymongo; ``address`` as ``hosts_of`` returns it."""
    where = f"The shop's database (MongoDB at {address})"
    waits = isinstance(problem, mongo.ServerSelectionTimeoutError | mongo.WaitQueueTimeoutError)
    if problem.timeout and not waits:
        return ToolError("timeout", f"{where} gave no answer in time.")
    code = problem.code if isinstance(problem, mongo.OperationFailure) else None
    reason = type(problem).__name__ if code is None else f"code {code}"
    words = _of_kind(problem, _MONGO_KINDS) or f"{_MONGO_CODES.get(code or 0, 'refused the request')} ({reason})"
    return ToolError("unavailable", f"{where} {words}.")


def elastic_fault(problem: elastic_transport.TransportError | elasticsearch.ApiError, address: str) -> ToolError:
    """The ToolError for an error of Elasticsearch's client; ``address`` as ``hosts_of`` returns it."""
    where = f"The shop's search (Elasticsearch at {address})"
    status = problem.status_code if isinstance(problem, elasticsearch.ApiError) else 0
    if isinstance(problem, elastic_transport.ConnectionTimeout) or status in TIMED_OUT:
        return ToolError("timeout", f"{where} gave no answer in time.")
    words = _of_kind(problem, _ES_KINDS) or f"{_ES_STATUSES.get(status, 'refused the request')} (status {status})"
    return ToolError("unavailable", f"{where} {words}.")


def _of_kind(problem: Exception, kinds: dict[type[Exception], str]) -> str | None:
    return next((words for kind, words in kinds.items() if isinstance(problem, kind)), None)


Result = TypeVar("Result")
# MongoDB's codes for "not now": shutting down, stepping down, no primary, interrupted by either.
NOT_NOW = frozenset({6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a step is retried; times in seconds."""

    seconds: float = 120
    first_wait: float = 0.2
    longest_wait: float = 5
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def patiently(self, step: Callable[[], Result]) -> Result:
        """The step's result. Raises its last error once the time is over, and a lasting error at once."""
        end, wait = self.clock() + self.seconds, self.first_wait
        while True:
            try:
                return step()
            except (mongo.PyMongoError, elastic_transport.TransportError, elasticsearch.ApiError) as problem:
                if not is_passing(problem) or self.clock() + wait > end:
                    raise
            self.sleep(wait * random.uniform(0.5, 1))
            wait = min(2 * wait, self.longest_wait)


def is_passing(problem: Exception) -> bool:
    """True if the same request may succeed a moment later."""
    if isinstance(problem, mongo.BulkWriteError):
        details = problem.details or {}
        errors = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
        return bool(errors) and all(error.get("code") in NOT_NOW for error in errors)
    if isinstance(problem, mongo.ConnectionFailure):
        return True
    if isinstance(problem, mongo.OperationFailure):
        return problem.code in NOT_NOW or problem.has_error_label("RetryableWriteError")
    if isinstance(problem, elasticsearch.ApiError):
        return problem.status_code in BUSY | TIMED_OUT
    return isinstance(problem, elastic_transport.ConnectionError | elastic_transport.ConnectionTimeout)


HOST = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?"
# Messages show only what is plainly hosts: an unescaped password may hold any character.
ADDRESS = re.compile(rf"(?:[a-z+]+://)?(?:[^/?#@]*@)?({HOST}(?:,{HOST})*)(?:[/?#][^@]*)?")


def hosts_of(url: str) -> str:
    """The hosts of an address for messages, without user, password and options."""
    match = ADDRESS.fullmatch(url)
    return match[1] if match else "(not shown: it may hold a password)"


Client = TypeVar("Client")
Document = dict[str, Any]
OLDEST_MONGO = (5, 0)
# Long, since building an index over millions of orders is one request.
LOADING_SECONDS = 600.0
# A server that is up is found in milliseconds; a user should not wait long to read that it is down.
LONGEST_SEARCH_FOR_SERVER = 5.0


@dataclass(frozen=True, slots=True)
class Servers:
    """Both servers, for one world. Safe to use from several threads; close it, or use it as a context manager."""

    name: str
    settings: ServerSettings
    mongo: MongoClient[Document]
    elastic: Elasticsearch
    versions: dict[str, str]
    """The versions of both servers, by name."""

    @property
    def database(self) -> Database[Document]:
        return self.mongo[self.name]

    @property
    def mongo_address(self) -> str:
        return hosts_of(self.settings.mongo_url)

    @property
    def elastic_address(self) -> str:
        return hosts_of(self.settings.es_url)

    def close(self) -> None:
        self.mongo.close()
        self.elastic.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(settings: ServerSettings, name: str, *, loading: bool = False) -> Servers:
    """Both servers for the world ``name``; each is asked once whether it can be used.

    ``loading`` sets a long time-out, since some requests of a load are long. Raises UserError that names the address of
    the unusable server, and says what to do.
    """
    if loading:
        settings = replace(settings, timeout=max(settings.timeout, LOADING_SECONDS))
    client = open_mongo(settings)
    elastic: Elasticsearch | None = None
    try:
        database_version = try_mongo(client, settings, name)
        elastic = open_elastic(settings)
        versions = {"mongodb": database_version, "elasticsearch": try_elastic(elastic, settings)}
    except BaseException:
        client.close()
        if elastic is not None:
            elastic.close()
        raise
    return Servers(name, settings, client, elastic, versions)


def open_mongo(settings: ServerSettings) -> MongoClient[Document]:
    """The client, which has not yet contacted its server. Raises UserError for a malformed address."""
    url, where = settings.mongo_url, f"MongoDB at {hosts_of(settings.mongo_url)}"
    if not url.startswith(("mongodb://", "mongodb+srv://")):
        raise UserError(f"{where} has no proper address: MONGO_URL begins with mongodb:// or mongodb+srv://.")
    options: dict[str, Any] = {
        "username": settings.mongo_user,
        "password": settings.mongo_password and settings.mongo_password.get_secret_value(),
        "tlsCAFile": settings.mongo_ca_file and str(settings.mongo_ca_file),
        "tls": True if settings.mongo_ca_file else None,
    }
    milliseconds = int(settings.timeout * 1000)
    search = int(min(settings.timeout / 2, LONGEST_SEARCH_FOR_SERVER) * 1000)
    return _make_client(
        lambda: MongoClient(
            settings.mongo_url,
            serverSelectionTimeoutMS=search,
            connectTimeoutMS=search,
            socketTimeoutMS=milliseconds,
            waitQueueTimeoutMS=milliseconds,
            maxPoolSize=settings.connections,
            appname="drretail",
            **{option: value for option, value in options.items() if value is not None},
        ),
        where,
        "MONGO_URL",
    )


def open_elastic(settings: ServerSettings) -> Elasticsearch:
    """The client, which has not yet contacted its server. Raises UserError for a malformed address."""
    url, where = settings.es_url, f"Elasticsearch at {hosts_of(settings.es_url)}"
    if not url.startswith(("http://", "https://")):
        raise UserError(f"{where} has no proper address: ES_URL begins with http:// or https://.")
    options: dict[str, Any] = {}
    if settings.es_api_key is not None:
        options["api_key"] = settings.es_api_key.get_secret_value()
    elif settings.es_user is not None:
        password = settings.es_password.get_secret_value() if settings.es_password else ""
        options["basic_auth"] = (settings.es_user, password)
    if url.startswith("https:") and settings.es_ca_file is not None:
        if not settings.es_ca_file.is_file():
            raise UserError(f"The certificates {settings.es_ca_file} (DRRETAIL_ES_CA_FILE) do not exist.")
        options["ca_certs"] = str(settings.es_ca_file)
    return _make_client(
        lambda: Elasticsearch(
            settings.es_url,
            request_timeout=settings.timeout,
            connections_per_node=settings.connections,
            max_retries=2,
            http_compress=False,
            **options,
        ),
        where,
        "ES_URL",
    )


MONGO_ADVICE = (
    "start it (`docker compose up -d`), set MONGO_URL to where a MongoDB of 5.0 or later runs, or check "
    "DRRETAIL_MONGO_USER and DRRETAIL_MONGO_PASSWORD (a user of another database than `admin` needs ?authSource=…)."
)
ES_ADVICE = (
    "start it (`docker compose up -d`), set ES_URL to where an Elasticsearch 9 runs (without a path, unless a proxy "
    "wants it), or check DRRETAIL_ES_API_KEY, or DRRETAIL_ES_USER and DRRETAIL_ES_PASSWORD, and DRRETAIL_ES_CA_FILE."
)


def try_mongo(client: MongoClient[Document], settings: ServerSettings, name: str) -> str:
    """The version of the server. Raises UserError if it cannot be reached or used."""
    address = hosts_of(settings.mongo_url)
    try:
        version: str = client.server_info()["version"]
        client[name].list_collection_names()
    except mongo.PyMongoError as problem:
        raise UserError(f"{mongo_fault(problem, address).message.rstrip('.')}: {MONGO_ADVICE}") from problem
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_MONGO:
        needed = ".".join(map(str, OLDEST_MONGO))
        raise UserError(f"MongoDB at {address} is too old ({version}): {needed} or later is needed.")
    return version


def try_elastic(client: Elasticsearch, settings: ServerSettings) -> str:
    """The version of the server. Raises UserError if it cannot be reached or used."""
    address = hosts_of(settings.es_url)
    try:
        # Not every server answers the usual GET /: the test server has no handler for it.
        nodes = client.nodes.info(filter_path="nodes.*.version")["nodes"].values()
        return str(min(node["version"] for node in nodes))
    except (elastic_transport.TransportError, elasticsearch.ApiError) as problem:
        raise UserError(f"{elastic_fault(problem, address).message.rstrip('.')}: {ES_ADVICE}") from problem
    except (KeyError, TypeError, ValueError) as problem:
        raise UserError(f"Elasticsearch at {address} is another kind of server: {ES_ADVICE}") from problem


def _make_client(make: Callable[[], Client], what: str, variable: str) -> Client:
    """Makes a client, which reads addresses and certificates. Its own messages may repeat a password: none is shown."""
    try:
        return make()
    except OSError as problem:
        raise UserError(f"{what} needs certificates that cannot be read: {problem.strerror}.") from problem
    except (mongo.PyMongoError, ValueError, TypeError) as problem:
        raise UserError(
            f"{what} has no proper address ({type(problem).__name__}): check {variable} and its user and password; "
            "a port comes after the host, and special characters in a user or a password are written as %XX."
        ) from problem

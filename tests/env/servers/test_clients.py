"""What is said of addresses and credentials before a server is asked, and of the faults of servers that are."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import elastic_transport
import elasticsearch
import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from pymongo import errors

from drretail.env.servers.clients import (
    Patience,
    elastic_faults,
    hosts_of,
    is_passing,
    mongo_faults,
    open_elastic,
    open_mongo,
)
from drretail.env.servers.naming import ServerSettings, check_place, required, world_name
from drretail.errors import ToolError, UserError

SECRET = SecretStr("secret")


def settings(**given: Any) -> ServerSettings:
    return replace(ServerSettings(), **given)


def open_client(**given: Any) -> Any:
    """A client of the server that these settings are of."""
    of_mongo = any(name.startswith("mongo") for name in given)
    return (open_mongo if of_mongo else open_elastic)(settings(**given))


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("mongodb://127.0.0.1:27017", "127.0.0.1:27017"),
        ("mongodb://u:secret@a:1,b.example.com:2/db?authSource=admin", "a:1,b.example.com:2"),
        ("mongodb+srv://u:secret@shop.example.com/", "shop.example.com"),
        ("https://u:secret@[::1]:9200/prefix", "[::1]:9200"),
        ("es.example.com", "es.example.com"),
    ],
)
def test_the_hosts_of_an_address_are_shown(url: str, hosts: str) -> None:
    assert hosts_of(url) == hosts


@given(st.text(min_size=1, max_size=12), st.sampled_from(["mongodb", "http", "https"]))
def test_a_password_is_never_shown_however_badly_it_is_written(password: str, scheme: str) -> None:
    marked = f"se{password}cret"
    for url in (f"{scheme}://me:{marked}@host:1/db?a=b", f"user:{marked}@host", f"{scheme}://host/?password={marked}"):
        assert marked not in hosts_of(url)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mongo_url": "mongodb://user:p/secret@host"}, "MongoDB at .* has no proper address"),
        ({"mongo_url": "http://user:secret@host"}, "MongoDB at host .*: MONGO_URL begins with mongodb://"),
        ({"mongo_url": "127.0.0.1:27017"}, "MongoDB at 127.0.0.1:27017 .*: MONGO_URL begins with mongodb://"),
        ({"mongo_ca_file": Path("none.pem")}, "certificates that cannot be read"),
        ({"mongo_user": "eva"}, "check MONGO_URL and its user and password"),
        ({"es_url": "user:secret"}, "Elasticsearch at .* has no proper address"),
        ({"es_url": "ftp://user:secret@host"}, "Elasticsearch at host .*: ES_URL begins with http://"),
        ({"es_url": "127.0.0.1:9200"}, "at 127.0.0.1:9200 .*: ES_URL begins with http://"),
        ({"es_url": "http://host/es"}, "a port comes after the host"),
        ({"es_url": "https://host:1", "es_ca_file": Path("none.pem")}, "none.pem .* do not exist"),
    ],
)
def test_wrong_settings_are_a_sentence_without_their_password(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        open_client(**given)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"es_url": "https://[::1]:9200/behind/a/proxy"},
        {"es_password": SECRET, "es_user": "eva"},
        {"es_password": SECRET, "es_api_key": SECRET},
        {"es_url": "http://eva:secret@host:1", "es_password": SECRET},
        {"mongo_url": "mongodb://eva@host", "mongo_password": SECRET},
        {"mongo_user": "eva", "mongo_password": SECRET},
    ],
)
def test_what_a_server_can_be_asked_with_is_taken(given: dict[str, Any]) -> None:
    open_client(**given).close()


def test_where_the_servers_are_is_never_supposed_and_settings_do_not_show_what_is_secret() -> None:
    with pytest.raises(UserError, match=r"servers:shop.*ServerSettings\(mongo_url=.*server_settings\(\)"):
        required(None, "servers:shop")
    assert required(settings(), "servers:shop") == settings()
    shown = settings(mongo_url="mongodb://u:secret@host", es_url="http://u:secret@host", es_api_key=SECRET)
    assert "secret" not in repr(shown)


TAKEN = "shop 7 a-g a_b-c shop-g1x g1"
RESEMBLING = "administration locals"
"""Names that only resemble one that a server keeps for itself."""


@pytest.mark.parametrize("name", [*TAKEN.split(), *RESEMBLING.split(), "a" * 38])
def test_a_name_that_database_and_index_take_is_taken(name: str) -> None:
    assert world_name(f"servers:{name}") == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "") for name in ("", "Shop", "_a", "-a", "a b", "a.b", "a/b", "é", "a" * 39, "shop-g1", "a\n")),
        *((name, ".*MongoDB's own") for name in ("admin", "config", "local")),
    ],
)
def test_any_other_name_is_said_to_be_wrong_or_one_that_a_server_keeps_for_itself(name: str, reason: str) -> None:
    spec = f"servers:{name}"
    with pytest.raises(UserError, match=f"{re.escape(repr(spec))} cannot name a world on servers{reason}"):
        world_name(spec)


@pytest.mark.parametrize("spec", ["SERVERS:x", "server:x", "Servers: X", "Server:x"])
def test_what_is_nearly_a_name_on_servers_is_said(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=f"no folder '{spec}'.*'servers:x'"):
        check_place(spec)
    for other in (f"./{spec}", "servers:x", "shop", "observers:x", "servers"):
        check_place(other)
    check_place(Path(spec))
    (tmp_path / spec).mkdir()
    check_place(spec)


HIDDEN = "pass-word"
NODE = NodeConfig("http", "host", 9200)


def refused(status: int, kind: type[elasticsearch.ApiError] = elasticsearch.ApiError) -> elasticsearch.ApiError:
    return kind(HIDDEN, ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NODE), {"error": HIDDEN})


FAULTS: list[tuple[Exception, str, bool]] = [
    (errors.ServerSelectionTimeoutError(HIDDEN), "unavailable", True),
    (errors.AutoReconnect(HIDDEN), "unavailable", True),
    (errors.NetworkTimeout(HIDDEN), "timeout", True),
    (errors.WaitQueueTimeoutError(HIDDEN), "unavailable", True),
    (errors.ExecutionTimeout(HIDDEN, 50), "timeout", False),
    (errors.OperationFailure(HIDDEN, 18), "unavailable", False),
    (errors.InvalidOperation(HIDDEN), "unavailable", False),
    (errors.OperationFailure(HIDDEN, 11600), "unavailable", True),
    (errors.BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": 91}]}), "unavailable", True),
    (errors.BulkWriteError({"writeErrors": [{"code": 91}, {"code": 2}]}), "unavailable", False),
    (elastic_transport.ConnectionError(HIDDEN), "unavailable", True),
    (elastic_transport.ConnectionTimeout(HIDDEN), "timeout", True),
    (elastic_transport.SerializationError(HIDDEN), "unavailable", False),
    (refused(429), "unavailable", True),
    (refused(504), "timeout", True),
    (refused(401, elasticsearch.AuthenticationException), "unavailable", False),
    (refused(404, elasticsearch.NotFoundError), "unavailable", False),
    (refused(400, elasticsearch.BadRequestError), "unavailable", False),
    (refused(200, elasticsearch.UnsupportedProductError), "unavailable", False),
]


@pytest.mark.parametrize(("problem", "kind", "passing"), FAULTS)
def test_a_fault_is_told_without_the_servers_words_and_may_pass(problem: Exception, kind: str, passing: bool) -> None:
    of_mongo = isinstance(problem, errors.PyMongoError)
    server, faults = ("MongoDB", mongo_faults) if of_mongo else ("Elasticsearch", elastic_faults)
    with pytest.raises(ToolError, match=f"{server} at host:1") as caught, faults("host:1"):
        raise problem
    assert caught.value.kind == kind
    assert HIDDEN not in str(caught.value)
    assert is_passing(problem) is passing


def test_a_step_is_tried_until_it_succeeds() -> None:
    step = Mock(side_effect=[refused(429), refused(429), "done"])
    assert Patience(seconds=30, sleep=lambda _: None).patiently(step) == "done"


@pytest.mark.parametrize(
    ("problem", "least", "most"),
    [(errors.AutoReconnect(HIDDEN), 20, 30), (refused(400), 0, 0)],
    ids=["may", "may not"],
)
def test_patience_ends_in_time_and_at_once_with_what_will_not_pass(problem: Exception, least: int, most: int) -> None:
    slept: list[float] = []
    patience = Patience(seconds=30, sleep=slept.append, clock=lambda: sum(slept))
    with pytest.raises(type(problem)):
        patience.patiently(Mock(side_effect=problem))
    assert least <= sum(slept) <= most

"""What is said of addresses and credentials, and of servers' faults. Also tests naming.py."""

import re
from dataclasses import replace
from typing import Any

import elastic_transport
import elasticsearch
import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from hypothesis import given
from hypothesis import strategies as st
from pymongo import errors

from drretail.env.clients import hosts_of, open_elastic, open_mongo, server_faults
from drretail.env.naming import ServerSettings, required, world_name
from drretail.errors import ToolError, UserError

SECRET = "secret"


def settings(**given: Any) -> ServerSettings:
    return replace(ServerSettings(), **given)


@given(st.text(min_size=1, max_size=12), st.sampled_from(["mongodb", "http", "https"]))
def test_of_an_address_its_hosts_are_shown_and_never_a_password_however_badly_it_is_written(
    password: str, scheme: str
) -> None:
    assert hosts_of("mongodb://u:secret@a:1,b.example.com:2/db?authSource=admin") == "a:1,b.example.com:2"
    assert hosts_of("https://u:secret@[::1]:9200/prefix") == "[::1]:9200"
    marked = f"se{password}cret"
    for url in (f"{scheme}://me:{marked}@host:1/db?a=b", f"user:{marked}@host", f"{scheme}://host/?password={marked}"):
        assert marked not in hosts_of(url)


def test_wrong_settings_are_a_sentence_without_their_password() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"mongo_url": "mongodb://user:p/secret@host"}, "check MONGO_URL"),
        ({"mongo_url": "http://user:secret@host"}, "MongoDB at host.*check MONGO_URL"),
        (
            {"mongo_url": "mongodb://host:1/?tlsCAFile=none.pem&tls=true"},
            r"file of certificates \(tlsCAFile .* in MONGO_URL\) cannot be read: .*does not exist",
        ),
        ({"mongo_user": "eva"}, "DRRETAIL_MONGO_USER and DRRETAIL_MONGO_PASSWORD"),
        ({"es_url": "user:secret"}, "ES_URL, a password .* cannot be used"),
        ({"es_url": "http://127.0.0.1:1"}, r"cannot be reached .*start it \(`docker compose up.*DRRETAIL_ES_USER"),
        ({"es_url": "https://127.0.0.1:1", "es_ca_file": "none.pem"}, r"\(DRRETAIL_ES_CA_FILE\) .*none.pem does not"),
    ]
    for fields, message in cases:
        impatient = settings(timeout=0.1, **fields)  # nothing listens there
        with pytest.raises(UserError, match=message) as caught:
            open_mongo(impatient, "shop") if "mongo" in next(iter(fields)) else open_elastic(impatient)
        assert "secret" not in str(caught.value), fields
        assert ("start it" in str(caught.value)) == ("cannot be reached" in str(caught.value)), fields


def test_where_the_servers_are_is_never_supposed_and_settings_do_not_show_what_is_secret() -> None:
    with pytest.raises(UserError, match=r"servers:shop.*ServerSettings\(mongo_url=.*server_settings\(\)"):
        required(None, "servers:shop")
    assert required(settings(), "servers:shop") == settings()
    urls = {"mongo_url": "mongodb://u:secret@host", "es_url": "http://u:secret@host"}
    shown = settings(**urls, es_api_key=SECRET, es_password=SECRET, mongo_password=SECRET)
    assert "secret" not in repr(shown)


TAKEN = "shop 7 a-g a_b-c shop-g1 shop-g0123456 g01234567"
RESEMBLING = "administration locals"
"""Names that only resemble one that a server keeps for itself."""


def test_a_name_is_one_that_database_and_index_take_and_no_server_keeps_for_itself() -> None:
    for name in [*TAKEN.split(), *RESEMBLING.split(), "a" * 38]:
        assert world_name(f"servers:{name}") == name
    refused = dict.fromkeys(("", "Shop", "_a", "-a", "a b", "a.b", "a/b", "é", "a" * 39, "a\n"), "")
    refused |= dict.fromkeys(("shop-g01234567", "shop-gabcdef00"), ".*8 of 0-9a-f")
    refused |= dict.fromkeys(("admin", "config", "local"), ".*not admin, config or local")
    for name, reason in refused.items():
        spec = f"servers:{name}"
        with pytest.raises(UserError, match=f"{re.escape(repr(spec))} cannot name a world on servers{reason}"):
            world_name(spec)


HIDDEN = "pass-word"
NODE = NodeConfig("http", "host", 9200)


def refused(
    status: int, kind: type[elasticsearch.ApiError] = elasticsearch.ApiError, error: object = HIDDEN
) -> elasticsearch.ApiError:
    return kind(HIDDEN, ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NODE), {"error": error})


def blocked(block: str) -> dict[str, Any]:
    """As Elasticsearch 9.2.4 says it."""
    error = {"type": "cluster_block_exception", "reason": f"index [shop-g00000000] blocked by: [{block} {HIDDEN}];"}
    return {**error, "root_cause": [error]}


FLOOD = blocked(
    "TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block"
)
SHARDS = {"type": "search_phase_execution_exception", "root_cause": [{"type": "no_shard_available_action_exception"}]}


FAULTS: list[tuple[Exception, str, str]] = [
    (errors.ServerSelectionTimeoutError(HIDDEN), "unavailable", "cannot be reached"),
    (errors.NetworkTimeout(HIDDEN), "timeout", "no answer in time"),
    (errors.OperationFailure(HIDDEN, 18), "unavailable", "refused the credentials"),
    (errors.OperationFailure(HIDDEN, 13), "unavailable", "does not let this user"),
    (elastic_transport.ConnectionError(HIDDEN), "unavailable", "cannot be reached"),
    (elastic_transport.ConnectionTimeout(HIDDEN), "timeout", "no answer in time"),
    *((refused(status), "unavailable", "is overloaded") for status in (429, 503)),
    (refused(403), "unavailable", "does not let this user do that"),
    (refused(400), "unavailable", "refused the request"),
    (refused(504), "timeout", "no answer in time"),
    (refused(401, elasticsearch.AuthenticationException), "unavailable", "refused the credentials"),
    (refused(404, elasticsearch.NotFoundError), "unavailable", "no longer has the index"),
    (refused(200, elasticsearch.UnsupportedProductError), "unavailable", "refused the request"),
    (refused(429, error=FLOOD), "unavailable", "too little free disk space .*free some"),
    (errors.OperationFailure(HIDDEN, 14031), "unavailable", "too little free disk space .*free some"),
    (refused(403, error=blocked("FORBIDDEN/6/cluster read-only (api)")), "unavailable", "read-only as a whole .*lift"),
    (refused(403, error=blocked("FORBIDDEN/8/index write (api)")), "unavailable", "blocks an index .*lift that"),
    (refused(503, error=SHARDS), "unavailable", "an index on no node, .*disk space: GET"),
    (errors.NotPrimaryError(HIDDEN, {"code": 10107}), "unavailable", "is not the primary .*name that one"),
]


@pytest.mark.parametrize(("problem", "kind", "words"), FAULTS)
def test_a_fault_is_told_without_the_servers_words(problem: Exception, kind: str, words: str) -> None:
    server = "MongoDB at host:1" if isinstance(problem, errors.PyMongoError) else "Elasticsearch at host:2"
    where = settings(mongo_url="mongodb://me:secret@host:1", es_url="http://me:secret@host:2")
    with pytest.raises(ToolError, match=f"{server}.*{words}") as caught, server_faults(where):
        raise problem
    assert caught.value.kind == kind
    assert HIDDEN not in str(caught.value)

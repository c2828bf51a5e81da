"""What is said of addresses and credentials before any server is asked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from drretail.env.servers.clients import open_elastic, open_mongo
from drretail.env.servers.naming import ServerSettings, required
from drretail.errors import UserError

SECRET = SecretStr("hidden")


def settings(**given: Any) -> ServerSettings:
    return replace(ServerSettings(), **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"es_url": "127.0.0.1:9200"}, "at 127.0.0.1:9200 has no proper address: ES_URL begins with http://"),
        ({"es_url": "HTTP//host:9200"}, "ES_URL begins with http://"),
        ({"es_url": "http://host"}, "at host has no proper address: in ES_URL a port comes after the host"),
        ({"es_url": "http://host/es"}, "a port comes after the host"),
        ({"es_url": "http://eva:hidden@host"}, "a port comes after the host"),
        ({"es_url": "https://[::1]"}, "a port comes after the host"),
        ({"es_password": SECRET}, "password without a user: set DRRETAIL_ES_USER"),
    ],
)
def test_elasticsearch(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        open_elastic(settings(**given))
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"mongo_url": "127.0.0.1:27017"},
            "at 127.0.0.1:27017 has no proper address: MONGO_URL begins with mongodb://",
        ),
        ({"mongo_url": "mongo://host"}, "MONGO_URL begins with mongodb://"),
        ({"mongo_password": SECRET}, "password without a user: set DRRETAIL_MONGO_USER"),
        ({"mongo_user": "eva"}, "user without a password: set DRRETAIL_MONGO_PASSWORD"),
    ],
)
def test_mongodb(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_mongo(settings(**given))


@pytest.mark.parametrize(
    "given",
    [
        {"es_url": "https://[::1]:9200/behind/a/proxy"},
        {"es_password": SECRET, "es_user": "eva"},
        {"es_password": SECRET, "es_api_key": SECRET},
        {"es_url": "http://eva:hidden@host:1", "es_password": SECRET},
    ],
)
def test_what_elasticsearch_can_be_asked_with_is_taken(given: dict[str, Any]) -> None:
    open_elastic(settings(**given)).close()


@pytest.mark.parametrize(
    "given",
    [
        {"mongo_url": "mongodb://host"},
        {"mongo_url": "mongodb://eva@host", "mongo_password": SECRET},
        {"mongo_url": "mongodb://eva:hidden@host", "mongo_user": "eva"},
        {"mongo_user": "eva", "mongo_password": SECRET},
    ],
)
def test_what_mongodb_can_be_asked_with_is_taken(given: dict[str, Any]) -> None:
    open_mongo(settings(**given)).close()


@pytest.mark.parametrize(
    ("url", "speaks_tls"),
    [
        ("mongodb://host", False),
        ("mongodb://host/?directConnection=true", False),
        ("mongodb://host/?tls=false", False),
        ("mongodb://host/?tls=true", True),
        ("mongodb://host/?directConnection=true&SSL=true", True),
    ],
)
def test_not_to_verify_turns_no_tls_on(url: str, speaks_tls: bool) -> None:
    for verify in (True, False):
        with open_mongo(settings(mongo_url=url, verify=verify)) as client:
            pool = client.options.pool_options
            context: Any = pool._ssl_context  # pyright: ignore[reportPrivateUsage] -- nothing public tells it
            assert (context is not None) == speaks_tls
            if context is not None:
                assert (context.verify_mode == 0) == (not verify)


def test_where_the_servers_are_is_never_supposed() -> None:
    with pytest.raises(UserError, match=r"servers:shop.*ServerSettings\(mongo_url=.*server_settings\(\)"):
        required(None, "servers:shop")
    assert required(settings(), "servers:shop") == settings()


def test_a_file_of_certificates_speaks_tls_without_being_read_where_nobody_verifies() -> None:
    with open_mongo(settings(mongo_ca_file=Path("none.pem"), verify=False)) as client:
        assert client.options.pool_options._ssl_context is not None  # pyright: ignore[reportPrivateUsage] -- as above

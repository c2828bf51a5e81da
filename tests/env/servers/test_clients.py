"""What is said of addresses and credentials before any server is asked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from drretail.env.servers.clients import hosts_of, open_elastic, open_mongo
from drretail.env.servers.naming import ServerSettings, required
from drretail.errors import UserError

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
    for url in (
        f"{scheme}://user:{marked}@host:1/db?a=b",
        f"user:{marked}@host",
        f"{scheme}://host/?password={marked}",
    ):
        assert marked not in hosts_of(url)


NO_PORT = "has no proper address: in ES_URL a port comes after the host"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mongo_url": "mongodb://user:p/secret@host"}, "MongoDB at .* has no proper address"),
        ({"mongo_url": "http://user:secret@host"}, "MongoDB at host .*: MONGO_URL begins with mongodb://"),
        ({"mongo_url": "127.0.0.1:27017"}, "MongoDB at 127.0.0.1:27017 .*: MONGO_URL begins with mongodb://"),
        ({"mongo_ca_file": Path("none.pem")}, "certificates that cannot be read"),
        ({"mongo_password": SECRET}, "password without a user: set DRRETAIL_MONGO_USER"),
        ({"mongo_user": "eva"}, "user without a password: set DRRETAIL_MONGO_PASSWORD"),
        ({"es_url": "user:secret"}, "Elasticsearch at .* has no proper address"),
        ({"es_url": "ftp://user:secret@host"}, "Elasticsearch at host .*: ES_URL begins with http://"),
        ({"es_url": "127.0.0.1:9200"}, "at 127.0.0.1:9200 .*: ES_URL begins with http://"),
        ({"es_url": "http://host/es"}, NO_PORT),
        ({"es_url": "https://[::1]"}, NO_PORT),
        ({"es_password": SECRET}, "password without a user: set DRRETAIL_ES_USER"),
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


@pytest.mark.parametrize(
    ("url", "speaks_tls"),
    [
        ("mongodb://host", False),
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


def test_a_file_of_certificates_speaks_tls_without_being_read_where_nobody_verifies() -> None:
    with open_mongo(settings(mongo_ca_file=Path("none.pem"), verify=False)) as client:
        assert client.options.pool_options._ssl_context is not None  # pyright: ignore[reportPrivateUsage] -- as above


def test_where_the_servers_are_is_never_supposed() -> None:
    with pytest.raises(UserError, match=r"servers:shop.*ServerSettings\(mongo_url=.*server_settings\(\)"):
        required(None, "servers:shop")
    assert required(settings(), "servers:shop") == settings()


def test_settings_do_not_show_what_is_secret() -> None:
    shown = settings(mongo_url="mongodb://u:secret@host", es_url="http://u:secret@host", es_api_key=SECRET)
    assert "secret" not in repr(shown)

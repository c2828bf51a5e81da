from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from drretail.env.servers.clients import hosts_of, open_elastic, open_mongo
from drretail.env.servers.naming import ServerSettings
from drretail.errors import UserError


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mongo_url": "mongodb://user:p/secret@host"}, "MongoDB at .* has no proper address"),
        ({"mongo_url": "http://user:secret@host"}, "MongoDB at host has no proper address.*MONGO_URL"),
        ({"mongo_ca_file": Path("none.pem")}, "certificates that cannot be read"),
        ({"es_url": "user:secret"}, "Elasticsearch at .* has no proper address"),
        ({"es_url": "ftp://user:secret@host"}, "Elasticsearch at host has no proper address.*ES_URL"),
        ({"es_url": "https://host:1", "es_ca_file": Path("none.pem")}, "none.pem .* do not exist"),
    ],
)
def test_a_wrong_address_is_a_sentence_without_its_password(given: dict[str, Any], message: str) -> None:
    settings = replace(ServerSettings(), **given)
    with pytest.raises(UserError, match=message) as caught:
        (open_mongo if any(name.startswith("mongo") for name in given) else open_elastic)(settings)
    assert "secret" not in str(caught.value)


def test_settings_do_not_show_what_is_secret() -> None:
    settings = ServerSettings(
        mongo_url="mongodb://u:secret@host", es_url="http://u:secret@host", es_api_key=SecretStr("secret")
    )
    assert "secret" not in repr(settings)

"""What is said at the start where a server cannot be used. Tests env/clients.py."""

import base64
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from pymongo import MongoClient

from drretail.env.copying import writer_to
from drretail.env.naming import ServerSettings
from drretail.env.world import world_at
from drretail.errors import UserError
from tests.env.servers.failures.conftest import MONGO_PASSWORD as SECRET
from tests.env.servers.failures.own import SMALL, load, orders, products
from tests.llm.local_server import Handler, LocalServer
from tests.servers.proxy import Front, only_with

pytestmark = pytest.mark.servers


def refusal(settings: ServerSettings, name: str = "no-such-world") -> str:
    """What ``world_at`` says; it must not hold the password."""
    with pytest.raises(UserError) as caught:
        world_at(f"servers:{name}", servers=settings)
    message = str(caught.value)
    assert SECRET not in message
    assert "\n" not in message
    return message


@pytest.fixture
def settings(server_settings: ServerSettings) -> ServerSettings:
    """With patience for a machine that is busy with other things too."""
    return replace(server_settings, timeout=30)


class Page(Handler):
    """Of a web server of somebody else."""

    def get(self) -> None:
        self.begin(200, 2, None)
        self.wfile.write(b"hi")


def test_another_kind_of_server_or_a_path_is_pointed_at(settings: ServerSettings) -> None:
    settings = replace(settings, timeout=1)
    with LocalServer(Page) as server:
        web_server = server.url
        assert "MONGO_URL" in refusal(replace(settings, mongo_url=web_server.replace("http", "mongodb")))
        assert "ES_URL" in refusal(replace(settings, es_url=web_server))
    assert "ES_URL" in refusal(replace(settings, es_url=settings.mongo_url.replace("mongodb", "http").split("?")[0]))
    assert "ES_URL" in refusal(replace(settings, es_url=f"{settings.es_url}/{SECRET}"))


@pytest.mark.parametrize("kind", ["api key", "user"])
def test_elasticsearch_takes_credentials(settings: ServerSettings, front: Front, fresh_name: str, kind: str) -> None:
    if kind == "user":
        front.rule = only_with(f"Basic {base64.b64encode(f'eva:{SECRET}'.encode()).decode()}")
        right, wrong = {"es_user": "eva", "es_password": SECRET}, {"es_user": "eva"}
    else:
        front.rule = only_with(f"ApiKey {SECRET}")
        right, wrong = {"es_api_key": SECRET}, {"es_api_key": f"{SECRET}x"}
    through = replace(settings, es_url=front.url)
    message = refusal(replace(through, **wrong))
    assert "DRRETAIL_ES_PASSWORD" in message
    load(replace(through, **right), fresh_name, **SMALL)
    with world_at(f"servers:{fresh_name}", servers=replace(through, **right)) as world:
        assert world.manifest.counts.products == 5


def test_mongodb_refuses(settings: ServerSettings, secured_mongo: str) -> None:
    secured, here = replace(settings, mongo_url=secured_mongo), f"MongoDB at {urlsplit(secured_mongo).netloc}"
    for user, password, messages in (
        ("eva", "wrong", (here, "refused the credentials", "DRRETAIL_MONGO_PASSWORD")),
        ("guest", SECRET, (here, "does not let this user do that", "docs/shop.md")),
    ):
        message = refusal(replace(secured, mongo_user=user, mongo_password=password))
        assert [part for part in messages if part not in message] == [], user
    assert "DRRETAIL_MONGO_USER" in refusal(secured)


def test_who_may_only_read_cannot_write(settings: ServerSettings, secured_mongo: str, fresh_name: str) -> None:
    eva = replace(settings, mongo_url=secured_mongo, mongo_user="eva", mongo_password=SECRET)
    load(eva, fresh_name, **SMALL)
    with MongoClient[dict[str, Any]](secured_mongo, username="eva", password=SECRET) as client:
        client.admin.command("createUser", "reader", pwd=SECRET, roles=[{"role": "read", "db": fresh_name}])
    reader = replace(eva, mongo_user="reader")
    with world_at(f"servers:{fresh_name}", servers=reader) as world:
        assert world.store.product("B000001").product_id == "B000001"
        assert len(world.store.sample_users(1, 1)) == 1
    for start in (
        lambda: load(reader, fresh_name, products=products(6), orders=orders(5, 5)),
        lambda: writer_to(f"servers:{fresh_name}", reader).__enter__(),
    ):
        with pytest.raises(UserError, match=r"does not let this user do that.*is unchanged"):
            start()

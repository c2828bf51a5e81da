"""The index of products on a real Elasticsearch."""

from collections.abc import Iterator
from typing import Any

import pytest
from elastic_transport import Transport
from elasticsearch import Elasticsearch

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import ElasticCatalog, ElasticWriter, as_document, index_mappings
from drretail.env.catalog.formulation import ENGLISH
from drretail.errors import ToolError, UserError
from drretail.records.shop import Product


def products(count: int) -> list[Product]:
    return [
        Product(product_id=f"B{number:03}", title="bird", category="Pet_Supplies", details={"a": {"b": 1}})
        for number in range(count)
    ]


@pytest.fixture
def client(es_url: str) -> Iterator[Elasticsearch]:
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def index(fresh_name: str) -> str:
    return f"{fresh_name}-g1"


@pytest.fixture
def writer(client: Elasticsearch, index: str) -> ElasticWriter:
    return ElasticWriter(client, index, address="the test", replicas=0)


@pytest.fixture
def catalog(client: Elasticsearch, index: str, writer: ElasticWriter) -> ElasticCatalog:
    writer.create()
    writer.add(products(5))
    writer.finish()
    return ElasticCatalog(client, index, address="the test")


def test_an_index_has_its_fields_and_settings(client: Elasticsearch, index: str, catalog: ElasticCatalog) -> None:
    del catalog
    mapping = client.indices.get_mapping(index=index)[index]["mappings"]
    assert mapping["dynamic"] == "strict"
    assert mapping["properties"].keys() == index_mappings(ENGLISH)["properties"].keys()
    assert as_document(products(1)[0], ENGLISH).keys() <= mapping["properties"].keys()
    settings: dict[str, Any] = client.indices.get_settings(index=index)[index]["settings"]["index"]
    assert "refresh_interval" not in settings
    assert (settings["number_of_shards"], settings["number_of_replicas"]) == ("1", "0")


def test_a_lost_or_other_index_is_refused(client: Elasticsearch, index: str, writer: ElasticWriter) -> None:
    writer.create()
    client.indices.delete(index=index)
    writer.add(products(2))  # Elasticsearch makes an index of its own for them
    with pytest.raises(UserError, match=r"made in another way \(None\)"):
        writer.finish()
    client.indices.delete(index=index)
    client.indices.create(index=index, mappings={"_meta": {"formulation": "bm25 title^2"}})
    for use in (lambda: ElasticCatalog(client, index, address="the test"), writer.create):
        with pytest.raises(UserError, match=r"another way \(bm25 title\^2\)"):
            use()


def test_a_missing_index_or_an_alias_is_refused(client: Elasticsearch, index: str, catalog: ElasticCatalog) -> None:
    with pytest.raises(UserError, match=f"holds no index {index}-other"):
        ElasticCatalog(client, f"{index}-other", address="the test")
    alias = index.removesuffix("-g1")
    client.indices.put_alias(index=index, name=alias)
    with pytest.raises(UserError, match="not the name of an index"):
        ElasticCatalog(client, alias, address="the test")
    client.indices.delete(index=index)
    with pytest.raises(ToolError, match="no longer has the index") as caught:
        catalog.search(CatalogQuery("bird"))
    assert caught.value.kind == "unavailable"


def test_a_product_sent_twice_is_there_once_and_all_names_and_ids_are_read_page_by_page(
    client: Elasticsearch, index: str, writer: ElasticWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [it.model_copy(update={"categories": (f"Kind {n % 7}", "Birds")}) for n, it in enumerate(products(12))]
    for rows in (many[:5], many):
        writer.create()
        writer.add(rows)
    writer.finish()
    assert client.count(index=index)["count"] == 12
    assert client.indices.stats(index=index)["_all"]["primaries"]["docs"]["deleted"] == 0, "none is replaced"
    monkeypatch.setattr("drretail.env.catalog.elastic.NAMES_AT_ONCE", 3)
    monkeypatch.setattr("drretail.env.catalog.elastic.IDS_AT_ONCE", 4)
    catalog = ElasticCatalog(client, index, address="the test")
    assert catalog.categories() == ["Birds", *(f"Kind {number}" for number in range(7)), "Pet_Supplies"]
    assert list(catalog.product_ids()) == [product.product_id for product in many]


def test_a_filtered_search_is_one_request_and_the_same_search_none(
    catalog: ElasticCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    perform = Transport.perform_request

    def counted(self: Transport, method: str, target: str, **options: Any) -> Any:
        asked.append(target)
        return perform(self, method, target, **options)

    monkeypatch.setattr(Transport, "perform_request", counted)
    query = CatalogQuery("red bird", price_max=5.0)
    page = catalog.search(query)
    assert [target.partition("?")[0] for target in asked] == ["/_msearch"]
    assert catalog.search(query) == page
    assert len(asked) == 1

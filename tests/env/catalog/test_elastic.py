"""The index of products on a real Elasticsearch."""

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import ElasticCatalog, add_products, create_index
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.clients import Servers
from drretail.errors import ToolError, UserError
from drretail.records.shop import Product


def products(count: int) -> list[Product]:
    return [
        Product(product_id=f"B{number:03}", title="bird", categories=(f"Kind {number % 7}",), category="Pet_Supplies")
        for number in range(count)
    ]


@pytest.fixture
def index(servers: Servers) -> str:
    """An index of twelve products."""
    name = f"{servers.name}-g00000000"
    create_index(servers.elastic, name, ENGLISH)
    add_products(servers.elastic, name, ENGLISH, products(12))
    servers.elastic.indices.refresh(index=name)
    return name


def test_a_missing_or_strange_index_is_refused(servers: Servers, index: str) -> None:
    with pytest.raises(UserError, match=f"holds no index {index}-other"):
        ElasticCatalog(servers, f"{index}-other")
    catalog = ElasticCatalog(servers, index)
    servers.elastic.indices.delete(index=index)
    with pytest.raises(ToolError, match="no longer has the index") as caught:
        catalog.search(CatalogQuery("bird"))
    assert caught.value.kind == "unavailable"
    add_products(servers.elastic, index, ENGLISH, products(2))  # Elasticsearch makes an index of its own for them
    with pytest.raises(UserError, match=r"made in another way \(None\)"):
        ElasticCatalog(servers, index)


def test_a_product_that_is_there_or_does_not_fit_is_refused_by_its_name(servers: Servers, index: str) -> None:
    strange = [product.model_copy(update={"price": "much"}) for product in products(14)[12:]]
    for refused, reason in ((products(1), "status 409"), (strange, "document_parsing_exception, status 400")):
        with pytest.raises(UserError, match=rf"refuses the product '{refused[0].product_id}' \(.*{reason}\)"):
            add_products(servers.elastic, index, ENGLISH, refused)
    docs = servers.elastic.indices.stats(index=index)["_all"]["primaries"]["docs"]
    assert (docs["count"], docs["deleted"]) == (12, 0)


def test_all_names_and_ids_are_read_page_by_page(servers: Servers, index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.env.catalog.elastic.PAGE", 3)
    catalog = ElasticCatalog(servers, index)
    assert catalog.categories() == [*(f"Kind {number}" for number in range(7)), "Pet_Supplies"]
    assert catalog.matching(CatalogQuery("")) == [product.product_id for product in products(12)]

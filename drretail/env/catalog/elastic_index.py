"""The Elasticsearch index of products: its settings, its mapping, and what is indexed of a product."""

from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from drretail.env.catalog.base import fold_category
from drretail.env.catalog.formulation import FORMULATION, category_names, indexed_text, indexed_title
from drretail.errors import UserError
from drretail.records.shop import Product

WORDS = "words"
"""The name of the analyzer, of type ``standard``."""
LONGEST_WORD = 10_922
"""UTF-16 units. By default words are cut at 255, which the embedded catalog does not; Lucene takes 32,766 bytes."""
LONGEST_NAME = 8_191
"""Letters of a category's name; a longer one could fail a load."""
LARGEST_WINDOW = 2**31 - 1
"""Hits that a search may skip and show together; the memory taken grows with the products found at most."""


def index_settings(shards: int) -> dict[str, Any]:
    """Settings of an index that is being loaded: nothing is searchable, nothing is copied yet."""
    return {
        "number_of_shards": shards,
        "number_of_replicas": 0,
        "refresh_interval": "-1",
        "max_result_window": LARGEST_WINDOW,
        "analysis": {"analyzer": {WORDS: {"type": "standard", "max_token_length": LONGEST_WORD}}},
    }


def index_mappings() -> dict[str, Any]:
    """Every field there is: an unknown one fails the document.

    The documents themselves are not kept: the store holds the records, details included, and nothing reads them here.
    """
    text = {"type": "text", "analyzer": WORDS}
    return {
        "dynamic": "strict",
        "_meta": {"formulation": FORMULATION},
        "_source": {"enabled": False},
        "properties": {
            "product_id": {"type": "keyword", "index": False},
            "title": text,
            "text": text,
            "category": {"type": "keyword", "doc_values": False, "ignore_above": LONGEST_NAME},
            "category_name": {"type": "keyword", "index": False, "ignore_above": LONGEST_NAME},
            "price": {"type": "double"},
            "rating": {"type": "double"},
            "popularity": {"type": "long"},
        },
    }


@dataclass(frozen=True, slots=True)
class IndexKind:
    """What an index that is there was made for."""

    formulation: str
    """How its products are scored; "None" for an index of another program."""
    shards: int


def index_kind(client: Elasticsearch, index: str) -> IndexKind:
    """Raises UserError where there is no such index."""
    try:
        found = client.indices.get(index=index)[index]
    except NotFoundError as problem:
        raise UserError(f"Elasticsearch holds no index {index}; load the world again.") from problem
    except KeyError as problem:
        raise UserError(f"{index} is not the name of an index but an alias of one.") from problem
    formulation = found["mappings"].get("_meta", {}).get("formulation")
    return IndexKind(str(formulation), int(found["settings"]["index"]["number_of_shards"]))


def as_document(product: Product) -> dict[str, Any]:
    """What is indexed of a product; unknown numbers are left out."""
    names = category_names(product)
    document: dict[str, Any] = {
        "product_id": product.product_id,
        "title": indexed_title(product),
        "text": indexed_text(product),
        "category": [fold_category(name) for name in names],
        "category_name": names,
        "price": product.price,
        "rating": product.average_rating,
        "popularity": product.rating_number,
    }
    return {name: value for name, value in document.items() if value is not None}

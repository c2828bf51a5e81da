"""What MongoDB's encoding may lose."""

import json
from typing import Any

import bson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.clients import Document
from drretail.env.manifest import product_line
from drretail.env.store.mongo import (
    aggregates_of,
    order_document,
    order_row,
    product_document,
    read_product,
    user_document,
)
from drretail.env.users import Aggregates
from drretail.env.world import OrderRow
from drretail.records.shop import Product

text = st.text(st.characters(codec="utf-8"), max_size=8)
keys = text | st.sampled_from(["$ref", "a.b"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


def through_mongodb(document: Document) -> Document:
    return bson.decode(bson.encode(document))


@given(
    details=st.dictionaries(text | st.just("$id"), json_values, max_size=3),
    price=st.none() | st.floats(0, 1e12),
    features=st.lists(text, max_size=2),
    title=text,
)
def test_a_product_comes_back_to_the_last_digit(
    details: dict[str, Any], price: float | None, features: list[str], title: str
) -> None:
    product = Product(
        product_id="B1",
        title=title,
        features=tuple(features),
        price=price,
        rating_number=3,
        category="Pet_Supplies",
        details=details,
    )
    back = read_product(through_mongodb(product_document(product)))
    assert product_line(back) == product_line(product)
    json.dumps(back.model_dump(mode="json"))  # of Python's own types, which others can write down


@pytest.mark.parametrize(
    "details", [{"$where": 1}, {"a": [{"$b": 1}]}, {"a\0": 1}, {"a": 2**63}, json.loads('{"a":' * 90 + "1" + "}" * 90)]
)
def test_details_may_hold_what_a_document_cannot(details: dict[str, Any]) -> None:
    product = Product(product_id="B1", title="a", category="Pet_Supplies", details=details)
    assert read_product(through_mongodb(product_document(product))) == product


def test_an_order_looks_as_in_the_paper_and_a_user_has_sums() -> None:
    row = OrderRow("0000000003", "ANNA", "B01", 1_605_184_000_123, 2, "Shipped")
    document = through_mongodb(order_document(row))
    assert document["_id"] == document["order_id"] == "0000000003"
    assert document["order_date"] == "2020-11-12T12:26:40.123000"
    assert order_row(document) == row
    assert type(order_row(document).timestamp) is int

    user = Aggregates("ANNA", 3, 73.5, 1_600_000_000_000, "Pet_Supplies")
    assert aggregates_of(through_mongodb(user_document(user))) == user

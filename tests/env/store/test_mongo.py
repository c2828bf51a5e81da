"""What comes back from MongoDB is what was written; its encoding is what may lose something."""

import json
from typing import Any

import bson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.manifest import OrderRow, product_line
from drretail.env.servers.clients import Document
from drretail.env.store.mongo import (
    aggregates_of,
    holdout_document,
    is_storable,
    order_document,
    order_row,
    product_document,
    product_of,
    profile_of,
    user_document,
)
from drretail.env.store.users import Aggregates, default_pool, derive_profile
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
    back = product_of(through_mongodb(product_document(product)))
    assert product_line(back) == product_line(product)
    json.dumps(back.model_dump(mode="json"))  # of Python's own types, which others can write down


@pytest.mark.parametrize(
    "details", [{"$where": 1}, {"a": [{"$b": 1}]}, {"a\0": 1}, {"a": 2**63}, json.loads('{"a":' * 90 + "1" + "}" * 90)]
)
def test_details_that_a_document_cannot_hold_stand_as_json(details: dict[str, Any]) -> None:
    assert not is_storable(details)
    product = Product(product_id="B1", title="a", category="Pet_Supplies", details=details)
    document = product_document(product)
    assert document["details"] is None
    assert product_of(through_mongodb(document)) == product


def test_an_order_looks_as_in_the_paper_and_a_user_has_sums_and_where_it_is_written_out_its_profile() -> None:
    row = OrderRow("0000000003", "ANNA", "B01", 1_605_184_000_123, 2, "Shipped")
    document = through_mongodb(order_document(row))
    assert document["_id"] == document["order_id"] == "0000000003"
    assert document["order_date"] == "2020-11-12T12:26:40.123000"
    assert order_row(document) == row == order_row(through_mongodb(holdout_document(7, row)))
    assert type(order_row(document).timestamp) is int

    user = Aggregates("ANNA", 3, 73.5, 1_600_000_000_000, "Pet_Supplies")
    profile = derive_profile(default_pool(), "42", "ANNA")
    short, full = (through_mongodb(user_document(user, written)) for written in (None, profile))
    assert aggregates_of(short) == aggregates_of(full) == user
    assert profile_of(short, default_pool(), "42") == profile_of(full, default_pool(), "42") == profile
    assert full["address"]["city"] == profile.address.city
    assert "email" not in short

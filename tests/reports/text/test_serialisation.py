"""Records as a model reads them. record_lines: tests/shopping/test_constraints.py.
lean_items: tests/tools/test_catalog.py.
"""

import json

from drretail.records.shop import Order
from drretail.reports.text import serialisation
from drretail.reports.text.serialisation import (
    compact_json,
    order_item,
    order_record,
    product_card,
    product_record,
    record_text,
)
from tests.goods import KETTLE, PROFILE

DETAILS = {"Color": "Grün", "Brand": "Bruma", "Best Sellers Rank": {"b": 2, "a": 1}}
PRODUCT = KETTLE.model_copy(update={"details": DETAILS})
ORDER = Order(order_id="0000000012", user_id="A1", product_id=KETTLE.product_id, timestamp=1645510041735, quantity=2)


def test_cards_and_records_have_these_fields_and_a_lowest_price_is_marked() -> None:
    record, card = product_record(PRODUCT), product_card(PRODUCT)
    assert card == {name: record[name] for name in card} | {"category": "Kettles"}
    of_card = "evidence product_id product_url title price currency average_rating rating_number store category"
    assert " ".join(card) == of_card
    listing = "product_id product_url title features description price store categories details"
    ours = "evidence currency average_rating rating_number category bought_together"
    assert record.keys() == {*listing.split(), *ours.split()}
    lowest = PRODUCT.model_copy(update={"price_from": True})
    assert product_card(lowest)["price_from"] is product_record(lowest)["price_from"] is True


def test_the_text_of_a_record_does_not_depend_on_the_order_of_its_details() -> None:
    turned = PRODUCT.model_copy(update={"details": dict(reversed(DETAILS.items()))})
    text = record_text(PRODUCT)
    assert record_text(turned) == text
    assert ("Grün" in text, ", " in text.replace(PRODUCT.title, "")) == (True, False)
    assert json.loads(text) == product_record(PRODUCT)


def test_results_are_compact_json_also_where_orjson_gives_up() -> None:
    for value in ({"a": ["é", 5.0, None]}, {"large": 2**70}, ["\ud83d"], {1: 2}):
        assert compact_json(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_an_order_in_a_list_names_its_product_and_a_customer_has_no_mail_and_telephone() -> None:
    known, gone = order_item(ORDER, PRODUCT), order_item(ORDER, None)
    assert (known["evidence"], known["order_date"]) == ("O:0000000012", "2022-02-22T06:07:21.735000")
    assert known == order_record(ORDER) | {"product_title": KETTLE.title, "price": 42.95, "currency": "USD"}
    assert gone == order_record(ORDER) | {"product_title": None, "price": None, "currency": None}
    assert serialisation.customer_card(PROFILE).keys() == {"user_id", "first_name", "last_name", "address"}
    assert serialisation.user_record(PROFILE, "U:profile") == {"evidence": "U:profile"} | PROFILE.model_dump()

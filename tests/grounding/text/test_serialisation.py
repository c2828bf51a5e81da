import json

from drretail.grounding.text.serialisation import (
    customer_card,
    order_item,
    order_record,
    product_card,
    product_record,
    record_text,
    user_record,
)
from drretail.records.shop import Order, Product
from tests.grounding.shelf import PROFILE

ORDER = Order(order_id="0000000012", user_id="A1", product_id="B000000001", timestamp=1645510041735, quantity=2)


def test_cards_and_records_have_these_fields_and_a_lowest_price_is_marked(product: Product) -> None:
    record, card = product_record(product), product_card(product)
    assert card == {name: record[name] for name in card} | {"category": "Feeders"}
    assert " ".join(card) == (
        "evidence product_id product_url title price currency average_rating rating_number store category"
    )
    lowest = product.model_copy(update={"price_from": True})
    assert product_card(lowest)["price_from"] is product_record(lowest)["price_from"] is True
    assert "price_from" not in product_record(product)
    listing = "product_id product_url title features description price store categories details"
    ours = "evidence currency average_rating rating_number category bought_together"
    assert product_record(product).keys() == {*listing.split(), *ours.split()}


def test_the_text_of_a_record_does_not_depend_on_the_order_of_its_details(product: Product) -> None:
    turned = product.model_copy(update={"details": dict(reversed(product.details.items()))})
    assert record_text(turned) == record_text(product)
    assert "Grün" in record_text(product)
    assert ", " not in record_text(product).replace("Feeder, Large", "")
    assert json.loads(record_text(product)) == product_record(product)


def test_an_order_in_a_list_names_its_product_and_a_customer_is_shown_without_mail_and_telephone(
    product: Product,
) -> None:
    known, gone = order_item(ORDER, product), order_item(ORDER, None)
    assert (known["evidence"], known["order_date"]) == ("O:0000000012", "2022-02-22T06:07:21.735000")
    assert known == order_record(ORDER) | {"product_title": "Bruma Feeder, Large", "price": 25.0, "currency": "USD"}
    assert gone == order_record(ORDER) | {"product_title": None, "price": None, "currency": None}
    assert customer_card(PROFILE).keys() == {"user_id", "first_name", "last_name", "address"}
    assert user_record(PROFILE, "U:profile") == {"evidence": "U:profile"} | PROFILE.model_dump()

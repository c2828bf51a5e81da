"""What each role is shown of the wish, of what is owned, and of the profile."""

import json
from dataclasses import replace
from typing import Any

from drretail.agents.grounded_hybrid.telling import (
    MOST_LINES,
    MOST_ORDERED,
    MOST_OWNED,
    Owned,
    owned_block,
    profile_block,
    statements_on,
    wish_block,
)
from drretail.prompts import tag_content
from drretail.records.money import Money
from drretail.records.score import Statement
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish

BAG = "Find a diaper bag for up to $40."
DAY = "2023-05-01"
LEASH = Owned("B1", "Foglark Leash, Red", "01", DAY)
SWADDLE = Owned("B2", "Napperly Muslin Swaddle, 3 Pack", "02", DAY)
BLANKET = Want(name="swaddle blanket", kinds=("blanket",), quantity=2, must=("cotton",), rating_min=4.0)
WISH = Wish(wants=(BLANKET,), budget=Money.of(70), deadline="by March 3", owned=("B2",))


def few(_: str) -> float:
    """As if every word stood in one product of a hundred."""
    return 0.01


def about(title: str, *categories: str) -> Statement:
    text = f"Bought on 2023-05-01: {title}"
    return Statement(code="recent_purchase", text=text, orders=("01",), categories=categories, names=(title,))


def shown(wish: Wish, *owned: Owned) -> dict[str, Any]:
    return json.loads(tag_content("wish", wish_block(wish, owned)) or "")


def with_record(owned: Owned, *categories: str) -> Owned:
    record = Product(product_id=owned.product_id, title=owned.title, categories=categories, category="Baby_Products")
    return replace(owned, record=record)


def test_a_wish_is_shown_without_its_empty_fields() -> None:
    blanket = {"name": "swaddle blanket", "kinds": ["blanket"], "quantity": 2, "must": ["cotton"], "rating_min": 4}
    assert shown(WISH) == {
        "wants": [blanket],
        "budget": {"amount": "70", "currency": "USD"},
        "deadline": "by March 3",
    }
    assert shown(Wish()) == {}


def test_what_the_wish_names_as_owned_is_shown_by_title_and_order_and_the_rest_is_counted() -> None:
    entry = {"id": "B2", "title": "Napperly Muslin Swaddle, 3 Pack", "evidence": "O:02", "ordered": DAY}
    assert {name: shown(WISH, LEASH, SWADDLE)[name] for name in ("owned", "owned_besides")} == {
        "owned": [entry],
        "owned_besides": 1,
    }


def test_what_is_owned_of_a_wanted_kind_is_shown_behind_what_is_named() -> None:
    blanket = with_record(Owned("B3", "Foglark Fleece", "03", DAY), "Bedding", "Blankets")
    assert [entry["id"] for entry in shown(WISH, with_record(LEASH), blanket, SWADDLE)["owned"]] == ["B2", "B3"]
    assert shown(WISH, with_record(LEASH), blanket, SWADDLE)["owned_besides"] == 1


def test_an_owned_product_is_listed_with_its_category_where_the_shop_has_it() -> None:
    lines = (
        tag_content("owned", owned_block([with_record(SWADDLE, "Baby", "Swaddles"), LEASH], BAG)) or ""
    ).splitlines()
    assert lines == [f"B2  {DAY}  Napperly Muslin Swaddle, 3 Pack  (Swaddles)", f"B1  {DAY}  Foglark Leash, Red"]


def test_a_long_history_is_shown_in_part() -> None:
    many = [Owned(f"B{number}", f"Diaper {number}", f"{number}", DAY) for number in range(MOST_ORDERED + 5)]
    read = shown(WISH.model_copy(update={"owned": tuple(product.product_id for product in many)}), *many)
    assert (len(read["owned"]), read["owned_besides"]) == (MOST_OWNED, len(many) - MOST_OWNED)
    lines = (tag_content("owned", owned_block(many, BAG)) or "").splitlines()
    assert lines[0] == f"B0  {DAY}  Diaper 0"
    assert (len(lines), lines[-1]) == (MOST_ORDERED + 1, "and 5 more, ordered before these")


def test_lines_of_the_profile_are_those_that_speak_of_the_part() -> None:
    person = Statement(code="person", text="Ada Low of Bend, Oregon.")
    bag = about("Foglark Diaper Bag.")
    assert statements_on((about("Bird Feeder."), person, bag), BAG, few) == [person, bag]
    assert len(statements_on([bag] * 40, BAG, few)) == MOST_LINES
    lines = profile_block([person, bag], {"O:01"})
    assert "- Ada Low of Bend, Oregon. [U:profile]" in lines
    assert lines.endswith("Foglark Diaper Bag. [O:01]\n</profile>")


def test_a_product_that_a_line_names_can_be_cited_where_it_was_seen() -> None:
    line = Statement(
        code="recent_purchase", text="Bought on 2023-05-01: Foglark Diaper Bag [B1] ($30.00).", orders=("01",)
    )
    assert "Foglark Diaper Bag [P:B1] ($30.00). [O:01]" in profile_block([line], {"O:01", "P:B1"})
    assert "Foglark Diaper Bag ($30.00). [O:01]" in profile_block([line], {"O:01"})


def test_words_around_the_things_of_a_line_choose_none() -> None:
    tablet, rhythm = (
        about("Foglark Computer Tablet, 7 inch"),
        Statement(code="rhythm", text="Half last 30 days or less."),
    )
    for part in ("What was bought before? Compute the total.", "How long do seeds last, in days?"):
        assert statements_on([tablet, rhythm], part, few) == []
    assert statements_on([tablet, rhythm], "Which tablets last long?", few) == [tablet]


def test_a_word_that_many_products_have_chooses_no_line_but_a_category_named_in_full_does() -> None:
    line = about("Foglark Gift Set", "Coffee Cups & Mugs")
    assert statements_on([line], "A gift set for a friend.", lambda word: 0.3) == []
    assert statements_on([line], "A mug for a friend.", lambda word: 0.3) == [line]
    assert statements_on([line], "A cup of coffee a day.", lambda word: 0.3) == [line]


def test_lines_that_name_more_and_rarer_things_come_before_others() -> None:
    cables, braided = about("Foglark Cable"), about("Foglark Braided Cable")
    lines = [*[cables] * MOST_LINES, braided]
    assert statements_on(lines, "A braided cable.", few) == [*[cables] * (MOST_LINES - 1), braided]


def test_an_intimate_product_is_listed_as_owned_where_the_question_names_it() -> None:
    test = with_record(LEASH, "Health", "Pregnancy Tests")
    assert "B1" not in owned_block([test, SWADDLE], BAG)
    assert "B1" in owned_block([test, SWADDLE], "How long can I keep pregnancy tests?")

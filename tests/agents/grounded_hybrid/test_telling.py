"""What bears on a part of a question is told to whoever works on it, and the rest is counted."""

import json

from drretail.agents.grounded_hybrid.telling import (
    MOST_LINES,
    MOST_OWNED,
    Owned,
    constraints_on,
    constraints_told,
    profile_told,
    statements_on,
)
from drretail.prompts import tag_content
from drretail.records.money import Money
from drretail.records.query import Constraints, demands
from drretail.records.score import Statement

BAG, BLANKET = "Find a diaper bag for up to $40.", "Find swaddle blankets for up to $30."
DEMANDED = Constraints(
    budget=Money.of(70),
    brands_unwanted=("Tallow",),
    must=(*demands("cotton", of="swaddle blanket"), *demands("vegan")),
    must_not=demands("zips", of="diaper bag"),
    quantities={"swaddle blanket": 2},
    deadline="by March 3",
)


def told(constraints: Constraints, *owned: Owned, question: str = "") -> dict[str, object]:
    return json.loads(tag_content("constraints", constraints_told(constraints, owned, question)) or "")


def test_budget_brands_and_deadline_hold_for_every_part_and_properties_for_their_thing() -> None:
    bag, blanket = constraints_on(DEMANDED, BAG), constraints_on(DEMANDED, BLANKET)
    assert bag.must == demands("vegan")
    assert bag.must_not == DEMANDED.must_not
    assert bag.quantities == {}
    assert (blanket.must, blanket.must_not, blanket.quantities) == (DEMANDED.must, (), {"swaddle blanket": 2})
    for part in (bag, blanket):
        assert (part.budget, part.brands_unwanted, part.deadline) == (Money.of(70), ("Tallow",), "by March 3")


def test_the_scope_of_a_budget_is_always_told() -> None:
    assert told(DEMANDED)["budget_scope"] == "total"
    assert told(DEMANDED.model_copy(update={"budget_scope": "per_item"}))["budget_scope"] == "per_item"
    assert told(Constraints()) == {}


def test_what_is_owned_is_told_by_name_where_the_question_may_speak_of_it() -> None:
    day = "2023-05-01"
    owned = (Owned("B1", "Foglark Leash, Red", "01", day), Owned("B2", "Napperly Muslin Swaddle, 3 Pack", "02", day))
    assert told(Constraints(), *owned, question=BLANKET) == {
        "owned": [{"id": "B2", "title": "Napperly Muslin Swaddle, 3 Pack", "evidence": "O:02", "ordered": day}],
        "owned_besides": 1,
    }
    named = Constraints(owned=("B1",))
    assert [it["id"] for it in told(named, *owned, question=BLANKET)["owned"]] == ["B1", "B2"]  # pyright: ignore


def test_a_measure_in_a_title_makes_nothing_of_it_that_the_question_speaks_of() -> None:
    owned = (Owned("B1", "Boltwick 35 ft Tape Measure", "01", "2023-05-01"),)
    assert told(Constraints(), *owned, question="Soil for an 8 x 4 ft bed") == {"owned_besides": 1}


def test_a_word_of_time_or_place_makes_nothing_owned_that_the_question_speaks_of() -> None:
    owned = (Owned("B1", "Hazelwick 7 Day Pill Organizer", "01", "2023-05-01"),)
    assert told(Constraints(), *owned, question="The first days of a cat at home") == {"owned_besides": 1}


def test_a_long_history_is_told_in_part() -> None:
    many = [Owned(f"B{it}", f"Diaper {it}", f"{it}", "2023-05-01") for it in range(50)]
    read = told(Constraints(), *many, question="More diapers")
    assert (len(read["owned"]), read["owned_besides"]) == (MOST_OWNED, 50 - MOST_OWNED)  # pyright: ignore


def test_lines_of_the_profile_are_those_that_speak_of_the_part() -> None:
    person = Statement(code="person", text="Ada Low of Bend, Oregon.")
    bag = Statement(code="recent_purchase", text="Bought on 2023-05-01: Foglark Diaper Bag.", orders=("01",))
    feeder = Statement(code="recent_purchase", text="Bought on 2023-04-01: Bird Feeder.", orders=("02",))
    assert statements_on((feeder, person, bag), BAG) == [person, bag]
    assert len(statements_on([bag] * 40, BAG)) == MOST_LINES
    lines = profile_told([person, bag], {"O:01"})
    assert "- Ada Low of Bend, Oregon. [U:profile]" in lines
    assert lines.endswith("Foglark Diaper Bag. [O:01]\n</profile>")


def test_a_product_that_a_line_names_can_be_cited_where_it_was_seen() -> None:
    line = Statement(
        code="recent_purchase", text="Bought on 2023-05-01: Foglark Diaper Bag [B1] ($30.00).", orders=("01",)
    )
    assert "Foglark Diaper Bag [P:B1] ($30.00). [O:01]" in profile_told([line], {"O:01", "P:B1"})
    assert "Foglark Diaper Bag ($30.00). [O:01]" in profile_told([line], {"O:01"})


def test_how_often_somebody_orders_bears_on_no_thing() -> None:
    rhythm = Statement(code="rhythm", text="0.3 orders a month between the first and the last.")
    assert statements_on([rhythm], "What grows before the first frost?") == []

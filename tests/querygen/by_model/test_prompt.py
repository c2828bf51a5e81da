"""Whom queries are written for, and the four inputs that a model is told. Also tests targets.py."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from drretail.env.world import World
from drretail.errors import UserError
from drretail.llm.prompt import tag_content
from drretail.querygen.by_model.prompt import MOST_KINDS, PromptBuilder
from drretail.querygen.by_model.targets import Target, generic_targets, shared_out, targets_of
from drretail.querygen.generate import Quota
from drretail.querygen.lint import Linter
from drretail.records.criteria import Share
from drretail.records.query import Query
from drretail.reports.text.evidence_ids import short_hash
from drretail.tools.registry import TOOLS
from tests.querygen.conftest import MakeWorld, orders, product_id, products


def told(world: World, target: Target) -> tuple[str, str]:
    """The instructions and what is asked."""
    instructions, asked = PromptBuilder(world, Linter(world)).messages(target)
    return instructions.text, asked.text


def shelf_of(world: World, target: Target) -> list[str]:
    return (tag_content("shelf", told(world, target)[1]) or "").splitlines()


def test_the_four_inputs_are_in_it_without_what_tells_who_the_person_is(world: World) -> None:
    instructions, asked = told(world, ANNA)
    assert "taken apart into smaller questions" in instructions  # what deep research is
    assert world.manifest.now.date().isoformat() in instructions  # the domain, with the shop's today
    assert all(f"- {name}(" in instructions for name in TOOLS)
    profile = world.store.user("ANNA")
    assert f"{profile.first_name} {profile.last_name} of {profile.address.city}" in asked
    assert world.store.orders("ANNA").orders[0].order_id in asked
    for secret in (profile.email, profile.phone_number, profile.address.address1, profile.address.zip):
        assert secret not in instructions + asked


ANNA = Target("anna", 1, "ANNA")


def test_a_generic_question_is_asked_for_without_any_profile(world: World) -> None:
    _, asked = told(world, Target("generic-home", 1, category="Pets"))
    assert "<profile>" not in asked
    assert "<category>\nPets\n</category>" in asked
    assert "- Dog Beds: in Pets, 5 products" in (tag_content("shelf", asked) or "")
    assert "<owned>" not in asked


def test_the_writer_sees_what_stands_near_the_purchases_with_prices_and_what_is_owned(world: World) -> None:
    owned, shelf = tag_content("owned", told(world, ANNA)[1]) or "", shelf_of(world, ANNA)
    (feeder, *_) = (order for order in world.store.orders("ANNA").orders if order.order_date.startswith("2022-01-01"))
    facts = f"(Bird Feeders; $17.00; ordered 2022-01-01 in order {feeder.order_id}; Handle: Steel Handle (40%))"
    assert f"{product_id('bird feeder', 1)}: Brightwater Bird Feeder, Size 1, Blue {facts}" in owned
    twice = r"ordered 2022-07-20 in order \d{10}, 2022-01-11 in order \d{10}"
    assert re.search(rf"Shampoo, Size 1, Blue \(.*; {twice};", owned)
    kinds = [line.removeprefix("- ").partition(":")[0] for line in shelf]
    assert kinds[:2] == ["Shampoos", "Cordless Drills"]  # the newest purchases first,
    assert {"Birdhouses", "Hair Masks", "Tape Measures"} <= set(kinds)  # then what stands beside them
    prices = "100% with a price, $10.00 to $38.00, in the median $24.00"
    assert shelf[0].startswith(f"- Shampoos: in Hair Care, 5 products, {prices}")
    assert len(shelf) <= MOST_KINDS


def test_intimate_products_are_on_the_shelf_and_owned_only_where_the_question_names_them(make_world: MakeWorld) -> None:
    path = ("Everything", "Pregnancy Tests", "Desk Lamp")
    shop = [
        product.model_copy(update={"categories": path}) if "Desk Lamp" in product.title else product
        for product in products()
    ]
    world = make_world(shop, orders())
    assert "Desk Lamp" not in told(world, ANNA)[1]
    builder, tests = PromptBuilder(world, Linter(world)), "Are these pregnancy tests on my desk still good?"
    for text, shows in (("Another lamp for my desk?", False), (tests, True)):
        query = Query(query_id="q", user_id="ANNA", text=text, source="t")
        asked = builder.text_to_type(query, builder.shelf.pages_for(query))
        assert ("Desk Lamp, Size" in asked) == shows


def test_a_shop_without_categories_shows_its_files(make_world: MakeWorld) -> None:
    plain = [product.model_copy(update={"price": None}) for product in products(paths=False)]
    shelf = "\n".join(shelf_of(make_world(plain, orders()), Target("b", 1, "BERT")))
    assert "- (Home_and_Kitchen): 176 products, none with a price" in shelf  # in brackets, for it is no kind


def test_named_users_are_kept_in_order_and_once_and_those_that_cannot_be_served_are_told(world: World) -> None:
    found, without = targets_of(world, ["CARA", "ANNA", "DORA", "CARA"], 3)
    assert [place.user_id for place in found] == ["CARA", "ANNA"]
    assert found[0].query_id(2) == f"{short_hash('CARA')}-m-2"  # the rules' second is "…-2"
    assert without == ["DORA"]
    with pytest.raises(UserError, match="None of 1 users"):
        targets_of(world, ["DORA"], 1)


def test_shares_of_needs_are_shared_out_and_the_writer_is_told_of_its_own(world: World) -> None:
    both, record = Share(frozenset({"profile", "web"}), 0.5), Share(frozenset({"profile"}), 0.25)
    shared = shared_out([replace(ANNA, name=str(at)) for at in range(8)], Quota([both, record], 8))
    assert Counter(target.needs for target in shared) == {both.needs: 4, record.needs: 2, frozenset(): 2}
    assert "has to need the shopper's record and a page" in told(world, replace(ANNA, needs=both.needs))[1]
    assert "has to need" not in told(world, ANNA)[1]


@pytest.mark.parametrize("count", [1, 7, 40])
def test_generic_queries_are_as_many_as_asked_and_more_of_them_change_none(world: World, count: int) -> None:
    few, many = generic_targets(world, count, "42"), generic_targets(world, count + 5, "42")
    assert sum(target.count for target in few) == count
    assert [target.name for target in many[: len(few)]] == [target.name for target in few]
    assert max(target.count for target in few) - min(target.count for target in few) <= 1

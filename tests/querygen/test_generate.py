import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.plan import IngestOptions
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.grounding.text.amounts import find_money
from drretail.querygen.checks import contract
from drretail.querygen.generate import generate_for, generate_sampled
from drretail.querygen.lint import Linter
from drretail.querygen.rules.naming import thing_of
from drretail.querygen.rules.needs import KINDS, needs
from drretail.querygen.rules.variety import alike
from drretail.records.query import NEED_KINDS, Query
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from drretail.tools.registry import TOOLS
from tests.querygen.conftest import MakeWorld, bought, orders, product_id, products

USERS = ["ANNA", "CARA", "FAYE", "GUNN_1", "GUNN_2"]
SEEDS = [str(seed) for seed in range(6)]


@pytest.fixture(scope="session")
def many(world: World) -> list[Query]:
    """Queries of all draft kinds for all shoppers under several seeds."""
    return [query for seed in SEEDS for query in generate_for(world, USERS, per_user=9, seed=seed).queries]


def wish_of(query: Query) -> Wish:
    assert query.wish is not None
    return query.wish


def wants_of(queries: list[Query]) -> Iterator[tuple[Query, Want]]:
    return ((query, want) for query in queries for want in wish_of(query).wants)


def test_texts_are_of_the_length_of_the_papers_examples(many: list[Query]) -> None:
    assert all(40 <= len(query.text.split()) <= 110 for query in many)


def test_texts_hold_no_id_no_mail_address_and_no_street(world: World, many: list[Query]) -> None:
    for query in many:
        profile = world.store.user(query.user_id or "")
        assert not re.search(r"\b[A-Z0-9]{8,}\b|@|\d{5}", query.text), query.text
        for secret in (profile.address.address1, profile.last_name, profile.phone_number):
            assert secret not in query.text


def test_texts_are_clean_english_sentences(many: list[Query]) -> None:
    for query in many:
        assert not re.search(r"[{}\[\]_]|\s\s|\s[,.?!]|\.\.|\ba [aeio]|\ban [bcdfgjkpqtvwz]", query.text), query.text
        assert re.match(r"[A-Z]", query.text)
        assert query.text[-1] in ".?"
        assert all(re.match(r"[A-Z$€£]", part) for part in re.split(r"(?<=[.?]) ", query.text)), query.text


def test_every_amount_of_the_text_is_typed_and_the_other_way_round(many: list[Query]) -> None:
    for query in many:
        typed = {limit.value for limit in wish_of(query).limits}
        assert {amount.high for amount in find_money(query.text)} == typed, query.text
        assert all(value % 5 == 0 and value >= 10 for value in typed)
    assert any(want.price_max for _, want in wants_of(many))


def test_what_is_typed_stands_in_the_words_and_numbers_of_the_text(world: World, many: list[Query]) -> None:
    linter = Linter(world)
    for query in many:
        breaches = {finding.code for finding in contract.check(linter.case(query))}
        assert not breaches & {"words_not_in_text", "amount_not_typed"}, query.text
    for bound in ("must", "must_not", "rating_min", "ratings_min", "brands_unwanted"):
        assert any(getattr(want, bound) for _, want in wants_of(many)), bound


def test_numbers_of_pieces_are_typed_and_the_other_way_round(many: list[Query]) -> None:
    words = {2: "two", 3: "three", 4: "four"}
    for query, want in wants_of(many):
        named = re.findall(r"I'd (?:order|take) (\w+) (?:at once|this time)", query.text)
        assert named == ([words[want.quantity]] if want.quantity > 1 else []), query.text
    assert {want.quantity for _, want in wants_of(many)} == {1, 2, 3, 4}


def test_things_of_which_any_will_do_are_one_want_of_several_kinds(many: list[Query]) -> None:
    either = [(query, want) for query, want in wants_of(many) if " or " in want.name]
    assert either
    for query, want in either:
        assert wish_of(query).wants == (want,)
        assert set(want.name.split(" or ")) <= set(want.kinds)


def test_what_restocks_may_be_bought_again_and_nothing_else(many: list[Query]) -> None:
    assert all(want.again == (query.kind == "restock") for query, want in wants_of(many))


def test_what_is_only_asked_about_is_optional_and_an_invitation_leaves_room(many: list[Query]) -> None:
    optional = [(query, want) for query, want in wants_of(many) if want.optional]
    assert optional
    for query, want in optional:
        assert re.search(rf"(?:Would|whether|need) (?:an? )?{want.name}(?: would)? (?:be worth|at all)", query.text)
    room = [query for query in many if wish_of(query).room]
    assert room
    for query in many:
        assert bool(re.search(r"What else should|anything else belongs|what else would", query.text)) == (query in room)


def test_every_query_can_be_met(world: World, many: list[Query]) -> None:
    linter = Linter(world)
    for query in many:
        reference = linter.stock.offers.reference(query)
        assert reference.best is not None, (query.text, reference.lack)
        assert not any(thing.open for thing in reference.things)


def test_owned_products_are_those_that_the_text_speaks_of(world: World, many: list[Query]) -> None:
    for query in many:
        assert wish_of(query).owned
        for owned in wish_of(query).owned:
            thing = thing_of(world.store.product(owned))
            assert thing is not None
            assert thing.name in query.text
            assert any(order.product_id == owned for order in world.store.orders(query.user_id or "").orders)


def test_kinds_and_tools_are_those_of_the_shop(world: World, many: list[Query]) -> None:
    stock = Linter(world).stock
    for query, want in wants_of(many):
        assert all(stock.offers.of_kind(kind) for kind in want.kinds)
        assert set(query.expected_tools) <= set(TOOLS)
        assert len(set(query.expected_tools)) == len(query.expected_tools)
        assert {"product_catalog_search", "web_search"} <= set(query.expected_tools)


def test_the_rationale_names_orders_of_the_user(world: World, many: list[Query]) -> None:
    for query in many:
        ids = {order.order_id for order in world.store.orders(query.user_id or "").orders}
        assert any(order_id in query.rationale for order_id in ids)


def test_no_two_queries_of_a_user_are_alike(world: World) -> None:
    for seed in SEEDS:
        made = generate_for(world, ["ANNA"], per_user=6, seed=seed).queries
        texts = [query.text for query in made]
        assert len(texts) == 6
        assert not any(alike(text, other) for text in texts for other in texts if text is not other)
        assert len({query.rationale for query in made}) == 6


def test_each_is_sorted_by_the_shape_of_its_need(many: list[Query]) -> None:
    """The reason that ends a rationale is its need's."""
    kinds = {need.why: KINDS[need.shape] for need in needs()}
    assert {query.kind for query in many} == set(NEED_KINDS)
    for query in many:
        assert query.kind == next(kind for why, kind in kinds.items() if query.rationale.endswith(why))


def test_every_tool_of_the_record_comes_up(many: list[Query]) -> None:
    assert {"calculator", "get_user_profile", "get_user_statistics"} <= {
        tool for query in many for tool in query.expected_tools
    }


def test_nothing_is_found_in_what_is_made_but_near_duplicates_now_and_then(world: World, many: list[Query]) -> None:
    """The same few users are asked for nine queries under six seeds: more alike than any file of queries."""
    numbered = [query.model_copy(update={"query_id": f"q-{place}"}) for place, query in enumerate(many)]
    found = [finding.code for it in Linter(world).check_all(numbered) for finding in it.findings]
    assert set(found) <= {"near_duplicate", "same_task"}
    assert len(found) < len(many) / 10


def test_the_same_seed_gives_the_same_queries_and_another_gives_others(world: World) -> None:
    first = generate_sampled(world, 4, per_user=3, seed="7")
    assert first == generate_sampled(world, 4, per_user=3, seed="7")
    assert first != generate_sampled(world, 4, per_user=3, seed="8")


def test_a_users_queries_do_not_depend_on_who_else_is_drawn_or_on_how_many_are_made(world: World) -> None:
    alone = generate_for(world, ["CARA"], per_user=2, seed="7").queries
    together = generate_for(world, ["ANNA", "CARA", "FAYE"], per_user=3, seed="7").queries
    of_cara = [query for query in together if query.user_id == "CARA"]
    assert of_cara[:2] == list(alone)


def test_ids_are_distinct_even_for_users_whose_ids_begin_alike(world: World) -> None:
    made = generate_for(world, USERS, per_user=3, seed="42").queries
    assert len({query.query_id for query in made}) == len(made)
    assert all(re.fullmatch(r"[a-z2-7]{8}-\d", query.query_id) for query in made)


def test_a_history_of_one_order_is_no_profile_and_two_are_one(world: World, make_world: MakeWorld) -> None:
    with pytest.raises(UserError, match="less than two"):
        generate_for(world, ["BERT"], per_user=3, seed="42")
    two = make_world(products(), bought("BERT", "cast iron skillet", "headlamp"))
    assert len(generate_for(two, ["BERT"], per_user=3, seed="42").queries) == 3


def test_users_whose_orders_give_nothing_are_replaced_and_counted(world: World) -> None:
    made = generate_sampled(world, 5, per_user=1, seed="42")
    assert made.users == 5
    assert {query.user_id for query in made.queries} == set(USERS)
    every = generate_sampled(world, 8, per_user=1, seed="42")
    assert every.users == 5
    assert set(every.without) == {"BERT", "DORA", "EMIL"}


def test_a_named_user_whose_orders_give_nothing_is_said(world: World) -> None:
    assert generate_for(world, ["DORA", "CARA"], per_user=1, seed="42").without == ("DORA",)
    with pytest.raises(UserError, match="No query could be made"):
        generate_for(world, ["DORA"], per_user=1, seed="42")


def test_an_unknown_user_is_named_with_some_that_are_known(world: World) -> None:
    with pytest.raises(UserError, match=r"no user 'NOBODY'. Some that it holds: "):
        generate_for(world, ["ANNA", "NOBODY"], per_user=1, seed="42")


def test_a_world_without_users_says_so(make_world: MakeWorld) -> None:
    with pytest.raises(UserError, match="no users"):
        generate_sampled(make_world(products(), []), 5, per_user=3, seed="42")


def test_without_prices_no_budget_is_set_or_said(make_world: MakeWorld) -> None:
    poor = make_world(products(prices=False, paths=False), orders())
    made = generate_sampled(poor, 6, per_user=6, seed="42").queries
    assert len(made) >= 15
    assert not any(wish_of(query).limits for query in made)
    assert not any("$" in query.text for query in made)


def test_without_prices_no_text_speaks_of_what_anything_costs_or_is_paid(make_world: MakeWorld) -> None:
    poor = make_world(products(prices=False), orders())
    for seed in range(6):
        for query in generate_sampled(poor, 6, per_user=4, seed=str(seed)).queries:
            assert not re.search(
                r"\b(?:usual|normal)ly|\bpay\b|\bcosts?\b|cheaper|\bprice|value|more for my", query.text
            ), query.text


@pytest.mark.parametrize(("known", "speaks"), [(3, False), (8, True)])
def test_only_who_mostly_bought_at_known_prices_speaks_of_what_is_usually_paid(
    make_world: MakeWorld, known: int, speaks: bool
) -> None:
    things = (
        "bird feeder",
        "dog bed",
        "desk lamp",
        "planner",
        "tape measure",
        "coffee grinder",
        "humidifier",
        "headlamp",
    )
    priced = {product_id(name, 1) for name in things[:known]}
    partly = [it if it.product_id in priced else it.model_copy(update={"price": None}) for it in products()]
    shop = make_world(partly, bought("ANNA", *things))
    texts = [
        query.text for seed in range(12) for query in generate_for(shop, ["ANNA"], per_user=6, seed=str(seed)).queries
    ]
    assert any(re.search(r"usually pay|normally spend", text) for text in texts) is speaks


def test_of_consumables_bought_long_ago_no_text_says_that_they_are_still_there(make_world: MakeWorld) -> None:
    late = [*bought("ANNA", "shampoo", "facial moisturizer"), *bought("BERT", "planner", first=200)]
    aged = make_world(products(), late)
    for query in generate_for(aged, ["ANNA"], per_user=6, seed="42").queries:
        assert not re.search(r"nearly out|using the|much left|had my", query.text), query.text


def test_a_real_shop_without_prices_or_paths_gives_queries(realdata: Path, tmp_path: Path) -> None:
    options = IngestOptions(min_interactions=1, since=date(2000, 1, 1))
    ingest([realdata / "amazon" / "All_Beauty"], tmp_path / "world", options)
    with open_world(tmp_path / "world") as world:
        made = generate_sampled(world, 10, per_user=3, seed="42")
        titles = [product.title for query in made.queries for product in _owned(world, query)]
    assert made.users == 10
    assert len(made.queries) >= 25
    for query in made.queries:
        assert 40 <= len(query.text.split()) <= 110
        assert not any(len(title) > 60 and title in query.text for title in titles)


def _owned(world: World, query: Query) -> list[Product]:
    return list(world.store.products(wish_of(query).owned).values())

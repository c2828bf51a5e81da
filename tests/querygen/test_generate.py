"""Queries by rules, generic and profile-aware. Also tests rules/."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

import pytest

from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.checks.case import Stock
from drretail.querygen.generate import generate_queries
from drretail.querygen.kinds import kinds_of
from drretail.querygen.lint import Linter
from drretail.querygen.rules.assortment import Assortment
from drretail.records.criteria import Share
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from tests.querygen.conftest import MakeWorld, bought, orders, products

LEAST_WORDS, MOST_WORDS = 20, 90
USERS = ["ANNA", "CARA", "FAYE", "GUNN_1", "GUNN_2"]
NEEDS = {"restock", "replacement"}
SEEDS = [str(seed) for seed in range(4)]


@pytest.fixture(scope="session")
def rich(make_world: MakeWorld) -> World:
    """A shop whose offers differ in material and price; most orders are older than a year, mascaras are used up, and
    bulbs are sold by two."""
    made = [
        product.model_copy(
            update={
                "details": {
                    "Material": "oak" if place % 2 else "pine",
                    **({"Item Form": "Liquid"} if "Skin Care" in product.categories else {}),
                },
                "title": f"{product.title}, Pack of 2" if "bulbs" in product.title else product.title,
                "price": (product.price or 0) * (1 + place % 3),
            }
        )
        for place, product in enumerate(products())
    ]
    second = bought("ANNA", "desk lamp", number=2, first=40)
    rows = [*orders(), *second, *bought("HANS", "planner", "mascara", first=60)]
    return make_world(made, sorted(rows, key=lambda row: row.place))


@pytest.fixture(scope="session")
def many(rich: World) -> list[Query]:
    """Queries of all kinds of need for all shoppers under several seeds."""
    return [query for seed in SEEDS for query in generate_queries(rich, USERS, per_user=9, seed=seed).queries]


def wish_of(query: Query) -> Wish:
    assert query.wish is not None
    return query.wish


def wants_of(queries: list[Query]) -> Iterator[tuple[Query, Want]]:
    return ((query, want) for query in queries for want in wish_of(query).wants)


def test_texts_are_clean_english_sentences_as_many_as_in_the_papers_examples(many: list[Query]) -> None:
    for query in many:
        assert LEAST_WORDS <= len(query.text.split()) <= MOST_WORDS
        assert not re.search(r"[{}\[\]_]|\s\s|\s[,.?!]|\.\.|\ba [aeio]|\ban [bcdfgjkpqtvwz]", query.text), query.text
        assert re.fullmatch(r"\"?[A-Z].*[.?]", query.text)
        assert all(re.match(r"[\"A-Z$€£]", part) for part in re.split(r"(?<=[.?]) ", query.text)), query.text


def test_kinds_of_need_take_turns_and_a_source_that_is_named_is_needed(many: list[Query]) -> None:
    assert {query.kind for query in many} == NEEDS
    assert {tool for query in many for tool in query.expected_tools} == {
        "get_user_orders",
        "get_product_details",
        "product_catalog_search",
    }
    assert not any(query.kind == "restock" and want.not_owned for query, want in wants_of(many))
    assert all(want.not_owned for query, want in wants_of(many) if query.kind == "replacement")
    assert not any(wish_of(query).rests_on("page") for query in many)
    resting = [query for query in many if wish_of(query).rests_on("profile")]
    assert all(query.needs and query.needs.proved == ("profile",) for query in resting)


def test_shares_are_met_or_what_is_missing_is_said(market: World, rich: World) -> None:
    both, web = Share(frozenset({"profile", "web"}), 0.5), Share(frozenset({"web"}), 0.25)
    made = generate_queries(market, 4, per_user=1, seed="42", needs=[both, web])
    assert Counter(query.needs.proved if query.needs else () for query in made.queries)["profile", "web"] >= 2
    assert made.quota.shortfalls == []
    for query in made.queries:
        assert ("web_search" in query.expected_tools) == wish_of(query).rests_on("page")
    with pytest.raises(UserError, match="Have a model write them"):
        generate_queries(rich, USERS, per_user=1, seed="42", needs=[Share(frozenset({"web"}))])
    few = generate_queries(rich, USERS, per_user=1, seed="42", needs=[both])
    assert few.quota.shortfalls == ["3 of 3 that are to need profile and web are missing."]


def test_what_the_shopper_has_is_named_by_its_kind_and_month(rich: World, many: list[Query]) -> None:
    """A title would lead to the value that the order is asked for."""
    for query in many:
        assert not any(owned.title.partition(",")[0] in query.text for owned in _owned(rich, query))
        orders_of = rich.store.orders(query.user_id or "").orders
        days = [order.order_date[:10] for order in orders_of if order.product_id in wish_of(query).owned]
        months = {date.fromisoformat(day).strftime("%B %Y") for day in days}
        assert set(re.findall(r"[A-Z][a-z]+ 20\d\d", query.text)) <= months


def test_nothing_is_found_in_what_is_made(rich: World) -> None:
    for seed in SEEDS[:2]:
        made = generate_queries(rich, USERS, per_user=3, seed=seed).queries
        assert not [finding.code for each in Linter(rich).check_all(made) for finding in each.findings]


def test_a_users_queries_do_not_depend_on_who_else_is_drawn_or_on_how_many_are_made(world: World) -> None:
    alone = generate_queries(world, ["CARA"], per_user=2, seed="7").queries
    together = generate_queries(world, ["ANNA", "CARA", "FAYE"], per_user=3, seed="7").queries
    of_cara = [query for query in together if query.user_id == "CARA"]
    assert of_cara[:2] == list(alone)


def test_users_whose_orders_give_nothing_are_replaced_and_counted(world: World, make_world: MakeWorld) -> None:
    made = generate_queries(world, 5, per_user=1, seed="42")
    assert made.users == 5
    assert {query.user_id for query in made.queries} == set(USERS)
    every = generate_queries(world, 8, per_user=1, seed="42")
    assert every.users == 5
    assert set(every.without) == {"BERT", "DORA", "EMIL"}
    assert generate_queries(world, ["DORA", "CARA"], per_user=1, seed="42").without == ("DORA",)
    with pytest.raises(UserError, match="No query could be made"):
        generate_queries(world, ["DORA"], per_user=1, seed="42")
    with pytest.raises(UserError, match=r"no user 'NOBODY'. Some that it holds: "):
        generate_queries(world, ["ANNA", "NOBODY"], per_user=1, seed="42")
    with pytest.raises(UserError, match="no users"):
        generate_queries(make_world(products(), []), 5, per_user=3, seed="42")


def test_a_kind_has_the_name_that_titles_say(make_world: MakeWorld) -> None:
    path = ("Electronics", "Computers", "Laptops", "Traditional Laptops")
    laptops = [
        Product(product_id=f"Z{n}", title=f"Arden 1{n}-inch Laptop", categories=path, category="Electronics")
        for n in range(4)
    ]
    shop = make_world([*products(), *laptops], orders())
    assert Assortment(Stock(shop)).kind_of(laptops[0]) == ("Traditional Laptops", "laptops")
    assert kinds_of(laptops[0]) == ("traditional laptops", "laptops")


def test_without_prices_no_budget_is_set_and_no_text_speaks_of_money(make_world: MakeWorld) -> None:
    poor = make_world(products(prices=False), orders())
    made = [query for seed in range(2) for query in generate_queries(poor, 6, per_user=6, seed=str(seed)).queries]
    assert len(made) >= 15
    assert not any(wish_of(query).budget or want.price_min or want.price_max for query, want in wants_of(made))
    for query in made:
        assert not re.search(r"\$|\b(?:usual|normal)ly|\bpay\b|\bcosts?\b|cheaper|\bprice|value", query.text)


def test_of_a_shop_that_names_no_kinds_no_query_can_be_made(make_world: MakeWorld) -> None:
    flat = [each.model_copy(update={"category": "Own_Shop"}) for each in products(paths=False)]
    with pytest.raises(UserError, match="the shop tells too little"):
        generate_queries(make_world(flat, orders()), 6, per_user=6, seed="42")


def _owned(world: World, query: Query) -> list[Product]:
    return list(world.store.products(wish_of(query).owned).values())

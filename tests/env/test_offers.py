"""What a shop offers for wants: every product of a kind, and the baskets that follow."""

from collections.abc import Callable, Iterator

import pytest

from drretail.api.worlds import open_world
from drretail.env.folder import open_world_rows
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.records.criteria import Fact, Gold
from drretail.records.query import Query
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from drretail.shopping.constraints import Decisions
from drretail.shopping.listing import listing_of, state_of_kind
from tests.build import known
from tests.places import PLACES, Place, PlaceKind
from tests.shop import ORDERS, PRODUCTS, USER

BOWL = Product(
    product_id="B0TEST0009",
    title="Tanagrove Slow Bowl, Copper",
    price=12.0,
    average_rating=3.5,
    rating_number=10,
    category="Pet_Supplies",
    categories=("Pet Supplies", "Bowls & Dishes"),
)


@pytest.fixture(scope="module", params=PLACES)
def shop(request: pytest.FixtureRequest, new_place: Callable[[PlaceKind], Place]) -> Iterator[World]:
    """The tiny shop and a bowl, embedded and on servers."""
    place = new_place(request.param)
    place.write([*PRODUCTS, BOWL], ORDERS)
    with place.open() as world:
        yield world


def ids(offers: Offers, *kinds: str) -> list[str]:
    return [each.product.product_id[-1] for each in offers.of_want(Want(name="thing", kinds=kinds))]


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        *((each, "123") for each in ("Bird Feeders", "bird feeders", "Bird_Feeders", "BIRD  FEEDERS")),
        *(("Bowls & Dishes", "9"), ("Bowls & Dishes|Bird Feeders", "1239")),
        *((each, "") for each in ("hopper feeder", "rocket", "bowl", "…", "Tanagrove")),
    ],
)
def test_a_leaf_category_or_noun_offers(shop: World, monkeypatch: pytest.MonkeyPatch, kinds: str, found: str) -> None:
    offers = Offers(shop)
    assert ids(offers, *kinds.split("|")) == list(found)

    def fails(*_: object) -> None:
        raise AssertionError("it was looked up again")

    monkeypatch.setattr(type(shop.catalog), "matching", fails)
    assert ids(offers, *kinds.split("|")) == list(found)


def query_for(*wants: Want, user_id: str | None = None, budget: int | None = None) -> Query:
    wish = Wish(wants=wants, budget=None if budget is None else Money.of(budget))
    return Query(query_id="q1", user_id=user_id, text="?", source="test", wish=wish)


FEEDER = Want(name="feeder", kinds=("bird feeder",))


def test_a_reference_leaves_out_what_its_user_has_where_another_is_wanted(shop: World) -> None:
    offers, another = Offers(shop), FEEDER.model_copy(update={"not_owned": True})
    reference = offers.reference(query_for(another, user_id=USER))
    assert [fit.product_id[-1] for fit in reference.things[0].fits] == ["2", "3"]
    for query in (query_for(FEEDER, user_id=USER), query_for(another)):
        assert [fit.product_id[-1] for fit in offers.reference(query).things[0].fits] == ["1", "2", "3"]


UNITS = {"inch", "inches", "oz", "ft"}
"""No kinds; searches read "12 oz" as one word."""


@pytest.mark.parametrize("words", [1, 2])
def test_of_a_made_up_shop_every_product_of_a_kind_is_offered_and_no_other(words: int) -> None:
    with open_world("demo") as world, open_world_rows(known(world.folder)) as rows:
        offers, products = Offers(world), list(rows.products)
        everything = [listing_of(each, world.store.vocabulary) for each in products]
        leaves = sorted({each.categories[-1] for each in products if len(each.categories) > 1})
        ends = {" ".join(each.title.split(",")[0].split()[-words:]) for each in products}
        nouns = sorted(end for end in ends if end.replace(" ", "").isalpha() and end.casefold() not in UNITS)
        for kind in (*leaves[::3], *nouns[::7], *(f"{noun} set" for noun in nouns[::11])):
            expected = sorted(each.product.product_id for each in everything if state_of_kind(each, kind) == "met")
            found = [each.product.product_id for each in offers.of_want(Want(name="thing", kinds=(kind,)))]
            assert found == expected, kind


def test_a_recalled_product_would_not_do(shop: World) -> None:
    bowls = Want(name="bowl", kinds=("Bowls & Dishes",))
    recalled = Gold(query_id="q", facts=(Fact(product_id=BOWL.product_id, fact="recalled", source="W:1"),))
    offers = Offers(shop)
    assert offers.would_do(bowls) == {BOWL.product_id}
    assert not offers.would_do(bowls, Decisions(recalled))

"""The same rows, and the same fingerprint, wherever a world is kept."""

from itertools import product as combinations

import pytest

from drretail.env.next_purchase import next_purchases
from drretail.env.rows import rows_of
from drretail.env.store.base import STRATA, Stratum
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.records.query import Query
from drretail.records.shop import ORDER_STATUSES, Product
from drretail.records.wish import Want, Wish
from tests.servers.parity.conftest import Copies


def test_every_copy_has_the_fingerprint_of_its_source(copies: Copies) -> None:
    kept = {"fingerprint", "seed", "now", "since", "parameters", "categories", "counts", "sources", "profile_pool"}
    with copies.back.open() as back:
        source, *others = (world.manifest.model_dump(include=kept) for world in (*copies.worlds.values(), back))
    assert others == [source] * 3


def test_users_and_their_orders_page_by_page_are_the_same(embedded: World, served: World, users: list[str]) -> None:
    for user_id in users:
        assert served.store.user(user_id) == embedded.store.user(user_id)
        assert served.store.statistics(user_id) == embedded.store.statistics(user_id)
        for status, limit, offset in combinations((None, *ORDER_STATUSES), (None, 0, 2), (0, 1, 10_000)):
            page = served.store.orders(user_id, status, limit, offset)
            assert page == embedded.store.orders(user_id, status, limit, offset)
            for order in page.orders[:1]:
                assert served.store.order(order.order_id) == order


@pytest.mark.parametrize("n", [0, 1, 25, 10**6])
def test_the_same_users_are_drawn(embedded: World, served: World, n: int) -> None:
    draws: list[tuple[int | str, tuple[Stratum, ...]]] = [(1, STRATA), ("other", STRATA), (1, ("spend",)), (1, ())]
    for seed, strata in draws:
        assert served.store.sample_users(seed, n, strata) == embedded.store.sample_users(seed, n, strata)


@pytest.mark.parametrize("record_id", ["", "nowhere", "$gt", "B\u0000", "İ" * 300])
def test_what_is_not_there_gets_the_same_answer(embedded: World, served: World, record_id: str) -> None:
    for read in ("product", "user", "order", "orders", "statistics"):
        answers: list[dict[str, object]] = []
        for world in (embedded, served):
            with pytest.raises(NotFound) as caught:
                getattr(world.store, read)(record_id)
            answers.append(caught.value.as_result())
        assert answers[0] == answers[1]


def test_products_and_categories_are_the_same(embedded: World, served: World, products: list[Product]) -> None:
    ids = [product.product_id for product in products]
    assert served.store.products([*reversed(ids), "nowhere"]) == embedded.store.products([*reversed(ids), "nowhere"])
    for product_id in ids[::50]:
        assert served.store.product(product_id) == embedded.store.product(product_id)
    # product_ids is what `world check` reads; the contract of catalogs does not have it.
    assert list(served.catalog.product_ids()) == ids  # pyright: ignore[reportAttributeAccessIssue]
    assert served.catalog.categories() == embedded.catalog.categories()


def test_held_out_orders_are_the_same(copies: Copies, served: World, embedded: World, users: list[str]) -> None:
    with rows_of(copies.source.spec) as rows:
        held_out = list(rows.holdout or ())
    assert (served.holdout is None) == (embedded.holdout is None) == (rows.holdout is None)
    if served.holdout is None or embedded.holdout is None:
        return
    everyone = {row.user_id for row in held_out}
    assert everyone
    assert served.holdout.orders(everyone) == embedded.holdout.orders(everyone)
    assert served.holdout.orders(["nobody"]) == {}
    wanted = Wish(wants=(Want(name="bed", kinds=("dog bed",)),))
    queries = [
        Query(query_id=f"q{at}", user_id=user, text="What suits me?", source="test", wish=wanted)
        for at, user in enumerate(users[:5])
    ]
    assert list(next_purchases(served, queries)) == list(next_purchases(embedded, queries))

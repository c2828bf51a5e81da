"""The nine tools answer the same on servers as embedded: over 700 calls, compared as agents read them."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestSettings
from drretail.data_ingest.synth import write_shop
from drretail.env.copying import copy_world
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World, world_at
from drretail.tools.registry import TOOLS
from drretail.tools.toolkit import Toolkit
from tests.places import Place, PlaceKind

pytestmark = pytest.mark.servers
Call = tuple[str, dict[str, Any]]
OF_EACH = 85
"""Calls of each tool: 765 in all."""


@pytest.fixture(scope="module")
def both(
    new_place: Callable[[PlaceKind], Place], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, World]]:
    """A made-up shop with all its quirks, embedded and copied to servers."""
    folder = tmp_path_factory.mktemp("synthetic")
    write_shop(folder / "raw", products=600, reviews=6000)
    ingest_files([folder / "raw"], folder / "w", IngestSettings(min_interactions=1))
    place = new_place("servers")
    copy_world(folder / "w", place.spec, servers=place.servers)
    with world_at(folder / "w") as embedded, place.open() as served:
        yield embedded, served


def drawn(world: World, draw: Random) -> Iterator[Call]:
    """Calls of every tool, some of them of what the shop lacks, and some with arguments that are refused."""
    # The first of them is the one that the session acts for.
    users = [row.user_id for row in world.store.sample_users(1, 40)] + ["NOBODY"]
    orders = [order for user in users[:-1] for order in world.store.orders(user).orders]
    order_ids = [order.order_id for order in orders] + ["0000000000", "no order"]
    product_ids = [order.product_id for order in orders] + ["B000000000", "none"]
    titles = [product.title for product in world.store.products(product_ids).values()]
    categories = [*world.catalog.categories(), "Rockets"]
    for _ in range(OF_EACH):
        words = draw.choice(titles).split()
        user = {"user_id": draw.choice(users)}
        maybe: dict[str, Any] = {
            "category": draw.choice(categories),
            "price_min": draw.choice([0, 5, 20.5]),
            "price_max": draw.choice([10, 50, 400]),
            "rating_min": draw.choice([1, 3.9, 4.5, 7]),
            "sort_by": draw.choice(["relevance", "price", "rating", "popularity"]),
            "match": draw.choice(["any", "all", "phrase"]),
            "limit": draw.choice([1, 10, 50]),
            "offset": draw.choice([0, 3, 40]),
        }
        text = " ".join(draw.sample(words, min(len(words), draw.randint(1, 5))))
        yield "product_catalog_search", {"query": text} | {k: v for k, v in maybe.items() if draw.random() < 0.3}
        yield "get_product_details", {"product_id": draw.choice(product_ids)}
        yield "get_user_orders", user | draw.choice([{}, {"limit": 2, "offset": 1}, {"status": "Delivered"}])
        yield "get_order_details", {"order_id": draw.choice(order_ids)}
        yield "get_user_profile", user
        yield (
            "update_user_profile",
            {"user_id": draw.choice([*users[:1] * 3, *user.values()])}
            | draw.choice([{"email": "a@example.com"}, {"first_name": "Ann"}, {}]),
        )
        yield "get_user_statistics", user
        yield "web_search", {"query": text}
        yield "calculator", {"expression": f"{draw.randint(1, 99)} * {draw.choice(['19.99', '2', 'x'])}"}


def test_nine_tools_give_the_same_answers(both: tuple[World, World]) -> None:
    calls = list(drawn(both[0], Random(731)))
    assert len(calls) >= 700
    assert {name for name, _ in calls} == set(TOOLS)
    answers: list[list[str]] = []
    acting = both[0].store.sample_users(1, 1)[0].user_id
    for world in both:
        with Toolkit(Session(SessionSettings(world, user_id=acting, scope="any"))) as toolkit:
            answers.append([toolkit.call(name, args).text for name, args in calls])
    differing = [call for call, here, there in zip(calls, *answers, strict=True) if here != there]
    assert differing == []
    answered = {name for (name, _), text in zip(calls, answers[0], strict=True) if '"error"' not in text}
    assert answered == set(TOOLS)

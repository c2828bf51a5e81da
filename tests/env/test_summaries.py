"""Summaries out of a world: the shop's prices stand beside the user's."""

from pathlib import Path

from drretail.env.summaries import Summaries
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import OrderRow, World, open_world
from drretail.records.shop import Product
from tests.build import build_world

DAY = 86_400_000


def a_world(folder: Path, lamps: int, *, other_currency: bool = False) -> World:
    """Lamps at 10, 11, 12 … and a user who bought the three cheapest."""
    products = [
        Product(
            product_id=f"L{number:02}",
            title="Submitter Lamp",
            price=10.0 + number,
            currency="EUR" if other_currency and number > lamps // 2 else "USD",
            categories=("Office", "Lamps"),
            category="Office_Products",
        )
        for number in range(lamps)
    ]
    orders = [
        OrderRow(f"{number:010}", "ANNA", f"L{number:02}", 1_640_995_200_000 + number * 40 * DAY, 1, "Delivered")
        for number in range(3)
    ]
    build_world(folder, products, orders)
    return open_world(folder, web=SandboxWeb([]))


def codes(world: World) -> list[str]:
    with world:
        return [statement.code for statement in Summaries(world).of("ANNA").statements]


def test_a_users_prices_are_placed_among_those_of_the_category(tmp_path: Path) -> None:
    with a_world(tmp_path / "w", 20) as world:
        text = Summaries(world).of("ANNA").text
    assert "3 of 3 items bought can be compared" in text
    assert "3 cost less than the median, 3 are in the cheapest quarter, 0 in the dearest" in text
    assert "usually" not in text  # three items make no habit


def test_few_prices_or_several_currencies_tell_nothing(tmp_path: Path) -> None:
    assert "price_position" in codes(a_world(tmp_path / "a", 10))
    assert "price_position" not in codes(a_world(tmp_path / "b", 9))
    assert "price_position" not in codes(a_world(tmp_path / "c", 20, other_currency=True))

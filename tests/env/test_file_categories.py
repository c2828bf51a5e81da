from collections.abc import Iterator

import pytest

from drretail.env.next_purchase import file_categories, wanted_categories
from drretail.env.web.base import Web
from drretail.env.world import World, open_world
from drretail.records.shop import Product
from tests.build import build_world
from tests.env.test_next_purchase import a_query


def product(number: int, file: str, *path: str, popular: int = 10, title: str = "Thing") -> Product:
    return Product(
        product_id=f"B{number:03}", title=f"{title} {number}", categories=path, category=file, rating_number=popular
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, web: Web) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("files") / "world"
    products = [
        product(1, "Pet_Supplies", "Pet Supplies", "Bowls"),
        product(2, "Pet_Supplies", "Pet Supplies", "Bowls"),
        product(3, "Home_and_Kitchen", "Home & Kitchen", "Bowls"),
        product(4, "Pet_Supplies", "Pet Supplies", "Accessories", title="Leash for a Tent Stake"),
        *(product(5 + at, "Sports", "Sports", "Camping", title="Dome Tent") for at in range(2)),
        *(product(10 + at, "Office_Products", "Office Products", "Accessories", popular=5) for at in range(60)),
        *(product(100 + at, "Baby_Products", "Baby Products", "Accessories", popular=50) for at in range(30)),
    ]
    build_world(folder, products)
    with open_world(folder, web=web) as world:
        yield world


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("Bowls", "Pet_Supplies"),  # from which most of its products came
        ("Accessories", "Baby_Products"),  # of a large category the popular products decide
        *((name, "Home_and_Kitchen") for name in ("Home_and_Kitchen", "home & kitchen", "Home and Kitchen")),
        *((noun, "Sports") for noun in ("dome tent", "tent")),  # of the products that are of its kind
    ],
)
def test_a_category_a_file_or_a_noun_is_of_a_file(shop: World, kind: str, file: str) -> None:
    assert file_categories(shop, [kind]) == {kind: file}


def test_an_unknown_kind_is_left_out_and_kinds_of_one_file_are_one(shop: World) -> None:
    kinds = ("Bowls", "pet supplies", "Home & Kitchen", "rocket")
    queries = [a_query("q2", None, *kinds), a_query("q1", None, "rocket"), a_query("q3")]
    assert wanted_categories(shop, queries) == {"q2": ("Pet_Supplies", "Home_and_Kitchen")}

"""A made-up shop with several products of each of some kinds, and shoppers of all sorts."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.cli.app import app
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import OrderRow, World, world_at
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.build import build_world

DAY = 86_400_000
START = 1_640_995_200_000  # 2022-01-01
BRANDS = ("Tallow", "Brightwater", "Nordlys", "Pemberly", "Ostrava")
PER_KIND = 5

DEPARTMENTS = {
    "Outdoor Living": ("bird feeder", "birdhouse", "bird bath", "garden hose", "headlamp"),
    "Hair Care": ("shampoo", "hair clips", "hair mask"),
    "Skin Care": ("facial moisturizer", "sunscreen", "mascara", "nail polish set"),
    "Pets": ("dog bed", "cat litter mat", "cat scratching post", "pet grooming brush"),
    "Desk": ("desk lamp", "planner", "gel pen set", "desk organizer"),
    "Tools": ("cordless drill", "tape measure", "smoke detector", "LED light bulbs"),
    "Kitchen": ("cast iron skillet", "food storage containers", "coffee grinder"),
    "Bedroom": ("weighted blanket", "bed sheet set", "humidifier", "crib sheet", "swaddle blanket"),
    "Supplements": ("vitamin D3 supplement", "magnesium supplement", "essential oil set"),
}
KINDS = {kind: department for department, kinds in DEPARTMENTS.items() for kind in kinds}
MakeWorld = Callable[..., World]


def call(world: World | None, *arguments: object) -> Result:
    """``drretail queries`` with these arguments, over a world if the command takes one."""
    over = [] if world is None else ["--world", world.folder]
    return CliRunner().invoke(app, ["queries", *map(str, (*arguments, *over))])


def refused(world: World | None, *arguments: object) -> str:
    """The sentence with which the command refuses these arguments."""
    result = call(world, *arguments)
    assert isinstance(result.exception, UserError), result.output
    return str(result.exception)


def product_id(kind: str, number: int) -> str:
    """The id of a product of a kind, numbers from 0; the price is 10 + 7 for each number."""
    return f"P{list(KINDS).index(kind):03}{number}"


def plural_of(name: str) -> str:
    """Shops name their categories in the plural."""
    return name if name.endswith("s") else f"{name}es" if name.endswith("h") and not name.endswith("th") else f"{name}s"


def products(*, prices: bool = True, paths: bool = True) -> list[Product]:
    made = [
        Product(
            product_id=product_id(name, number),
            title=f"{BRANDS[number]} {name if name.startswith('LED') else name.title()}, Size {number}, Blue",
            features=("It is dimmable" if name == "desk lamp" and number % 2 else "Does what it says",),
            price=10.0 + 7 * number if prices else None,
            average_rating=3.5 + 0.3 * number,
            rating_number=30 * number,
            store=BRANDS[number],
            categories=("Everything", department, plural_of(name).title()) if paths else ("Home_and_Kitchen",),
            category="Home_and_Kitchen",
            details={"Handle": ("Oak Handle", "Steel Handle")[number % 2]}
            | ({"Material": "Cedar"} if name == "birdhouse" else {}),
        )
        for name, department in KINDS.items()
        for number in range(PER_KIND)
    ]
    odd = Product(product_id="X1", title="Zorblax 9000 (Deluxe)", category="Home_and_Kitchen", price=3.0)
    return sorted([*made, odd], key=lambda product: product.product_id)


def bought(user_id: str, *names: str, number: int = 1, status: str = "Delivered", first: int = 0) -> list[OrderRow]:
    """One order of each kind, ten days apart."""
    return [
        OrderRow(
            f"{sum(map(ord, user_id)) % 1000:03}{first + place:07}",
            user_id,
            product_id(name, number),
            START + (first + place) * 10 * DAY,
            1,
            status,
        )
        for place, name in enumerate(names)
    ]


def orders() -> list[OrderRow]:
    rows = [
        *bought("ANNA", "bird feeder", "shampoo", "dog bed", "facial moisturizer", "desk lamp", "cordless drill"),
        *bought("ANNA", "shampoo", first=20),
        *bought("BERT", "cast iron skillet"),
        *bought("CARA", "weighted blanket", "nail polish set", "planner", "gel pen set", "humidifier"),
        *bought("DORA", "bird bath", "hair clips", status="Returned"),
        OrderRow("9990000001", "EMIL", "X1", START, 1, "Delivered"),
        *bought("FAYE", "cat litter mat", "cat scratching post", "pet grooming brush", "essential oil set"),
        *bought("GUNN_1", "swaddle blanket", "crib sheet", "mascara"),
        *bought("GUNN_2", "headlamp", "smoke detector", "LED light bulbs", "tape measure"),
    ]
    return sorted(rows, key=lambda row: row.place)


@pytest.fixture(scope="session")
def make_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeWorld]:
    """Writes and opens a world of some products and orders."""
    opened: list[World] = []

    def make(some_products: list[Product], some_orders: list[OrderRow]) -> World:
        folder: Path = tmp_path_factory.mktemp("worlds") / "world"
        build_world(folder, some_products, some_orders)
        opened.append(world_at(folder, web=SandboxWeb([])))
        return opened[-1]

    yield make
    for world in opened:
        world.close()


@pytest.fixture(scope="session")
def world(make_world: MakeWorld) -> World:
    return make_world(products(), orders())

"""Two worlds four times each: embedded, on servers with one shard and three, and copied back."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random

import pytest

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.plan import IngestOptions
from drretail.data_ingest.synth.shop import write_shop
from drretail.env.copying import copy_world
from drretail.env.rows import rows_of
from drretail.env.world import World
from drretail.records.shop import Product
from tests.places import ON_SERVERS, ON_THREE_SHARDS, Place, PlaceKind

# Words that are hard to tell apart, to lower, or to part; few, so that scores tie.
LETTERS = """
👍🏽 🇩🇪 🐦 İstanbul istanbul ISTANBUL ıspanak e\u0301clair éclair 化粧品 鳥の餌台 カタカナ 한국어 ภาษาไทย مصباح أحمر
מנורה אדומה हिन्दी ﬁne fine straße STRASSE O'Neil's node.js 1,000 8.5 snake_case Lego® bird feeder the
"""
SCRIPTS = LETTERS.split()


@dataclass(frozen=True)
class Copies:
    """``source`` is embedded; ``back`` was copied from servers, and ``worlds`` are open: the source and those there."""

    source: Place
    back: Place
    worlds: dict[PlaceKind, World]


@pytest.fixture(
    scope="session",
    # Both analyzers meet the odd products, which are in both shops.
    params=[("synthetic", "english"), ("real", "standard")],
    ids="-".join,
)
def copies(
    request: pytest.FixtureRequest,
    new_place: Callable[[PlaceKind], Place],
    tmp_path_factory: pytest.TempPathFactory,
    server_settings: object,
) -> Iterator[Copies]:
    """Made once; no test may change them."""
    del server_settings  # asked for here, so that everything is skipped where servers cannot start
    rows, analyzer = request.param
    folder = tmp_path_factory.mktemp(rows)
    if rows == "synthetic":  # a made-up shop with all its quirks and held-out orders
        write_shop(folder / "raw", products=900, reviews=9000)
        ingest([folder / "raw"], folder / "w", IngestOptions(min_interactions=1, vary_orders=True, holdout="last"))
    else:  # every real row there is, and no held-out orders
        ingest([request.getfixturevalue("realdata") / "amazon"], folder / "w", IngestOptions(min_interactions=0))
    source = new_place("embedded")
    with rows_of(folder / "w") as kept:
        source.write([*kept.products, *odd_products(Random(7))], kept.orders, kept.holdout, analyzer)
    servers, three, back = (new_place(kind) for kind in ("servers", "servers-three-shards", "embedded"))
    for origin, target in ((source, servers), (servers, three), (three, back)):
        copy_world(origin.spec, target.spec, servers=target.servers or origin.servers)
    places: dict[PlaceKind, Place] = {"embedded": source, "servers": servers, "servers-three-shards": three}
    with ExitStack() as stack:
        opened: dict[PlaceKind, World] = {kind: stack.enter_context(place.open()) for kind, place in places.items()}
        yield Copies(source, back, opened)


@pytest.fixture(scope="session", params=[ON_SERVERS, ON_THREE_SHARDS])
def served(request: pytest.FixtureRequest, copies: Copies) -> World:
    """The copy on servers, which is held against ``embedded``."""
    return copies.worlds[request.param]


@pytest.fixture(scope="session")
def embedded(copies: Copies) -> World:
    return copies.worlds["embedded"]


@pytest.fixture(scope="session")
def products(copies: Copies) -> list[Product]:
    with rows_of(copies.source.spec) as rows:
        return list(rows.products)


@pytest.fixture(scope="session")
def users(embedded: World) -> list[str]:
    """Some users, spread over all."""
    return sorted(row.user_id for row in embedded.store.sample_users(1, 60))


def odd_products(random: Random) -> list[Product]:
    """Products that tie in score, price and rating, that lack every number, and whose titles may hold no word."""

    def phrase(least: int, most: int) -> str:
        return " ".join(random.choices(SCRIPTS, k=random.randint(least, most)))

    return [
        Product(
            product_id=f"ODD{number:04d}",
            title=random.choice(["", "☆", phrase(1, 4), phrase(1, 4), phrase(1, 4)]),
            features=tuple(phrase(1, 5) for _ in range(random.randint(0, 3))),
            description=tuple(phrase(1, 9) for _ in range(random.randint(0, 1))),
            price=random.choice([None, 0.0, 5.0, 9.99, 9.99]),
            average_rating=random.choice([None, 1.0, 4.5, 4.5, 5.0]),
            rating_number=random.choice([None, 0, 3, 10**6]),
            store=random.choice([None, "Ünlü", "鳥"]),
            categories=tuple(random.sample(["Patio, Lawn & Garden", "İç Giyim", "鳥の餌台"], k=random.randint(0, 2))),
            category="Pet_Supplies",
            details=random.choice([{}, {"Brand": "Ünlü", "a.b": {"$set": 1, "": None}, "n": 2**53}]),
        )
        for number in range(300)
    ]

"""Three queries of a small world in a file, with what reviewers are shown of them."""

from pathlib import Path

import pytest

from drretail.addons.people.review.form import Items
from drretail.env.world import World
from drretail.files import write_lines
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import demands, query
from tests.querygen.conftest import make_world, world

__all__ = ["make_world", "world"]
FEEDER = Want(
    name="bird feeder",
    kinds=("bird feeder",),
    quantity=2,
    must=demands("easy to clean"),
    must_not=demands("metal", "shiny; very shiny"),
    rating_min=3.8,
    ratings_min=30,
    brands_unwanted=("Ostrava",),
)
LAMP = Want(name="desk lamp", kinds=("desk lamp", "lamp"), optional=True, again=True, price_max=Money(amount="30.00"))
TYPED = Wish(wants=(FEEDER, LAMP), budget=Money(amount="90"), room=True, deadline="by Friday", owned=("P0001",))
QUERIES = (
    query(
        "anna-1",
        "I need two bird feeders by Friday, easy to clean, not metal, not shiny or very shiny, of 3.8 stars and 30 "
        "ratings, and none by Ostrava. And maybe a lamp of at most $30 for my desk. What is worth $90?",
        user_id="ANNA",
        rationale="The record shows a bird feeder.",
        expected_tools=("web_search", "calculator"),
        wish=TYPED,
    ),
    query(
        "anna-2",
        "Which dog bed would an old dog choose? It should not cost more than $25, and no Nordlys.",
        user_id="ANNA",
    ),
    query("cara-1", "How do I care for my humidifier?", user_id="CARA", wish=Wish()),
)
"""One with all fields of a wish, one that nobody has typed, one of somebody who buys nothing."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    write_lines(path, (each.as_line() for each in QUERIES))
    return path


@pytest.fixture
def items(world: World) -> Items:
    return Items(world, QUERIES)

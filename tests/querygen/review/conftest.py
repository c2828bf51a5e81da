"""Three queries of a small world in a file, with what reviewers are shown of them."""

from pathlib import Path

import pytest

from drretail.env.world import World
from drretail.files import write_lines
from drretail.querygen.generate import generate_for
from drretail.querygen.review.item import Items
from drretail.records.query import Query


@pytest.fixture(scope="session")
def queries(world: World) -> tuple[Query, ...]:
    """Two of ANNA's and one of CARA's."""
    anna = generate_for(world, ["ANNA"], per_user=2, seed="1").queries
    return (*anna, *generate_for(world, ["CARA"], per_user=1, seed="1").queries)


@pytest.fixture
def file(tmp_path: Path, queries: tuple[Query, ...]) -> Path:
    path = tmp_path / "queries.jsonl"
    write_lines(path, (query.as_line() for query in queries))
    return path


@pytest.fixture
def items(world: World, queries: tuple[Query, ...]) -> Items:
    return Items(world, queries)

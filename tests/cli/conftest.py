"""What commands are about: the tiny shop, and questions."""

from pathlib import Path

import pytest

from drretail.records.base import canonical_json
from drretail.records.query import Query
from tests.shop import USER, build_shop

JUDGE = """
[[rules]]
schema = "Rating"
answer = { structured = { justification = "So.", rating = 6 } }

[[rules]]
schema = "Comparison"
answer = { structured = { justification = "So.", winner = "A" } }
"""
"""A judge in a file, for ``--judge scripted:judge.toml``: rates everything alike, and prefers what is shown first."""


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """The tiny shop as a world named ``w`` in the test's folder."""
    build_shop(tmp_path / "w")
    return "w"


@pytest.fixture
def queries(tmp_path: Path) -> str:
    """A file of two queries."""
    asked = [
        Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test"),
        Query(query_id="q2", text="Is there a bird bath, and how do I keep it clean?", mode="generic", source="test"),
    ]
    lines = "".join(f"{canonical_json(query.model_dump(mode='json'))}\n" for query in asked)
    (tmp_path / "queries.jsonl").write_text(lines, encoding="utf-8")
    return "queries.jsonl"

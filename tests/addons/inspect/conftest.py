"""The tiny shop as a place that inspect's task opens, with queries of two users and of nobody."""

from pathlib import Path

import pytest

from drretail.records.query import Query
from tests.shop import OTHER, USER

QUERIES = [
    Query(query_id="q1", user_id=USER, text="Which bird feeder under $30?", source="test"),
    Query(query_id="q2", user_id=OTHER, text="Which bird bath?", source="test"),
    Query(query_id="q3", text="Which window feeder?", source="test"),
]


@pytest.fixture(scope="session")
def place(tiny_shop: Path) -> str:
    return str(tiny_shop)


@pytest.fixture
def asked(tmp_path: Path) -> str:
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(f"{query.as_line()}\n" for query in QUERIES), encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs are written to where a test runs, without the package of a task, for which all that is installed is read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("inspect_ai._eval.task.log.resolve_task_distribution", lambda name: None)

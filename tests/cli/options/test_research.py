import json
from pathlib import Path

import pytest

from tests.cli.commands import Command, ErrorOf
from tests.shop import USER

QUESTION = "Which bird feeder suits me, under $30?"


def test_a_kept_answer_is_shown_again_without_research(drretail: Command, shop: str) -> None:
    first = drretail("ask", QUESTION, "--user", USER, "--world", shop, "--to", "exp")
    again = drretail("ask", QUESTION, "--user", USER, "--world", shop, "--to", "exp")
    assert again.stdout == first.stdout
    assert "product_catalog_search" not in again.stderr


def test_an_experiment_stays_with_its_world(
    drretail: Command, error_of: ErrorOf, shop: str, queries: str, tmp_path: Path
) -> None:
    drretail("run", "--queries", queries, "--world", shop, "--to", "exp")
    before = (tmp_path / "exp" / "experiment.json").read_bytes()
    raw = tmp_path / "Pet_Supplies.jsonl"
    row = {"parent_asin": "B0OTHER001", "title": "Dog bed", "price": 20.0}
    raw.write_text(json.dumps(row) + "\n", encoding="utf-8")
    drretail("ingest", str(raw), "--world", "other", "--min-interactions", "0")
    assert "was made on the world" in error_of("ask", QUESTION, "--world", "other", "--to", "exp")
    assert (tmp_path / "exp" / "experiment.json").read_bytes() == before


@pytest.mark.parametrize("lines", ["{", '{"query_id": "Q 1", "text": "x", "source": "s"}', ""])
def test_a_broken_query_file_is_refused(error_of: ErrorOf, shop: str, tmp_path: Path, lines: str) -> None:
    (tmp_path / "broken.jsonl").write_text(f"{lines}\n", encoding="utf-8")
    assert "broken.jsonl" in error_of("run", "--queries", "broken.jsonl", "--world", shop, "--to", "exp")
    assert not (tmp_path / "exp").exists()


def test_queries_of_another_world_are_refused(error_of: ErrorOf, shop: str, tmp_path: Path) -> None:
    line = {"query_id": "q1", "text": "Which?", "source": "s", "world_fingerprint": "f" * 64, "format": 1}
    (tmp_path / "other.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert "was made for the world ffffffffffff" in error_of(
        "run", "--queries", "other.jsonl", "--world", shop, "--to", "exp"
    )

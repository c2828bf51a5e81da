"""``drretail queries show``: a file's questions, to be read."""

import json
from pathlib import Path

from tests.cli.commands import Command

TEXT = "I own a bird bath and want a bird feeder beside it. " * 3
QUERY: dict[str, object] = {
    "format": 1,
    "query_id": "mine-1",
    "user_id": "SHOPPER",
    "text": TEXT.strip(),
    "kind": "companion",
    "rationale": "The record shows a bird bath.",
    "expected_tools": ["get_user_orders"],
    "wish": {
        "wants": [{"name": "bird feeder", "kinds": ["bird feeder"], "must": ["squirrel proof"], "rating_min": 4}],
        "budget": {"amount": "30", "currency": "USD"},
        "owned": ["B0OWNED001"],
    },
    "source": "a person",
}


def write(folder: Path, *queries: dict[str, object]) -> None:
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    (folder / "q.jsonl").write_text(lines, encoding="utf-8")


def test_questions_are_shown_in_full_by_number_and_as_json(drretail: Command, tmp_path: Path) -> None:
    write(tmp_path, QUERY, {**QUERY, "query_id": "mine-2", "text": "Which feeder?", "kind": None})
    shown = drretail("queries", "show", "q.jsonl", COLUMNS="80").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert TEXT.strip() in " ".join(shown.split())
    assert "mine-1 · companion · profile-aware" in shown
    assert "bird feeder: must be squirrel proof; at least 4 stars" in shown
    assert "budget: $30.00 in total" in shown
    assert shown.endswith("2 queries of 1 user\n")
    assert "B0OWNED001" not in shown
    assert "why:" not in shown
    shown = drretail("queries", "show", "q.jsonl", "--details").stdout
    for text in ("owned: B0OWNED001", "expected tools: get_user_orders", "of: SHOPPER", "why: The record shows"):
        assert text in shown
    assert "mine-2" not in drretail("queries", "show", "q.jsonl", "--only", "1").stdout
    document = json.loads(drretail("queries", "show", "q.jsonl", "--only", "mine-2", "--json").stdout)
    assert [query["query_id"] for query in document["queries"]] == ["mine-2"]
    assert drretail("queries", "show", "q.jsonl", "--only", "mine-3").returncode == 2

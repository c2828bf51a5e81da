"""Cited pages from the run to the score, in both modes of the web."""

import json
from pathlib import Path

import pytest

from drretail.experiment import read_runs
from tests.cli.commands import Command

PAGE = {
    "url": "https://mine.example/height",
    "title": "How high a bird feeder hangs",
    "text": "A bird feeder hangs five feet high, out of reach of cats. " * 8,
}
QUERY = {"query_id": "q1", "mode": "generic", "text": "How high should a bird feeder hang, and which one suits me?"}


def scores(folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Rows by agent and variant."""
    rows = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["scores"]
    return {(row["system"].partition("@")[0], row["variant"]): row for row in rows if row["policy"] == "answered"}


@pytest.fixture
def run(drretail: Command, shop: str, tmp_path: Path) -> list[str]:
    """The command that asks a question whose answer cites a page."""
    (tmp_path / "pages.jsonl").write_text(json.dumps(PAGE) + "\n", encoding="utf-8")
    (tmp_path / "asked.jsonl").write_text(json.dumps(QUERY | {"source": "test", "format": 1}) + "\n", encoding="utf-8")
    return ["run", "--queries", "asked.jsonl", "--world", shop, "--no-floors", "--web", "sandbox:pages.jsonl"]


SCORE = ["--metrics", "faithfulness", "--web", "sandbox:pages.jsonl"]


def test_claims_are_judged_by_the_page_whether_the_agent_read_it_or_its_snippet(
    succeeds: Command, run: list[str], tmp_path: Path
) -> None:
    succeeds(*run, "--agent", "react", "--agent", "react+ws", "--to", "exp")
    assert any(citation.type == "web" for made in read_runs(tmp_path / "exp") for citation in made.citations)
    succeeds("score", "exp", *SCORE)
    found = scores(tmp_path / "exp")
    for agent in ("react", "react+ws"):
        assert (found[agent, "FP_web"]["n_scored"], found[agent, "FP_web_shown"]["n_scored"]) == (1, 1)
    assert not (tmp_path / "exp" / "sources").exists()


def test_without_pages_fp_web_is_na_until_they_are_fetched(succeeds: Command, run: list[str], tmp_path: Path) -> None:
    succeeds(*run, "--agent", "react", "--no-pages", "--to", "exp")
    first = succeeds("score", "exp", *SCORE)
    assert "--fetch-sources" in first.stderr
    found = scores(tmp_path / "exp")
    assert (found["react", "FP_web"]["n_na"], found["react", "FP_web_shown"]["n_scored"]) == (1, 1)
    result = succeeds("score", "exp", *SCORE, "--estimate")
    assert "1 cited page is missing" in result.stderr
    then = succeeds("score", "exp", *SCORE, "--fetch-sources")
    assert "Cited pages fetched: 1, of which 1 could be read." in then.stderr
    assert scores(tmp_path / "exp")["react", "FP_web"]["n_scored"] == 1
    assert "--fetch-sources" not in succeeds("score", "exp", *SCORE).stderr

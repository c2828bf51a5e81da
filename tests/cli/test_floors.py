"""Floors and the oracle on the command line: beside every run, in every table, and in no estimate."""

import json
from pathlib import Path

import pytest

from drretail.experiment import read_reference
from drretail.records.run import NULL_AGENTS, ORACLE_AGENT
from tests.cli.commands import Command, ErrorOf

BESIDE = {*NULL_AGENTS, ORACLE_AGENT}


@pytest.fixture
def run(shop: str, queries: str) -> tuple[str, ...]:
    return ("run", "--queries", queries, "--world", shop, "--to", "exp")


def test_they_run_beside_the_agents_once_for_each_query_and_are_scored(
    succeeds: Command, run: tuple[str, ...], tmp_path: Path
) -> None:
    done = succeeds(*run, "--repeats", "2", "--json", "--quiet")
    document = json.loads(done.stdout)
    counts = {system["label"]: system["done"] for system in document["systems"]}
    assert counts == {"react@offline-shopper": 4} | dict.fromkeys(BESIDE, 2)
    assert [row["system"] for row in document["spending"]] == ["react@offline-shopper"]
    assert read_reference(tmp_path / "exp", "q1") is not None
    again = succeeds(*run, "--repeats", "2")
    assert "16 of 16 runs had ended before." in again.stderr
    scored = succeeds("score", "exp", "--metrics", "faithfulness,quality,checks,basket", "--json", "--quiet")
    scores = json.loads(scored.stdout)
    assert {row["system"] for row in scores["scores"]} == {*BESIDE, "react@offline-shopper"}
    assert all(judging.get("failed", 0) == 0 for judging in scores["judgings"])
    empty = [row for row in scores["scores"] if row["system"] == "null_empty"]
    assert all(row["n_planned"] == 2 and row["n_failed"] == 0 for row in empty)
    succeeds("report", "exp", "--output", "page.html")


def test_an_estimate_counts_nothing_for_them(drretail: Command, run: tuple[str, ...]) -> None:
    done = drretail(*run, "--agent", "react", "--agent", "oracle", "--estimate", "--json")
    assert [row["name"] for row in json.loads(done.stdout)["estimates"]] == ["react@offline-shopper"]


def test_the_oracle_answers_no_question_outside_a_benchmark(error_of: ErrorOf, shop: str) -> None:
    assert "use it with `drretail run`" in error_of("ask", "Which bird feeder?", "--world", shop, "--agent", "oracle")

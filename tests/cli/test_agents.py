"""Agents, whole pages and ablations from the command line."""

import json
from pathlib import Path

from tests.cli.commands import Command

QUESTION = "Which bird feeder suits me, under $30, and how do I clean it?"


def test_pages_cannot_be_read_without_the_web(drretail: Command, shop: str) -> None:
    done = drretail("ask", QUESTION, "--world", shop, "--agent", "react+ws", "--without", "web")
    assert done.returncode == 2
    assert "leave +ws or --without web out" in done.stderr


def test_dr3_reads_the_files_of_a_question_and_cites_them(drretail: Command, shop: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "orders.csv").write_text("date,product\n2022-05-01,bird feeder\n")
    done = drretail("ask", QUESTION, "--world", shop, "--agent", "dr3", "--files", "mine", "--json")
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)["run"]
    assert "F:orders.csv" in {each.get("evidence_id") for each in run["citations"]}

"""Agents, whole pages and ablations from the command line."""

import json
import os
import time
from pathlib import Path

from drretail.experiment import read_runs
from tests.cli.commands import Command

QUESTION = "Which bird feeder suits me, under $30, and how do I clean it?"


def test_dr3_reads_the_files_of_a_question_and_cites_them(succeeds: Command, shop: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "orders.csv").write_text("date,product\n2022-05-01,bird feeder\n")
    done = succeeds("ask", QUESTION, "--world", shop, "--agent", "dr3", "--files", "mine", "--json")
    document = json.loads(done.stdout)
    run = document["run"]
    assert (document["format"], run["status"], bool(document["references"])) == (1, "done", True)
    assert "F:orders.csv" in {each.get("evidence_id") for each in run["citations"]}


def test_too_few_users_are_said_where_systems_are_compared(succeeds: Command, shop: str, queries: str) -> None:
    def noted(*agents: str) -> bool:
        named = [flag for agent in agents for flag in ("--agent", agent)]
        flags = ("--world", shop, "--queries", queries, "--to", "exp", "--no-floors", "--no-pages")
        done = succeeds("run", *flags, *named)
        return "differences between systems can't be shown with fewer than 6 users." in " ".join(done.stderr.split())

    assert not noted("react")
    assert noted("react", "plan_to_function")


def test_a_function_that_was_edited_is_noted_and_runs_under_another_name(
    succeeds: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def answer(question):\n    return 'Nothing.'\n")

    def run(agent: str) -> str:
        flags = ("--world", shop, "--queries", queries, "--to", "exp", "--no-floors", "--no-pages")
        done = succeeds("run", *flags, "--agent", agent)
        return " ".join(done.stderr.split())

    note = "mine.py has changed since its runs here: give it a new name (--agent v{}=mine:answer) to run the new one."
    assert note.format(2) not in run("mine:answer") + run("mine:answer")
    later = time.time() + 10
    os.utime(mine, (later, later))
    assert run("mine:answer").count(note.format(2)) == 1
    assert "has changed" not in run("v2=mine:answer")
    assert note.format(3) in run("v2=mine:answer")
    assert {made.system for made in read_runs(tmp_path / "exp")} == {"mine-answer", "v2"}

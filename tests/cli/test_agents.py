"""Agents from the command line, commands among them. Tests agents/running/identity.py and agents/external.py."""

import json
from pathlib import Path

import pytest

from drretail.experiments.experiment import REFERENCES, read_runs
from drretail.records.run import NULL_AGENTS, ORACLE_AGENT, TURN_FLOORS
from tests.cli.commands import Command

QUESTION = "Which bird feeder suits me, under $30, and how do I clean it?"


@pytest.fixture
def run(shop: str, queries: str) -> tuple[str, ...]:
    return ("run", "--queries", queries, "--world", shop, "--to", "exp")


CHATTY = """
from drretail import Agent, Answer, metric

async def chat(task, session, models, limits):
    print("The agent's own print.")
    return Answer(report="Nothing.")

AGENT = Agent(chat, roles=())

@metric
def chatter(run):
    print("The metric's own print.")
    return 1.0
"""


def test_what_an_agent_or_a_metric_prints_is_no_part_of_the_result(
    succeeds: Command, run: tuple[str, ...], shop: str, tmp_path: Path
) -> None:
    (tmp_path / "chatty.py").write_text(CHATTY, encoding="utf-8")
    agent = ("--agent", "chatty:AGENT", "--json")
    for args, printed in (
        (("ask", QUESTION, "--world", shop, *agent), "agent"),
        ((*run, "--no-floors", *agent), "agent"),
        (("score", "exp", "--metrics", "chatty:chatter", "--json"), "metric"),
    ):
        done = succeeds(*args)
        assert json.loads(done.stdout)["format"] == 1
        assert f"The {printed}'s own print." in done.stderr


READER = """
from pathlib import Path

TAIL = Path("tail.txt").read_text()
with open("log.txt", "a") as log:
    log.write("imported")
LOG = Path("log.txt").read_text()

def answer(question):
    import helper
    return f"{helper.HEAD} {TAIL}"
"""


def test_what_a_function_imports_and_its_module_reads_is_part_of_it_and_what_it_writes_is_not(
    drretail: Command, succeeds: Command, run: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "reader.py").write_text(READER)
    for prefix, word in (("", "One"), ("other-", "Two")):
        (tmp_path / f"{prefix}helper.py").write_text(f"HEAD = '{word}:'\n")
        (tmp_path / f"{prefix}tail.txt").write_text(f"{word}.")

    def swap(name: str) -> None:
        for old, new in ((name, "away"), (f"other-{name}", name), ("away", f"other-{name}")):
            (tmp_path / old).rename(tmp_path / new)

    asked = (*run, "--no-floors", "--no-pages", "--agent", "reader:answer")
    succeeds(*asked, "--only", "q1")
    assert [made.report for made in read_runs(tmp_path / "exp")] == ["One: One."]
    succeeds(*asked)
    for name in ("helper.py", "tail.txt"):
        swap(name)
        refused = drretail(*asked)
        assert (refused.returncode, f"by other code ({name})" in refused.stderr) == (2, True), refused.stderr
        swap(name)
    succeeds(*asked)
    (tmp_path / "helper.py").write_text("HEAD = 'Another:'\n")
    assert "by other code (helper.py)" in drretail(*asked).stderr
    # None of the other code's runs stays in the row, not even those that are not asked for now.
    succeeds(*asked, "--force", "--only", "q1")
    assert [made.report for made in read_runs(tmp_path / "exp")] == ["Another: One."]


BESIDE = {*NULL_AGENTS, ORACLE_AGENT} - {*TURN_FLOORS}


def test_floors_run_once_for_each_query_and_are_scored(
    succeeds: Command, drretail: Command, run: tuple[str, ...], tmp_path: Path
) -> None:
    done = succeeds(*run, "--repeats", "2", "--json", "--quiet")
    document = json.loads(done.stdout)
    counts = {system["label"]: system["done"] for system in document["systems"]}
    assert counts == {"react@offline-shopper": 4} | dict.fromkeys(BESIDE, 2)
    assert [row["system"] for row in document["spending"]] == ["react@offline-shopper"]
    assert not REFERENCES.path(tmp_path / "exp", "q1").exists()
    again = succeeds(*run, "--repeats", "2", COLUMNS="120")
    heads = again.stdout.splitlines()[1].split("  ")
    assert [head.strip() for head in heads if head] == ["done", "ended before", "tool calls", "tokens"]  # none is empty
    assert again.stderr.endswith("Next: drretail score exp\n")
    assert "10 of 10 runs had ended before." in again.stderr
    scored = drretail("score", "exp", "--metrics", "faithfulness,quality,checks,basket", "--json", "--quiet")
    assert scored.returncode == 3, "the rule-based judge rates no quality"
    scores = json.loads(scored.stdout)
    assert {row["system"] for row in scores["scores"]} == {*BESIDE, "react@offline-shopper"}
    assert all(judging.get("failed", 0) == 0 for judging in scores["judgings"])
    empty = [row for row in scores["scores"] if row["system"] == "null_empty"]
    assert all(row["n_planned"] == 2 and row["n_failed"] == 0 for row in empty)
    succeeds("report", "exp", "--to", "page.html")

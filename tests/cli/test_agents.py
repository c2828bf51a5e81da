"""Agents, whole pages and ablations from the command line."""

import json
from pathlib import Path

import pytest

from drretail.experiment import read_definition, read_runs
from tests.cli.commands import Command
from tests.shop import USER

QUESTION = "Which bird feeder suits me, under $30, and how do I clean it?"


@pytest.mark.parametrize("agent", ["plan_to_function", "hybrid_react", "hybrid_react+ws"])
def test_a_question_is_answered_by_any_agent(drretail: Command, shop: str, agent: str) -> None:
    done = drretail("ask", QUESTION, "--user", USER, "--world", shop, "--agent", agent, "--json")
    run = json.loads(done.stdout)["run"]
    assert (done.returncode, run["status"], run["system"]) == (0, "done", f"{agent}@offline-shopper")


def test_ablations_stand_beside_each_other_in_one_experiment(
    drretail: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    command = ["run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--quiet"]
    for ablation in ([], ["--without", "web"], ["--preset", "web_only"], ["--preset", "closed_book"]):
        assert drretail(*command, *ablation).returncode == 0
    systems = read_definition(tmp_path / "exp").systems
    assert [system.options.get("without") for system in systems.values()] == [
        None,
        ["calculator", "catalog", "user"],
        ["calculator", "catalog", "user", "web"],
        ["web"],
    ]
    used = {run.system: {step.name for step in run.steps if step.kind == "tool"} for run in read_runs(tmp_path / "exp")}
    assert "web_search" in used["react@offline-shopper"]
    assert "web_search" not in used["react@offline-shopper-without-web"]
    assert used["react@offline-shopper-without-calculator-catalog-user"] <= {"web_search"}
    assert used["react@offline-shopper-without-calculator-catalog-user-web"] == set()


def test_limits_are_flags_and_part_of_the_label(drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    limits = ["--limit", "supervisor_turns=1", "--limit", "researchers=2", "--limit", "tool_turns=3"]
    done = drretail(
        *("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp"),
        *("--agent", "hybrid_react", "--quiet", *limits),
    )
    assert done.returncode == 0, done.stderr
    (label,) = read_definition(tmp_path / "exp").systems
    assert label == "hybrid_react@offline-shopper-supervisor_turns1-researchers2-tool_turns3"


def test_pages_cannot_be_read_without_the_web(drretail: Command, shop: str) -> None:
    done = drretail("ask", QUESTION, "--world", shop, "--agent", "react+ws", "--without", "web")
    assert done.returncode == 2
    assert "leave +ws or --without web out" in done.stderr


def test_a_wrong_agent_is_answered_with_the_nearest(drretail: Command, shop: str) -> None:
    done = drretail("ask", QUESTION, "--world", shop, "--agent", "hybrid-react+ws")
    assert done.returncode == 2
    assert "Did you mean hybrid_react" in done.stderr


def test_dr3_reads_the_files_of_a_question_and_cites_them(drretail: Command, shop: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "orders.csv").write_text("date,product\n2022-05-01,bird feeder\n")
    done = drretail("ask", QUESTION, "--world", shop, "--agent", "dr3", "--files", "mine", "--json")
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)["run"]
    assert "F:orders.csv" in {it.get("evidence_id") for it in run["citations"]}


def test_dr3_runs_with_files_for_some_queries_another_retriever_and_fewer_turns(
    drretail: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    (tmp_path / "mine" / "q1").mkdir(parents=True)
    (tmp_path / "mine" / "q1" / "note.md").write_text("The old bird feeder broke.\n")
    done = drretail(
        *("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--agent", "dr3", "--quiet"),
        *("--files", "mine", "--retriever", "dense:offline:words", "--limit", "rag_turns=2"),
    )
    assert done.returncode == 0, done.stderr
    (system,) = read_definition(tmp_path / "exp").systems.values()
    assert (system.limits.rag_turns, system.options["retriever"]) == (2, "dense:offline:words")
    read = {run.query_id: any(step.name == "read_file" for step in run.steps) for run in read_runs(tmp_path / "exp")}
    assert read == {"q1": True, "q2": False}
    assert [*(tmp_path / ".cache" / "drretail" / "embeddings").iterdir()]


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--files", "none"], "none is no folder"),
        (["--retriever", "tfidf"], "no retriever 'tfidf'"),
    ],
)
def test_files_and_retrievers_that_there_are_not_are_refused(
    drretail: Command, shop: str, flags: list[str], why: str
) -> None:
    done = drretail("ask", QUESTION, "--world", shop, "--agent", "dr3", *flags)
    assert (done.returncode, why in done.stderr) == (2, True)

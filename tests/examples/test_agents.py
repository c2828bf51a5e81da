"""The agents and the workflow under examples/, as they stand, with a scripted model or server in a provider's place."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from drretail import compare, run, score
from drretail.api.settings import read_settings
from drretail.experiments.experiment import read_definition, read_runs
from tests.cli.commands import ROOT, Command
from tests.llm.provider import Provider, answers, completes

EXAMPLES = ROOT / "examples"
QUESTIONS = ["Which bird feeder costs less than $30?", "Is there a hanging bird bath?"]
needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="no MCP: pip install mcp")


def of_python(name: str, file: str) -> str:
    return f"{name}=cmd:{sys.executable} '{EXAMPLES / file}'"


@pytest.fixture
def endpoint() -> Iterator[str]:
    args = [sys.executable, str(EXAMPLES / "http_agent.py"), "0"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@needs_mcp
def test_the_script_and_the_endpoint_before_it_stand_beside_react(
    tiny_shop: Path, tmp_path: Path, endpoint: str
) -> None:
    agents = [of_python("script", "script_agent.py"), f"web={endpoint}", "react"]
    experiment = run(tiny_shop, QUESTIONS, agents, to=tmp_path / "exp", baselines=False)
    mine = [each for each in experiment if each.system in ("script", "web")]
    assert [(each.status, len(each.picks or ()), [step.name for step in each.steps]) for each in mine] == [
        ("done", 1, ["product_catalog_search"])
    ] * 4
    assert all(each.citations for each in mine)
    scores = score(experiment, ["checks"])
    assert {row.system for row in scores.scores} >= {"script", "web", "react@offline-shopper"}
    assert compare(experiment, "script", "react", metrics=["checks"]).comparison.tables


MODEL = "openai:gpt-4.1"


@needs_mcp
def test_the_loop_over_mcp_researches_with_the_runs_model(tiny_shop: Path, tmp_path: Path) -> None:
    asked = (("product_catalog_search", {"query": "tube bird feeder"}), ("calculator", {"expression": "2*3"}))
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for name, args in asked
    ]
    report = "# One feeder\n\nIt costs $24.99 [P:B0TEST0001].\n\n```picks\nP:B0TEST0001 x 1\n```"
    with Provider(completes({"content": None, "tool_calls": calls}), completes({"content": report})) as provider:
        loop, to, address = of_python("loop", "mcp_loop/agent.py"), tmp_path / "exp", f"{provider.url}/v1"
        experiment = run(tiny_shop, QUESTIONS[:1], loop, MODEL, to=to, baselines=False, base_url=address)
    (made,) = experiment
    assert (made.status, made.error) == ("done", None)
    assert [step.name for step in made.steps] == [MODEL, "product_catalog_search", "calculator", MODEL]
    assert made.usage["client"].calls == 2
    assert len(made.picks or ()) == len(made.citations) == 1
    assert score(experiment, ["checks"]).scores


def test_langchains_agent_researches_with_a_model_of_langchains(
    tiny_shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = {"name": "product_catalog_search", "arguments": '{"query": "tube bird feeder"}'}
    call = {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    monkeypatch.setenv("MODEL", "openai:scripted")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.syspath_prepend(EXAMPLES)
    report = "It costs $24.99 [P:B0TEST0001].\n\n```picks\nP:B0TEST0001 x 1\n```"
    with Provider(completes(call), completes({"content": report})) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
        (made,) = run(tiny_shop, QUESTIONS[:1], "langchain_agent:agent", to=tmp_path / "exp", baselines=False)
    assert (made.status, made.error, len(made.picks or ())) == ("done", None, 1)
    assert [step.name for step in made.steps if step.kind == "tool"] == ["product_catalog_search"]


SEARCHES = {"type": "tool_use", "id": "t1", "name": "product_catalog_search", "input": {"query": "bird feeder"}}
ERRS = {"type": "tool_use", "id": "t2", "name": "get_product_details", "input": {"product": 7}}
QUERY = {"query_id": "q1", "user_id": None, "text": "Which bird feeder suits a small garden?", "source": "mine"}


def test_the_plain_loop_over_anthropics_api_runs_is_recorded_and_is_scored(
    succeeds: Command, tiny_shop: Path, tmp_path: Path
) -> None:
    (tmp_path / "anthropic_loop.py").write_bytes((EXAMPLES / "anthropic_loop.py").read_bytes())
    (tmp_path / "queries.jsonl").write_text(json.dumps(QUERY) + "\n", encoding="utf-8")
    fields = {"type": "text", "text": "Any feeder will do.\n\n```picks\n```"}
    with Provider(answers(SEARCHES, ERRS, stop_reason="tool_use"), answers(fields)) as provider:
        where = {"ANTHROPIC_API_KEY": "sk-none", "ANTHROPIC_BASE_URL": provider.url}
        asked = ("--world", str(tiny_shop), "--queries", "queries.jsonl", "--to", "exp")
        succeeds("run", "--agent", "anthropic_loop:answer", "--agent", "react", *asked, "--no-floors", **where)
    first, second = provider.seen
    assert len(first.body["tools"]) == 9
    assert {"name", "description", "input_schema"} == set(first.body["tools"][0])
    assert QUERY["text"] in first.body["messages"][0]["content"]
    results = second.body["messages"][2]["content"]
    assert [(result["tool_use_id"], result["is_error"]) for result in results] == [("t1", False), ("t2", True)]
    (made,) = (run for run in read_runs(tmp_path / "exp") if run.system == "anthropic_loop-answer")
    assert [(it.kind, it.name) for it in made.steps] == [("tool", one["name"]) for one in (SEARCHES, ERRS)]
    assert made.status == "done"
    hashes = read_definition(tmp_path / "exp").prompt_hashes["anthropic_loop-answer"]
    assert list(hashes) == ["follow_up", "own_question"]
    scores = json.loads(succeeds("score", "exp", "--json").stdout)["scores"]
    assert "anthropic_loop-answer" in {row["system"] for row in scores}
    succeeds("compare", "exp", "anthropic_loop:answer", "react")


@pytest.mark.parametrize(
    ("price", "code"),
    [
        pytest.param("hit['price']", 0, id="passes", marks=pytest.mark.slow),
        pytest.param("hit['price'] + 7", 4, id="fails"),
    ],
)
def test_the_workflow_is_decided_by_its_candidate(price: str, code: int, drretail: Command, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "github_actions", tmp_path, dirs_exist_ok=True)
    agent = (tmp_path / "agent.py").read_text(encoding="utf-8")
    (tmp_path / "agent.py").write_text(agent.replace("{hit['price']:.2f}", f"{{{price}:.2f}}"), encoding="utf-8")
    read: Any = yaml.safe_load((tmp_path / ".github/workflows/drretail.yml").read_text(encoding="utf-8"))
    steps = [shlex.split(step["run"]) for step in read["jobs"]["compare"]["steps"] if "run" in step]
    *before, last = [step for step in steps if step[:2] != ["pip", "install"]]
    cache = str(read_settings().cache_dir)  # where the demo's shop is made already
    for name, *args in before:
        done = drretail(*args, DRRETAIL_CACHE_DIR=cache)
        assert (name, done.returncode) == ("drretail", 0), done.stderr
    compared = drretail(*last[1:], DRRETAIL_CACHE_DIR=cache)
    assert compared.returncode == code, compared.stdout + compared.stderr
    assert ("Fails: errors:rise=.10: checks errors of agent-answer" in compared.stderr) == bool(code)


def test_grpo_takes_ten_steps() -> None:
    command = [sys.executable, str(EXAMPLES / "grpo.py")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "most likely now: first hit with its price"
    assert len(ended.stdout.splitlines()) == 11

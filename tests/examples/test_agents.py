"""The agents under examples/, run on the demo shop with a scripted model and scored like the built-in ones."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from drretail import compare, run, score

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS = ["Which bird feeder costs less than $30?", "Is there a hanging bird bath?"]


@pytest.fixture(autouse=True)
def demo(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRRETAIL_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))


def of_python(name: str, file: str) -> str:
    return f"{name}=cmd:{sys.executable} '{EXAMPLES / file}'"


def test_the_script_and_the_react_agent_stand_beside_each_other_in_one_experiment(tmp_path: Path) -> None:
    agents = [of_python("script", "script_agent.py"), "react"]
    experiment = run("demo", QUESTIONS, agents, to=tmp_path / "exp", baselines=False)
    mine = [each for each in experiment if each.system == "script"]
    assert [(each.status, len(each.picks or ()), [step.name for step in each.steps]) for each in mine] == [
        ("done", 1, ["product_catalog_search"])
    ] * 2
    scores = score(experiment, ["checks"])
    assert {row.system for row in scores.scores} >= {"script", "react@offline-shopper"}
    assert all(each.citations for each in mine)
    assert compare(experiment, "script", "react", metrics=["checks"]).tables


def scripted(request: Request) -> Response:
    """Two calls at once, then a report on what they brought, as a model would in OpenAI's protocol."""
    messages = json.loads(request.data)["messages"]
    results = [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
    turn: dict[str, Any] = {"role": "assistant", "content": None}
    if not results:
        asked = [
            ("product_catalog_search", {"query": "bird feeder", "limit": 2}),
            ("calculator", {"expression": "2*3"}),
        ]
        turn["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for n, (name, args) in enumerate(asked)
        ]
    else:
        hit = results[0]["hits"][0]
        line = f"{hit['title']} costs ${hit['price']} [{hit['evidence']}]."
        turn["content"] = f"# One feeder\n\n{line}\n\n```picks\n{hit['evidence']} x 1\n```"
    return Response(json.dumps({"choices": [{"message": turn}]}), content_type="application/json")


def test_the_loop_over_mcp_researches_with_the_model_that_it_is_given(
    tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(scripted)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("MODEL", "scripted")
    loop = of_python("loop", "mcp_loop/agent.py")
    experiment = run("demo", QUESTIONS[:1], loop, to=tmp_path / "exp", baselines=False)
    (made,) = experiment
    assert (made.status, made.error) == ("done", None)
    assert [step.name for step in made.steps] == ["product_catalog_search", "calculator"]
    assert len(made.picks or ()) == len(made.citations) == 1
    assert score(experiment, ["checks"]).scores


@pytest.fixture
def endpoint() -> Iterator[str]:
    args = [sys.executable, str(EXAMPLES / "http_agent.py"), "0"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_the_endpoint_answers_like_the_script_behind_it(tmp_path: Path, endpoint: str) -> None:
    experiment = run("demo", QUESTIONS, f"web={endpoint}", to=tmp_path / "exp", baselines=False)
    assert [(each.system, each.status, len(each.steps)) for each in experiment] == [("web", "done", 1)] * 2
    assert score(experiment, ["checks"]).scores

"""``drretail mcp``: over stdio and HTTP, by the official client in Python. Tests api/shops/tools.py."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest

from drretail.errors import install_line
from drretail.experiments.experiment import read_runs
from tests.cli.commands import Start, refused_by
from tests.shop import OTHER, USER

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

ANSWER: list[tuple[str, dict[str, Any]]] = [
    ("product_catalog_search", {"query": "tube feeder"}),
    ("get_user_profile", {"user_id": USER}),
    ("get_product_details", {"product_id": "NOPE"}),
    ("submit_report", {"report": "Take the tube feeder [P:B0TEST0001].\n\n```picks\nP:B0TEST0001 x 1\n```"}),
]


def command(world: Path, *args: str) -> list[str]:
    return [sys.executable, "-m", "drretail", "mcp", "--world", str(world), "--user", USER, *args]


def recording(to: Path) -> list[str]:
    return ["--to", str(to), "--question", "Which bird feeder under $30?"]


async def answered(client: Client) -> list[Any]:
    return [(await client.call_tool(name, args)) for name, args in ANSWER]


def check_runs(to: Path, label: str, count: int = 1) -> None:
    runs = read_runs(to)
    assert [run.run_id[-2:] for run in runs] == [f"r{n + 1}" for n in range(count)]
    for run in runs:
        assert (run.system, run.status, run.user_id) == (label, "done", USER)
        assert [(step.name, step.error is None) for step in run.steps] == [
            ("product_catalog_search", True),
            ("get_user_profile", True),
            ("get_product_details", False),
        ]
        assert [citation.evidence_id for citation in run.citations] == ["P:B0TEST0001"]


def test_the_python_client_researches_over_stdio_and_its_run_is_kept(tiny_shop: Path, tmp_path: Path) -> None:
    async def visit() -> list[Any]:
        program, *args = command(tiny_shop, *recording(tmp_path / "exp"))
        server = stdio_client(StdioServerParameters(command=program, args=args, env={**os.environ}))
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            assert len(tools) == 10
            harmful = [tool.name for tool in tools if tool.annotations and tool.annotations.destructive_hint]
            assert harmful == ["update_user_profile"]
            assert "Which bird feeder" in (client.instructions or "")
            return await answered(client)

    results = asyncio.run(visit())
    assert [result.is_error for result in results] == [False, False, True, False]
    assert all(json.loads(result.content[0].text) == result.structured_content for result in results)
    check_runs(tmp_path / "exp", "mcp@mcp")


def test_python_clients_of_one_http_server_have_a_run_each(start: Start, tiny_shop: Path, tmp_path: Path) -> None:
    process = start(*command(tiny_shop, *recording(tmp_path / "exp"), "--system", "mine", "--http")[3:])
    while process.stdout.count("\n") < 2:
        assert not process.has_ended, process.stderr
        time.sleep(0.01)
    address, token = process.stdout.splitlines()

    async def visit() -> list[Any]:
        async with (
            httpx2.AsyncClient(headers=dict([token.split(": ")])) as web,
            Client(streamable_http_client(address, http_client=web)) as client,
        ):
            return await answered(client)

    for _ in range(2):
        assert [result.is_error for result in asyncio.run(visit())] == [False, False, True, False]
    process.send_signal(signal.SIGINT)
    ended = process.wait()
    assert ended.returncode == 0, ended.stderr
    check_runs(tmp_path / "exp", "mine", 2)


CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
CALL = {"name": "calculator", "arguments": {"expression": "1"}}
HANDSHAKE = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": CALL},
]


@contextmanager
def on_stdio(world: Path, *args: str) -> Generator[tuple[subprocess.Popen[str], IO[str], IO[str], IO[str]]]:
    """A server, and its stdin, stdout and stderr."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command(world, *args), stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        yield server, server.stdin, server.stdout, server.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_server_ends_at_once_and_keeps_its_calls(
    tiny_shop: Path, tmp_path: Path, how: signal.Signals
) -> None:
    with on_stdio(tiny_shop, *recording(tmp_path / "exp")) as (server, stdin, stdout, stderr):
        stdin.write("".join(["no message\n", *(json.dumps(message) + "\n" for message in HANDSHAKE)]))
        stdin.flush()
        assert [json.loads(stdout.readline())["id"] for _ in range(2)] == [1, 2]
        server.send_signal(how)
        assert server.wait(20) == 0  # though its stdin is still open
        said = stderr.read()
        assert "A line on stdin is no JSON-RPC message, and was left out: 'no message'." in said
        assert "Traceback" not in said
    (run,) = read_runs(tmp_path / "exp")
    assert (run.system, run.status, [step.name for step in run.steps]) == ("mcp@raw", "failed", ["calculator"])


@pytest.mark.parametrize(
    "answers", [pytest.param(0, id="at once", marks=pytest.mark.slow), pytest.param(1, id="after an answer")]
)
def test_a_client_that_stops_reading_is_no_error_and_its_call_is_kept(
    tiny_shop: Path, tmp_path: Path, answers: int
) -> None:
    with on_stdio(tiny_shop, "--quiet", *recording(tmp_path / "exp")) as (server, stdin, stdout, stderr):
        stdin.write(json.dumps(HANDSHAKE[0]) + "\n")
        stdin.flush()
        for _ in range(answers):
            stdout.readline()
        stdout.close()
        stdin.write("".join(json.dumps(message) + "\n" for message in HANDSHAKE[1:]))
        stdin.flush()
        assert server.wait(60) == 0  # though its stdin is still open
        assert stderr.read() == ""
    if answers:  # before that its call may be read or not
        assert [len(run.steps) for run in read_runs(tmp_path / "exp")] == [1]


def test_what_does_not_go_together_is_said(tiny_shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = partial(refused_by, "mcp")
    shop, to = ["--world", str(tiny_shop)], ["--to", str(tmp_path / "exp")]
    assert "add --to EXP" in refused(*shop, "--question", "x")
    assert "--question TEXT" in refused(*shop, *to)
    assert "go together" in refused(*shop, *to, "--queries", "q.jsonl")
    assert "add --http" in refused(*shop, "--port", "8080")
    assert "The shop has no user" in refused(*shop, "--user", "AEWRONG")
    assert "family of tools" in refused(*shop, "--vary", "without=the_web")
    lines = [{"query_id": each, "user_id": USER, "text": "Ask", "source": "test"} for each in "abdf"]
    lines[-1]["after"] = "d"
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, lines)))
    of_a_file = [*shop, *to, "--queries", str(tmp_path / "queries.jsonl"), "--only"]
    assert "There is no query 'c'" in refused(*of_a_file, "c")
    assert "is asked by" in refused(*of_a_file, "b", "--user", OTHER)
    assert "d is a turn of a conversation" in refused(*of_a_file, "d")
    monkeypatch.setenv("MCP_TOKEN", "short")
    assert "MCP_TOKEN needs 16" in refused(*shop, "--http")
    monkeypatch.setattr("drretail.api.shops.tools.find_spec", lambda name: None)
    assert refused(*shop) == f"The MCP server needs mcp: {install_line('mcp')}."

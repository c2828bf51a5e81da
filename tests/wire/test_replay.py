"""``run --replay``: an experiment with real models once more, without its provider, a key, or a network."""

from pathlib import Path

import pytest

from tests.build import files
from tests.cli.commands import ROOT, Command
from tests.wire.playing import AGENTS, KEYS, MODELS, InTurn
from tests.wire.server import WireServer

BLOCK = """
import socket

def refused(*args, **kwargs):
    raise PermissionError("this process may not connect")

socket.socket.connect = socket.socket.connect_ex = refused
socket.create_connection = socket.getaddrinfo = refused
"""


@pytest.fixture
def blocked(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that can open no connection."""
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    return {"PYTHONPATH": f"{tmp_path / 'blocked'}:{ROOT}", "DRRETAIL_MODEL_RETRIES": "0"}


def kept(folder: Path) -> dict[str, bytes]:
    held = files(folder, journals=False)
    return {name: content for name, content in held.items() if not name.endswith(("telemetry.json", ".lock"))}


def test_agents_are_replayed_alike(
    drretail: Command, shop: str, queries: str, tmp_path: Path, blocked: dict[str, str]
) -> None:
    with WireServer(InTurn(faults=("429", "max_tokens", "refusal"), every=11)) as server:
        command = ["run", "--no-floors", "--queries", queries, "--world", shop]
        command += ["--model", MODELS["anthropic"], "--base-url", f"anthropic={server.url}"]
        command += ["--model", f"researcher={MODELS['openai']}", "--base-url", f"openai={server.openai_url}"]
        command += [part for name in (*AGENTS, "react+ws") for part in ("--agent", name)]
        first = drretail(*command, "--to", "exp", **KEYS)
    assert first.returncode in (0, 3), first.stderr
    assert server.seen.faults
    again = drretail(*command, "--replay", "exp", "--to", "again", **blocked)
    assert again.returncode == first.returncode, again.stderr
    assert kept(tmp_path / "again") == kept(tmp_path / "exp")


def test_without_key_or_network_runs_stop(drretail: Command, shop: str, queries: str, blocked: dict[str, str]) -> None:
    command = ["run", "--queries", queries, "--world", shop, "--model", MODELS["anthropic"]]
    assert "needs an API key" in drretail(*command, "--to", "exp", **blocked).stderr
    failed = drretail(*command, "--to", "exp", **blocked, **KEYS)
    assert failed.returncode == 2
    assert "may not connect" in failed.stderr or "Connection error" in failed.stderr

"""``run --replay``: an experiment with real models once more, without its provider, a key, or a network."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.commands import ROOT, Command
from tests.wire.playing import AGENTS, KEYS, MODELS, InTurn
from tests.wire.server import FAULTS, WireServer

PATIENCE = {"DRRETAIL_MODEL_TIMEOUT": "2"}
STALL = 2.5
PLAYED = [*AGENTS, "react+ws", "grounded_hybrid+ws"]
VOLATILE = ("telemetry.json", "journal.jsonl.gz", ".lock")
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


def files(folder: Path) -> dict[str, bytes]:
    kept = [path for path in folder.rglob("*") if path.is_file() and path.name not in VOLATILE]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def effects(folder: Path) -> dict[str, list[str]]:
    """Journals by run; which of parallel researchers comes first is no part of a run."""
    return {
        str(path.relative_to(folder)): sorted(gzip.decompress(path.read_bytes()).decode().splitlines())
        for path in folder.glob("runs/*/*/journal.jsonl.gz")
    }


def test_all_agents_are_replayed_to_the_byte(
    drretail: Command, shop: str, queries: str, tmp_path: Path, blocked: dict[str, str]
) -> None:
    with WireServer(InTurn(faults=FAULTS, every=11, stall=STALL)) as server:
        command = ["run", "--no-floors", "--queries", queries, "--world", shop]
        command += ["--model", MODELS["anthropic"], "--base-url", f"anthropic={server.url}"]
        command += ["--model", f"researcher={MODELS['openai']}", "--base-url", f"openai={server.openai_url}"]
        command += [part for name in PLAYED for part in ("--agent", name)]
        first = drretail(*command, "--to", "exp", **KEYS, **PATIENCE)
    assert first.returncode in (0, 3), first.stderr
    assert len(server.seen.faults) > 5
    again = drretail(*command, "--replay", "exp", "--to", "again", **blocked)
    assert again.returncode == first.returncode, again.stderr
    exp, repeated = tmp_path / "exp", tmp_path / "again"
    assert len(list(exp.glob("runs/*/*/run.json"))) == 2 * len(PLAYED)
    assert "summariser" in {role for run in exp.glob("runs/*ws*/*/run.json") for role in usage_of(run)}
    assert files(repeated) == files(exp)
    assert effects(repeated) == effects(exp)


def test_without_key_or_network_a_run_stops(
    drretail: Command, shop: str, queries: str, blocked: dict[str, str]
) -> None:
    command = ["run", "--queries", queries, "--world", shop, "--model", MODELS["anthropic"]]
    assert "needs an API key" in drretail(*command, "--to", "exp", **blocked).stderr
    failed = drretail(*command, "--to", "exp", **blocked, **KEYS)
    assert failed.returncode == 2
    assert "may not connect" in failed.stderr or "Connection error" in failed.stderr


def usage_of(run: Path) -> dict[str, object]:
    return json.loads(run.read_text(encoding="utf-8"))["usage"]

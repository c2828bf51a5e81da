"""``--agent cmd:…`` on the command line: resumed, repeated, estimated, interrupted."""

import os
import signal
import time
from pathlib import Path

import pytest

from drretail.experiment import read_runs
from tests.agents.external_agents import command
from tests.cli.commands import Command, ErrorOf, Start

pytest.importorskip("mcp", reason="no MCP: pip install mcp")


def flags(shop: str, queries: str, agent: str) -> list[str]:
    return ["run", "--world", shop, "--queries", queries, "--to", "exp", "--agent", agent, "--no-floors", "--no-pages"]


def test_a_command_is_repeated_and_not_asked_again_and_another_under_its_name_is_refused(
    succeeds: Command, error_of: ErrorOf, shop: str, queries: str, tmp_path: Path
) -> None:
    agent = "mine=" + command(tmp_path, "open('asked', 'a').write('x'); print('Nothing.\\n\\n```picks\\nnone\\n```')")
    for _ in range(2):
        succeeds(*flags(shop, queries, agent), "--repeats", "2")
    assert (tmp_path / "asked").read_text() == "xxxx"
    assert [(run.system, run.status) for run in read_runs(tmp_path / "exp")] == [("mine", "done")] * 4
    assert "mine" in error_of(*flags(shop, queries, "mine=cmd:env"))


def test_ctrl_c_leaves_no_process(start: Start, shop: str, queries: str, tmp_path: Path) -> None:
    agent = command(tmp_path, "open(f'pid{os.getpid()}', 'w').close(); time.sleep(99)")
    process = start(*flags(shop, queries, agent))
    while len(found := [*tmp_path.glob("pid*")]) < 2:
        time.sleep(0.1)
        assert not process.has_ended
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    assert "Traceback" not in process.wait().stderr
    for pid in (int(each.name.removeprefix("pid")) for each in found):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

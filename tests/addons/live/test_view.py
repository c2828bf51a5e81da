"""``drretail view``: the address, its end, and what is said where it can't begin."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from typer.testing import CliRunner

from drretail.cli.app import app
from drretail.eval.ballots import cast
from drretail.tools.local_server import bound
from tests.cli.commands import refused_by
from tests.viewer.agents import record_answers, vote


@pytest.fixture(scope="module")
def exp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = record_answers(tmp_path_factory.mktemp("view"))
    cast(folder, vote("ann", "p1", "b", a="quartz", b="zephyr"), None)
    return folder


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_it_prints_an_address_that_opens_and_ends_cleanly(exp: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "drretail", "view", str(exp)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        with build_opener(HTTPCookieProcessor()).open(address, timeout=280) as answer:
            assert b"9 runs" in answer.read()
            assert "token" not in answer.url
        process.send_signal(how)
        results, text = process.communicate(timeout=280)
    assert process.returncode == 0
    assert text == "The server answers only this machine. Ctrl-C stops it.\n"
    assert ["ann", "1", "1"] in [line.split()[:3] for line in results.splitlines()]


def test_a_port_in_use_and_what_is_no_experiment_are_one_sentence(exp: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused_by("view", str(exp), "--port", str(port)).startswith(f"Port {port} is in use: ")
    bound(0).close()
    assert "does not exist" in refused_by("view", str(tmp_path / "nothing"))
    assert "Name the folder of an experiment" in refused_by("view")
    assert "does not exist" in refused_by("view", "--review", str(tmp_path / "nothing.jsonl"))


def test_without_the_packages_the_line_to_install_them_is_said(exp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = "import sys; sys.modules.update(starlette=None, uvicorn=None); import drretail.addons.live.view"
    subprocess.run([sys.executable, "-c", without], check=True)
    monkeypatch.setattr("drretail.addons.live.view.find_spec", lambda name: None)
    result = refused_by("view", str(exp))
    assert result == "The live view needs starlette and uvicorn: pip install starlette uvicorn."
    assert "ann" in CliRunner().invoke(app, ["view", str(exp), "--results"]).output


def test_results_are_tables_or_a_document(exp: Path) -> None:
    found = CliRunner().invoke(app, ["view", str(exp), "--results"]).output
    assert "quartz ~ zephyr" in found
    document = json.loads(CliRunner().invoke(app, ["view", str(exp), "--results", "--json"]).output)
    assert document["pairs"] == [
        {"a": "quartz", "b": "zephyr", "dimension": "depth", "a_wins": 0, "ties": 0, "b_wins": 1}
    ]
    assert document["people"][0]["annotator"] == "ann"

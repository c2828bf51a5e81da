"""``drretail view``: its pages, and where it can't begin. Also tests app.py, layout.py and view.py."""

import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from drretail.addons.live import report_pages
from drretail.cli.app import app
from drretail.eval.ballots import cast
from drretail.experiment import run_path
from drretail.tools.local_server import bound
from drretail.viewer.page.question import Questions
from tests.addons.live.conftest import client_of
from tests.cli.commands import refused_by
from tests.viewer.agents import record_answers, vote


def test_a_change_makes_only_its_question_anew(exp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    lines = Questions.lines

    def counted(self: Questions, question: report_pages.QueryRuns, *given: object, **more: object) -> object:
        made.append(question.query.query_id)
        return lines(self, question, *given, **more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Questions, "lines", counted)
    monkeypatch.setattr("drretail.addons.live.report_pages._AT_LEAST", 0)
    client = client_of(exp)
    client.get("/")
    client.get("/")
    assert made == ["q1", "q2", "q3"]
    before = client.get("/changes").json()
    run_path(exp, "zephyr", "q2", 1).touch()
    assert client.get("/changes").json() != before
    client.get("/")
    assert made == ["q1", "q2", "q3", "q2"]


def test_every_page_says_what_may_run_in_it(ann: TestClient) -> None:
    for path in ("/", "/vote", "/vote/1", "/label/1", "/nothing"):
        headers = ann.get(path).headers
        policy = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
        assert [policy[name] for name in ("default-src", "frame-ancestors", "base-uri")] == ["'none'"] * 3, path
        assert "unsafe" not in headers["content-security-policy"]
        named = ("x-content-type-options", "cache-control", "referrer-policy")
        assert [headers[name] for name in named] == ["nosniff", "no-store", "same-origin"], path


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = record_answers(tmp_path_factory.mktemp("view"))
    cast(folder, vote("ann", "p1", "b", a="quartz", b="zephyr"), None)
    return folder


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_it_prints_an_address_that_opens_and_ends_cleanly(voted: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "drretail", "view", str(voted)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        ExitStack() as ending,
    ):
        ending.callback(process.kill)  # else a failed assertion would wait for the server
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        with build_opener(HTTPCookieProcessor()).open(address, timeout=280) as answer:
            assert b"zephyr" in answer.read()
            assert "token" not in answer.url
        process.send_signal(how)
        results, text = process.communicate(timeout=280)
    assert process.returncode == 0
    assert text == "The server answers only this machine. Ctrl-C stops it.\n"
    assert ["ann", "1", "1"] in [line.split()[:3] for line in results.splitlines()]


def test_a_port_in_use_and_what_is_no_experiment_are_one_sentence(voted: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused_by("view", str(voted), "--port", str(port)).startswith(f"Port {port} is in use: ")
    bound(0).close()
    assert "does not exist" in refused_by("view", str(tmp_path / "nothing"))


def test_without_the_packages_the_line_to_install_them_is_said(voted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = "import sys; sys.modules.update(starlette=None, uvicorn=None); import drretail.addons.live.view"
    subprocess.run([sys.executable, "-c", without], check=True)
    monkeypatch.setattr("drretail.addons.live.view.find_spec", lambda name: None)
    result = refused_by("view", str(voted))
    assert result == "The live view needs starlette and uvicorn: pip install 'drretail[ui]'."
    assert "ann" in CliRunner().invoke(app, ["view", str(voted), "--results"]).output

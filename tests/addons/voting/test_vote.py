"""``drretail vote``: who gets in, and how it ends. Also tests access.py, app.py and layout.py."""

import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from drretail.addons.people.plan import planned
from drretail.addons.voting.access import MOST_BYTES
from drretail.cli.app import app
from drretail.errors import install_line
from drretail.eval.ballots import cast
from drretail.tools.local_server import bound
from tests.addons.voting.conftest import ADDRESS, TOKEN
from tests.cli.commands import refused_by
from tests.viewer.agents import vote


def test_every_page_says_what_may_run_in_it(ann: TestClient) -> None:
    for path in ("/vote", "/vote/1", "/label/1", "/nothing"):
        headers = ann.get(path).headers
        policy = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
        assert [policy[name] for name in ("default-src", "frame-ancestors", "base-uri")] == ["'none'"] * 3, path
        assert "unsafe" not in headers["content-security-policy"]
        named = ("x-content-type-options", "cache-control", "referrer-policy")
        assert [headers[name] for name in named] == ["nosniff", "no-store", "same-origin"], path


@pytest.fixture
def voted(exp: Path) -> Path:
    pair = next(pair for pair in planned(exp).pairs if pair.query_id == "q1")
    cast(exp, vote("ann", pair.pair_id, "b", a=pair.a, b=pair.b), None)
    return exp


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_it_prints_an_address_that_opens_and_ends_cleanly(voted: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "drretail", "vote", str(voted)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        ExitStack() as ending,
    ):
        ending.callback(process.kill)  # else a failed assertion would wait for the server
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        with build_opener(HTTPCookieProcessor()).open(address, timeout=280) as answer:
            assert b"zephyr" not in answer.read()
            assert "token" not in answer.url
        for path in ("/%1b%5b2J%07", "/?q=%1b%5d0;owned%07"):  # of which nothing is printed
            with pytest.raises(HTTPError, match="403"):
                urlopen(f"{address.partition('/?')[0]}{path}", timeout=280)
        process.send_signal(how)
        results, text = process.communicate(timeout=280)
    assert process.returncode == 0
    assert text == "The server answers only this machine. Ctrl-C stops it.\n"
    assert ["ann", "1", "1"] in [line.split()[:3] for line in results.splitlines()]


def test_a_port_in_use_and_what_is_no_experiment_are_one_sentence(voted: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused_by("vote", str(voted), "--port", str(port)).startswith(f"Port {port} is in use: ")
    bound(0).close()
    assert "does not exist" in refused_by("vote", str(tmp_path / "nothing"))


def test_without_the_packages_the_line_to_install_them_is_said(voted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = "import sys; sys.modules.update(starlette=None, uvicorn=None); import drretail.addons.voting.vote"
    subprocess.run([sys.executable, "-c", without], check=True)
    monkeypatch.setattr("drretail.addons.voting.vote.find_spec", lambda name: None)
    result = refused_by("vote", str(voted))
    assert result == f"Voting needs starlette and uvicorn: {install_line('ui')}."
    assert "ann" in CliRunner().invoke(app, ["vote", str(voted), "--results"]).output


def test_votes_on_no_planned_pair_are_named_and_end_with_3(voted: Path) -> None:
    for unplanned, code in ((False, 0), (True, 3)):
        if unplanned:
            pair = planned(voted).pairs[0]
            cast(voted, vote("ben", "no-pair", "b", a=pair.a, b=pair.b), None)
        result = CliRunner().invoke(app, ["vote", str(voted), "--results"])
        assert result.exit_code == code
        assert ("asks about no such pair" in " ".join(result.output.split())) is unplanned


def test_the_token_of_the_address_becomes_a_cookie_and_no_redirect_leads_away(stranger: TestClient) -> None:
    answer = stranger.get("/vote", params={"token": TOKEN, "x": "1"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/vote?x=1")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert stranger.get("/vote").status_code == 200
    answer = stranger.get(f"//evil.example/?token={TOKEN}")
    assert answer.headers["location"].startswith("/")
    assert not answer.headers["location"].startswith("//")


def test_without_the_token_nothing_is_shown(stranger: TestClient) -> None:
    for path in ("/", "/vote", "/vote/1", "/assets/voting.css", "/nothing"):
        for address in (path, f"{path}?token=wrong", f"{path}?token="):
            answer = stranger.get(address)
            assert (answer.status_code, "zephyr" in answer.text) == (403, False), address


def test_others_are_refused_with_the_cookie(client: TestClient) -> None:
    other_hosts = ("evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:81", "0.0.0.0:8000")
    no_assets = ("../page.css", "..%2f..%2fframe.py", "page.html.jinja", "nothing.js")
    for method, path, host, status in (
        *(("GET", "/", host, 421) for host in other_hosts),
        *((method, "/vote/1", ADDRESS[7:], 405) for method in ("PUT", "DELETE", "PATCH", "OPTIONS")),
        *(("GET", f"/assets/{name}", ADDRESS[7:], 404) for name in no_assets),
    ):
        assert client.request(method, path, headers={"host": host}).status_code == status, (method, path, host)


def test_what_a_page_from_elsewhere_or_of_no_origin_sends_and_a_long_body_are_refused(ann: TestClient) -> None:
    for origin in ("http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:81", "", None):
        request = ann.build_request("POST", "/vote/1", json={"question": "depth", "value": "tie"})
        del request.headers["origin"]
        request.headers.update({} if origin is None else {"origin": origin})
        assert ann.send(request).status_code == 403, origin
    assert ann.get("/vote/1/answers").json()["answers"] == {}
    long = b"x" * (MOST_BYTES + 1)
    assert ann.post("/vote/1", content=long).status_code == 413
    assert ann.post("/vote/1", content=iter([long])).status_code == 413

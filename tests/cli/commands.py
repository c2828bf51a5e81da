"""The command line as a user runs it, in a folder of its own: fixtures of all tests, so that there is one server."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.cli.app import app
from drretail.errors import UserError
from tests.cli.forked import ForkedCommand, ForkServer
from tests.cli.in_process import run_here

ROOT = Path(__file__).parents[2]
Command = Callable[..., subprocess.CompletedProcess[str]]
ErrorOf = Callable[..., str]
Start = Callable[..., ForkedCommand]
MAIN = "from drretail.cli.entry import main; main()"
MAINS = """
import json, sys
from drretail.cli.entry import main
for command in json.loads(sys.argv[1]):
    sys.argv[1:] = command
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""
"""Several commands one after the other in one interpreter, up to the first that fails."""


def sentence(ended: subprocess.CompletedProcess[str], code: int = 2) -> str:
    """What a command said, with single spaces, which ended with one sentence."""
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stderr.strip().splitlines()[-1].startswith("Error: ")
    return " ".join(ended.stderr.split())


def refused_by(*args: str) -> str:
    """What ``drretail …`` says, in this process, that has to be refused."""
    found = CliRunner().invoke(app, args)
    assert isinstance(found.exception, UserError), found.output
    return str(found.exception)


def environment(home: Path, **given: str) -> dict[str, str]:
    """A user's environment without keys, proxies or settings; HOME is the test's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    kept |= {"PYTHONPATH": str(ROOT), "HOME": str(home), "COLUMNS": "120"}
    return kept | given


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    server = ForkServer(ROOT)
    yield server
    server.close()


@pytest.fixture
def drretail(tmp_path: Path) -> Command:
    """Runs ``drretail …`` in the test's folder, in this process, and gives what it printed."""

    def run(*args: str, **given: str) -> subprocess.CompletedProcess[str]:
        return run_here(args, tmp_path, environment(tmp_path, **given))

    return run


@pytest.fixture
def succeeds(drretail: Command) -> Command:
    """``drretail …`` that has to end with 0."""

    def run(*args: str, **given: str) -> subprocess.CompletedProcess[str]:
        ended = drretail(*args, **given)
        assert ended.returncode == 0, ended.stderr
        return ended

    return run


@pytest.fixture
def error_of(drretail: Command) -> ErrorOf:
    """What ``drretail …`` says, with single spaces, that has to end with one sentence and exit code 2."""

    def run(*args: str, **given: str) -> str:
        return sentence(drretail(*args, **given))

    return run


@pytest.fixture
def start(fork_server: ForkServer, tmp_path: Path) -> Start:
    """Starts ``drretail …`` in the test's folder, and leaves it at work."""

    def begin(*args: str, **given: str) -> ForkedCommand:
        return fork_server.start(args, tmp_path, environment(tmp_path, **given))

    return begin


@pytest.fixture
def fresh_drretail(tmp_path: Path) -> Command:
    """``drretail`` in a new interpreter each time, with hashes of its own: for what must not hang on their order."""

    def run(*args: str, **given: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", MAIN, *args],
            cwd=tmp_path,
            env=environment(tmp_path, **given),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    return run

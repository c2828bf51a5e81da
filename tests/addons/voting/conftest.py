"""The server of an experiment's voting pages: in this process, and on a port for a browser."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from drretail.addons.voting.access import browser_address
from drretail.addons.voting.app import routes_of, voting_app
from drretail.tools.local_server import bound

TOKEN = "a-token"
PORT = 8000
ADDRESS = f"http://127.0.0.1:{PORT}"


def client_of(*given: Any, known: bool = True) -> TestClient:
    """A browser of this machine at a server that begins now; with the token's cookie unless nobody knows it."""
    app = voting_app(routes_of(given[0], PORT, *given[1:]), TOKEN, PORT)
    client = TestClient(app, base_url=ADDRESS, headers={"origin": ADDRESS}, follow_redirects=False)
    if known:
        assert client.get("/", params={"token": TOKEN}).status_code == 303
    return client


@pytest.fixture
def stranger(exp: Path) -> TestClient:
    return client_of(exp, 6, known=False)


@pytest.fixture
def client(exp: Path) -> TestClient:
    """A browser with the cookie, in which nobody has said yet who votes."""
    return client_of(exp, 6)


@pytest.fixture
def ann(client: TestClient) -> TestClient:
    """The same, after Ann has said who she is."""
    client.post("/name", data={"name": "Ann", "back": "vote"})
    return client


@contextmanager
def serve(*given: Any) -> Generator[str]:
    """The server on a free port; gives its address with the token."""
    import uvicorn

    listening = bound(0)
    app = voting_app(routes_of(given[0], listening.getsockname()[1], *given[1:]), TOKEN, listening.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield browser_address(listening, TOKEN)
    finally:
        server.should_exit = True
        thread.join(5)

"""The live server of an experiment: in this process, and on a port for a browser."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from drretail.local_server import bound
from drretail.viewer.live.access import address_of
from drretail.viewer.live.app import create_app, parts_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

TOKEN = "a-token"
PORT = 8000
ADDRESS = f"http://127.0.0.1:{PORT}"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
OURS = ("http://127.0.0.1:", "data:")
Serve = Callable[..., AbstractContextManager[str]]


def client_of(app: Starlette, *, known: bool = True) -> TestClient:
    """A browser of this machine; with the token's cookie unless nobody knows it."""
    client = TestClient(app, base_url=ADDRESS, headers={"origin": ADDRESS}, follow_redirects=False)
    if known:
        assert client.get("/", params={"token": TOKEN}).status_code == 303
    return client


@pytest.fixture
def app(exp: Path) -> Starlette:
    return create_app(parts_of(exp, PORT, 6), TOKEN, PORT)


@pytest.fixture
def stranger(app: Starlette) -> TestClient:
    return client_of(app, known=False)


@pytest.fixture
def client(app: Starlette) -> TestClient:
    """A browser with the cookie, in which nobody has said yet who votes."""
    return client_of(app)


@pytest.fixture
def ann(client: TestClient) -> TestClient:
    """The same, after Ann has said who she is."""
    client.post("/name", data={"name": "Ann", "back": "vote"})
    return client


@contextmanager
def _serving(*given: Any) -> Generator[str]:
    """The server on a free port; gives its address with the token."""
    import uvicorn

    listening = bound(0)
    app = create_app(parts_of(given[0], listening.getsockname()[1], *given[1:]), TOKEN, listening.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield address_of(listening, TOKEN)
    finally:
        server.should_exit = True
        thread.join(5)


@pytest.fixture
def serve() -> Serve:
    return _serving


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium; tests skip where there is none. Playwright's event loop runs until it ends: no longer than a module."""
    wanted = os.environ.get("DRRETAIL_CHROMIUM")
    path = wanted or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.skip("no browser: apt-get install chromium, or set DRRETAIL_CHROMIUM to one")
    api = pytest.importorskip("playwright.sync_api", reason="no browser: pip install playwright")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=path,
            chromium_sandbox=os.geteuid() != 0,
            args=["--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"],
        )
        yield opened
        opened.close()


def is_problem(message: "ConsoleMessage", refused: str) -> bool:
    return message.type in ("error", "warning") and not (refused and f"status of {refused} " in message.text)


@pytest.fixture
def window(browser: "Browser") -> "Iterator[Callable[..., Page]]":
    """Opens windows of people; at the end none may have had an error, or asked any host but the server.

    ``refused`` is the status of an answer of which the browser itself may tell.
    """
    problems: list[str] = []
    contexts: list[Any] = []

    def opened(width: int = 1280, scheme: str = "light", beside: "Page | None" = None, refused: str = "") -> "Page":
        if beside is None:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # pyright: ignore[reportArgumentType]
            context.set_default_timeout(10_000)
            contexts.append(context)
        else:
            context = beside.context
        page = context.new_page()
        page.on("console", lambda it: problems.append(it.text) if is_problem(it, refused) else None)
        page.on("pageerror", lambda it: problems.append(str(it)))
        page.on("request", lambda it: None if it.url.startswith(OURS) else problems.append(it.url))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []

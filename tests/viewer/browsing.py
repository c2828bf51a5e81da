"""A real browser for pages: what goes wrong in it, and what axe-core finds."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
OURS = ("http://127.0.0.1:", "data:", "file:")
Window = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium; tests skip where there is none. Playwright's event loop runs until it ends: no longer than a module."""
    wanted = os.environ.get("DRRETAIL_CHROMIUM")
    path = wanted or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.skip("no browser: apt-get install chromium, or set DRRETAIL_CHROMIUM to one")
    api = pytest.importorskip("playwright.sync_api", reason="no browser: pip install --group slow-tests")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=path,
            chromium_sandbox=os.geteuid() != 0,
            args=["--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"],
        )
        yield opened
        opened.close()


def is_problem(message: "ConsoleMessage", refused: str) -> bool:
    """Not that a page asks a server in vain: a test's server ends before its windows do."""
    expected = ["ERR_CONNECTION_REFUSED", *([f"status of {refused} "] if refused else [])]
    return message.type in ("error", "warning") and not any(each in message.text for each in expected)


@pytest.fixture
def window(browser: "Browser") -> "Iterator[Callable[..., Page]]":
    """Opens windows of people; at the end none may have had an error, or asked any host but the server of a test.

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
        page.on("console", lambda each: problems.append(each.text) if is_problem(each, refused) else None)
        page.on("pageerror", lambda each: problems.append(str(each)))
        page.on("request", lambda each: None if each.url.startswith(OURS) else problems.append(each.url))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == [], problems


def grave_faults(page: "Page") -> list[tuple[str, str, str]]:
    """What axe-core finds serious on a page with everything open; page, rule and the first element."""
    axe = pytest.importorskip("axe_playwright_python", reason="no browser: pip install --group slow-tests")
    page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true")
    # As text from outside: the page's own policy stays as it is.
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']})")
    grave = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    return [(page.url, each["id"], each["nodes"][0]["html"]) for each in grave]

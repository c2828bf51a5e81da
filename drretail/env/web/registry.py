"""Webs by name: ``NAME[:ARGUMENT]``, built-in ones, plugins (entry points of drretail.web), and ``module:attribute``.

What a name stands for is a function ``(argument, options) -> Web``; the argument is None where none was given.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import cast

from pydantic import SecretStr

from drretail.env.web.base import Web
from drretail.errors import UnknownName, UserError
from drretail.plugins import Plugins

BUILT_IN = {
    "sandbox": "drretail.env.web.sandbox:open_sandbox",
    "serper": "drretail.env.web.providers:open_serper",
    "searxng": "drretail.env.web.providers:open_searxng",
}
WEBS = Plugins("web", BUILT_IN, "drretail.web")
SERPER_ADDRESS = "https://google.serper.dev/search"


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How pages of the open web are fetched."""

    seconds: float = 10
    """For one page with robots.txt and redirects."""
    body_bytes: int = 10_000_000
    redirects: int = 5
    user_agent: str | None = None
    """None: "drretail/<version>"."""
    robots: bool = True
    """Whether robots.txt is respected."""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Everything that a provider may be given; each takes what concerns it."""

    serper_key: SecretStr | None = None
    serper_address: str = SERPER_ADDRESS
    searxng_address: str | None = None
    search_seconds: float = 20
    """For one search with its tries."""
    proxy: str | None = None
    """http(s)://[user:password@]host:port for Serper and for pages; no proxy is taken from the environment."""
    pages: PageOptions = field(default_factory=PageOptions)
    replayed: bool = False
    """True: all answers come from a journal, nothing is asked, and no key is needed."""


OpenWeb = Callable[[str | None, WebOptions], Web]


def web_names() -> list[str]:
    """Every name that ``open_web`` takes besides ``module:attribute``."""
    return WEBS.names()


def open_web(spec: str, options: WebOptions | None = None) -> Web:
    """The web that ``NAME[:ARGUMENT]`` or ``module:attribute`` names; nothing is sent yet.

    Raises UnknownName for a name that nothing goes by, UserError for a wrong argument or a missing key.
    """
    name, colon, argument = spec.partition(":")
    if name in WEBS.names():
        if colon and not argument:
            raise UserError(f"{spec!r} names nothing behind the colon: write {name}, or {name}:WHAT.")
        return _opened(name, argument or None, options)
    if not colon or (name.isidentifier() and find_spec(name) is None):
        raise UnknownName("web", name, WEBS.names())
    return _opened(spec, None, options)


def _opened(name: str, argument: str | None, options: WebOptions | None) -> Web:
    opener = _opener(name)
    try:
        web = opener(argument, options or WebOptions())
    except UserError:
        raise
    # The boundary of a plugin: what goes wrong in it is told with its name.
    except Exception as problem:
        if name in BUILT_IN:
            raise
        raise UserError(f"The web {name!r} cannot be opened ({type(problem).__name__}: {problem}).") from problem
    if not (callable(getattr(web, "search", None)) and callable(getattr(web, "fetch", None))):
        raise UserError(f"The web {name!r} gave {type(web).__name__}, which has no search and fetch of a drretail Web.")
    return web


def _opener(name: str) -> OpenWeb:
    place, opener = WEBS.load(name)
    if not callable(opener):
        raise UserError(f"{place} opens no web: make it a function (argument, options) that gives a drretail Web.")
    return cast(OpenWeb, opener)

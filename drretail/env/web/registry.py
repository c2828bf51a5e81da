"""Webs by name: ``NAME[:ARGUMENT]`` for built-in ones and plugins (entry points of drretail.web), or
``module:attribute``.

A name leads to a Web, or to a function ``(argument, options) -> Web``; the argument is None if none was given.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from pydantic import SecretStr

from drretail.env.web.base import Web
from drretail.errors import UnknownName, UserError, describe_error
from drretail.plugins import Plugins, is_module

BUILT_IN = {
    "sandbox": "drretail.env.web.sealed:open_sandbox",
    "serper": "drretail.env.web.providers:open_serper",
    "searxng": "drretail.env.web.providers:open_searxng",
}
WEBS = Plugins("web", BUILT_IN, "drretail.web")
WANTED = "a drretail Web, or a function (argument, options) that gives one"
SERPER_ADDRESS = "https://google.serper.dev/search"


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How pages of the open web are fetched."""

    seconds: float = 10
    """The time for everything together: name look-up, robots.txt, redirects, the body."""
    body_bytes: int = 10_000_000
    """The most bytes of the unpacked body."""
    redirects: int = 5
    ports: frozenset[int] = frozenset({80, 443, 8080, 8443})
    user_agent: str | None = None
    """None means drretail/<version> with a note on its purpose."""
    robots: bool = True
    """True if robots.txt is respected."""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """The settings of all providers; each provider uses its own."""

    serper_key: SecretStr | None = None
    serper_address: str = SERPER_ADDRESS
    searxng_address: str | None = None
    search_seconds: float = 20
    """The time for one search with its retries."""
    proxy: str | None = None
    """http(s)://[user:password@]host:port for Serper and for pages; no proxy is taken from the environment."""
    pages: PageOptions = field(default_factory=PageOptions)
    replayed: bool = False
    """True if all answers come from a journal, so that nothing is asked and no key is needed."""


OpenWeb = Callable[[str | None, WebOptions], Web]


def open_web(spec: str, options: WebOptions | None = None) -> Web:
    """The web that ``NAME[:ARGUMENT]`` or ``module:attribute`` names; nothing is sent yet.

    Raises UnknownName for an unknown name, UserError for a wrong argument or a missing key.
    """
    name, colon, argument = spec.partition(":")
    if name in WEBS.names():
        if colon and not argument:
            raise UserError(f"{spec!r} names nothing behind the colon: write {name}, or {name}:WHAT.")
        return _opened(name, argument or None, options)
    if not colon or not is_module(name):
        raise UnknownName("web", name, WEBS.names())
    return _opened(spec, None, options)


def load_web(name: str) -> Web | OpenWeb:
    """The web of that name, or the function that opens it. Raises UserError if the name leads to neither."""
    place, web = WEBS.load(name)
    if inspect.isclass(web) or not (_is_web(web) or callable(web)):
        raise WEBS.refused(place, web, WANTED)
    return cast("Web | OpenWeb", web)


def _opened(name: str, argument: str | None, options: WebOptions | None) -> Web:
    found = load_web(name)
    if _is_web(found):
        return cast(Web, found)
    try:
        web = cast(OpenWeb, found)(argument, options or WebOptions())
    except UserError:
        raise
    # The boundary of a plugin: its errors are reported with its name.
    except (Exception, SystemExit) as problem:
        if name in BUILT_IN:
            raise
        raise UserError(f"The web {name!r} cannot be opened: {describe_error(problem)}.") from problem
    if not _is_web(web):
        raise UserError(f"The web {name!r} gave {type(web).__name__}, which has no search and fetch of a drretail Web.")
    return web


def _is_web(candidate: object) -> bool:
    return all(callable(getattr(candidate, name, None)) for name in ("search", "fetch"))

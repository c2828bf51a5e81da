"""The webs that are built in and live: a search engine, safe fetching, and reading, put together."""

import re
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from drretail import __version__
from drretail.env.web.fetching.client import Client, Limits, Proxy
from drretail.env.web.fetching.fetcher import Fetcher
from drretail.env.web.fetching.robots import Robots
from drretail.env.web.live import LiveWeb, OpenPages
from drretail.env.web.reading.page import read_page
from drretail.env.web.registry import WebOptions
from drretail.env.web.searches import Service, check_address
from drretail.env.web.searxng import ACCESS as SEARXNG_ACCESS
from drretail.env.web.searxng import SearxngSearch
from drretail.env.web.serper import ACCESS as SERPER_ACCESS
from drretail.env.web.serper import SerperSearch
from drretail.errors import UserError

USER_AGENT = f"drretail/{__version__} (research on shopping questions)"
_TOKEN = re.compile(r"[A-Za-z_-]+")
_KEY = re.compile(r"[!-~]{8,200}")


def open_serper(argument: str | None, options: WebOptions) -> LiveWeb:
    """``serper``; its key comes from the environment, for an argument would stand in the shell's history."""
    if argument:
        raise UserError("--web serper takes no argument: set the environment variable SERPER_API_KEY.")
    address = check_address("The address of Serper", options.serper_address)
    service = Service("Serper", address, options.search_seconds, SERPER_ACCESS, options.proxy)
    key = "" if options.serper_key is None else options.serper_key.get_secret_value().strip()
    if not key and not options.replayed:
        raise UserError("--web serper needs a key: set the environment variable SERPER_API_KEY (https://serper.dev).")
    if key and not _KEY.fullmatch(key):
        raise UserError("SERPER_API_KEY does not look like a key: it holds white space or other characters.")
    return LiveWeb(SerperSearch(service, SecretStr(key)), open_pages(options))


def open_searxng(argument: str | None, options: WebOptions) -> LiveWeb:
    """``searxng:http://HOST:PORT``, or ``searxng`` where the setting searxng_address has it."""
    address = argument or options.searxng_address
    if not address and not options.replayed:
        raise UserError("Where is the SearXNG? Write --web searxng:http://localhost:8080, or set SEARXNG_URL.")
    address = check_address("The address of SearXNG", address or "http://localhost:8080").rstrip("/")
    address = address if address.endswith("/search") else f"{address}/search"
    # It runs where the user put it, and asks the web by proxies of its own.
    return LiveWeb(
        SearxngSearch(Service("SearXNG", address, options.search_seconds, SEARXNG_ACCESS)), open_pages(options)
    )


def open_pages(options: WebOptions) -> OpenPages:
    """Pages without a search engine, for those who have their addresses. Raises UserError as ``open_fetcher`` does."""
    return OpenPages(open_fetcher(options).fetch, read_page)


def open_fetcher(options: WebOptions) -> Fetcher:
    """What fetches pages of the open web. Raises UserError for a user agent or proxy that cannot be one."""
    pages = options.pages
    agent = pages.user_agent or USER_AGENT
    token = _TOKEN.match(agent)
    if token is None or not (agent.isascii() and agent.isprintable()):
        raise UserError(f"The user agent {agent!r} must begin with a name and be plain text, such as {USER_AGENT!r}.")
    limits = Limits(seconds=pages.seconds, body_bytes=pages.body_bytes, redirects=pages.redirects)
    client = Client(agent, limits, proxy=None if options.proxy is None else _proxy(options.proxy))
    return Fetcher(client, Robots(client, token.group()) if pages.robots else None)


def _proxy(address: str) -> Proxy:
    """Its parts; the error doesn't repeat the address, which may hold a password."""
    wrong = UserError("The proxy must be written as http://host:port or http://user:password@host:port.")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or not port:
        raise wrong
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return Proxy(parts.scheme, host, port, auth)

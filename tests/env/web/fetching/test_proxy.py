"""A proxy that the user chose: only it is connected to, and what can be told without it is still refused."""

import base64

import pytest

from drretail.env.web.fetching.client import Client, Limits, Proxy
from drretail.env.web.fetching.fetcher import Fetcher
from tests.env.web.fetching.local_site import AGENT, Names, Site, always, html, redirect, serving


def reader(proxy: Site, names: Names) -> Fetcher:
    way = Proxy("http", "proxy.inner", proxy.port, ("me", "pass word"))
    return Fetcher(Client(AGENT, Limits(seconds=5), resolve=names, proxy=way), None)


def test_the_proxy_is_asked_and_names_are_left_to_it() -> None:
    with serving(always(html(b"<p>here"))) as proxy:
        names = Names({"proxy.inner": [["127.0.0.1"]]})
        found = reader(proxy, names).fetch("http://shop.example/page")
        assert (found.state, names.lookups) == ("ok", ["proxy.inner"])
        (request,) = proxy.requests
        assert request.startswith("GET http://shop.example/page HTTP/1.1\r\n")
        assert base64.b64encode(b"me:pass word").decode() in request


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://localhost/", "http://0x7f.1/"]
)
def test_no_inner_address_is_asked_of_it(url: str) -> None:
    with serving(always(redirect(url))) as proxy:
        fetcher = reader(proxy, Names({"proxy.inner": [["127.0.0.1"]]}))
        assert (fetcher.fetch(url).state, proxy.connections) == ("blocked", 0)
        assert (fetcher.fetch("http://shop.example/").state, proxy.connections) == ("blocked", 1)


def test_a_proxy_that_refuses_a_tunnel_is_an_error() -> None:
    with serving(always(html(b"", status="403 Forbidden"))) as proxy:
        found = reader(proxy, Names({"proxy.inner": [["127.0.0.1"]]})).fetch("https://shop.example/")
    assert (found.state, "proxy" in str(found.problem)) == ("error", True)

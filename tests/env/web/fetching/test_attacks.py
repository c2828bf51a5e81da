"""Addresses and sites that want to be let in: a server stands where they lead, and must never hear of it."""

from collections.abc import Generator

import pytest

from drretail.env.web.fetching.connection import Address, is_public
from tests.env.web.fetching.local_site import Names, Site, always, by_path, fetcher, html, redirect, serving

PAGE = html(b"<p>secret</p>")


def only_outer(address: Address) -> bool:
    """Allows the site of 127.0.0.2 alone."""
    return str(address) == "127.0.0.2"


@pytest.fixture
def inner() -> Generator[Site]:
    """What an attack wants to reach: a service of this machine."""
    with serving(always(PAGE)) as site:
        yield site


# Each leads to 127.0.0.1 for some reader, or to another place that only this machine or network reaches.
HOSTS = """
    127.0.0.1 127.0.0.1. 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0X7F.1 017700000001 0177.0.0.1 127.0.0.01
    0.0.0.0 0 localhost LOCALHOST. inner.localhost １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ 127.0.0.1%2e
    %31%32%37.0.0.1 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1]
    [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:0:0:0:0:80ff:fffe] [fd00::1] [fe80::1%25lo] [ff02::1] [::1%25lo]
    10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 router printer.local [127.0.0.1] [::1
"""
FORMS = [
    *(f"http://{host}:{{port}}/" for host in HOSTS.split()),
    "http://100.100.100.200/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://192.0.0.192/opc/v2/instance/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://224.0.0.1/",
    "http://shop.example@127.0.0.1:{port}/",
    "http://user:password@shop.example:{port}/",
    "http://shop.example\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@shop.example/",
    "http://shop.example#@127.0.0.1:{port}/\t",
    "http://shop.example:{port}/\r\nHost: inner",
    "http://shop.example:{port}/ HTTP/1.1\r\nX: y",
    "http:\\\\127.0.0.1:{port}\\",
    "http:127.0.0.1:{port}/",
    "file:///etc/passwd",
    "file://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "http://shop.example:22/",
    "http://shop.example:-1/",
    "",
]


@pytest.mark.parametrize("form", FORMS)
def test_no_spelling_of_an_inner_address_is_let_in(form: str, inner: Site) -> None:
    here = [["127.0.0.1"]]
    # A resolver that sends every name home, as one with a search list or a hosts file may.
    names = Names(dict.fromkeys(("localhost", "inner.localhost", "router", "printer.local", "shop.example"), here))
    fetched = fetcher(inner, names, allowed=is_public).fetch(form.format(port=inner.port))
    assert (fetched.state, fetched.body, inner.connections) == ("blocked", b"", 0)
    assert fetched.problem


def test_the_server_would_have_been_reached_without_the_rule(inner: Site) -> None:
    fetched = fetcher(inner).fetch(inner.url())
    assert (fetched.state, fetched.body, inner.connections) == ("ok", b"<p>secret</p>", 1)


@pytest.mark.parametrize("robots", [False, True])
@pytest.mark.parametrize(
    "answers", [["127.0.0.1"], ["203.0.114.9", "127.0.0.1"], ["127.0.0.1", "203.0.114.9"], ["8.8.8.8", "::1"]]
)
def test_a_name_with_one_inner_address_is_not_connected_to(answers: list[str], robots: bool, inner: Site) -> None:
    reader = fetcher(inner, Names({"shop.example": [answers]}), allowed=is_public, robots=robots)
    assert (reader.fetch(inner.url()).state, inner.connections) == ("blocked", 0)


def test_a_name_is_looked_up_once_for_a_page_and_anew_for_each_redirect(inner: Site) -> None:
    """DNS rebinding: the second answer of the name server leads inside."""
    answers = {"shop.example": [["127.0.0.2"], ["127.0.0.1"]]}
    pages = {"/": html(b"<p>outer</p>"), "/in": redirect("/again"), "/again": PAGE}
    with serving(by_path(pages), "127.0.0.2") as outer:
        names = Names(answers)
        fetched = fetcher(outer, names, allowed=only_outer).fetch(outer.url())
        assert (fetched.body, names.lookups) == (b"<p>outer</p>", ["shop.example"])
        fetched = fetcher(outer, Names(answers), allowed=only_outer).fetch(outer.url("/in"))
        assert (fetched.state, outer.paths(), inner.connections) == ("blocked", ["/", "/in"], 0)


def test_a_robots_file_cannot_redirect_inside(inner: Site) -> None:
    with serving(always(redirect(inner.url(host="127.0.0.1"))), "127.0.0.2") as outer:
        names = Names({"shop.example": [["127.0.0.2"]]})
        fetched = fetcher(outer, names, allowed=only_outer, robots=True).fetch(outer.url())
    assert (fetched.state, inner.connections) == ("blocked", 0)

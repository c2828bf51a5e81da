"""Addresses and sites that want to be let in: a server stands where they lead, and must never hear of it."""

import time
from collections.abc import Generator
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.base import Blocked, Late
from drretail.env.web.connection import Address, is_public, read_address, time_left
from tests.env.web.local_site import Names, Site, always, by_path, fetcher, html, redirect, serving

PORTS = frozenset({80, 443})


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://shop.example/", "Only http and https"),
        ("http://shop.example\\@other.example/", "backslash"),
        ("http://shop.example/\x7f", "cannot be read"),
        ("http://shop.example/\ud800", "cannot be read"),
        ("http://shop.example:65536/", "Port 65536"),
        ("http://shop.0x/", "cannot be read|no host"),
        ("http://[2606:4700::1111%25eth0]/", "no host"),
        ("http://shop%2eexample/", "no host"),
        ("http://intranet/", "public internet"),
        (f"http://{'a.' * 130}example/", "public internet"),
        ("http://1.0.0.127.in-addr.arpa/", "public internet"),
        ("http://xn--\u00e4.example/", "cannot be read|no host"),
        ("http://shop.example/" + "a" * 70_000, "cannot be read"),
    ],
)
def test_what_may_be_read_in_two_ways_is_not_read(url: str, reason: str) -> None:
    with pytest.raises(Blocked, match=reason):
        read_address(url, PORTS, is_public)


@given(
    st.one_of(
        st.text(), st.text().map(lambda text: f"http://{text}"), st.from_regex(r"https?://[^/]{1,30}\.example/.*")
    )
)
def test_what_is_read_is_plain_and_reads_as_itself(url: str) -> None:
    try:
        address = read_address(url, PORTS, is_public)
    except Blocked:
        return
    text = str(address)
    assert text.isascii()
    assert not any(character.isspace() or character in "\\\x7f" for character in text)
    assert read_address(text, PORTS, is_public) == address
    assert urlsplit(text).hostname == address.raw_host.decode()


V4 = st.ip_addresses(v=4)


SPECIAL = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24
    192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4
"""


@given(st.sampled_from(SPECIAL.split()).flatmap(lambda network: st.ip_addresses(network=network)))
def test_no_closed_address_is_open_nor_in_the_clothes_of_ipv6(address: IPv4Address) -> None:
    assert not is_public(address)
    inner = int(address)
    for clothed in (
        inner,  # ::a.b.c.d
        0xFFFF_0000_0000 + inner,  # ::ffff:a.b.c.d
        (0x64FF9B << 96) + inner,  # 64:ff9b::a.b.c.d
        (0x2002 << 112) + (inner << 80),  # 2002:aabb:ccdd::
        (0x2001_0000 << 96) + (inner ^ 0xFFFF_FFFF),  # Teredo
    ):
        assert not is_public(IPv6Address(clothed))


@given(V4, st.one_of(V4, st.ip_addresses(v=6, network="2000::/3")))
def test_what_python_calls_special_is_never_open_and_nat64_is_as_ipv4(v4: IPv4Address, address: Address) -> None:
    assert is_public(IPv6Address((0x64FF9B << 96) + int(v4))) == is_public(v4)
    if is_public(address):
        assert address.is_global
        special = (address.is_private, address.is_loopback, address.is_link_local, address.is_multicast)
        assert not any((*special, address.is_unspecified, address.is_reserved))


PUBLIC = "8.8.8.8 1.1.1.1 203.0.114.1 100.128.0.1 172.32.0.1 2606:4700::1111 2a00:1450::1"


def test_an_address_of_the_public_internet_is_open_and_one_through_an_interface_closed() -> None:
    assert [text for text in PUBLIC.split() if not is_public(ip_address(text))] == []
    assert not is_public(ip_address("2606:4700::1111%eth0"))


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
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://224.0.0.1/",
    "http://shop.example@127.0.0.1:{port}/",
    "http://shop.example\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@shop.example/",
    "http://shop.example#@127.0.0.1:{port}/\t",
    "http://shop.example:{port}/\r\nHost: inner",
    "http:\\\\127.0.0.1:{port}\\",
    "http:127.0.0.1:{port}/",
    "file://127.0.0.1:{port}/",
    "http://shop.example:22/",
    "",
]


@pytest.mark.parametrize("form", FORMS)
def test_no_spelling_of_an_inner_address_is_let_in(form: str, inner: Site) -> None:
    here = [["127.0.0.1"]]
    # A resolver that sends every name home, as one with a search list or a hosts file may.
    names = Names(dict.fromkeys(("localhost", "inner.localhost", "router", "printer.local", "shop.example"), here))
    fetched = fetcher(inner, names, allowed=is_public).get(form.format(port=inner.port))
    assert (fetched.state, fetched.body, inner.connections) == ("blocked", b"", 0)
    assert fetched.problem


@pytest.mark.parametrize("robots", [False, True])
def test_a_name_with_one_inner_address_is_not_connected_to(robots: bool, inner: Site) -> None:
    for answers in (["127.0.0.1"], ["203.0.114.9", "127.0.0.1"], ["127.0.0.1", "203.0.114.9"], ["8.8.8.8", "::1"]):
        reader = fetcher(inner, Names({"shop.example": [answers]}), allowed=is_public, robots=robots)
        assert (reader.get(inner.url()).state, inner.connections) == ("blocked", 0), answers


def test_a_name_is_looked_up_once_for_a_page_and_anew_for_each_redirect(inner: Site) -> None:
    """DNS rebinding: the second answer of the name server leads inside."""
    answers = {"shop.example": [["127.0.0.2"], ["127.0.0.1"]]}
    assert fetcher(inner).get(inner.url()).body == b"<p>secret</p>", "reached without the rule"
    pages = {"/": html(b"<p>outer</p>"), "/in": redirect("/again"), "/again": PAGE}
    with serving(by_path(pages), "127.0.0.2") as outer:
        names = Names(answers)
        fetched = fetcher(outer, names, allowed=only_outer).get(outer.url())
        assert (fetched.body, names.lookups) == (b"<p>outer</p>", ["shop.example"])
        fetched = fetcher(outer, Names(answers), allowed=only_outer).get(outer.url("/in"))
        assert (fetched.state, outer.paths(), inner.connections) == ("blocked", ["/", "/in"], 1)


def test_at_its_end_no_time_is_left() -> None:
    with pytest.raises(Late):
        time_left(time.monotonic())


def test_a_robots_file_cannot_redirect_inside(inner: Site) -> None:
    with serving(always(redirect(inner.url(host="127.0.0.1"))), "127.0.0.2") as outer:
        names = Names({"shop.example": [["127.0.0.2"]]})
        fetched = fetcher(outer, names, allowed=only_outer, robots=True).get(outer.url())
    assert (fetched.state, inner.connections) == ("blocked", 0)

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.fetching.connection import Address, is_public

V4 = st.ip_addresses(v=4)


@pytest.mark.parametrize(
    "text", ["8.8.8.8", "1.1.1.1", "203.0.114.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"]
)
def test_an_address_of_the_public_internet_is_open(text: str) -> None:
    assert is_public(ip_address(text))


SPECIAL = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24
    192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4
"""


@pytest.mark.parametrize("network", SPECIAL.split())
def test_a_special_network_is_closed_from_end_to_end(network: str) -> None:
    inside = ip_network(network)
    assert not is_public(inside[0])
    assert not is_public(inside[-1])


@given(st.sampled_from(SPECIAL.split()).flatmap(lambda network: st.ip_addresses(network=network)))
def test_no_closed_address_is_open_in_the_clothes_of_ipv6(address: IPv4Address) -> None:
    inner = int(address)
    for clothed in (
        inner,  # ::a.b.c.d
        0xFFFF_0000_0000 + inner,  # ::ffff:a.b.c.d
        (0x64FF9B << 96) + inner,  # 64:ff9b::a.b.c.d
        (0x2002 << 112) + (inner << 80),  # 2002:aabb:ccdd::
        (0x2001_0000 << 96) + (inner ^ 0xFFFF_FFFF),  # Teredo
    ):
        assert not is_public(IPv6Address(clothed))


@given(V4)
def test_a_network_without_ipv4_reaches_what_others_reach(address: IPv4Address) -> None:
    assert is_public(IPv6Address((0x64FF9B << 96) + int(address))) == is_public(address)


@given(st.one_of(V4, st.ip_addresses(v=6, network="2000::/3")))
def test_what_python_calls_special_is_never_open(address: Address) -> None:
    if is_public(address):
        assert address.is_global
        special = (address.is_private, address.is_loopback, address.is_link_local, address.is_multicast)
        assert not any((*special, address.is_unspecified, address.is_reserved))


@pytest.mark.parametrize("text", ["fe80::1%eth0", "2606:4700::1111%eth0", "fc00::1", "fd12::1", "ff02::1", "::", "::1"])
def test_ipv6_inside_or_through_an_interface_is_closed(text: str) -> None:
    assert not is_public(ip_address(text))

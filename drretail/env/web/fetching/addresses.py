"""Where a connection may go: addresses of the public internet, and no others.

The networks are those of the IANA registries of special-purpose addresses. They stand here, and not only in
``ipaddress.is_global``, because what that says differs between releases of Python.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_CLOSED_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network, this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carriers' shared addresses, and some clouds' metadata
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, with the metadata service of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, with another cloud's metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # relays from IPv6
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
# Platform services that answer on an address of the public kind, but only from within their cloud.
_PLATFORM_V4 = frozenset({IPv4Address("168.63.129.16")})
_OPEN_V6 = IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, with Teredo, which hides an IPv4 address
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which hides an IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
"""How a network without IPv4 spells every IPv4 address: what counts is the address inside."""


def is_public(address: Address) -> bool:
    """True for an address that is reachable from everywhere, and so holds nothing that only this machine may see."""
    if isinstance(address, IPv4Address):
        closed = address in _PLATFORM_V4 or any(address in network for network in _CLOSED_V4)
        return not closed and address.is_global
    if address in _NAT64:
        return is_public(IPv4Address(address.packed[-4:]))
    # A zone ("%eth0") names an interface of this machine.
    if address.scope_id is not None or address not in _OPEN_V6:
        return False
    return not any(address in network for network in _CLOSED_V6) and address.is_global


def read_address(text: str) -> Address:
    """An address as a resolver writes it; ValueError for anything else."""
    return ip_address(text)

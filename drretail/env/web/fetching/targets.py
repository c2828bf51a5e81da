"""An address (URL) read in one strict way, so that no two readers can disagree on where it leads.

Most tricks against fetchers use a text that two programs read differently. Here, a text that browsers, resolvers and
libraries may read differently is not an address at all. The rest is passed to the connection in parts, and never parsed
again.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Literal
from urllib.parse import quote, urlsplit

import idna

from drretail.env.web.fetching.fetched import Blocked

LONGEST = 4000
"""The most characters of an address."""
PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))+")
_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*")
# Names that mean this machine or this network wherever they are looked up (RFC 6761, 6762, 8375, 9476).
_LOCAL = frozenset({"localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "alt", "onion"})
# Characters that stay unescaped in a path and query (RFC 3986); "%" because the text is escaped already.
_KEPT = "!$&'()*+,;=:@/?%-._~"


@dataclass(frozen=True, slots=True)
class Target:
    """An address in parts: ``host`` is a name in ASCII or an IP address without brackets; ``path`` begins with "/" and
    includes the query.
    """

    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host and port in the form of an address and a Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.path}"


def read_target(url: str, ports: frozenset[int]) -> Target:
    """The target of ``url``, without its fragment. Raises Blocked, with the reason, if it may not be opened."""
    text = url.strip(" ")
    if len(text) > LONGEST:
        raise Blocked(f"The address is longer than {LONGEST} characters.")
    # urlsplit drops tabs and line ends silently, and browsers read "\" as "/".
    if any(character <= " " or character in "\\\x7f" or character.isspace() for character in text):
        raise Blocked("The address holds white space, a control character or a backslash.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise Blocked("The address cannot be read.") from None
    scheme = parts.scheme
    if scheme != "http" and scheme != "https":
        raise Blocked("Only http and https addresses are opened.")
    if "@" in parts.netloc:
        raise Blocked("An address with a user name or password is not opened.")
    host = _host(parts.netloc, parts.hostname or "")
    port = PORTS[scheme] if port is None else port
    if port not in ports:
        raise Blocked(f"Port {port} is not one that web pages are served from.")
    query = f"?{parts.query}" if parts.query else ""
    try:
        path = quote((parts.path or "/") + query, safe=_KEPT)
    except UnicodeEncodeError:
        raise Blocked("The address holds half a character.") from None
    return Target(scheme, host, port, path)


def _host(netloc: str, host: str) -> str:
    if netloc.startswith("["):
        try:
            address = IPv6Address(host)
        except ValueError:
            raise Blocked("The host of the address is not an IPv6 address.") from None
        if address.scope_id is not None:
            raise Blocked("The address names an interface of this machine.")
        return str(address)
    if "%" in host:
        raise Blocked("The host of the address is written with escapes.")
    name = _ascii(host).removesuffix(".")
    last = name.rpartition(".")[2]
    if _NUMERIC.fullmatch(last):
        # Four decimal numbers and nothing else: 127.1, 0x7f.0.0.1, 017700000001 are readings of C libraries.
        try:
            return str(IPv4Address(name))
        except ValueError:
            raise Blocked("The address names its host by a number that is not four decimal parts.") from None
    if name in _LOCAL or last in _LOCAL or "." not in name:
        raise Blocked(f"{name or 'Nothing'} is no host of the public internet.")
    if not _NAME.fullmatch(name) or len(name) > 253:
        raise Blocked("The host of the address is not a name.")
    return name


def _ascii(host: str) -> str:
    """The name in lower case, and other scripts in IDNA's form: full-width digits become digits here, "。" a dot."""
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise Blocked("The host of the address is not a name.") from None

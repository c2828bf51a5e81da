"""Evidence ids: pure functions of their sources, so that parallel researchers and replays agree without talking.

    P:<product id>    O:<order id>    U:profile | U:orders | U:statistics [@<user id>]
    W:<hash of the normalised URL>    C:<hash of the expression>    F:<name of the user's file>

A hash is the first eight base32 characters of a sha256, in lower case: forty bits, easily copied by a model.
"""

import base64
import hashlib
import re
from collections.abc import Collection
from functools import lru_cache
from html import unescape
from typing import Literal
from urllib.parse import quote, urlsplit

from drretail.records.evidence import EvidenceKind

UserEvidence = Literal["profile", "orders", "statistics"]

_HASH = r"[a-z2-7]{8}"
_KEY = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
FILE_ID = r"F:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
"""Ends in a letter or digit, so that a following full stop is not part of it."""
_PATTERNS: dict[EvidenceKind, re.Pattern[str]] = {
    "product": re.compile(rf"P:{_KEY}"),
    "order": re.compile(rf"O:{_KEY}"),
    "user": re.compile(rf"U:(?:profile|orders|statistics)(?:@{_KEY})?"),
    "web": re.compile(rf"W:{_HASH}"),
    "calculation": re.compile(rf"C:{_HASH}"),
    "file": re.compile(FILE_ID),
}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(r"(?:utm_[^=]*|gclid|fbclid|msclkid|srsltid|gad_source)(?:=|$)", re.IGNORECASE)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~()")
"""Also brackets, which addresses in texts have in both forms."""
_AROUND = str.maketrans(dict.fromkeys("\"'`“”‘’[](){}<>*", " "))
"""Characters that may surround an id."""
# Characters that stay unescaped in a path or query (RFC 3986), and "%", since escapes are there already.
_KEPT = "!$&'()*+,;=:@/?%"


def product_evidence_id(product_id: str) -> str:
    return f"P:{product_id}"


def order_evidence_id(order_id: str) -> str:
    return f"O:{order_id}"


def user_evidence_id(part: UserEvidence, user_id: str, acting_user_id: str | None) -> str:
    """``U:profile`` for the acting user's own data, ``U:profile@<user_id>`` for another user's."""
    return f"U:{part}" if user_id == acting_user_id else f"U:{part}@{user_id}"


def web_evidence_id(url: str) -> str:
    """``W:`` and the hash of the normalised URL."""
    return f"W:{short_hash(normalise_url(url))}"


def calculation_evidence_id(expression: str) -> str:
    """``C:`` and the hash of ``normalise_expression(expression)``, which is also the ledger's key."""
    return f"C:{short_hash(normalise_expression(expression))}"


def file_evidence_id(name: str) -> str:
    """``F:`` and the name of a user's file, or the name's hash if it can't be part of a mark."""
    evidence_id = f"F:{name}"
    return evidence_id if parse_evidence_id(evidence_id) == "file" else f"F:{short_hash(name)}"


def normalise_expression(expression: str) -> str:
    """The expression without white space, which means nothing in arithmetic."""
    return "".join(expression.split())


@lru_cache(maxsize=4096)  # a run asks again and again for the few addresses that it was handed
def normalise_url(url: str) -> str:
    """The normal form of an address: no default port, fragment, trailing slash, entities, parameters of tracking.

    The order of parameters and the scheme are kept. A text that is not an address stays as it is.
    """
    text = unescape(url.strip()) if "&" in url else url.strip()
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").rstrip(".")
        if not host.isascii():
            host = host.encode("idna").decode("ascii")  # UnicodeError is a ValueError
        port = "" if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{parts.port}"
    except ValueError:
        return text
    if not parts.scheme or not host:
        return text
    if ":" in host:
        host = f"[{host}]"
    user, at, _ = parts.netloc.rpartition("@")
    path = _escaped(parts.path).rstrip("/") or "/"
    query = "&".join(item for item in _escaped(parts.query).split("&") if item and not _TRACKING.match(item))
    return f"{parts.scheme}://{user}{at}{host}{port}{path}{'?' + query if query else ''}"


def bare_address(url: str) -> str:
    """The address in the form in which addresses are compared: without scheme and "www."."""
    return normalise_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def parse_evidence_id(text: str) -> EvidenceKind | None:
    """The kind of source that ``text`` is an id of; None if it is not exactly one evidence id."""
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(text)), None)


def read_evidence_ids(text: str, ids: Collection[str]) -> tuple[str, ...]:
    """The ``known`` ids that a text names in any form; empty if a part of it is no such id, or is ambiguous."""
    read: dict[str, None] = {}
    for part in filter(None, re.split(r"[\s,;]+", text.translate(_AROUND))):
        # As it is, as the address of a page, or without its letter.
        plain = part.rstrip("/").rsplit("/", 1)[-1].casefold()
        alike = [key for key in ids if plain in (key.casefold(), key.partition(":")[2].casefold())]
        exact = [key for key in (part, web_evidence_id(part) if "://" in part else "") if key in ids]
        if not exact and len(alike) != 1:
            return ()
        read[(exact or alike)[0]] = None
    return tuple(read)


def short_hash(text: str) -> str:
    """Eight characters that depend on the text only."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest[:5]).decode("ascii").lower()


def _escaped(text: str) -> str:
    """The text without escapes of harmless characters, and with the others in capitals."""

    def canonical(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else match[0].upper()

    escaped = _ESCAPE.sub(canonical, text)
    escaped = re.sub(r"%(?![0-9A-F]{2})", "%25", escaped)
    return quote(escaped, safe=_KEPT, errors="surrogatepass")

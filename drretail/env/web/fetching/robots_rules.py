"""What a robots.txt says to one machine, by RFC 9309: longest rule wins, "*" and a final "$" are understood.

Not ``urllib.robotparser``: that takes the first rule that fits and reads "*" in a path as a letter, so that it allows
what most sites mean to forbid.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

MOST_BYTES = 512_000
"""What is read of a file; the standard asks for at least 500 KiB."""
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_KEPT = "!$&'()*+,;=:@/?%-._~"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class Rules:
    """(pattern, may be read) in the order of the file; without any, everything may be read."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allow(self, path: str) -> bool:
        """Whether a path with its query may be read; of rules of equal length the one that allows counts."""
        path = _canonical(path)
        fitting = [(len(pattern), allows) for pattern, allows in self.rules if _fits(pattern, path)]
        return max(fitting, default=(0, True))[1]


def read_rules(body: bytes, token: str) -> Rules:
    """The rules for the machine ``token``, those for all ("*") where none are for it by name."""
    named: list[tuple[str, bool]] = []
    general: list[tuple[str, bool]] = []
    by_name = False
    agents: list[str] = []
    naming = False
    for field, value in _lines(body):
        if field == "user-agent":
            agents = [*agents, value.lower()] if naming else [value.lower()]
            naming = True
            by_name = by_name or token.lower() in agents
        elif field in ("allow", "disallow"):
            naming = False
            # An empty rule forbids nothing.
            rule = [(_canonical(value), field == "allow")] if value else []
            named += rule if token.lower() in agents else []
            general += rule if "*" in agents else []
    return Rules(tuple(named if by_name else general))


def _lines(body: bytes) -> Iterator[tuple[str, str]]:
    """(field, value) of each line that has both; a name's version ("Bot/1.0") is left out."""
    for line in body[:MOST_BYTES].decode("utf-8-sig", "replace").splitlines():
        field, colon, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if colon:
            yield field, value.partition("/")[0].strip() if field == "user-agent" else value


def _canonical(path: str) -> str:
    """One spelling: escapes only where needed, in capitals."""
    return _ESCAPE.sub(_escape, quote(path, safe=_KEPT, errors="replace"))


def _escape(match: re.Match[str]) -> str:
    character = chr(int(match.group()[1:], 16))
    return character if character in _UNRESERVED else match.group().upper()


def _fits(pattern: str, path: str) -> bool:
    """Whether a path begins as the pattern says; in one pass, where a regular expression could take years."""
    ends = pattern.endswith("$")
    first, *rest = (pattern[:-1] if ends else pattern).split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    if not rest:
        return not ends or place == len(path)
    last = rest.pop() if ends else ""
    for piece in rest:
        found = path.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return len(path) - len(last) >= place and path.endswith(last)

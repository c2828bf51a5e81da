"""What sites ask of machines, looked up once for each site and kept in memory."""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from drretail.env.web.fetching.client import Client, Wanted
from drretail.env.web.fetching.connection import Clock, Deadline
from drretail.env.web.fetching.fetched import Blocked, Late, Problem
from drretail.env.web.fetching.targets import Target

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
    for key, value in _lines(body):
        if key == "user-agent":
            agents = [*agents, value.lower()] if naming else [value.lower()]
            naming = True
            by_name = by_name or token.lower() in agents
        elif key in ("allow", "disallow"):
            naming = False
            # An empty rule forbids nothing.
            rule = [(_canonical(value), key == "allow")] if value else []
            named += rule if token.lower() in agents else []
            general += rule if "*" in agents else []
    return Rules(tuple(named if by_name else general))


def _lines(body: bytes) -> Iterator[tuple[str, str]]:
    """(key, value) of each line that has both; a name's version ("Bot/1.0") is left out."""
    for line in body[:MOST_BYTES].decode("utf-8-sig", "replace").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if colon:
            yield key, value.partition("/")[0].strip() if key == "user-agent" else value


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


SECONDS = 5.0
"""That robots.txt may take of a page's time."""
KEPT = 24 * 3600.0
"""Seconds that what a site said counts (RFC 9309, section 2.4)."""
KEPT_FAILURE = 300.0
TOO_MANY_REQUESTS = 429


@dataclass(slots=True)
class _Site:
    """What is known of one site until a moment; ``problem`` where its robots.txt cannot be had."""

    asking: threading.Lock = field(default_factory=threading.Lock)
    until: float = float("-inf")
    rules: Rules = field(default_factory=Rules)
    problem: Problem | None = None


class Robots:
    """Asks each site's robots.txt what the machine ``token`` may read. Safe to use from several threads."""

    def __init__(self, client: Client, token: str, clock: Clock = time.monotonic) -> None:
        self._client = client
        self._token = token
        self._clock = clock
        self._sites: defaultdict[str, _Site] = defaultdict(_Site)
        self._lock = threading.Lock()

    def check(self, target: Target, deadline: Deadline) -> None:
        """Raises Blocked for a page that its site asks not to read, and a Problem where the site can't be asked.

        A site without a robots.txt (4xx) forbids nothing; one that fails to send it (5xx, 429, no answer) is left
        alone for some minutes, since what it forbids is not known.
        """
        with self._lock:
            site = self._sites[target.origin]
        # Parallel researchers read one site at once; one of them asks for all.
        if not site.asking.acquire(timeout=deadline.left()):
            raise deadline.late()
        try:
            if self._clock() >= site.until:
                self._ask(target.origin, site, deadline)
        finally:
            site.asking.release()
        if site.problem is not None:
            raise type(site.problem)(site.problem.message, site.problem.status)
        if not site.rules.allow(target.path):
            raise Blocked("The site asks machines not to read this page (robots.txt).")

    def _ask(self, origin: str, site: _Site, deadline: Deadline) -> None:
        had_time = deadline.left() >= SECONDS
        try:
            site.rules, site.problem, kept = self._rules(origin, deadline.shorter(SECONDS)), None, KEPT
        except Problem as problem:
            # A site that had no time to answer, because redirects took it all, may be asked again at once.
            site.problem, kept = problem, KEPT_FAILURE if had_time or not isinstance(problem, Late) else 0.0
        site.until = self._clock() + kept

    def _rules(self, origin: str, deadline: Deadline) -> Rules:
        wanted = Wanted(body_bytes=2 * MOST_BYTES)
        try:
            answer = self._client.get(f"{origin}/robots.txt", wanted, deadline, lambda _: None)
        except Late:
            raise Late("The site's robots.txt does not come, so its pages are left alone for now.") from None
        if 200 <= answer.status < 300:
            return read_rules(answer.body, self._token)
        if 400 <= answer.status < 500 and answer.status != TOO_MANY_REQUESTS:
            return Rules()
        raise Blocked(
            f"The site's robots.txt answers {answer.status}, so its pages are left alone for now.", answer.status
        )

"""Fetches a page and never raises; respects robots.txt."""

import re
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

from protego import Protego

from drretail.env.web.fetching.client import Client, Wanted
from drretail.env.web.fetching.connection import Clock, Deadline
from drretail.env.web.fetching.content import TEXT_TYPES, text_kind
from drretail.env.web.fetching.fetched import Blocked, Empty, Failed, Fetched, Late, Problem
from drretail.env.web.fetching.targets import Target

ROBOTS_BYTES = 512_000
"""The bytes of a robots.txt that are read; the standard asks for at least 500 KiB."""
# "Bot/1.0" is not a product token (RFC 9309, section 2.2.1), but sites write it.
_VERSION = re.compile(r"^([^\S\n]*+user-agent\s*+:\s*+[a-z_-]++)/\S*", re.IGNORECASE | re.MULTILINE)
ROBOTS_SECONDS = 5.0
"""The part of a page's time that robots.txt may take."""
KEPT = 24 * 3600.0
"""Seconds for which a robots.txt is valid (RFC 9309, section 2.4)."""
KEPT_AFTER_FAILURE = 300.0
TOO_MANY_REQUESTS = 429


@dataclass(slots=True)
class _Site:
    """One site's rules, valid ``until`` a moment; ``problem`` is set if its robots.txt could not be fetched."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    until: float = float("-inf")
    rules: Protego | None = None
    """None if the site has no robots.txt: everything may be read."""
    problem: Problem | None = None


class Robots:
    """Checks what each site's robots.txt allows the machine ``token`` to read; asks each site once, and keeps the
    rules.

    Safe to use from several threads.
    """

    def __init__(self, client: Client, token: str, clock: Clock = time.monotonic) -> None:
        self._client = client
        self._token = token
        self._clock = clock
        self._sites: defaultdict[str, _Site] = defaultdict(_Site)
        self._lock = threading.Lock()

    def check(self, target: Target, deadline: Deadline) -> None:
        """Raises Blocked for a page that the site forbids to read, and a Problem if the site can't be asked.

        A site without a robots.txt (4xx) forbids nothing. A site that fails to send it (5xx, 429, no answer) is left
        alone for some minutes, since its rules are not known.
        """
        with self._lock:
            site = self._sites[target.origin]
        # Parallel researchers may read one site at the same time; one of them asks for all.
        if not site.lock.acquire(timeout=deadline.left()):
            raise deadline.late()
        try:
            if self._clock() >= site.until:
                had_time = deadline.left() >= ROBOTS_SECONDS
                try:
                    rules = self._rules(target.origin, deadline.shorter(ROBOTS_SECONDS))
                    site.rules, site.problem, lifetime = rules, None, KEPT
                except Problem as problem:
                    site.problem = problem
                    # If redirects took all the time, the site had none to answer, and may be asked again at once.
                    lifetime = KEPT_AFTER_FAILURE if had_time or not isinstance(problem, Late) else 0.0
                site.until = self._clock() + lifetime
        finally:
            site.lock.release()
        if site.problem is not None:
            raise type(site.problem)(site.problem.message, site.problem.status)
        if site.rules is not None and not site.rules.can_fetch(target.url, self._token):
            raise Blocked("The site asks machines not to read this page (robots.txt).")

    def _rules(self, origin: str, deadline: Deadline) -> Protego | None:
        wanted = Wanted(body_bytes=2 * ROBOTS_BYTES)
        try:
            answer = self._client.get(f"{origin}/robots.txt", wanted, deadline, lambda _: None)
        except Late:
            raise Late("The site's robots.txt does not come, so its pages are left alone for now.") from None
        if 200 <= answer.status < 300:
            return read_rules(answer.body)
        if 400 <= answer.status < 500 and answer.status != TOO_MANY_REQUESTS:
            return None
        raise Blocked(
            f"The site's robots.txt answers {answer.status}, so its pages are left alone for now.", answer.status
        )


def read_rules(body: bytes) -> Protego:
    """The rules of a robots.txt; bytes that are not rules forbid nothing."""
    text = body[:ROBOTS_BYTES].decode("utf-8-sig", "replace")
    return Protego.parse(_VERSION.sub(r"\1", text))


REFUSALS = {
    401: "The site wants a login (401).",
    402: "The site wants to be paid (402).",
    403: "The site refuses to send the page (403).",
    407: "A proxy wants a login (407).",
    429: "The site says that it is asked too often (429).",
    451: "The site may not send the page for legal reasons (451).",
}
MISSING = frozenset({404, 410})


class Fetcher:
    """Fetches pages; without ``robots`` (None) it ignores robots.txt. Safe to use from several threads."""

    def __init__(self, client: Client, robots: Robots | None) -> None:
        self._client = client
        self._robots = robots
        self._wanted = Wanted(client.limits.body_bytes, TEXT_TYPES)

    def fetch(self, url: str) -> Fetched:
        """The page. Never raises, whatever the address or the site."""
        # Every address on the way, so that the result names the address that failed.
        way = [url]
        try:
            deadline = Deadline(self._client.limits.seconds)

            def before(target: Target) -> None:
                way.append(target.url)
                if self._robots is not None:
                    self._robots.check(target, deadline)

            answer = self._client.get(url, self._wanted, deadline, before)
            if answer.status in REFUSALS:
                raise Blocked(REFUSALS[answer.status], answer.status)
            if answer.status in MISSING:
                raise Failed(f"There is no such page ({answer.status}).", answer.status)
            if not 200 <= answer.status < 300:
                raise Failed(f"The site answers {answer.status} instead of a page.", answer.status)
            if not answer.body.strip():
                raise Empty("The page is empty.", answer.status)
            kind, charset = text_kind(answer.content_type, answer.body)
            return Fetched(url, answer.target.url, "ok", answer.status, kind, charset, answer.body)
        except Problem as problem:
            return Fetched(url, way[-1], problem.state, problem.status, problem=problem.message)

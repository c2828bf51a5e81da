"""What sites ask of machines, looked up once for each site and kept in memory."""

import re
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

from protego import Protego

from drretail.env.web.fetching.client import Client, Wanted
from drretail.env.web.fetching.connection import Clock, Deadline
from drretail.env.web.fetching.fetched import Blocked, Late, Problem
from drretail.env.web.fetching.targets import Target

MOST_BYTES = 512_000
"""What is read of a file; the standard asks for at least 500 KiB."""
# "Bot/1.0" is no product token (RFC 9309, section 2.2.1), but sites write it.
_VERSION = re.compile(r"^([^\S\n]*+user-agent\s*+:\s*+[a-z_-]++)/\S*", re.IGNORECASE | re.MULTILINE)
SECONDS = 5.0
"""That robots.txt may take of a page's time."""
KEPT = 24 * 3600.0
"""Seconds for which a file counts (RFC 9309, section 2.4)."""
KEPT_AFTER_FAILURE = 300.0
TOO_MANY_REQUESTS = 429


@dataclass(slots=True)
class _Site:
    """What is known of one site until a moment; ``problem`` where its robots.txt cannot be had."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    until: float = float("-inf")
    rules: Protego | None = None
    """None where the site has no robots.txt: everything may be read."""
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
        if not site.lock.acquire(timeout=deadline.left()):
            raise deadline.late()
        try:
            if self._clock() >= site.until:
                had_time = deadline.left() >= SECONDS
                try:
                    site.rules, site.problem, kept = self._rules(target.origin, deadline.shorter(SECONDS)), None, KEPT
                except Problem as problem:
                    site.problem = problem
                    # A site that had no time to answer, because redirects took it all, may be asked again at once.
                    kept = KEPT_AFTER_FAILURE if had_time or not isinstance(problem, Late) else 0.0
                site.until = self._clock() + kept
        finally:
            site.lock.release()
        if site.problem is not None:
            raise type(site.problem)(site.problem.message, site.problem.status)
        if site.rules is not None and not site.rules.can_fetch(target.url, self._token):
            raise Blocked("The site asks machines not to read this page (robots.txt).")

    def _rules(self, origin: str, deadline: Deadline) -> Protego | None:
        wanted = Wanted(body_bytes=2 * MOST_BYTES)
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
    """The rules of a robots.txt; bytes that are none forbid nothing."""
    text = body[:MOST_BYTES].decode("utf-8-sig", "replace")
    return Protego.parse(_VERSION.sub(r"\1", text))

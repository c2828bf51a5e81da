"""A page for an address, whatever happens on the way."""

from drretail.env.web.fetching.client import Client, Wanted
from drretail.env.web.fetching.connection import Deadline
from drretail.env.web.fetching.content import TEXT_TYPES, text_kind
from drretail.env.web.fetching.fetched import Blocked, Empty, Failed, Fetched, Problem
from drretail.env.web.fetching.robots import Robots
from drretail.env.web.fetching.targets import Target

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
    """Fetches pages; ``robots`` None reads them whatever robots.txt says. Safe to use from several threads."""

    def __init__(self, client: Client, robots: Robots | None) -> None:
        self._client = client
        self._robots = robots
        self._wanted = Wanted(client.limits.body_bytes, TEXT_TYPES)

    def fetch(self, url: str) -> Fetched:
        """The page; never raises for anything that an address or a site does."""
        # Every address on the way, so that it is known where a page was lost.
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

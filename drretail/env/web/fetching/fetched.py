"""What came back for one address, before anybody reads it."""

from dataclasses import dataclass

from drretail.records.evidence import SourceState


@dataclass(frozen=True, slots=True)
class Fetched:
    """The raw page; ``body`` is unpacked, and empty unless ``state`` is "ok".

    "blocked" = we may not look (an address that is not public, robots.txt) or the site won't let us; "error" = it
    cannot be had; "no_content" = it is there and holds no text.
    """

    url: str
    """As it was asked for."""
    final_url: str
    """Where redirects led."""
    state: SourceState
    status: int | None = None
    """Of the last answer, None where there was none."""
    content_type: str = ""
    """"text/html" or "text/plain" where ``state`` is "ok", by header and by looking at the bytes."""
    charset: str | None = None
    """A codec's name where a byte order mark or the header tells; None: the page itself has to."""
    body: bytes = b""
    problem: str | None = None
    """One sentence about why there is no body."""


class Problem(Exception):
    """Its text is one sentence; ``status`` that of the answer, where there was one."""

    state: SourceState = "error"

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class Blocked(Problem):
    state: SourceState = "blocked"


class Failed(Problem):
    state: SourceState = "error"


class Late(Failed):
    pass


class Empty(Problem):
    state: SourceState = "no_content"

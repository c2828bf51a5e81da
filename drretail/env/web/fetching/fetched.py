"""The raw result for one address."""

from dataclasses import dataclass

from drretail.records.evidence import SourceState


@dataclass(frozen=True, slots=True)
class Fetched:
    """The raw page; ``body`` is unpacked, and empty unless ``state`` is "ok".

    "blocked" = we may not read it (an address that is not public, robots.txt) or the site refuses; "error" = it cannot
    be fetched; "no_content" = it exists and holds no text.
    """

    url: str
    """The address that was asked for."""
    final_url: str
    """The address after redirects."""
    state: SourceState
    status: int | None = None
    """The status of the last answer; None if there was none."""
    content_type: str = ""
    """text/html or text/plain if ``state`` is "ok", decided by header and bytes."""
    charset: str | None = None
    """The codec that a byte order mark or the header names; None if only the page itself can tell."""
    body: bytes = b""
    problem: str | None = None
    """Why there is no body, in one sentence."""


class Problem(Exception):
    """A page that could not be fetched: one sentence, and the answer's ``status`` if there was an answer."""

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

"""Why a page is not to be had; caught where a ``Fetched`` is made of it, never seen outside this folder.

Problem
├── Blocked      we may not look, or the site won't let us
├── Failed       it cannot be had
│   └── Late     not within the time
└── Empty        it is there and holds no text
"""

from drretail.records.evidence import SourceState


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

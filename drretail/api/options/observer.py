"""The notes, progress and waiting times that a command shows during a call; a call from Python shows none."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.agents.running.run import Watch
    from drretail.agents.running.runner import Runner


class Observer:
    """Watches a call while it works. This one shows nothing."""

    def note(self, sentence: str) -> None:
        """Gets a sentence that a person should know of this call, such as which model answers."""

    def serving(self, *lines: str) -> None:
        """Gets the address of a server, and what a client needs to know, when it has begun."""
        print(*lines, sep="\n", file=sys.stderr, flush=True)

    def waiting(self, line: str) -> None:
        """Gets a line when a model's provider makes the call wait."""

    def runs(self, runner: "Runner", count: int, parallel: int) -> "AbstractContextManager[Watch]":
        """A context manager with the Watch of ``count`` runs, ``parallel`` at a time."""
        from drretail.agents.running.run import Watch

        return nullcontext(Watch())

    def answer(self, runner: "Runner") -> AbstractContextManager[None]:
        """A context manager that is entered while one question is answered."""
        return nullcontext()


SILENT = Observer()

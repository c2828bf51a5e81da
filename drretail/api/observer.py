"""What a call from Python does not show, and a command does: notes, progress, waiting."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.agents.running.batch import Watch
    from drretail.agents.running.runner import Runner


class Observer:
    """Sees what a call does while it works; this one shows nothing."""

    quiet: bool = True
    """True: no progress of what is built before the work begins."""

    def note(self, sentence: str) -> None:
        """Something that a person should know of this call, such as which model answers."""

    def waiting(self, line: str) -> None:
        """A model's provider makes the call wait."""

    def runs(self, runner: "Runner", count: int, parallel: int) -> "AbstractContextManager[Watch]":
        """Gives who is told of ``count`` runs, ``parallel`` at a time; entered once the experiment is open."""
        from drretail.agents.running.batch import Watch

        return nullcontext(Watch())

    def answer_as_shopper(self, topic: str, question: str) -> str:
        """What the person who is the shopper answers; blank where they don't mind, or nobody is there."""
        print(f"[{topic}] {question}\n> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            self.note("Nobody answers, since the input has ended: the agent is told that the shopper doesn't mind.")
        return line

    def answer(self, runner: "Runner") -> AbstractContextManager[None]:
        """Is entered while one question is answered."""
        return nullcontext()


SILENT = Observer()

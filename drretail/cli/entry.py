"""Where the command ``drretail`` begins and ends: every ending has its exit code and, at most, one sentence."""

import errno
import signal
import sqlite3
import sys
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from drretail.errors import UserError

USER_MUST_ACT = 2
INTERRUPTED = 130


@dataclass(slots=True)
class Interruption:
    """Remembers Ctrl-C: libraries turn it into errors of their own, and what follows it is no bug of ours."""

    seen: bool = False

    def __call__(self, number: int, frame: FrameType | None) -> NoReturn:
        self.seen = True
        raise KeyboardInterrupt


def main() -> None:
    """Runs the command line; ends the process with the exit code that it stands for."""
    interruption = Interruption()
    signal.signal(signal.SIGINT, interruption)
    try:
        # Imported here, so that Ctrl-C while it loads ends as it does at any other time.
        from drretail.cli.app import app

        app()
    except BaseException as problem:
        if interruption.seen:
            end("Interrupted: the same command goes on from here.", INTERRUPTED)
        sentence = sentence_of(problem)
        if sentence is None:
            raise
        end(f"Error: {sentence}", USER_MUST_ACT)


def sentence_of(problem: BaseException) -> str | None:
    """What the user must fix; None for a bug of ours, and for an ending that says itself what it is."""
    if isinstance(problem, UserError):
        return str(problem)
    if isinstance(problem, OSError):
        where = f" ({problem.filename})" if problem.filename else ""
        hint = " Free some space and run the same command again." if problem.errno == errno.ENOSPC else ""
        return f"{problem.strerror or problem}{where}.{hint}"
    if isinstance(problem, sqlite3.OperationalError):
        return f"The world's database cannot be used: {problem}."
    return None


def end(sentence: str, code: int) -> NoReturn:
    print(sentence, file=sys.stderr)
    sys.exit(code)

"""Where the command ``drretail`` begins and ends: every ending has its exit code and, at most, one sentence."""

import _thread
import errno
import os
import signal
import sys
import threading
from typing import NoReturn

from drretail.errors import ToolError, UserError

USER_MUST_ACT = 2
INTERRUPTED = 130


class Interruption:
    """Tells whether Ctrl-C was pressed, whatever libraries made of it.

    Python's own handler stays in place but while an event loop runs (``drretail.event_loop``). Python writes each
    signal's number into a pipe, and what follows an interruption is no bug of ours.

    SIGTERM means the same: what a command holds, such as the right to write a world on servers, is given back.
    """

    def __init__(self) -> None:
        signal.signal(signal.SIGTERM, _interrupt)
        self._pipe, written = os.pipe()
        os.set_blocking(self._pipe, False)
        os.set_blocking(written, False)
        signal.set_wakeup_fd(written, warn_on_full_buffer=False)
        self._report = sys.unraisablehook
        sys.unraisablehook = self._unraisable

    def seen(self, problem: BaseException) -> bool:
        try:
            if not {signal.SIGINT, signal.SIGTERM}.isdisjoint(os.read(self._pipe, 4096)):
                return True
        except BlockingIOError:
            pass
        return isinstance(problem, KeyboardInterrupt)

    def _unraisable(self, problem: "sys.UnraisableHookArgs") -> None:
        """Interrupts again where Python had to drop the exception: in a finaliser, or while a module loads."""
        if not issubclass(problem.exc_type, KeyboardInterrupt):
            self._report(problem)
        elif not sys.is_finalizing():
            threading.Timer(0.05, _thread.interrupt_main).start()


def main() -> None:
    """Runs the command line; ends the process with the exit code that it stands for."""
    interruption = Interruption()
    # numpy's matrices are small here: its threads wait for each other longer than they multiply.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # Imported here, so that Ctrl-C while it loads ends as it does at any other time.
        from drretail.cli.app import app

        app()
    except BaseException as problem:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if interruption.seen(problem):
            end("Interrupted: the same command goes on from here.", INTERRUPTED)
        sentence = sentence_of(problem)
        if sentence is None:
            raise
        end(f"Error: {sentence}", USER_MUST_ACT)


def _interrupt(*_: object) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


def sentence_of(problem: BaseException) -> str | None:
    """What the user must fix; None for a bug of ours, and for an ending that says itself what it is."""
    if isinstance(problem, UserError):
        return str(problem)
    if isinstance(problem, ToolError) and problem.kind in ("unavailable", "timeout"):
        # A server failed while no tool was at work, such as when a judge looks a product up.
        return f"{problem.message} Run the same command again: it goes on from here."
    if isinstance(problem, OSError):
        where = f" ({problem.filename})" if problem.filename else ""
        hint = " Free some space and run the same command again." if problem.errno == errno.ENOSPC else ""
        return f"{problem.strerror or problem}{where}.{hint}"
    database = sys.modules.get("sqlite3")  # whoever raised its errors has loaded it; `drretail --help` does not
    if database is not None and isinstance(problem, database.OperationalError):
        return f"The world's database cannot be used: {problem}."
    return None


def end(sentence: str, code: int) -> NoReturn:
    print(sentence, file=sys.stderr)
    sys.exit(code)

"""Where the command ``drretail`` begins and ends: every ending has its exit code and, at most, one sentence."""

import _thread
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from drretail.errors import LONGEST_SENTENCE, ToolError, UserError, file_error, shortened, without_logins
from drretail.screen import guard_streams

OUR_FAULT = 1
USER_MUST_ACT = 2
INTERRUPTED = 130
PACKAGE = Path(__file__).parents[1]
DEBUG = "--debug"
"""Anywhere among the arguments: an error is followed by where it came from."""


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
    open_streams()
    interruption = Interruption()
    debug = DEBUG in sys.argv
    # numpy's matrices are small here: its threads wait for each other longer than they multiply.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # Imported here, so that Ctrl-C while it loads ends as it does at any other time.
        from drretail.cli.app import app

        app(readable_arguments(argument for argument in sys.argv[1:] if argument != DEBUG))
    except BaseException as problem:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if interruption.seen(problem):
            end("Interrupted: the same command continues from here.", INTERRUPTED)
        if isinstance(problem, SystemExit):
            raise
        if debug:
            traceback.print_exception(problem)
        sentence = sentence_of(problem)
        if sentence is None:
            end(fault_of_ours(problem), OUR_FAULT)
        end(f"Error: {sentence}", USER_MUST_ACT)


def open_streams() -> None:
    """Makes sure that there are stdin, stdout and stderr, and that nothing printed can steer a terminal.

    Where one was closed, the next file that is opened would take its place, and a world be printed into.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    guard_streams()


def readable_arguments(given: Iterable[str]) -> list[str]:
    """The arguments as UTF-8, whatever Python took the terminal's encoding for. Raises UserError for other bytes."""
    try:
        return [argument.encode("utf-8", "surrogateescape").decode("utf-8") for argument in given]
    except UnicodeError as problem:
        raise UserError("The arguments hold bytes that are not UTF-8: write them in UTF-8.") from problem


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
        return f"{problem.message} Run the same command again: it continues from here."
    if isinstance(problem, OSError):
        return f"{file_error(problem)}."
    if isinstance(problem, UnicodeEncodeError) and problem.encoding != "utf-8":
        return f"A name cannot be written in {problem.encoding}, the encoding of this terminal: set PYTHONUTF8=1."
    if isinstance(problem, RecursionError):
        return "A file or an answer is nested too deeply to be read."
    if isinstance(problem, MemoryError):
        return "This machine has too little memory."
    database = sys.modules.get("sqlite3")  # whoever raised its errors has loaded it; `drretail --help` does not
    if database is not None and isinstance(problem, database.DatabaseError):
        return f"The world's database cannot be used: {problem}."
    return None


def fault_of_ours(problem: BaseException) -> str:
    """One sentence for what nobody looked after: what it was, and where."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)] or list(frames)
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    reason = f"{type(problem).__name__}: {problem}".partition("\n")[0].rstrip(".: ")
    return f"Error: drretail itself failed: {reason}{where}. {DEBUG} shows where it came from: please report that."


def end(sentence: str, code: int) -> NoReturn:
    print(without_logins(shortened(sentence, LONGEST_SENTENCE)), file=sys.stderr)
    sys.exit(code)

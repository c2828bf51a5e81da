"""Where the command ``drretail`` begins and ends: every ending has an exit code and, at most, one sentence."""

import _thread
import gc
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from drretail.cli import DEBUG
from drretail.errors import (
    LONGEST_SENTENCE,
    DamagedRecord,
    ToolError,
    UserError,
    describe_error,
    file_error,
    hide_keys,
    is_of_own_code,
    missing_addon,
    shortened,
    without_keys,
    without_logins,
)
from drretail.viewer.drawing.screen import fit_to_screen, guard_streams

OUR_FAULT = 1
USER_MUST_ACT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
READER_GONE = 141  # 128 + SIGPIPE
PACKAGE = Path(__file__).parents[1]


class Interruption:
    """Tells whether Ctrl-C was pressed, whatever libraries made of the exception.

    Python's own handler stays in place, except while an event loop runs (``drretail.event_loop``). Python writes
    each signal's number into a pipe, so that an error that follows an interruption is not reported as a bug. SIGTERM
    is handled in the same way: a command then releases what it holds, such as the right to write a world on servers.
    """

    def __init__(self) -> None:
        signal.signal(signal.SIGTERM, _interrupt)
        self._pipe, written = os.pipe()
        os.set_blocking(self._pipe, False)
        os.set_blocking(written, False)  # as set_wakeup_fd requires
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
        """Interrupts again if Python had to drop the exception: in a finaliser, or while a module loads."""
        if not issubclass(problem.exc_type, KeyboardInterrupt):
            self._report(problem)
        elif not sys.is_finalizing():
            threading.Timer(0.05, _thread.interrupt_main).start()


def main() -> None:
    """Runs the command line, and ends the process with its exit code."""
    open_streams()
    hide_keys(os.environ)
    interruption = Interruption()
    debug = DEBUG in sys.argv
    if not debug:  # libraries warn programmers, at length, of what a model's server sends
        warnings.simplefilter("ignore")
    # A command makes few circles: looking for them as often as Python does takes a tenth of a short one's time.
    gc.set_threshold(50_000, 20, 20)
    # Matrices are small here: numpy's threads would wait for each other longer than they multiply.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # Imported here, so that Ctrl-C during the import is handled as at any other time.
        from drretail.cli.app import app

        app(readable_arguments(argument for argument in sys.argv[1:] if argument != DEBUG))
    except BaseException as problem:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process is ending already
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second SIGTERM ends it at once
        if interruption.seen(problem):
            then = "begins anew" if begins_anew(sys.argv) else "continues from here"
            _end(f"Interrupted: the same command {then}.", INTERRUPTED)
        if isinstance(problem.__context__, BrokenPipeError):  # whoever read the output has gone, as in `| head`
            sys.exit(READER_GONE)
        if isinstance(problem, SystemExit):
            gc.freeze()  # a last collection takes up to a second
            raise
        if debug:
            traceback.print_exception(problem)
        sentence = sentence_of(problem)
        if sentence is None and is_of_own_code(problem):
            sentence = f"Your own code failed: {describe_error(problem)}. {DEBUG} shows where it came from."
        if sentence is None:
            _end(fault_of_ours(problem), OUR_FAULT)
        _end(f"Error: {sentence}", USER_MUST_ACT)


KEEPING = ("demo", "ingest", "world", "run", "score", "reproduce", "download", "sandbox", "lab")
"""The commands that keep what they have when they are stopped, and go on from there."""


def begins_anew(arguments: Sequence[str]) -> bool:
    """True for a command that keeps nothing unless it ends."""
    name, flags = next(iter(arguments[1:]), ""), [argument.partition("=")[0] for argument in arguments]
    return not (name in KEEPING or (name == "ask" and "--to" in flags) or (name == "queries" and "--model" in flags))


def open_streams() -> None:
    """Makes sure that stdin, stdout and stderr exist, and that nothing printed can control a terminal.

    If one were closed, the next opened file would get its number, and output would be printed into a world.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    guard_streams()


def readable_arguments(arguments: Iterable[str]) -> list[str]:
    """The arguments as UTF-8, whatever encoding Python assumed for the terminal. Raises UserError for other bytes."""
    try:
        return [argument.encode("utf-8", "surrogateescape").decode("utf-8") for argument in arguments]
    except UnicodeError as problem:
        raise UserError("The arguments hold bytes that are not UTF-8: write them in UTF-8.") from problem


def _interrupt(*_: object) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as for a script's background job
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


def sentence_of(problem: BaseException) -> str | None:
    """What the user must fix. None for a bug of drretail, and for an ending that has a message of its own."""
    if isinstance(problem, UserError | DamagedRecord):
        return str(problem)
    if isinstance(problem, ToolError) and problem.kind in ("unavailable", "timeout"):
        # A server failed outside a tool call, such as when a judge looks up a product.
        return f"{problem.message} Run the same command again: it continues from here."
    if isinstance(problem, ModuleNotFoundError) and (problem.name or "").startswith("drretail.addons."):
        return missing_addon("This", str(problem.name).split(".")[2])
    if isinstance(problem, OSError):
        return f"{file_error(problem)}."
    if isinstance(problem, UnicodeEncodeError) and problem.encoding != "utf-8":
        return f"A name cannot be written in {problem.encoding}, the encoding of this terminal: set PYTHONUTF8=1."
    if isinstance(problem, RecursionError):
        return "A file or an answer is nested too deeply to be read."
    if isinstance(problem, MemoryError):
        return "This machine has too little memory."
    database = sys.modules.get("sqlite3")  # loaded wherever its errors can occur, and not by `drretail --help`
    if database is not None and isinstance(problem, database.DatabaseError):
        return f"The world's database cannot be used: {problem}."
    return None


def fault_of_ours(problem: BaseException) -> str:
    """One sentence on an unexpected exception: its type and message, and where it was raised."""
    frames = traceback.extract_tb(problem.__traceback__)
    frames_of_ours = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)] or list(frames)
    where = f" ({Path(frames_of_ours[-1].filename).name}, line {frames_of_ours[-1].lineno})" if frames_of_ours else ""
    reason = f"{type(problem).__name__}: {problem}".partition("\n")[0].rstrip(".: ")
    return f"Error: drretail itself failed: {reason}{where}. {DEBUG} shows where it came from: please report that."


def _end(sentence: str, code: int) -> NoReturn:
    print(fit_to_screen(shortened(without_keys(without_logins(sentence)), LONGEST_SENTENCE)), file=sys.stderr)
    sys.exit(code)

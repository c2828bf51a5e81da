"""A command's progress, always on stderr: plain lines, or nothing."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, Thread
from typing import ClassVar, TextIO

from drretail.progress import Bar, Progress
from drretail.viewer.drawing.screen import fit_to_screen

# Seconds without a line after which one is printed: with the second or two in which a command starts, nobody waits
# longer than ten for a sign.
EVERY_SECONDS = 8.0


class PlainProgress(Progress):
    """A line when a task begins, whenever none came for eight seconds, and when it has ended."""

    _noted: ClassVar[float] = float("-inf")
    """When the last line came, of whichever task: short tasks in a row are as silent as a long one."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock

    def note(self, text: str) -> None:
        PlainProgress._noted = self._clock()
        print(fit_to_screen(text), file=self._stream, flush=True)

    def note_if_silent(self, text: str) -> None:
        """Prints one line, unless one came in the last eight seconds."""
        if self._clock() - self._noted >= EVERY_SECONDS:
            self.note(text)

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        self.note(f"{label} …")
        counter = _Counter(self.note_if_silent, label, total)
        with _repeated(lambda: self.note_if_silent(counter.line)):
            yield counter
        self.note(f"{label}: done" if counter.count in (0, total) else f"{label}: {counter.count:,} done")

    @contextmanager
    def busy(self, label: str, total: int | None = None) -> Generator[Bar]:
        """Prints the label, the count and the elapsed seconds where no other line comes; nothing for short tasks."""
        began, counter = self._clock(), _Counter(lambda _: None, label, total)

        def say() -> None:
            self.note_if_silent(f"{counter.line.removesuffix(' …')} … {self._clock() - began:.0f} s")

        with _repeated(say):
            yield counter


@contextmanager
def _repeated(say: Callable[[], None]) -> Generator[None]:
    """Calls ``say`` every second during a ``with`` block, from a thread, since one step may take minutes."""
    ended = Event()

    def repeat() -> None:
        while not ended.wait(EVERY_SECONDS / 8):
            with suppress(OSError, ValueError):  # nobody reads any more
                say()

    Thread(target=repeat, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def busy(label: str, total: int | None = None) -> AbstractContextManager[Bar]:
    """``Progress.busy`` for a command that shows no other progress."""
    return choose_progress().busy(label, total)


def note_wait(line: str) -> None:
    """Prints what a command waits for, if progress is shown, unless a line came in the last eight seconds."""
    if _is_shown:
        PlainProgress().note_if_silent(line)


def choose_progress() -> Progress:
    """Plain lines; nothing unless progress is shown."""
    return PlainProgress() if _is_shown else Progress()


_is_shown = False


@contextmanager
def showing_progress(*, quiet: bool = False) -> Generator[None]:
    """Shows progress during a ``with`` block, unless ``quiet``. Only commands use it: a call from Python shows none.

    It is a state of the process, as stderr is.
    """
    global _is_shown
    before, _is_shown = _is_shown, not quiet
    PlainProgress._noted = time.monotonic()  # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        _is_shown = before


def is_progress_shown() -> bool:
    """False for a call from Python, and for a command with --quiet."""
    return _is_shown


class _Counter(Bar):
    """Counts; ``line`` is the count or the last description."""

    def __init__(self, note: Callable[[str], None], label: str, total: int | None) -> None:
        self.count, self.line = 0, f"{label} …"
        self._note, self._label = note, label
        self._of = "" if total is None else f" of {total:,}"

    def advance(self, amount: int = 1) -> None:
        self.count += amount
        self._say(f"{self.count:,}{self._of}")

    def describe(self, text: str) -> None:
        self._say(text)

    def _say(self, text: str) -> None:
        self.line = f"{self._label}: {text}"
        self._note(self.line)

"""A command's progress, always on stderr: plain lines, a live display, or nothing."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Literal, Protocol, TextIO

from drretail.screen import console

if TYPE_CHECKING:
    from rich.progress import Progress as RichDisplay
    from rich.progress import TaskID

Style = Literal["plain", "rich", "none"]
# Seconds between two lines if there is no live display: nobody should wait longer without a sign.
EVERY_SECONDS = 10.0


# Seconds between two notes on a wait: many calls may wait for the same thing.
WAIT_SECONDS = 2.0


class Waits:
    """Prints what a command waits for, at most every two seconds; only on a terminal, and unless quiet."""

    def __init__(self, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._clock = clock
        self._announced_at = float("-inf")

    def __call__(self, line: str) -> None:
        now = self._clock()
        if not self._quiet and sys.stderr.isatty() and now - self._announced_at >= WAIT_SECONDS:
            self._announced_at = now
            print(line, file=sys.stderr, flush=True)


class Bar(Protocol):
    """The progress of one task."""

    def advance(self, amount: int = 1) -> None: ...

    def describe(self, text: str) -> None: ...


class Progress:
    """Progress that prints nothing; the base of the other two."""

    def note(self, text: str) -> None:
        """Prints one line, such as what was just looked up."""

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        """A bar during a ``with`` block; ``total`` is in the unit that ``advance`` counts."""
        yield _Silent()

    @contextmanager
    def busy(self, label: str) -> Generator[None]:
        """Shows a label and the elapsed time during a ``with`` block."""
        del label
        yield


class PlainProgress(Progress):
    """A line when a task begins, every ten seconds, and when it has ended: for pipes and logs."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock

    def note(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        self.note(f"{label} …")
        counter = _Counter(self.note, label, total, self._clock)
        with _every_few_seconds(counter.repeat):
            yield counter
        self.note(f"{label}: done" if counter.count in (0, total) else f"{label}: {counter.count:,} done")

    @contextmanager
    def busy(self, label: str) -> Generator[None]:
        """Prints the label and the elapsed seconds every ten seconds; nothing for shorter tasks."""
        began = self._clock()
        with _every_few_seconds(lambda: self.note(f"{label} … {self._clock() - began:.0f} s")):
            yield


@contextmanager
def _every_few_seconds(say: Callable[[], None]) -> Generator[None]:
    """Calls ``say`` every ten seconds during a ``with`` block, from a thread, since one step may take minutes."""
    ended = Event()

    def repeat() -> None:
        while not ended.wait(EVERY_SECONDS):
            with suppress(OSError, ValueError):  # nobody reads any more
                say()

    Thread(target=repeat, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


class RichProgress(Progress):
    """A live bar on a terminal; notes scroll above it."""

    def __init__(self) -> None:
        self._console = console(stderr=True)

    def note(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        from rich import progress

        columns = [
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(bar_width=30),
            progress.MofNCompleteColumn() if total else progress.TextColumn("{task.completed:,}"),
            progress.TimeElapsedColumn(),
        ]
        with progress.Progress(*columns, console=self._console, transient=True) as display:
            task = display.add_task(label, total=total)
            yield _RichBar(display, task)

    @contextmanager
    def busy(self, label: str) -> Generator[None]:
        from rich import progress

        columns = [progress.SpinnerColumn(), progress.TextColumn("{task.description}"), progress.TimeElapsedColumn()]
        with progress.Progress(*columns, console=self._console, transient=True) as display:
            display.add_task(label, total=None)
            yield


def busy(label: str, *, quiet: bool = False) -> AbstractContextManager[None]:
    """``Progress.busy`` for a command that shows no other progress."""
    return choose_progress("none" if quiet else None).busy(label)


def choose_progress(style: Style | None = None) -> Progress:
    """The progress of that style; without one, rich on a terminal and plain lines elsewhere."""
    if style is None:
        style = "rich" if sys.stderr.isatty() else "plain"
    return {"plain": PlainProgress, "rich": RichProgress, "none": Progress}[style]()


class _Silent:
    def advance(self, amount: int = 1) -> None:
        del amount

    def describe(self, text: str) -> None:
        del text


class _Counter(_Silent):
    """Counts, and prints the count or a description at most every ten seconds."""

    def __init__(
        self,
        note: Callable[[str], None],
        label: str,
        total: int | None,
        clock: Callable[[], float],
    ) -> None:
        self.count = 0
        self._note = note
        self._label = label
        self._of = "" if total is None else f" of {total:,}"
        self._clock = clock
        self._noted = clock()
        self._line = f"{label} …"

    def advance(self, amount: int = 1) -> None:
        self.count += amount
        self._now_and_then(f"{self._label}: {self.count:,}{self._of}")

    def describe(self, text: str) -> None:
        self._now_and_then(text)

    def repeat(self) -> None:
        """Prints the last line again if nothing was printed for a while."""
        self._now_and_then(self._line, EVERY_SECONDS / 2)

    def _now_and_then(self, line: str, pause: float = EVERY_SECONDS) -> None:
        now, self._line = self._clock(), line
        if now - self._noted >= pause:
            self._noted = now
            self._note(line)


class _RichBar:
    def __init__(self, display: "RichDisplay", task: "TaskID") -> None:
        self._display = display
        self._task = task

    def advance(self, amount: int = 1) -> None:
        self._display.advance(self._task, amount)

    def describe(self, text: str) -> None:
        self._display.update(self._task, description=text)

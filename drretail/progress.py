"""Reports how far a command has come: these report nothing. ``viewer/drawing/progress.py`` has those that show it."""

from collections.abc import Generator
from contextlib import contextmanager


class Bar:
    """The progress of one task; this one shows nothing."""

    def advance(self, amount: int = 1) -> None:
        """Counts what is done."""

    def describe(self, text: str) -> None:
        """Shows details, such as what has failed and the time left; they replace earlier ones."""


class Progress:
    """Progress that prints nothing; the base of the one that does."""

    def note(self, text: str) -> None:
        """Prints one line, such as what was just looked up."""

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        """A bar during a ``with`` block; ``total`` is in the unit that ``advance`` counts."""
        yield Bar()

    @contextmanager
    def busy(self, label: str, total: int | None = None) -> Generator[Bar]:
        """Shows a label, the elapsed time and, if it is counted, what is done during a ``with`` block."""
        yield Bar()

"""A terminal as a person sees it: an emulator reads what stands on its screen while a process writes to it."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from types import TracebackType
from typing import Self

import pyte

PATIENCE = 60.0
"""Seconds until a screen shows what is expected, on a machine that is busy with other things too."""
SPINNER = re.compile(r"[\u2800-\u28ff]")


class Terminal:
    """A pseudo-terminal. ``descriptor`` is for the process; ``begun`` closes it here."""

    def __init__(self, columns: int = 110, lines: int = 60) -> None:
        self._ours, self.descriptor = pty.openpty()
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._rows = [""] * lines

    def take(self) -> None:
        """Makes this the controlling terminal of a new session, so that Ctrl-C is a signal; in the process, first."""
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)

    def begun(self) -> None:
        os.close(self.descriptor)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen now, without empty lines."""
        for row in self._screen.dirty:  # all of them would take longer than what is tested
            cells = self._screen.buffer[row]
            self._rows[row] = "".join(cells[column].data for column in range(self._screen.columns)).rstrip()
        self._screen.dirty.clear()
        return [row for row in self._rows if row]

    @property
    def is_clear(self) -> bool:
        """True if the cursor is shown, and no frame of a live display."""
        return not (self._screen.cursor.hidden or SPINNER.search("".join(self.lines)))

    @property
    def is_coloured(self) -> bool:
        cells = [cell for row in self._screen.buffer.values() for cell in row.values()]
        return any(cell.fg != "default" or cell.bg != "default" for cell in cells)

    def until(self, *texts: str) -> list[str]:
        """The screen's lines once each of the texts stands in one; AssertionError if none comes."""
        deadline = time.monotonic() + PATIENCE
        while not all(any(text in line for line in self.lines) for text in texts):
            assert self._read(deadline), "\n".join(["the process has ended, and the screen shows:", *self.lines])
        return self.lines

    def to_the_end(self) -> list[str]:
        """The screen's lines once nobody writes to it any more."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self.lines

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def _read(self, deadline: float) -> bool:
        """Shows the next few bytes, so that no frame is missed; False if nobody writes any more."""
        ready, _, _ = select.select([self._ours], [], [], max(deadline - time.monotonic(), 0))
        assert ready, "\n".join(["nothing more comes, and the screen shows:", *self.lines])
        try:
            self._stream.feed(os.read(self._ours, 64))
        except OSError:  # how a terminal says that nobody writes to it any more
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._ours)

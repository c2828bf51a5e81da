"""A terminal, as a person sees it: what stands on its screen while a process writes to it, read by an emulator."""

import fcntl
import os
import pty
import select
import struct
import termios
import time
from types import TracebackType
from typing import Self

import pyte

PATIENCE = 120.0
"""Seconds until a screen shows what is expected, on a machine that is busy with other things too."""


class Terminal:
    """A pseudo-terminal of that size. ``descriptor`` is for the process, and closed here once it has begun."""

    def __init__(self, columns: int = 110, lines: int = 60) -> None:
        self._ours, self.descriptor = pty.openpty()
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)

    def begun(self) -> None:
        os.close(self.descriptor)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen now, without empty lines."""
        return [line.rstrip() for line in self._screen.display if line.strip()]

    @property
    def has_cursor(self) -> bool:
        return not self._screen.cursor.hidden

    def until(self, *texts: str) -> list[str]:
        """The screen's lines, once each of the texts stands in one; AssertionError if none comes."""
        deadline = time.monotonic() + PATIENCE
        while not all(any(text in line for line in self.lines) for text in texts):
            assert self._read(deadline), "\n".join(["the process has ended, and shows:", *self.lines])
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
        """Shows what is written next; False if nobody writes any more."""
        ready, _, _ = select.select([self._ours], [], [], max(deadline - time.monotonic(), 0))
        assert ready, "\n".join(["nothing more is written, and the screen shows:", *self.lines])
        try:
            self._stream.feed(os.read(self._ours, 65_536))
        except OSError:  # how a terminal says that nobody writes to it any more
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._ours)

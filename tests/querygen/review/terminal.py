"""The real command in a terminal of its own, as a person sits before it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cli.conftest import MAIN, environment

_STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r|\x07")
_PATIENCE = 30  # seconds, on a busy machine


class Terminal:
    """Runs ``drretail …`` on a pseudo-terminal 80 characters wide."""

    def __init__(self, home: Path, *args: str, **given: str) -> None:
        self._main, helper = pty.openpty()
        fcntl.ioctl(helper, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        names = environment(home, TERM="xterm", **given)
        names.pop("COLUMNS")  # the terminal's own
        self._process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *args],
            cwd=home,
            env=names,
            stdin=helper,
            stdout=helper,
            stderr=helper,
            start_new_session=True,
            # Without a controlling terminal there is no Ctrl-C.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(helper)
        self._raw = b""
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._main)

    @property
    def screen(self) -> str:
        """All that was shown, without what moves the cursor or colours."""
        return _STEERING.sub("", self._raw.decode("utf-8", "replace"))

    def answer(self, *pairs: tuple[str, str]) -> None:
        """Waits for each text to be shown and types what follows it, with Enter."""
        for shown, typed in pairs:
            self.wait_for(shown)
            self.type(f"{typed}\r")

    def type(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + _PATIENCE
        while (found := self._raw.find(text.encode(), self._read)) < 0:
            alive = self._pump(0.1)
            if not alive or time.monotonic() > deadline:
                raise AssertionError(f"{text!r} never came:\n{self.screen}")
        self._read = found + len(text.encode())

    def interrupt(self) -> int:
        """The exit code after Ctrl-C; pressed until it is heard, since Python drops one between prompt and waiting."""
        deadline = time.monotonic() + _PATIENCE
        while self._process.poll() is None and time.monotonic() < deadline:
            self.type("\x03")
            self._pump(0.2)
            time.sleep(0.05)
        return self.end()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def end(self) -> int:
        """The exit code, once the command has ended by itself."""
        deadline = time.monotonic() + _PATIENCE
        while self._pump(0.1) and time.monotonic() < deadline:
            pass
        return self._process.wait(timeout=_PATIENCE)

    def _pump(self, seconds: float) -> bool:
        """Reads what there is; False once the other side is closed."""
        if not select.select([self._main], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._main, 65536)
        except OSError:  # so Linux tells of a closed terminal
            return False
        self._raw += data
        return bool(data)

"""What a person sees of a command's progress on a terminal, at two moments and at its end. Tests watching.py."""

import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands import environment
from tests.cli.terminal import Terminal

SHAPES = r"""
import logging, sys, warnings
from drretail.viewer.drawing.progress import (choose_progress, showing_progress)
from drretail.viewer.drawing.screen import guard_streams

EVIL = "\x1b[31mred\x1b[2J\x1b[1;1H \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \u202e [red]a[/b]"

def seen():
    sys.stdin.readline()

guard_streams()
with showing_progress():
    progress = choose_progress()
with progress.track("judging", 1400) as bar:
    bar.advance(700)
    bar.describe("3 failed · 1,234,567 tokens · about 12 min left")
    seen()
    progress.note("note " * 50)
    print("printed", EVIL)
    print("by an agent", EVIL, file=sys.stderr)
    logging.warning("logged")
    warnings.warn("warned")
    print("begun", end="", flush=True)
    seen()
with progress.track("products " + EVIL) as bar:
    bar.advance(1234567)
    seen()
with progress.busy("reading " + EVIL):
    seen()
try:
    with progress.track("runs", 3) as bar:
        bar.describe("x" * (int(sys.argv[1]) - 5))
        seen()
except KeyboardInterrupt:
    print("Interrupted.")
"""
BAR = "━+[╸╺]?━* *"


@contextmanager
def on(
    terminal: Terminal, *command: str, env: dict[str, str], where: Path, stdin: int | None = None
) -> Generator["subprocess.Popen[bytes]"]:
    """The command in a session of its own on the terminal, whose width it finds out by itself."""
    with subprocess.Popen(
        command,
        cwd=where,
        env={name: value for name, value in env.items() if name != "COLUMNS"} | {"TERM": "xterm-256color"},
        stdin=terminal.descriptor if stdin is None else stdin,
        stdout=terminal.descriptor,
        stderr=terminal.descriptor,
        start_new_session=True,
        preexec_fn=terminal.take,
    ) as process:
        terminal.begun()
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("columns", "given"), [(80, {}), (110, {"NO_COLOR": "1"}), (200, {"COLORTERM": "truecolor"})])
def test_a_live_display_stands_below_what_is_printed_and_leaves_nothing(
    tmp_path: Path, columns: int, given: dict[str, str]
) -> None:
    command, env = (sys.executable, "-c", SHAPES, str(columns)), environment(tmp_path, **given)
    with (
        Terminal(columns) as terminal,
        on(terminal, *command, env=env, where=tmp_path, stdin=subprocess.PIPE) as process,
    ):

        def after_a_step(*texts: str) -> list[str]:
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
            return terminal.until(*texts)

        bar, details = terminal.until("judging", "12 min left")
        assert re.fullmatch(rf". judging {BAR} 700/1,400 0:\d\d", bar)
        assert details == "  3 failed · 1,234,567 tokens · about 12 min left"
        after_a_step("UserWarning: warned")
        *printed, bar, details = terminal.until("judging", "12 min left")
        assert "judging" in bar
        assert "3 failed" in details
        text = "\n".join(printed)
        assert " ".join(text.split()).startswith(("note " * 50).strip())
        assert "note" in printed[1]
        assert not [line for line in printed if line.startswith("ote") or line.endswith(" no")]
        for words in ("printed \ufffd[31mred\ufffd[2J", "by an agent \ufffd[31mred\ufffd[2J", "WARNING:root:logged"):
            assert words in text
        (bar,) = [line for line in after_a_step("products", "1,234,567 ") if "1,234,567" in line]
        assert re.search(rf"{BAR} 1,234,567 0:\d\d$", bar)
        assert any("begun" in line for line in terminal.lines)
        after_a_step("reading \ufffd[31mred\ufffd[2J")
        after_a_step("runs", "xxx")
        terminal.press("\x03")
        *_, end = terminal.to_the_end()
        assert end == "Interrupted."
        assert terminal.is_clear
        assert not terminal.is_coloured

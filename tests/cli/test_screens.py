"""What a person sees of a command's progress on a terminal, at two moments and at its end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drretail.cli.app import COMMANDS as INSTALLED
from tests.cli.commands import environment
from tests.cli.forked import ForkServer
from tests.cli.terminal import Terminal
from tests.cli.test_ingest_and_world import FILES
from tests.cli.test_interrupting import run_command
from tests.data_ingest.mirror_server import Script, serve
from tests.shop import USER

SHAPES = r"""
import logging, sys, warnings
from drretail.progress import choose_progress, showing_progress
from drretail.records.tables.screen import guard_streams

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


COMMANDS = {
    "synth --products 40 --reviews 400 --to raw": [" reviews"],
    "ingest raw -w made --min-interactions 0": [
        " reading files",
        " products into store and index",
        " orders into the store",
    ],
    "world copy w w2": [" products into store and index", " orders into the store"],
    "world check w": [" reading every row and file"],
    "queries generate -w made --n 2 --to made.jsonl": [" writing queries"],
    "run --queries queries.jsonl -w w --to exp --no-floors --agent react --agent hybrid_react": [" runs", " 4/4 "],
    "ask Which-feeder? -w w": [" answering", "product_catalog_search"],
    "score exp": [" judging", " scores of all verdicts"],
    "compare exp": [" comparing"],
    "report exp": [" reading runs and scores"],
    "export exp --format csv --to scores": [" exporting"],
    "verify exp -w w": [" Replaying runs"],
    "lab plant exp": [" planting errors"],
    "download Books --to raw --mirror MIRROR": [" downloading"],
    f"sandbox build -w w --to sealed --user {USER} --web searxng:MIRROR --model scripted:answers.toml": [
        " Building by"
    ],
}
"""Commands in one folder, each on what the former ones made, and what stands on the screen meanwhile."""
HERE = [command for command in COMMANDS if command.split()[0] in INSTALLED]
QUICK = [command for command in COMMANDS if command.startswith(("run", "ask", "score"))]


@pytest.mark.parametrize("commands", [QUICK, pytest.param(HERE, marks=pytest.mark.slow)], ids=["quick", "all"])
def test_every_live_display_is_seen_and_leaves_nothing(
    fork_server: ForkServer, shop: str, queries: str, tmp_path: Path, commands: list[str]
) -> None:
    del shop, queries
    (tmp_path / "answers.toml").write_text("answers = [{ text = 'Nothing.' }]\n")
    with serve(Script(FILES)) as mirror:
        for at, command in enumerate(commands):
            args = command.replace("MIRROR", mirror.address).split()
            env = environment(tmp_path, TERM="xterm-256color", **({"NO_COLOR": "1"} if at % 2 else {}))
            del env["COLUMNS"]
            with Terminal((80, 110, 200)[at % 3]) as terminal:
                process = fork_server.ask([args, str(tmp_path), env], terminal.descriptor, terminal.descriptor)
                terminal.begun()
                for text in COMMANDS[command]:
                    shown = terminal.until(text)
                    assert "\ufffd" not in "".join(shown), command
                terminal.to_the_end()
                assert terminal.is_clear, (command, terminal.lines)
                assert fork_server.ask(process) in (0, 2, 3), (command, terminal.lines)


def test_ctrl_c_stands_above_the_bar_and_leaves_nothing(
    fork_server: ForkServer, shop: str, queries: str, tmp_path: Path
) -> None:
    args = run_command(queries, shop, "--to", "exp", "--repeats", "20", "--parallel", "2")
    env = environment(tmp_path, TERM="xterm-256color", SLOWED_BY="0.5")
    with Terminal() as terminal:
        process = fork_server.ask([args, str(tmp_path), env], terminal.descriptor, terminal.descriptor)
        terminal.begun()
        terminal.until(" runs", " tool calls")
        # This terminal is nobody's own: it only prints ^C, and first drops what it has not shown yet.
        terminal.press("\x03")
        terminal.until("^C")
        os.kill(process, signal.SIGINT)
        *above, bar, details = terminal.until("Stopping: no new run", " runs", " tokens")
        assert "Stopping: no new run begins" in above[-1]
        assert " runs" in bar
        assert " left · " in details
        assert terminal.to_the_end()[-1] == "Interrupted: the same command continues from here."
        assert terminal.is_clear
        assert fork_server.ask(process) == 130

"""The command in the tests' own process, which it leaves as it was: what a command prints and how it ends needs no
process of its own.

Signals, terminals, kills and what several processes do at once are tested with ``tests.cli.forked``.
"""

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from importlib import invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any, cast
from unittest.mock import patch

from drretail.cli.entry import main
from tests.cli.forked import written

PRINT_WARNING = warnings._showwarning_orig  # pyright: ignore[reportAttributeAccessIssue]  # Python's own, to stderr


def run_here(args: tuple[str, ...], where: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What ``drretail …`` prints in a folder and an environment, and its exit code."""
    stdout, stderr = os.memfd_create("stdout"), os.memfd_create("stderr")
    try:
        with (
            _streams(stdout, stderr),
            _place(where, env),
            _noise_of_a_process(),
            _signals(),
            patch.object(sys, "argv", ["drretail", *args]),
            patch.object(gc, "freeze", lambda: None),
        ):
            code = copy_context().run(_code_of_main)
        return subprocess.CompletedProcess(args, code, written(stdout), written(stderr))
    finally:
        os.close(stdout)
        os.close(stderr)


def _code_of_main() -> int:
    before, thresholds = set(threading.enumerate()), gc.get_threshold()
    try:
        main()
    except SystemExit as ending:
        if isinstance(ending.code, str):
            raise
        return ending.code or 0
    finally:
        gc.set_threshold(*thresholds)
        for thread in set(threading.enumerate()) - before:  # as Python does at its end
            if not thread.daemon:
                thread.join()
    return 0


@contextmanager
def _streams(stdout: int, stderr: int) -> Generator[None]:
    """The streams of a process that nobody types into: also those that a command's own processes inherit."""
    sys.stdout.flush()
    sys.stderr.flush()
    with ExitStack() as stack:
        nothing = os.open(os.devnull, os.O_RDONLY)
        stack.callback(os.close, nothing)
        for number, file in enumerate((nothing, stdout, stderr)):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file, number)
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            stack.enter_context(patch.object(sys, name, stream))
        yield
        sys.stdout.flush()
        sys.stderr.flush()


@contextmanager
def _place(where: Path, env: Mapping[str, str]) -> Generator[None]:
    """The folder and the environment; modules that are loaded from below the folder are forgotten, as are those of
    other tests that have the name of a file here.
    """
    for file in where.glob("*.py"):
        sys.modules.pop(file.stem, None)
    before, path, modules = Path.cwd(), [*sys.path], {*sys.modules}
    os.chdir(where)
    invalidate_caches()
    try:
        with patch.dict(os.environ, env, clear=True):
            yield
    finally:
        os.chdir(before)
        sys.path[:] = path
        for name in {*sys.modules} - modules:
            file = getattr(cast("ModuleType | None", sys.modules[name]), "__file__", None)
            if file is not None and Path(file).is_relative_to(where):
                del sys.modules[name]


@contextmanager
def _noise_of_a_process() -> Generator[None]:
    """Warnings and logs as Python prints them, not as pytest collects them."""
    handlers, level = logging.root.handlers, logging.root.level
    logging.root.handlers = []
    logging.root.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.resetwarnings()
            for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            warnings.showwarning = PRINT_WARNING
            yield
    finally:
        logging.root.handlers = handlers
        logging.root.setLevel(level)


@contextmanager
def _signals() -> Generator[None]:
    """The handlers and hooks as a terminal leaves them, which the command replaces."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before, ours = {number: signal.getsignal(number) for number in numbers}, sys.unraisablehook
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pipe = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        theirs: Any = sys.unraisablehook
        os.close(signal.set_wakeup_fd(pipe))
        os.close(theirs.__self__._pipe)
        sys.unraisablehook = ours
        for number in numbers:
            signal.signal(number, before[number])

"""The lines of the project beside its budget (CONTRIBUTING.md). Exits with 1 if one is above.

    python -m scripts.budget

Counted are lines of Python that git knows, with blank lines and docstrings; and the bytes of all files of the package,
so that nothing hides in prompts and tables. And the way: the files and functions of the package that one question
enters, from ``ask`` by react and offline:shopper over ``score`` to ``report``. A file is entered if it is loaded for
that question, or one of its functions runs; a function is one with a name.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from inspect import CO_OPTIMIZED
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

ROOT = Path(__file__).parents[1]


def lines(paths: Sequence[str]) -> int:
    return sum((ROOT / path).read_bytes().count(b"\n") for path in paths if path.endswith(".py"))


def size(paths: Sequence[str]) -> int:
    """In bytes."""
    return sum((ROOT / path).stat().st_size for path in paths)


BUDGET: tuple[tuple[str, Callable[[Sequence[str]], int], str, str | None, int, int], ...] = (
    ("lines of the package", lines, "drretail/", None, 88_000, 87_000),
    ("lines of the core", lines, "drretail/", "drretail/addons/", 70_500, 68_500),
    ("lines of the tests", lines, "tests/", None, 47_500, 46_500),
    ("bytes of the package", size, "drretail/", None, 6_600_000, 6_600_000),
)
"""What is counted, of the files in one folder but not in another, the most that it may be on the way to 2.0, and the
goal that 2.0 is held to."""

QUESTION = "Which bird feeder suits me, under $30?"
WAY, WAY_GOAL = 212, 205
"""The most files that one question may enter, and the goal."""


def way() -> tuple[int, int]:
    """How many files and functions one question enters. The demo's shop is built before."""
    files, functions, package = set[str](), set[tuple[str, str, int]](), f"{ROOT / 'drretail'}/"

    def note(frame: FrameType, event: str, arg: object) -> None:
        del arg
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(package) and code.co_filename.endswith(".py"):
            if code.co_name != "<module>":  # a class in it, or a function, is what is entered
                files.add(code.co_filename)
            if code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<"):
                functions.add((code.co_filename, code.co_name, code.co_firstlineno))

    from drretail import open_world

    with open_world("demo"):
        pass
    threading.setprofile(note)
    sys.setprofile(note)
    with TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        from drretail import ask, report, score

        ask(QUESTION, agent="react", to=Path(folder) / "exp")
        score(Path(folder) / "exp")
        report(Path(folder) / "exp")
    sys.setprofile(None)
    threading.setprofile(None)
    return len(files), len(functions)


def main() -> int:
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)  # noqa: S607
    paths = [path for path in listed.splitlines() if (ROOT / path).is_file()]
    is_within = True
    for title, count, folder, without, limit, goal in BUDGET:
        chosen = [path for path in paths if path.startswith(folder) and not (without and path.startswith(without))]
        number = count(chosen)
        is_within &= number <= limit
        print(f"{title:22}{number:>10,} of {limit:>9,}, goal {goal:>9,}{'' if number <= limit else '  above'}")
    files, functions = way()
    is_within &= files <= WAY
    above = "" if files <= WAY else "  above"
    print(f"{'files of a question':22}{files:>10,} of {WAY:>9,}, goal {WAY_GOAL:>9,}{above}")
    print(f"{'functions of it':22}{functions:>10,}")
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())

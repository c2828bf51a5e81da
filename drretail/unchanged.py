"""Whether an experiment is as a command left it: made again, its scores or pages would be the same."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from drretail import __version__
from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.locks import LOCK
from drretail.records.base import FORMAT, canonical_json

STATES = "states.json"
"""The file with the state in which each command left the experiment."""
PAGES = "report"
"""How the names of pages in an experiment's folder begin: scores are not made of them."""


def state_of(experiment: Path, options: object, pages: Iterable[Path] = ()) -> str:
    """A hash of this version, its code, the options, the experiment's files but its pages, and these pages."""
    state = sha256(canonical_json([__version__, _code(), options]).encode())
    for path in (*_files(experiment), *pages):
        state.update(f"\0{os.path.relpath(path, experiment)}\0".encode())
        state.update(sha256(path.read_bytes()).digest())
    return state.hexdigest()


@cache
def _code() -> str:
    """The sizes and times of drretail's own files: whoever edits a metric or a prompt gets new scores."""
    files = sorted(path for path in Path(__file__).parent.rglob("*.*") if path.suffix != ".pyc")
    return canonical_json([(path.name, (stat := path.stat()).st_size, stat.st_mtime_ns) for path in files])


def is_unchanged(experiment: Path, command: str, state: Callable[[], str]) -> bool:
    """True if the command left the experiment in this state, which takes long to tell, and only of what it has left."""
    return (left := _states(experiment).get(command)) is not None and left == state()


def keep_state(experiment: Path, command: str, state: str) -> None:
    """Keeps the state in which a command leaves the experiment, if its folder can be written to."""
    with suppress(OSError):
        write_json(experiment / STATES, {"format": FORMAT, **_states(experiment), command: state})


def _states(experiment: Path) -> dict[str, object]:
    try:
        return read_json(experiment / STATES)
    except UserError:  # it costs time alone
        return {}


def _files(experiment: Path) -> list[Path]:
    """The files of an experiment but its pages, and what shows who works on it."""
    paths: list[Path] = []
    for place, folders, files in os.walk(experiment):
        folder = Path(place)
        if folder == experiment:
            folders[:] = [name for name in folders if not name.startswith(PAGES)]
            files = [name for name in files if name not in (LOCK, STATES) and not name.startswith(PAGES)]
        paths += (folder / name for name in files)
    return sorted(paths)

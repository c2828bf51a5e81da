"""The files that code of the user's own reads while it runs, by the source that reads them."""

import inspect
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
_LIBRARIES = f"{os.sep}site-packages{os.sep}"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_folders: set[str] = set()
_read: dict[str, set[str]] = {}
_written: set[str] = set()


def watch(folder: Path) -> None:
    """From now on, notes the files below the folder that code from there opens for reading."""
    _folders.update(f"{place}{os.sep}" for place in (folder.absolute(), folder.resolve()))
    _hear()


def files_read(source: str) -> list[Path]:
    """The files that a source has read and nobody has written; "__main__" stands for a script or notebook."""
    return [Path(file) for file in sorted(_read.get(source, set()) - _written)]


@cache
def _hear() -> None:
    sys.addaudithook(_heard)  # which can't be taken back, so there is one


def _heard(event: str, about: tuple[Any, ...]) -> None:
    if event != "open" or not isinstance(about[0], str | os.PathLike):
        return
    place: str | bytes = os.fspath(about[0])
    name = "" if isinstance(place, bytes) else str(Path(place).absolute())
    if not name.startswith(tuple(_folders)) or name.endswith((".py", ".pyc")):
        return
    frame = inspect.currentframe()
    while (frame := frame and frame.f_back) is not None:
        file = frame.f_code.co_filename
        if file.startswith(_PACKAGE):  # what drretail reads on behalf of a tool
            return
        is_main = frame.f_globals.get("__name__") == "__main__"
        if is_main or (file.startswith(tuple(_folders)) and _LIBRARIES not in file):
            if about[2] & _WRITING:
                _written.add(name)
            else:
                _read.setdefault("__main__" if is_main else file, set()).add(name)
            return

"""Proofs: what was found of a folder's files isn't found again while they, and the code, stay as they are.

They are kept in the user's own cache, never in the folder: one that somebody else made brings none.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.locks import LOCK
from drretail.records.base import sha256_of

AGREE = "the runs agree with their definition, ledgers and journals"
SCORES_FOLLOW = "the scores follow from runs and verdicts"
JUDGED = "everything asked for is judged"
SHOWN = "the pages show the folder"
_NO_FACTS = ("report.html", "report", "plots", LOCK)
"""What is made of an experiment, at the top of its folder, and says nothing of it. A system may have such a name."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The proofs of one folder."""

    folder: Path
    kept_in: Path

    def hold(self, claim: str, about: Any = None, made: Sequence[Path] = ()) -> bool:
        """True if the claim was proved of the folder's files as they are, about the same, and what was made stands."""
        try:
            return self._file.exists() and read_json(self._file).get(claim) == _state(self.files(), about, made)
        except (OSError, UserError):  # written by two processes or another version, or changed while it is read
            return False

    def files(self) -> str:
        """The state of the folder's files, taken before what is proved is read; blank if they change meanwhile."""
        try:
            return sha256_of(sorted(_stats(self.folder.resolve(), _NO_FACTS)))
        except OSError:
            return ""

    def keep(self, claims: Mapping[str, Any], files: str, made: Sequence[Path] = ()) -> None:
        """Keeps that these claims were proved of the ``files`` as they were, each about what is said. Where the cache
        can't be written, nothing is kept.
        """
        if not files:
            return
        try:
            others = read_json(self._file) if self._file.exists() else {}
            self._file.parent.mkdir(parents=True, exist_ok=True)
            proved = {claim: _state(files, about, made) for claim, about in claims.items()}
            write_json(self._file, {**others, **proved, "format": 1})
        except (OSError, UserError):
            return

    @property
    def _file(self) -> Path:
        return self.kept_in / "proofs" / f"{sha256_of(str(self.folder.resolve()))[:32]}.json"


def _state(files: str, about: Any, made: Sequence[Path]) -> str:
    return sha256_of([_code(), files, [sorted(_stats(path.resolve())) for path in made], about])


@cache
def _code() -> str:
    return sha256_of(sorted(_stats(Path(__file__).parents[1])))


def _stats(place: Path, skipped: Sequence[str] = ()) -> Iterator[list[Any]]:
    """Number, size and times of a file, or of all below a folder but what is ``skipped`` directly in it. Nobody can set
    the time of a change.
    """
    if place.is_file():
        found = place.stat()
        yield [str(place), found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
    elif place.is_dir():
        with os.scandir(place) as entries:
            below = [Path(entry.path) for entry in entries if entry.name not in (*skipped, "__pycache__")]
        for path in below:
            yield from _stats(path)

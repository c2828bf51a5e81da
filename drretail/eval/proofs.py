"""Proofs: what was found of an experiment isn't found again while its files, and the code, stay as they are.

They are kept in the user's own cache, never in the folder: one that somebody else made brings none.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.eval.judging.criteria import FOLDER
from drretail.eval.judging.subject import BETWEEN, Planned
from drretail.experiment import Definition, run_folder
from drretail.files import files_below, read_json, write_json
from drretail.locks import LOCK
from drretail.packs import data_of
from drretail.records.base import file_name, sha256_of
from drretail.records.query import Query
from drretail.remembered import remembered, remembered_by

SCORES_FOLLOW = "the scores follow from runs and verdicts"
JUDGED = "everything asked for is judged"
SHOWN = "the pages show the folder"
AGREE = "the run agrees with its definition, ledger and journal"
RUN_JUDGED = "everything asked for of the run is judged"
QUESTION_SHOWN = "the page shows the question"
_PAGES = ("report.html", "report", "plots", LOCK)
"""What is made of an experiment, at the top of its folder, and says nothing of it. A system may have such a name."""
_OF_PARTS = ("experiment.json", "gold.jsonl", "sha256.json", "scores.json", "options", "runs", "verdicts", "readings")
"""What ``States`` reads by run, by query and by system, and what is made of these."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The proofs of one folder."""

    folder: Path
    kept_in: Path

    def hold(self, claim: str, about: Any = None, made: Sequence[Path] = ()) -> bool:
        """True if the claim was proved of the folder's files as they are, about the same, and what was made stands."""
        try:
            return self._kept().get(claim) == state_of(self.files(), about, made)
        except OSError:  # changed while it is read
            return False

    def files(self) -> str:
        """The state of the folder's files, taken before what is proved is read; blank if they change meanwhile."""
        try:
            return sha256_of(sorted(_stats(self.folder.resolve(), _PAGES)))
        except OSError:
            return ""

    def keep(self, claims: Mapping[str, Any], files: str, made: Sequence[Path] = ()) -> None:
        """Keeps these claims, each with what it is about, as proved of the ``files``. Where the cache can't be written,
        nothing is kept.
        """
        if files:
            with suppress(OSError):
                self._keep({claim: state_of(files, about, made) for claim, about in claims.items()})

    def unchanged(self, claim: str, states: Mapping[str, str]) -> set[str]:
        """The parts of which the claim was proved in the states that they have now."""
        kept = self._kept().get(claim)
        if not isinstance(kept, dict):
            return set()
        return {part for part, state in states.items() if state and kept.get(part) == state}

    def keep_each(self, claim: str, states: Mapping[str, str]) -> None:
        """Keeps that the claim was proved of these parts, each in its state, and of no others."""
        self._keep({claim: states})

    def _kept(self) -> dict[str, Any]:
        with suppress(OSError, UserError):  # none, or written by two processes or another version
            return read_json(self._file)
        return {}

    def _keep(self, proved: Mapping[str, Any]) -> None:
        with suppress(OSError, UserError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_json(self._file, {**self._kept(), **proved, "format": 1})

    @property
    def _file(self) -> Path:
        return self.kept_in / "proofs" / f"{sha256_of(str(self.folder.resolve()))[:32]}.json"


class States:
    """The states of an experiment's runs and questions, as hashes of all that is recorded of each.

    A run's state holds nothing of other runs: it stays when systems and queries are added.
    """

    def __init__(self, experiment: Path, definition: Definition, about: Any = None) -> None:
        self._experiment = experiment
        self._definition = definition
        self._about = about

    def of_run(self, planned: Planned) -> str:
        """The state of what was asked and recorded, without verdicts; blank if it changes meanwhile."""
        folder = run_folder(self._experiment, planned.label, planned.query.query_id, planned.repeat)
        asked = [planned.run_id, self._system(planned.label), self._query(planned.query), self._frame]
        try:
            return sha256_of([*asked, sorted(_stats(folder.resolve()))])
        except OSError:
            return ""

    def of_judged(self, planned: Planned) -> str:
        """The same with the run's verdicts, and all that judges read beside it."""
        query, own = planned.query, file_name(planned.label)
        run, names = f"{query.query_id}-r{planned.repeat}", [file_name(query.query_id), file_name(query.user_id or "")]
        beside = [self._files.get(name) for name in ("", *names)]
        judged = [self._named(run, own), self._named(names[0], FOLDER)]
        return sha256_of([self.of_run(planned), beside, judged])

    def of_question(self, planned: Sequence[Planned]) -> str:
        """The state of all runs of a question with their verdicts, and those on pairs of them."""
        runs = {f"{each.query.query_id}-r{each.repeat}" for each in planned}
        pairs = [self._named(run, folder) for run in sorted(runs) for folder in self._folders if BETWEEN in folder]
        return sha256_of([[self.of_judged(each) for each in planned], pairs])

    def _named(self, name: str, folder: str) -> list[list[str]]:
        """The verdicts and readings of this name in the folders of that name, each with its hash."""
        paths = [place / f"{name}{end}" for place in self._folders.get(folder, ()) for end in (".jsonl", ".json")]
        return [[str(path), digest] for path in paths if (digest := _digest(path)) is not None]

    @cached_property
    def _folders(self) -> dict[str, list[Path]]:
        """The folders of verdicts and readings by their names: a system's, a pair's, or that of queries."""
        folders: dict[str, list[Path]] = defaultdict(list)
        for pattern in ("verdicts/*/*/*", "readings/*/*"):
            for folder in sorted(self._experiment.glob(pattern)):
                folders[folder.name].append(folder)
        return folders

    @cached_property
    def _files(self) -> dict[str, list[list[str | None]]]:
        """All other files with their hashes, by the query or user they are named after, else under a blank name."""
        queries = self._definition.queries
        names = {file_name(name) for query in queries for name in (query.query_id, query.user_id) if name}
        files: dict[str, list[list[str | None]]] = defaultdict(list)
        for place in sorted(self._experiment.iterdir()):
            for path in () if place.name in (*_PAGES, *_OF_PARTS) else [place, *files_below(place, "**/*")]:
                files[path.stem if path.stem in names else ""].append([str(path), _digest(path)])
        return files

    @cached_property
    def _frame(self) -> str:
        parts = {"title", "queries", "asked", "systems", "prompt_hashes", "code", "categories", "forgotten"}
        return sha256_of([_code(), self._about, self._definition.model_dump(mode="json", exclude=parts)])

    @remembered
    def _system(self, label: str) -> str:
        made = self._definition
        system = made.systems[label].model_dump(mode="json")
        return sha256_of([system, made.prompt_hashes.get(label), made.code.get(label)])

    @remembered_by(lambda query: query.query_id)
    def _query(self, query: Query) -> str:
        gold = None if query.gold is None else query.gold.model_dump(mode="json")
        return sha256_of([query.model_dump(mode="json"), gold, self._definition.categories.get(query.query_id)])


def _digest(path: Path) -> str | None:
    """The hash of a file, packed or not; None without one, blank for one that can't be read."""
    try:
        return sha256(data_of(path)).hexdigest()
    except FileNotFoundError:
        return None
    except (OSError, UserError):
        return ""


def state_of(files: str, about: Any, made: Sequence[Path]) -> str:
    """The state of a claim about files in their state, and of what was made of them."""
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

"""Files of runs, as tests change and cut them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from drretail.experiments.experiment import run_files
from drretail.experiments.journal import Effect, Journal, texts_of
from drretail.experiments.run_file import (
    MEMBERS,
    Member,
    journal_path,
    read_evidence,
    read_journal,
    read_members,
    read_results,
)
from drretail.files import pack
from drretail.records.base import FORMAT, canonical_json
from drretail.records.evidence import Evidence


def lasting(path: Path) -> tuple[list[str], tuple[Evidence, ...], dict[str, str]]:
    """What is the same however often and by whatever way a run is made."""
    return read_members(path, "run")["run"], read_evidence(path), read_results(path)


def runs_in(folder: Path) -> dict[str, Any]:
    """What lasts of an experiment's runs, by their files."""
    return {path.relative_to(folder).as_posix(): lasting(path) for path in run_files(folder)}


def edit_member(path: Path, member: Member, change: Callable[[list[str]], list[str] | None]) -> None:
    """Changes a member's lines, in place or by those that are returned; nothing checks them."""
    members = read_members(path, *MEMBERS)
    lines = members[member]
    changed = change(lines)
    members[member] = lines if changed is None else changed
    packed = [pack("".join(f"{line}\n" for line in members[name]).encode()) for name in MEMBERS]
    index = canonical_json({"format": FORMAT, "sizes": [len(data) for data in packed]})
    path.write_bytes(b"".join([pack(f"{index}\n".encode()), *packed]))


def edit_run(path: Path, **changes: Any) -> None:
    """Puts these values into the run; nothing checks them."""
    edit_member(path, "run", lambda lines: [canonical_json(json.loads(lines[0]) | changes)])


def lines_of(effects: Iterable[Effect]) -> list[str]:
    """The lines of a journal with these effects."""
    journal = Journal()
    for effect in effects:
        journal.record(effect, texts_of(effect.request))
    return journal.lines


def cut(path: Path, effects: int | None = None) -> Path:
    """Leaves of an ended run only its journal, or that many effects of it, as a killed process leaves it."""
    journal, lines = journal_path(path), lines_of(read_journal(path)[:effects])
    journal.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    path.unlink()
    return journal

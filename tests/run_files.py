"""Files of runs, as tests change and cut them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from drretail.experiment import run_files
from drretail.files import pack
from drretail.journal import Effect, Journal, texts_of
from drretail.records.base import FORMAT, canonical_json
from drretail.run_file import MEMBERS, Member, journal_path, read_journal, read_members


def runs_in(folder: Path) -> dict[str, dict[Member, list[str]]]:
    """What an experiment's runs hold of run and evidence, by their files: the same wherever they are made again."""
    return {path.relative_to(folder).as_posix(): read_members(path, "run", "evidence") for path in run_files(folder)}


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

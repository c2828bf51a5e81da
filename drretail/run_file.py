"""One run in one file: gzip members of JSON lines, which ``zcat`` shows, written by one rename when the run ends.

The first member is an index: the sizes of the others, which follow in this order, so that a run is read without its
journal.

run         the ``Run``
evidence    an ``Evidence`` a line
parts       those of the journal's requests, and results that no message holds, one a line
journal     an ``Effect`` a line, which names parts by their numbers; none in imported runs
telemetry   what may differ between two runs that are otherwise the same: times, the host, the world's place
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from drretail.archive import archive, damaged, read_index, read_parts
from drretail.errors import UserError, file_error
from drretail.files import pack, write_atomically
from drretail.journal import Effect, Lines, effect_of, read_effects
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, Document, canonical_json, fault_of, sha256_of
from drretail.records.evidence import Evidence, FetchedPage
from drretail.records.run import Run

Member = Literal["run", "evidence", "parts", "journal", "telemetry"]
MEMBERS: tuple[Member, ...] = ("run", "evidence", "parts", "journal", "telemetry")
RUN_FILE, JOURNAL = ".jsonl.gz", ".journal.jsonl"
"""How the file of a run ends, and that of its journal while it is under way."""
T = TypeVar("T", bound=Document)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with its evidence, its results' texts by hash and its journal, and with telemetry, which is volatile."""

    run: Run
    evidence: tuple[Evidence, ...]
    texts: Mapping[str, str]
    telemetry: Mapping[str, Any]
    journal: Lines = field(default_factory=Lines)
    pages: Mapping[str, FetchedPage] = field(default_factory=dict[str, FetchedPage])
    """By address, the pages that the report cites and no result brought; the experiment keeps them."""


def journal_path(path: Path) -> Path:
    """The journal of a run under way, beside what will be its file."""
    return path.with_name(f"{path.name.removesuffix(RUN_FILE)}{JOURNAL}")


def write_run_file(path: Path, recorded: Recorded) -> None:
    """Writes a run's file."""
    parts = recorded.journal.parts
    sent = {text for part in parts if isinstance(text := _result_of(json.loads(part)), str)}
    results = [canonical_json(text) for text in recorded.texts.values() if text not in sent]
    contents: dict[Member, Iterable[str]] = {
        "run": [recorded.run.as_line()],
        "evidence": (entry.as_line() for entry in recorded.evidence),
        "parts": [*parts, *results],
        "journal": recorded.journal.effects,
        "telemetry": [canonical_json({"format": FORMAT, **recorded.telemetry})],
    }
    members = ("".join(f"{line}\n" for line in contents[name]).encode() for name in MEMBERS)
    write_atomically(path, archive(members))


def read_recorded(path: Path) -> Recorded:
    """All of a file but the journal. Raises UserError if it can't be read."""
    return Recorded(read_run(path), read_evidence(path), read_results(path), read_telemetry(path))


def read_run(path: Path, *members: Member) -> Run:
    """The run in a file, if the members ``beside`` it can be read as well."""
    return _documents(path, Run, read_members(path, "run", *members)["run"])[0]


def read_evidence(path: Path) -> tuple[Evidence, ...]:
    """The evidence of the run in a file."""
    return tuple(_documents(path, Evidence, read_members(path, "evidence")["evidence"]))


def read_results(path: Path) -> dict[str, str]:
    """By hash, all texts that a step may have brought: the results, and what else models were sent."""
    texts = map(_result_of, _parts(path, read_members(path, "parts")))
    return {sha256_of(text): text for text in texts if isinstance(text, str)}


def read_journal(path: Path) -> list[Effect]:
    """The journal of a run that has ended, or of one under way; empty if there is none."""
    if not path.exists():
        under_way = journal_path(path)
        return read_effects(under_way) if under_way.exists() else []
    members = read_members(path, "parts", "journal")
    parts = _parts(path, members)
    try:
        return [effect_of(parse_json(line), parts) for line in members["journal"]]
    except ValueError as problem:
        raise damaged(path) from problem


def read_telemetry(path: Path) -> dict[str, Any]:
    """What may differ between two runs that are otherwise the same; empty if it can't be read."""
    try:
        (telemetry,) = map(parse_json, read_members(path, "telemetry")["telemetry"])
    except (UserError, ValueError):  # it costs its own figures alone
        return {}
    return telemetry if isinstance(telemetry, dict) else {}


def read_members(path: Path, *names: Member) -> dict[Member, list[str]]:
    """The lines of these members of a run's file.

    Raises UserError if the file is missing, damaged, or of another format.
    """
    try:
        _, places = read_index(path)
        wanted = [place for name, place in zip(MEMBERS, places, strict=True) if name in names]
        members = [data.decode().split("\n")[:-1] for data in read_parts(path, wanted)]
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except OSError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except ValueError as problem:  # another number of members, or no UTF-8
        raise damaged(path) from problem
    return dict(zip((name for name in MEMBERS if name in names), members, strict=True))


def journal_size(path: Path) -> int:
    """The bytes on disk of a run's journal, under way or not; 0 if there is none, or none that can be read."""
    try:
        _, places = read_index(path)
        sizes = {name: size for name, (_, size) in zip(MEMBERS, places, strict=True)}
    except FileNotFoundError:
        under_way = journal_path(path)
        return under_way.stat().st_size if under_way.exists() else 0
    except (UserError, ValueError):
        return 0
    return sizes["parts"] + sizes["journal"] if sizes["journal"] > len(pack(b"")) else 0


def _documents(path: Path, record: type[T], lines: Iterable[str]) -> list[T]:
    try:
        documents = [record.model_validate(parse_json(line)) for line in lines]
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: {fault_of(problem)}.") from problem
    except ValueError as problem:
        raise damaged(path) from problem
    if not documents and record is Run:
        raise damaged(path)
    return documents


def _parts(path: Path, members: Mapping[Member, Sequence[str]]) -> list[Any]:
    try:
        return [parse_json(line) for line in members["parts"]]
    except ValueError as problem:
        raise damaged(path) from problem


def _result_of(part: Any) -> Any:
    """What a step's result may be: a text, or the content of a message."""
    return part.get("content") if isinstance(part, dict) else part

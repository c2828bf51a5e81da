"""One run in one file: gzip members of JSON lines, which ``zcat`` shows, written by one rename when the run ends.

The first member is an index: the sizes of the others, which follow in this order, so that a run is read without its
journal.

run         the ``Run``
evidence    an ``Evidence`` a line
journal     as it was while the run was under way; empty in imported runs
results     what steps brought and no message of the journal holds, a text a line
telemetry   what may differ between two runs that are otherwise the same: times, the host, the world's place
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from drretail.archive import archive, damaged, read_index, read_parts
from drretail.errors import UserError, file_error
from drretail.files import pack, write_atomically
from drretail.journal import Effect, read_effects
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, Document, canonical_json, fault_of, sha256_of
from drretail.records.evidence import Evidence, FetchedPage
from drretail.records.run import Run

Member = Literal["run", "evidence", "journal", "results", "telemetry"]
MEMBERS: tuple[Member, ...] = ("run", "evidence", "journal", "results", "telemetry")
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
    journal: Sequence[str] = ()
    """Its lines."""
    pages: Mapping[str, FetchedPage] = field(default_factory=dict[str, FetchedPage])
    """By address, the pages that the report cites and no result brought; the experiment keeps them."""


def journal_path(path: Path) -> Path:
    """The journal of a run under way, beside what will be its file."""
    return path.with_name(f"{path.name.removesuffix(RUN_FILE)}{JOURNAL}")


def write_run_file(path: Path, recorded: Recorded) -> None:
    """Writes a run's file."""
    sent = {line.partition(',"role":')[0] for line in recorded.journal}  # names are sorted: "content" is first
    results = [canonical_json(text) for text in recorded.texts.values()]
    contents: dict[Member, Iterable[str]] = {
        "run": [recorded.run.as_line()],
        "evidence": (entry.model_dump_json(exclude_none=True) for entry in recorded.evidence),
        "journal": recorded.journal,
        "results": (text for text in results if f'{{"format":{FORMAT},"part":{{"content":{text}' not in sent),
        "telemetry": [canonical_json({"format": FORMAT, **recorded.telemetry})],
    }
    members = ("".join(f"{line}\n" for line in contents[name]).encode() for name in MEMBERS)
    write_atomically(path, archive(members))


def read_recorded(path: Path) -> Recorded:
    """All of a file but the journal. Raises UserError if it can't be read."""
    return Recorded(read_run(path), read_evidence(path), read_results(path), read_telemetry(path))


def read_run(path: Path, *beside: Member) -> Run:
    """The run in a file, if the members ``beside`` it can be read as well."""
    return _documents(path, Run, _rows(path, "run", *beside))[0]


def read_evidence(path: Path) -> tuple[Evidence, ...]:
    """The evidence of the run in a file."""
    return tuple(_documents(path, Evidence, _rows(path, "evidence")))


def read_results(path: Path) -> dict[str, str]:
    """By hash, all texts that a step may have brought: the results, and what else models were sent."""
    parts = (row.get("part") for row in _rows(path, "journal") if isinstance(row, dict))
    texts = (*_rows(path, "results"), *_contents(parts))
    return {sha256_of(text): text for text in texts if isinstance(text, str)}


def read_journal(path: Path) -> list[Effect]:
    """The journal of a run that has ended, or of one under way; empty if there is none."""
    if path.exists():
        return read_effects(path, read_members(path, "journal")["journal"])
    under_way = journal_path(path)
    return read_effects(under_way) if under_way.exists() else []


def read_telemetry(path: Path) -> dict[str, Any]:
    """What may differ between two runs that are otherwise the same; empty if it can't be read."""
    try:
        (telemetry,) = _rows(path, "telemetry")
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
    return sizes["journal"] if sizes["journal"] > len(pack(b"")) else 0


def _rows(path: Path, name: Member, *beside: Member) -> list[Any]:
    """The values in a member, if the members ``beside`` it can be read as well."""
    try:
        return [*map(parse_json, read_members(path, name, *beside)[name])]
    except ValueError as problem:
        raise damaged(path) from problem


def _documents(path: Path, record: type[T], rows: Iterable[Any]) -> list[T]:
    try:
        documents = [record.model_validate(row) for row in rows]
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: {fault_of(problem)}.") from problem
    if not documents and record is Run:
        raise damaged(path)
    return documents


def _contents(parts: Iterable[Any]) -> set[str]:
    """The contents of messages among these parts, as far as they are texts."""
    contents = (part.get("content") for part in parts if isinstance(part, dict))
    return {content for content in contents if isinstance(content, str)}

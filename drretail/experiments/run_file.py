"""One run in one file: gzip members of JSON lines, which ``zcat`` shows, written by one rename when the run ends.

The first member is an index: the sizes of the others, which follow in this order, so that a run is read without its
journal.

run         the ``Run``
evidence    an ``Evidence`` a line, in which a number is the text that this line of the journal holds, counted from 0
journal     as it was while the run was under way; empty in imported runs
results     what steps brought and no line of the journal holds, a text a line
telemetry   what may differ between two runs that are otherwise the same: times, the host, the world's place
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from drretail.errors import UserError, file_error
from drretail.experiments.journal import Effect, read_effects
from drretail.experiments.packs import archive, damaged, read_index, read_parts
from drretail.files import write_atomically
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
    places = {_text_in(line): number for number, line in enumerate(map(json.loads, recorded.journal))}
    contents: dict[Member, Iterable[str]] = {
        "run": [recorded.run.as_line()],
        "evidence": (_line_of(entry, places) for entry in recorded.evidence),
        "journal": recorded.journal,
        "results": (canonical_json(text) for text in recorded.texts.values() if text not in places),
        "telemetry": [canonical_json({"format": FORMAT, **recorded.telemetry})],
    }
    members = ("".join(f"{line}\n" for line in contents[name]).encode() for name in MEMBERS)
    write_atomically(path, archive(members))


def read_recorded(path: Path) -> Recorded:
    """All of a file but the journal. Raises UserError if it can't be read."""
    return Recorded(read_run(path), read_evidence(path), read_results(path), read_telemetry(path))


def read_run(path: Path, *beside: Member) -> Run:
    """The run in a file, if the members ``beside`` it can be read as well."""
    rows = _rows(path, "run", *beside)
    return _document(path, Run, rows[0] if rows else None)


def read_evidence(path: Path) -> tuple[Evidence, ...]:
    """The evidence of the run in a file."""
    members = read_members(path, "evidence", "journal")
    try:
        rows = [*map(parse_json, members["evidence"])]
        for text in (text for row in rows for text in row.get("texts", ()) if isinstance(text.get("text"), int)):
            text["text"] = _text_in(parse_json(members["journal"][text["text"]]))
    except (AttributeError, IndexError, TypeError, ValueError) as problem:
        raise damaged(path) from problem
    return tuple(_document(path, Evidence, row) for row in rows)


def read_results(path: Path) -> dict[str, str]:
    """By hash, all texts that a step may have brought: the results, and what else models were sent and answered."""
    texts = (*_rows(path, "results"), *map(_text_in, _rows(path, "journal")))
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
    except OSError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except ValueError as problem:  # another number of members, or no UTF-8
        raise damaged(path) from problem
    return dict(zip((name for name in MEMBERS if name in names), members, strict=True))


def _rows(path: Path, name: Member, *beside: Member) -> list[Any]:
    """The values in a member, if the members ``beside`` it can be read as well."""
    try:
        return [*map(parse_json, read_members(path, name, *beside)[name])]
    except ValueError as problem:
        raise damaged(path) from problem


def _document(path: Path, record: type[T], row: Any) -> T:
    try:
        return record.model_validate(row)
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: {fault_of(problem)}.") from problem


def _line_of(entry: Evidence, places: Mapping[str | None, int]) -> str:
    """The line of an entry; ``places`` are the numbers of the journal's lines, by the text in each."""
    if places.keys().isdisjoint(text.text for text in entry.texts):
        return entry.model_dump_json(exclude_none=True)
    fields = entry.model_dump(mode="json", exclude_none=True)
    for text in fields["texts"]:
        text["text"] = places.get(text["text"], text["text"])
    return canonical_json(fields)


def _text_in(line: Any) -> str | None:
    """The text of a journal's line: of a message, of a model's answer, or of a page that was fetched."""
    match line:
        case {"part": {"content": str(text)}} | {"response": {"content": str(text)} | {"page": {"text": str(text)}}}:
            return text
        case _:
            return None

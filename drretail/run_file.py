"""One run in one file: gzip members of JSON lines, which ``zcat`` shows, written by one rename when the run ends.

The first member is an index: the sizes of the others, which follow in this order, so that a run is read without its
journal.

run         the ``Run``
evidence    an ``Evidence`` a line
texts       the texts of the steps' results, and those that the journal holds more than once, one a line
journal     an ``Effect`` a line, in which ``{"$text": 3}`` stands for the fourth of the texts; none in imported runs
telemetry   what may differ between two runs that are otherwise the same: times, the host, the world's place

A request to a model holds the whole conversation so far: without these references a journal takes twice the room.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from drretail.errors import UserError, file_error
from drretail.files import MOST_UNPACKED, check_format, pack, replace_file
from drretail.journal import Effect, read_effects
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, Document, canonical_json, fault_of, sha256_of
from drretail.records.evidence import Evidence
from drretail.records.run import Run

Member = Literal["run", "evidence", "texts", "journal", "telemetry"]
MEMBERS: tuple[Member, ...] = ("run", "evidence", "texts", "journal", "telemetry")
RUN_FILE, JOURNAL = ".jsonl.gz", ".journal.jsonl"
"""How the file of a run ends, and that of its journal while it is under way."""
T = TypeVar("T", bound=Document)
_TEXT, _WHOLE = "$text", "$whole"
_LONG = 120
"""Characters from which a text is referred to."""
_HEAD = 4096
"""Bytes that are read for the index, which takes some 130."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with its evidence, its results' texts by hash and its journal, and with telemetry, which is volatile."""

    run: Run
    evidence: tuple[Evidence, ...]
    texts: Mapping[str, str]
    telemetry: Mapping[str, Any]
    effects: Sequence[Effect] = ()


def journal_path(path: Path) -> Path:
    """The journal of a run under way, beside what will be its file."""
    return path.with_name(f"{path.name.removesuffix(RUN_FILE)}{JOURNAL}")


def write_run_file(path: Path, recorded: Recorded) -> None:
    """Writes a run's file."""
    texts = dict.fromkeys(recorded.texts.values())
    journal = [*_referring(recorded.effects, texts)]
    contents: dict[Member, Iterable[str]] = {
        "run": [recorded.run.as_line()],
        "evidence": (entry.as_line() for entry in recorded.evidence),
        "texts": map(canonical_json, texts),
        "journal": journal,
        "telemetry": [canonical_json({"format": FORMAT, **recorded.telemetry})],
    }
    packed = {name: pack("".join(f"{line}\n" for line in lines).encode()) for name, lines in contents.items()}
    index = {"format": FORMAT, "sizes": [len(packed[name]) for name in MEMBERS]}
    replace_file(path, [pack(f"{canonical_json(index)}\n".encode()), *packed.values()])


def read_recorded(path: Path) -> Recorded:
    """All of a file but the journal. Raises UserError if it can't be read."""
    return Recorded(read_run(path), read_evidence(path), read_results(path), read_telemetry(path))


def read_run(path: Path) -> Run:
    """The run in a file."""
    return _documents(path, Run, read_members(path, "run")["run"])[0]


def read_evidence(path: Path) -> tuple[Evidence, ...]:
    """The evidence of the run in a file."""
    return tuple(_documents(path, Evidence, read_members(path, "evidence")["evidence"]))


def read_results(path: Path) -> dict[str, str]:
    """The results of a run's steps by hash."""
    return {sha256_of(text): text for text in _texts(read_members(path, "texts")["texts"])}


def read_journal(path: Path) -> list[Effect]:
    """The journal of a run that has ended, or of one under way; empty if there is none."""
    if not path.exists():
        under_way = journal_path(path)
        return read_effects(under_way) if under_way.exists() else []
    members = read_members(path, "texts", "journal")
    texts = _texts(members["texts"])
    try:
        lines = map(parse_json, members["journal"])
        return [Effect.model_validate(line.get(_WHOLE) or _without_references(line, texts)) for line in lines]
    except (ValueError, IndexError, AttributeError) as problem:
        raise _damaged(path) from problem


def read_telemetry(path: Path) -> dict[str, Any]:
    """What may differ between two runs that are otherwise the same."""
    telemetry = parse_json(read_members(path, "telemetry")["telemetry"][0])
    return telemetry if isinstance(telemetry, dict) else {}


def read_members(path: Path, *names: Member) -> dict[Member, list[str]]:
    """The lines of these members of a run's file.

    Raises UserError if the file is missing, damaged, or of another format.
    """
    members: dict[Member, list[str]] = {}
    try:
        with path.open("rb") as file:
            place, sizes = _index(file.read(_HEAD), path)
            for name, size in zip(MEMBERS, sizes, strict=True):
                if name in names:
                    file.seek(place)
                    members[name] = _unpacked(file.read(size), path).decode().split("\n")[:-1]
                place += size
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except UnicodeDecodeError as problem:
        raise _damaged(path) from problem
    except OSError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    return members


def _index(head: bytes, path: Path) -> tuple[int, list[int]]:
    """Where the first member begins, and the size of each."""
    unpacking = zlib.decompressobj(wbits=31)
    try:
        index = parse_json(unpacking.decompress(head, _HEAD))
    except (zlib.error, ValueError) as problem:
        raise _damaged(path) from problem
    if not isinstance(index, dict):
        raise _damaged(path)
    check_format(index, path)
    sizes = index.get("sizes")
    if not isinstance(sizes, list) or len(sizes) != len(MEMBERS) or not all(type(size) is int for size in sizes):
        raise _damaged(path)
    return len(head) - len(unpacking.unused_data), sizes


def _unpacked(data: bytes, path: Path) -> bytes:
    unpacking = zlib.decompressobj(wbits=31)
    try:
        text = unpacking.decompress(data, MOST_UNPACKED)
    except zlib.error as problem:
        raise _damaged(path) from problem
    if not unpacking.eof or unpacking.unused_data:
        raise _damaged(path)
    return text


def _documents(path: Path, record: type[T], lines: Iterable[str]) -> list[T]:
    try:
        documents = [record.model_validate(parse_json(line)) for line in lines]
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: {fault_of(problem)}.") from problem
    except ValueError as problem:
        raise _damaged(path) from problem
    if not documents and record is Run:
        raise _damaged(path)
    return documents


def _damaged(path: Path) -> UserError:
    return UserError(f"{path} is damaged: restore it, or delete it, and drretail run makes the run again.")


def _texts(lines: Iterable[str]) -> list[str]:
    return [str(parse_json(line)) for line in lines]


def _referring(effects: Sequence[Effect], texts: dict[str, None]) -> Iterator[str]:
    """The effects as lines that refer to texts, to which those are added that the effects hold more than once."""
    lines = [effect.model_dump(mode="json", exclude_none=True) for effect in effects]
    counts = Counter(text for line in lines for text in _long_texts(line))
    texts.update(dict.fromkeys(text for text, count in counts.items() if count > 1))
    places = {text: place for place, text in enumerate(texts) if len(text) >= _LONG}
    for line in lines:
        # What a model or a tool says could look like a reference.
        looks_like_one = f'"{_TEXT}"' in canonical_json(line)
        yield canonical_json({_WHOLE: line} if looks_like_one else _with_references(line, places))


def _long_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= _LONG:
            yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _long_texts(item)


def _with_references(value: Any, places: Mapping[str, int]) -> Any:
    if isinstance(value, str):
        place = places.get(value) if len(value) >= _LONG else None
        return value if place is None else {_TEXT: place}
    if isinstance(value, dict):
        return {name: _with_references(item, places) for name, item in value.items()}
    return [_with_references(item, places) for item in value] if isinstance(value, list) else value


def _without_references(value: Any, texts: Sequence[str]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_TEXT} and isinstance(value[_TEXT], int):
            return texts[value[_TEXT]]
        return {name: _without_references(item, texts) for name, item in value.items()}
    return [_without_references(item, texts) for item in value] if isinstance(value, list) else value

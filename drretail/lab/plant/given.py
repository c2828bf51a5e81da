"""Copies with one error each that somebody else made: numbered folders with query.json, report.md and planted.json."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from drretail.errors import UserError
from drretail.eval.judging.subject import Subject
from drretail.lab.plant.good_report import Planted
from drretail.records.base import Record


class GivenError(Record):
    """An entry of planted.json: the copy's file, and what was changed in the report."""

    file: str
    kind: str
    original: str
    changed: str
    product_id: str | None = None
    note: str = ""


_LIST = TypeAdapter(list[GivenError])


@dataclass(frozen=True, slots=True)
class Given:
    source: Subject
    kind: str
    made: Planted


def given_copies(folder: Path, reports: Sequence[Subject]) -> list[Given]:
    """The copies of those of these reports that the folder holds, in its order; UserError where there is none."""
    by_text = {(it.query.text, it.report): it for it in reversed(reports)}
    found = [it for home in sorted(folder.glob("*/")) for it in _of_folder(home, by_text)]
    if not found:
        raise UserError(
            f"{folder} holds no copies of this experiment's reports: it needs folders with query.json, report.md as a "
            "run has it, and planted.json."
        )
    return found


def _of_folder(home: Path, by_text: dict[tuple[str, str | None], Subject]) -> Iterator[Given]:
    if not all((home / name).is_file() for name in ("query.json", "report.md", "planted.json")):
        return
    report = (home / "report.md").read_text("utf-8")
    try:
        text = str(json.loads((home / "query.json").read_text("utf-8")).get("text"))
        entries = _LIST.validate_json((home / "planted.json").read_bytes())
    except (ValueError, AttributeError, ValidationError) as problem:
        raise UserError(
            f"{home} holds query.json or planted.json that are not as errors are given: a query with its text, and a "
            "list of file, kind, original and changed."
        ) from problem
    source = by_text.get((text, report))
    if source is None:
        return
    for entry in entries:
        if not (home / entry.file).is_file():
            raise UserError(f"{home}/planted.json names {entry.file}, which is not there.")
        copy = (home / entry.file).read_text("utf-8")
        start, end, was_end = _changed(report, copy)
        if start < end or start < was_end:
            yield Given(source, entry.kind, Planted(copy, start, end, report[start:was_end], entry.note))


def _changed(report: str, copy: str) -> tuple[int, int, int]:
    """Where two texts differ: the begin, and the end in the copy and in the report, of whole words."""
    start = 0
    while start < min(len(report), len(copy)) and report[start] == copy[start]:
        start += 1
    same = 0
    while same < min(len(report), len(copy)) - start and report[-1 - same] == copy[-1 - same]:
        same += 1
    while start and not copy[start - 1].isspace():
        start -= 1
    while same and not copy[len(copy) - same].isspace():
        same -= 1
    return start, len(copy) - same, len(report) - same

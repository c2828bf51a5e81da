"""An experiment of copies with one error each, beside the good reports from which they were made."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from pydantic import TypeAdapter, ValidationError

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.subject import Subject
from drretail.files import write_json
from drretail.lab.derived_experiment import MadeRun, good_reports, made_label, write_experiment
from drretail.lab.plant import wrong_picks as picks
from drretail.lab.plant import wrong_statements as statements
from drretail.lab.plant.good_report import Material, Planted
from drretail.lab.trial_findings import PlantedError, PlantedErrors
from drretail.progress import Bar
from drretail.records.base import Record
from drretail.records.run import MADE_BY_LAB

KINDS: Mapping[str, Callable[[Material], Iterator[Planted]]] = {
    "wrong price": partial(statements.scaled, kind="price", factors=statements.FACTORS),
    "price of another product": statements.price_of_another_product,
    "wrong rating": statements.wrong_rating,
    "wrong rating count": partial(statements.scaled, kind="rating_count", factors=statements.OF_COUNTS),
    "wrong total": partial(statements.wrong_total, of_product=False),
    "wrong quantity total": partial(statements.wrong_total, of_product=True),
    "wrong left-over": partial(statements.scaled, kind="left_over", factors=statements.FACTORS),
    "wrong per-unit price": partial(statements.scaled, kind="per_unit", factors=statements.FACTORS),
    "over budget silently": picks.over_budget_silently,
    "product not in the catalog": statements.not_in_the_catalog,
    "citation moved to another product": statements.citation_moved,
    "unseen id": statements.unseen_id,
    "invented feature": statements.invented_feature,
    "wrong brand": statements.wrong_brand,
    "owned product recommended as new": picks.owned_recommended,
    "unwanted brand": picks.unwanted_brand,
    "fewer stars or ratings than asked for": picks.below_rating,
    "product that nobody wanted": picks.not_wanted,
    "want left out": picks.want_left_out,
    "more pieces than wanted": picks.wrong_quantity,
    "wrong order date": statements.wrong_order_date,
    "wrong city/state of the user": statements.wrong_place,
    "contradicted web advice": statements.contradicted_advice,
    "old page as news": statements.old_page_as_news,
    "instruction of a page followed": statements.instruction_followed,
}
"""Each function yields a copy of a report for every place that could have the error."""


def plant_error(material: Material, kind: str) -> Planted | None:
    """A copy with an error of that kind at a random place; None if the report has no place for it."""
    found = list(KINDS[kind](material))
    return material.chance.choice(found) if found else None


@dataclass(frozen=True, slots=True)
class _Copy:
    source: Subject
    kind: str
    made: Planted


class GivenError(Record):
    """An entry of planted.json: the copy's file and the change in the report."""

    file: str
    kind: str
    original: str
    changed: str
    product_id: str | None = None
    note: str = ""


_LIST = TypeAdapter(list[GivenError])


def read_copies(folder: Path, reports: Sequence[Subject]) -> list[_Copy]:
    """The folder's copies of these reports, in its order. Raises UserError if it has none."""
    by_text = {(subject.query.text, subject.report): subject for subject in reversed(reports)}
    found: list[_Copy] = []
    for home in sorted(folder.glob("*/")):
        if not all((home / name).is_file() for name in ("query.json", "report.md", "planted.json")):
            continue
        report = (home / "report.md").read_text("utf-8")
        try:
            text = str(json.loads((home / "query.json").read_text("utf-8")).get("text"))
            entries = _LIST.validate_json((home / "planted.json").read_bytes())
        except (ValueError, AttributeError, ValidationError) as problem:
            raise UserError(
                f"{home} holds query.json or planted.json that are not as errors are given: a query with its text, and "
                "a list of file, kind, original and changed."
            ) from problem
        source = by_text.get((text, report))
        for entry in entries if source is not None else ():
            if not (home / entry.file).is_file():
                raise UserError(f"{home}/planted.json names {entry.file}, which is not there.")
            copy = (home / entry.file).read_text("utf-8")
            start, end, was_end = _changed(report, copy)
            if source is not None and (start < end or start < was_end):
                found.append(_Copy(source, entry.kind, Planted(copy, start, end, report[start:was_end], entry.note)))
    if not found:
        raise UserError(
            f"{folder} holds no copies of this experiment's reports: it needs folders with query.json, report.md as a "
            "run has it, and planted.json."
        )
    return found


def _changed(report: str, copy: str) -> tuple[int, int, int]:
    """Where two texts differ, in whole words: the start, the end in the copy, and the end in the report."""
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


PER_KIND = 10
"""Copies of each kind: 25 kinds make at most 250 reports to judge."""


def planted_folder(experiment: Path) -> Path:
    return experiment / "lab" / "planted"


def make_copies(
    experiment: Path,
    store: Store | None,
    *,
    seed: str,
    per_kind: int = PER_KIND,
    of: str | None = None,
    given: Path | None = None,
    bar: Bar | None = None,
) -> PlantedErrors:
    """Makes EXP/lab/planted: good reports, and for each kind of error up to ``per_kind`` copies with it.

    ``of`` is the system whose reports are copied (by default all research systems), ``given`` a folder of copies made
    elsewhere, and ``bar`` counts reports. The same experiment and seed give the same copies. Raises as ``good_reports``
    does, and UserError if no report has a place for an error.
    """
    reports = good_reports(experiment, store, of)
    if given is None:
        copies, without = _own_copies(reports, seed, per_kind, bar)
    else:
        copies = read_copies(given, reports)
        reports, without = list({copy.source.run_id: copy.source for copy in copies}.values()), {}
    if not copies:
        raise UserError(f"No report of {experiment} has a place for an error: they cite nothing that is on record.")
    folder = planted_folder(experiment)
    made = list(_runs(copies))
    used = {copy.source.run_id: copy.source for copy in copies}
    write_experiment(experiment, folder, list(used.values()), made)
    errors = PlantedErrors(
        seed=seed,
        errors=tuple(
            PlantedError(
                run_id=run.run_id,
                of=copy.source.run_id,
                kind=copy.kind,
                start=copy.made.start,
                end=copy.made.end,
                text=copy.made.error,
                original=copy.made.original,
                note=copy.made.note,
            )
            for copy, run in zip(copies, made, strict=True)
        ),
        without_place=dict(without),
        n_reports=len(reports),
    )
    write_json(folder / "planted.json", errors.model_dump(mode="json", exclude_none=True))
    return errors


def _own_copies(
    reports: Sequence[Subject], seed: str, per_kind: int, bar: Bar | None
) -> tuple[list[_Copy], Mapping[str, int]]:
    by_kind: dict[str, list[_Copy]] = {kind: [] for kind in KINDS}
    without: Counter[str] = Counter()
    for subject in reports:
        material = Material.of(subject, Random())
        for kind in KINDS:
            material.chance.seed(f"{seed}|{subject.run_id}|{kind}")
            made = plant_error(material, kind)
            if made is None:
                without[kind] += 1
            else:
                by_kind[kind].append(_Copy(subject, kind, made))
        if bar is not None:
            bar.advance()
    chosen = [
        copy
        for kind, copies in by_kind.items()
        for copy in Random(f"{seed}|{kind}").sample(copies, min(per_kind, len(copies)))
    ]
    return sorted(chosen, key=lambda copy: (copy.source.run_id, [*KINDS].index(copy.kind))), without


def _runs(copies: Iterable[_Copy]) -> Iterable[MadeRun]:
    """The copies as repeats of one system beside the report's own; the first copy on a query is repeat 1."""
    counted: Counter[str] = Counter()
    for copy in copies:
        counted[copy.source.run_id] += 1
        system, run = copy.source.system, copy.source.run
        declared = None if run is None else run.picks
        yield MadeRun(
            source=copy.source,
            label=made_label(copy.source.label, "planted"),
            system=system.model_copy(update={"options": {**system.options, MADE_BY_LAB: True}}),
            repeat=counted[copy.source.run_id],
            report=copy.made.report,
            picks=declared if copy.made.picks is None else copy.made.picks,
        )

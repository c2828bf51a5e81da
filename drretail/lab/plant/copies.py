"""An experiment of copies with one error each, beside the good reports that they were made from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.subject import Subject
from drretail.files import write_json
from drretail.lab.made_experiment import MADE, MadeRun, good_reports, made_label, write_experiment
from drretail.lab.plant.given import given_copies
from drretail.lab.plant.good_report import Material, Planted
from drretail.lab.plant.kinds import KINDS, planted
from drretail.lab.trial_findings import PlantedError, PlantedErrors
from drretail.progress import Bar
from drretail.records.reading import Pick

PER_KIND = 10
"""Copies of each kind: 25 kinds make at most 250 reports to judge."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """One report with one error."""

    source: Subject
    kind: str
    made: Planted


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
    """Makes EXP/lab/planted: good reports, and for each kind of error up to ``per_kind`` copies that have it.

    ``of`` is the system whose reports are copied, all that research without one; ``given`` a folder of copies that
    somebody else made; ``bar`` counts reports. The same experiment and seed make the same copies. Raises as
    ``good_reports`` does, and UserError where no report has a place for an error.
    """
    reports = good_reports(experiment, store, of)
    if given is None:
        copies, without = _own_copies(reports, seed, per_kind, bar)
    else:
        copies = [_Copy(it.source, it.kind, it.made) for it in given_copies(given, reports)]
        reports, without = list({it.source.run_id: it.source for it in copies}.values()), {}
    if not copies:
        raise UserError(f"No report of {experiment} has a place for an error: they cite nothing that is on record.")
    folder = planted_folder(experiment)
    made = list(_runs(copies))
    used = {it.source.run_id: it.source for it in copies}
    write_experiment(experiment, folder, list(used.values()), made)
    errors = PlantedErrors(
        seed=seed,
        errors=tuple(_error(copy, run) for copy, run in zip(copies, made, strict=True)),
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
            made = planted(material, kind)
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
    return sorted(chosen, key=lambda it: (it.source.run_id, [*KINDS].index(it.kind))), without


def _runs(copies: Iterable[_Copy]) -> Iterable[MadeRun]:
    """The copies as repeats of one system beside the report's own: its first copy on a query is the first repeat."""
    counted: Counter[str] = Counter()
    for copy in copies:
        counted[copy.source.run_id] += 1
        system = copy.source.system
        yield MadeRun(
            source=copy.source,
            label=made_label(copy.source.label, "planted"),
            system=system.model_copy(update={"options": {**system.options, MADE: True}}),
            repeat=counted[copy.source.run_id],
            report=copy.made.report,
            picks=_picks(copy),
        )


def _picks(copy: _Copy) -> tuple[Pick, ...] | None:
    declared = None if copy.source.run is None else copy.source.run.picks
    return declared if copy.made.picks is None else copy.made.picks


def _error(copy: _Copy, run: MadeRun) -> PlantedError:
    made = copy.made
    return PlantedError(
        run_id=run.run_id,
        of=copy.source.run_id,
        kind=copy.kind,
        start=made.start,
        end=made.end,
        said=made.said,
        original=made.original,
        note=made.note,
    )

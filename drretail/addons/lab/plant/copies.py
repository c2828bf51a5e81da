"""An experiment of copies with one error each, beside the good reports from which they were made."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from drretail.addons.lab.derived_experiment import MadeRun, good_reports, made_label, write_experiment
from drretail.addons.lab.plant import wrong_picks as picks
from drretail.addons.lab.plant import wrong_statements as statements
from drretail.addons.lab.plant.good_report import Material, Planted
from drretail.addons.lab.trial_findings import PlantedError, PlantedErrors
from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.subject import Subject
from drretail.files import write_json
from drretail.progress import Bar
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
    places = list(KINDS[kind](material))
    return material.chance.choice(places) if places else None


@dataclass(frozen=True, slots=True)
class _Copy:
    source: Subject
    kind: str
    made: Planted


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
    bar: Bar | None = None,
) -> PlantedErrors:
    """Makes EXP/lab/planted: good reports, and for each kind of error up to ``per_kind`` copies with it.

    ``of`` is the system whose reports are copied (by default all research systems), and ``bar`` counts reports. The
    same experiment and seed give the same copies. Raises as ``good_reports`` does, and UserError if no report has a
    place for an error.
    """
    reports = good_reports(experiment, store, of)
    copies, without = _own_copies(reports, seed, per_kind, bar)
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

"""Known errors, one in each copy of a good report, and who finds them: the errors that checks and judges found, each
at its place, and what they fault in the originals.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Literal

from drretail.addons.lab import planted_errors
from drretail.addons.lab.derived_experiment import (
    MadeRun,
    Material,
    Planted,
    good_reports,
    made_label,
    write_experiment,
)
from drretail.addons.lab.findings import (
    ALARMS,
    EVERY_KIND,
    FOUND,
    PLANTED,
    Figure,
    PlantedError,
    PlantedErrors,
    PlantedFound,
)
from drretail.addons.lab.opinions import judge_name
from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.claims.claims import REPORT, SUPPORT, Claim, stages_of
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.files import write_json
from drretail.progress import Bar
from drretail.records.evidence import Finding
from drretail.records.run import MADE_BY_LAB
from drretail.records.score import Verdict
from drretail.stats.intervals import numbered, share_interval
from drretail.viewer.judged import read_judgements

KINDS: Mapping[str, Callable[[Material], Iterator[Planted]]] = {
    "wrong price": partial(planted_errors.scaled, kind="price", factors=planted_errors.FACTORS),
    "price of another product": planted_errors.price_of_another_product,
    "wrong rating": planted_errors.wrong_rating,
    "wrong rating count": partial(planted_errors.scaled, kind="rating_count", factors=planted_errors.OF_COUNTS),
    "wrong total": partial(planted_errors.wrong_total, of_product=False),
    "wrong quantity total": partial(planted_errors.wrong_total, of_product=True),
    "wrong left-over": partial(planted_errors.scaled, kind="left_over", factors=planted_errors.FACTORS),
    "wrong per-unit price": partial(planted_errors.scaled, kind="per_unit", factors=planted_errors.FACTORS),
    "over budget silently": planted_errors.over_budget_silently,
    "product not in the catalog": planted_errors.not_in_the_catalog,
    "citation moved to another product": planted_errors.citation_moved,
    "unseen id": planted_errors.unseen_id,
    "invented feature": planted_errors.invented_feature,
    "wrong brand": planted_errors.wrong_brand,
    "owned product recommended as new": planted_errors.owned_recommended,
    "unwanted brand": planted_errors.unwanted_brand,
    "fewer stars or ratings than asked for": planted_errors.below_rating,
    "product that nobody wanted": planted_errors.not_wanted,
    "want left out": planted_errors.want_left_out,
    "more pieces than wanted": planted_errors.wrong_quantity,
    "wrong order date": planted_errors.wrong_order_date,
    "wrong city/state of the user": planted_errors.wrong_place,
    "contradicted web advice": planted_errors.contradicted_advice,
    "old page as news": planted_errors.old_page_as_news,
}
"""Each function yields a copy of a report for every place that could have the error."""


def plant_error(material: Material, kind: str) -> Planted | None:
    """A copy with an error of that kind at a random place; None if the report has no place for it."""
    places = list(KINDS[kind](material))
    return material.chance.choice(places) if places else None


Copy = tuple[Subject, str, Planted]
"""A report, the kind of its error, and the copy with that error."""


def planted_folder(experiment: Path) -> Path:
    return experiment / "lab" / "planted"


def make_copies(
    experiment: Path,
    store: Store | None,
    *,
    seed: str,
    per_kind: int = 10,
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
    made: list[MadeRun] = []
    planted: list[PlantedError] = []
    repeats: Counter[str] = Counter()
    for source, kind, change in copies:
        # The copies are repeats of one system beside the report's own; the first copy on a query is repeat 1.
        repeats[source.run_id] += 1
        declared = None if source.run is None else source.run.picks
        run = MadeRun(
            source=source,
            label=made_label(source.label, "planted"),
            system=source.system.model_copy(update={"options": {**source.system.options, MADE_BY_LAB: True}}),
            repeat=repeats[source.run_id],
            report=change.report,
            picks=declared if change.picks is None else change.picks,
        )
        made.append(run)
        error = PlantedError(
            run_id=run.run_id,
            of=source.run_id,
            kind=kind,
            start=change.start,
            end=change.end,
            text=change.error,
            original=change.original,
            note=change.note,
        )
        planted.append(error)
    write_experiment(experiment, folder, [*{source.run_id: source for source, *_ in copies}.values()], made)
    errors = PlantedErrors(seed=seed, errors=tuple(planted), without_place=dict(without), n_reports=len(reports))
    write_json(folder / "planted.json", errors.model_dump(mode="json", exclude_none=True))
    return errors


def _own_copies(
    reports: Sequence[Subject], seed: str, per_kind: int, bar: Bar | None
) -> tuple[list[Copy], Mapping[str, int]]:
    by_kind: dict[str, list[Copy]] = {kind: [] for kind in KINDS}
    without: Counter[str] = Counter()
    for subject in reports:
        material = Material.of(subject, Random())
        for kind in KINDS:
            material.chance.seed(f"{seed}|{subject.run_id}|{kind}")
            made = plant_error(material, kind)
            if made is None:
                without[kind] += 1
            else:
                by_kind[kind].append((subject, kind, made))
        if bar is not None:
            bar.advance()
    chosen = [
        copy
        for kind, copies in by_kind.items()
        for copy in Random(f"{seed}|{kind}").sample(copies, min(per_kind, len(copies)))
    ]
    return sorted(chosen, key=lambda copy: (copy[0].run_id, [*KINDS].index(copy[1]))), without


CHECKS, FAITHFULNESS = "checks", "faithfulness"
CHECK = "check"
"""The stage of the verdicts of single checks."""
Ruling = Literal["found", "passed", "unjudged", "failed", "unasked"]
"""A finder's result on one copy: "unjudged" if its place holds no claim to judge, "failed" if no answer was usable."""
_MARKUP = "[]() *"


@dataclass(frozen=True, slots=True)
class _Faulted:
    """A place that a finder faulted or passed; without offsets if the finding has no single place."""

    start: int | None
    end: int | None
    is_wrong: bool
    words: str
    """The text that it is about: the claim and its sources, or the finding."""
    failed: bool = False
    """True if the judge gave no usable answer on this claim or, without offsets, on the whole report."""


_Statements = dict[str, dict[str, list[_Faulted]]]
"""All finders' results on all runs, by finder and run id."""


def recall_of(folder: Path, errors: PlantedErrors, judges: Iterable[str] = ()) -> PlantedFound:
    """How many errors each finder found, by kind, from existing verdicts alone.

    ``judges`` are the judges that were to be asked; those without a verdict are included. Checks find an error if one
    of their errors overlaps its place, or has no place and is not reported for the original. A judge of faithfulness
    finds it if it rules that a claim of the sentence is not fully supported.
    """
    statements = _read_statements(folder)
    for judge in judges:
        statements.setdefault(judge, {})
    by_kind: dict[str, list[PlantedError]] = defaultdict(list)
    for error in errors.errors:
        by_kind[error.kind].append(error)
    kinds = [*KINDS, *(kind for kind in by_kind if kind not in KINDS)]
    rows: list[Figure] = []
    for kind in (*kinds, EVERY_KIND):
        its = errors.errors if kind == EVERY_KIND else by_kind.get(kind, [])
        rows.append(Figure(name=PLANTED, of=kind, n=len(its), items={"no place": errors.without_place.get(kind, 0)}))
        rows += [_found(kind, its, finder, by_run) for finder, by_run in statements.items() if its]
    return PlantedFound(rows=(*rows, *_alarms({error.of for error in errors.errors}, statements)))


def _found(kind: str, errors: Sequence[PlantedError], finder: str, by_run: Mapping[str, Sequence[_Faulted]]) -> Figure:
    by_code = finder == CHECKS
    rulings: Counter[Ruling] = Counter()
    judged: list[tuple[str, float]] = []
    n_faulted = 0
    for error in errors:
        ruling = _ruling(error, by_code, by_run)
        rulings[ruling] += 1
        if error.original:  # an added sentence has no place in the original
            end = error.start + len(error.original)
            before = _at(by_run.get(error.of, ()), error.start, end, error.original)
            n_faulted += any(place.is_wrong for place in before)
        if ruling in ("found", "passed"):
            judged.append((error.of, float(ruling == "found")))
    interval = share_interval([is_found for _, is_found in judged], numbered(report for report, _ in judged))
    return Figure(
        name=FOUND,
        of=kind,
        by=finder,
        **interval.measured,
        n=len(judged),
        failed=rulings["failed"],
        unasked=rulings["unasked"],
        items={"found": rulings["found"], "unjudged": rulings["unjudged"], "false": n_faulted},
    )


def _ruling(error: PlantedError, by_code: bool, by_run: Mapping[str, Sequence[_Faulted]]) -> Ruling:
    if error.run_id not in by_run:
        return "unasked"
    there = _at(by_run[error.run_id], error.start, error.end, error.text)
    if by_code:
        known = {place.words for place in by_run.get(error.of, ())}
        new = [place for place in by_run[error.run_id] if place.start is None and place.words not in known]
        return "found" if there or new else "passed"
    if any(place.is_wrong for place in there):
        return "found"
    whole_failed = any(place.failed and place.start is None for place in by_run[error.run_id])
    return "failed" if whole_failed or any(place.failed for place in there) else "passed" if there else "unjudged"


def _at(places: Iterable[_Faulted], start: int, end: int, words: str) -> list[_Faulted]:
    """The results at a place; if its sentence has several claims, only those with the changed words, if any."""
    there = [
        place
        for place in places
        if place.start is not None and place.start < end and start < (place.end or place.start)
    ]
    wanted = words.strip(_MARKUP).casefold()
    exact = [place for place in there if wanted and wanted in place.words]
    return exact or there


def _alarms(originals: set[str], statements: _Statements) -> Iterator[Figure]:
    for finder, by_run in statements.items():
        by_report = [by_run[original] for original in sorted(originals) if original in by_run]
        if finder == CHECKS:
            wrong, reports = [float(bool(faulted)) for faulted in by_report], range(len(by_report))
        else:
            claims = [(at, place) for at, faulted in enumerate(by_report) for place in faulted if not place.failed]
            wrong, reports = [float(place.is_wrong) for _, place in claims], [at for at, _ in claims]
        interval = share_interval(wrong, numbered(reports))
        yield Figure(
            name=ALARMS,
            of="good reports",
            by=finder,
            **interval.measured,
            unit="reports" if finder == CHECKS else "claims",
            n=len(wrong),
            items={ALARMS: sum(wrong)},
        )


def _read_statements(folder: Path) -> _Statements:
    """All current verdicts on the folder's runs: checks first, then judges by name."""
    statements: _Statements = defaultdict(dict)
    for subject in read_subjects(folder, None):
        run = subject.run
        if run is None:
            continue
        for metric in (CHECKS, FAITHFULNESS):
            for judged in read_judgements(folder, metric, run).by_judge:
                living = [verdict for verdict in judged.verdicts if verdict.judge_repeat == 1]
                if living and metric == CHECKS:
                    statements[CHECKS][run.run_id] = list(_findings(living))
                elif living:
                    statements[judge_name(judged.judge, judged.rules)][run.run_id] = list(_rulings(living))
    order = sorted(statements, key=lambda finder: (finder != CHECKS, finder))
    return {finder: statements[finder] for finder in order}


def _findings(verdicts: Iterable[Verdict]) -> Iterator[_Faulted]:
    for verdict in verdicts:
        if verdict.stage == CHECK and verdict.state == "scored":
            for finding in map(Finding.model_validate, verdict.value):
                if finding.severity == "error":
                    words = f"{finding.code} {finding.text} {finding.evidence_id}"
                    yield _Faulted(finding.start, finding.end, is_wrong=True, words=words.casefold())


def _rulings(verdicts: Sequence[Verdict]) -> Iterator[_Faulted]:
    ruled = {
        verdict.item: verdict
        for verdict in verdicts
        if verdict.stage == SUPPORT and verdict.state in ("scored", "failed")
    }
    stage = stages_of(verdicts[0].rules)[0]
    for extraction in (verdict for verdict in verdicts if (verdict.stage, verdict.item) == (stage, REPORT)):
        if extraction.state == "failed":
            yield _Faulted(None, None, is_wrong=False, words="", failed=True)
        for claim in map(Claim.model_validate, extraction.value if extraction.state == "scored" else ()):
            if (ruling := ruled.get(claim.claim_id)) is not None:
                words = " ".join([claim.claim, *claim.sources]).casefold()
                failed = ruling.state == "failed"
                yield _Faulted(claim.start, claim.end, not failed and ruling.value < 1, words, failed)

"""Verdicts on low ratings as values: whether a report fails in a mode, and how many of its ratings are low."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from drretail.errors import UnknownName, UserError
from drretail.eval.families.failure_modes.judge import (
    FAMILY,
    LISTED,
    MEANINGS,
    MODES,
    RATED,
    SORTED,
    VERSION,
    item_of,
    judge,
    prompt,
)
from drretail.eval.family import Family, of_verdicts
from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.subject import planned_runs
from drretail.eval.judging.verdicts import VerdictFile, judges_in, verdict_path
from drretail.eval.registry import load_metric
from drretail.eval.scores.panel import name_of
from drretail.eval.values import Value, lacking
from drretail.experiment import read_definition, read_run, run_folder
from drretail.files import write_atomically
from drretail.records.score import MetricDescription, Verdict
from drretail.tables.cells import as_csv, read_cells
from drretail.tables.table import Table, table_of

COLUMNS = ("query", "system", "repeat", "dimension", "rating", "rationale", "judge", "modes", "person")
_KEY = ("query", "system", "repeat", "dimension", "judge", "rationale")
_BETWEEN = ";"
LONGEST = 220
"""Characters of a rationale that is quoted."""
Reports = Counter[tuple[str, str]]
"""By system and judge, how many rated reports were looked at."""


@dataclass(frozen=True, slots=True)
class LowRating:
    """A rating below 4, its rationale, and what that is about."""

    query: str
    system: str
    repeat: str
    dimension: str
    rating: str
    rationale: str
    judge: str
    modes: tuple[str, ...]
    """By the judge; none where it gave no usable answer."""
    person: tuple[str, ...] = ()
    """By a person; none where nobody disagreed."""

    @property
    def counted(self) -> tuple[str, ...]:
        return self.person or self.modes

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(getattr(self, name) for name in _KEY)


def low_ratings(experiment: Path) -> tuple[list[LowRating], Reports]:
    """Every low rating that was sorted or is to be, and how many reports were looked at."""
    sorting_prompts = in_all_wordings(experiment, lambda: frozenset({"", prompt().hash}))
    rating_prompts = in_all_wordings(experiment, load_metric(RATED).prompt_hashes)
    found: list[LowRating] = []
    reports: Reports = Counter()
    judges = judges_in(experiment, FAMILY)
    for planned in planned_runs(experiment, read_definition(experiment)) if judges else ():
        folder = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat)
        sha = read_run(folder).report_sha if (folder / "run.json").exists() else None
        for slug in judges if sha is not None else ():
            run = f"{planned.query.query_id}-r{planned.repeat}"
            sorting, rating = (
                VerdictFile(verdict_path(experiment, family, slug, planned.label, run)) for family in (FAMILY, RATED)
            )
            verdicts = {(each.stage, each.item): each for each in sorting.living(sha or "", sorting_prompts)}
            listed = next((each for (stage, _), each in verdicts.items() if stage == LISTED), None)
            if listed is None or listed.state != "scored":
                continue
            name = name_of(listed.judge)
            reports[planned.label, name] += 1
            by_item = {item_of(each): each for each in rating.living(sha or "", rating_prompts)}
            for item in listed.value:
                low, modes = by_item.get(item), verdicts.get((SORTED, item))
                if low is not None and low.state == "scored":
                    found.append(
                        LowRating(
                            planned.query.query_id,
                            planned.label,
                            str(planned.repeat),
                            low.item,
                            str(low.value),
                            " ".join(low.reason.split()),
                            name,
                            tuple(modes.value) if modes is not None and modes.state == "scored" else (),
                        )
                    )
    return found, reports


def sheet_path(experiment: Path) -> Path:
    return experiment / "lab" / "failures.csv"


def details(experiment: Path) -> list[Table]:
    """One table: by system and judge how many low ratings are about each mode, and a rationale as an example of each.

    Empty where no judge has sorted any.
    """
    ratings, reports = low_ratings(experiment)
    if not reports:
        return []
    sheet = sheet_path(experiment)
    try:
        ratings, problem = with_people(sheet, ratings), ""
    except UserError as wrong:
        problem = f"What people wrote into {sheet} is not counted: {wrong}"
    rows: list[list[object]] = []
    for (system, rater), n_reports in sorted(reports.items()):
        own = [rating for rating in ratings if (rating.system, rating.judge) == (system, rater)]
        counts = Counter(mode for rating in own for mode in rating.counted)
        n_low = len({(rating.query, rating.repeat) for rating in own})
        rows.append([f"{system}, by {rater}", f"{n_low}/{n_reports}", len(own), *(counts[mode] for mode in MODES)])
    people = sum(bool(rating.person) for rating in ratings)
    unsorted = sum(not rating.counted for rating in ratings)
    notes = [
        "Reports: with a low rating, of those rated. One rating may be about several modes.",
        f"Of {people:,} a person says what they are about." if people else "",
        f"{unsorted:,} could not be sorted: --retry failed asks again." if unsorted else "",
        problem,
        *_examples(ratings),
        f"Every rationale: {sheet}; fill in its last column, person, where you read it otherwise.",
    ]
    columns = ["", "reports", "low ratings", *(mode.replace("_", " ") for mode in MODES)]
    return [table_of("Ratings below 4, and what they are about", columns, rows, notes=filter(None, notes))]


def write_sheet(experiment: Path) -> None:
    """Writes all low ratings for people to fill in the last column, and keeps what they wrote there.

    A sheet that can't be read stays as it is: ``details`` says what is wrong with it.
    """
    ratings, _ = low_ratings(experiment)
    path = sheet_path(experiment)
    try:
        ratings = with_people(path, ratings)
    except UserError:
        return
    if ratings:
        cells = ([getattr(rating, name) for name in COLUMNS] for rating in ratings)
        rows = [[cell if isinstance(cell, str) else _BETWEEN.join(cell) for cell in row] for row in cells]
        write_atomically(path, as_csv([list(COLUMNS), *rows]))


def with_people(path: Path, ratings: Sequence[LowRating]) -> list[LowRating]:
    """The same with what people wrote into the sheet's last column, where it is there.

    Raises UserError for a sheet without these columns, UnknownName for a mode that is none.
    """
    if not path.exists():
        return list(ratings)
    by_people = {rating.key: rating.person for rating in _read(path) if rating.person}
    return [replace(rating, person=by_people.get(rating.key, ())) for rating in ratings]


def _examples(ratings: Sequence[LowRating]) -> Iterator[str]:
    """What each mode is, with the first rationale about it."""
    for mode in MODES:
        rating = next((each for each in ratings if mode in each.counted), None)
        if rating is not None:
            quote = rating.rationale if len(rating.rationale) <= LONGEST else f"{rating.rationale[:LONGEST]}…"
            where = f"{rating.query}, {rating.system}, {rating.dimension.replace('_', ' ')}"
            yield f"{mode.replace('_', ' ')}: {MEANINGS[mode]}. As in: “{quote}” ({where})"


def _read(path: Path) -> Iterator[LowRating]:
    heading, *rows = read_cells(path) or [[]]
    lacking = [name for name in COLUMNS if name not in heading]
    if lacking:
        raise UserError(f"{path} has no column {' and no '.join(lacking)}: remove it, and it is written anew.")
    for row in rows:
        cells = {name: row[at].strip() if at < len(row) else "" for at, name in enumerate(heading)}
        person = _modes(cells["person"])
        unknown = [mode for mode in person if mode not in MEANINGS]
        if unknown:
            raise UnknownName(f"failure mode in {path}", unknown[0], MODES)
        modes = _modes(cells["modes"])
        yield LowRating(**{name: cells[name] for name in COLUMNS[:-2]}, modes=modes, person=person)


def _modes(cell: str) -> tuple[str, ...]:
    return tuple(part.strip().casefold().replace(" ", "_") for part in cell.split(_BETWEEN) if part.strip())


N_LOW = "n_low"
VARIANTS = (N_LOW, *MODES)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Of one report: ``n_low`` ratings, and 1 in each mode that any of them is about.

    A mode is failed where a rationale could not be sorted and no other one names it.
    """
    listed = next((verdict for verdict in reversed(verdicts) if verdict.stage == LISTED), None)
    if listed is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    if listed.state != "scored":
        return [lacking(variant, "na", listed.reason) for variant in VARIANTS]
    found = {verdict.item: verdict for verdict in verdicts if verdict.stage == SORTED}
    sorted_ratings = [found.get(item) for item in listed.value]
    named = {
        mode for rating in sorted_ratings if rating is not None and rating.state == "scored" for mode in rating.value
    }
    is_whole = all(rating is not None and rating.state == "scored" for rating in sorted_ratings)
    modes = [
        Value(mode, "scored", float(mode in named)) if is_whole or mode in named else Value(mode, "failed")
        for mode in MODES
    ]
    return [Value(N_LOW, "scored", float(len(listed.value))), *modes]


DESCRIPTION = MetricDescription(
    title="Failure modes",
    meaning="Shares of reports with a rating below 4 whose rationale is about this weakness.",
    meanings={N_LOW: "ratings of a report below 4, of seven", **MEANINGS},
    headlines=(N_LOW,),
    counts=(N_LOW,),
    higher_is_better=False,
)


METRIC = Family(
    FAMILY,
    VERSION,
    judge,
    of_verdicts(values),
    VARIANTS,
    DESCRIPTION,
    lambda: [prompt()],
    is_opinion=True,
    after=(RATED,),
    details=details,
    sheet=write_sheet,
)

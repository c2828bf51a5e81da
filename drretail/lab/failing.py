"""What systems fail in: low ratings, sorted by the judge that gave them and, where they say otherwise, by people.

All of them stand in a sheet, EXP/lab/failures.csv, with a column for people's word.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from drretail.cells import as_csv, read_cells
from drretail.errors import UnknownName, UserError
from drretail.eval.families.failure_modes import METRIC
from drretail.eval.families.failure_modes.judge import LISTED, RATED, SORTED, item_of
from drretail.eval.families.failure_modes.modes import MEANINGS as MEANINGS
from drretail.eval.families.failure_modes.modes import MODES as MODES
from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.subject import planned_runs
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.registry import load_metric
from drretail.eval.scores.panel import name_of
from drretail.experiment import read_definition, read_run, run_folder
from drretail.files import write_atomically
from drretail.lab.finding import LabFinding
from drretail.records.base import Record

NAME, FAMILY = "failures", METRIC.name
COLUMNS = ("query", "system", "repeat", "dimension", "rating", "rationale", "judge", "modes", "person")
_KEY = ("query", "system", "repeat", "dimension", "judge", "rationale")
_BETWEEN = ";"


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
    """As the judge has them; none where it gave no usable answer."""
    person: tuple[str, ...] = ()
    """As a person has them; none where nobody said otherwise."""

    @property
    def counted(self) -> tuple[str, ...]:
        return self.person or self.modes

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(getattr(self, name) for name in _KEY)


class SystemFailures(Record):
    """One system by one judge: low ratings, and how many of them are about each mode."""

    system: str
    judge: str
    n_reports: int
    """Reports with ratings; of them ``n_low_reports`` have a low one."""
    n_low_reports: int
    n_low: int
    by_people: int
    """Low ratings of which a person says what they are about."""
    unsorted: int
    modes: dict[str, int]


class Failures(LabFinding):
    """lab/failures.json."""

    systems: tuple[SystemFailures, ...] = ()

    def summary(self) -> str:
        """How many ratings are low, and what most of them are about."""
        low, reports = sum(system.n_low for system in self.systems), sum(system.n_reports for system in self.systems)
        total = sum((Counter(system.modes) for system in self.systems), Counter[str]())
        named = ", ".join(f"{mode.replace('_', ' ')} {count:,}" for mode, count in total.most_common(3) if count)
        about = f"; most are about {named}" if named else ""
        unsorted = sum(system.unsorted for system in self.systems)
        left = f"; {unsorted:,} were not sorted" if unsorted else ""
        return f"Failure modes: {low:,} ratings below 4 in {reports:,} reports{about}{left}."


def low_ratings(experiment: Path) -> tuple[list[LowRating], Counter[tuple[str, str]]]:
    """Every low rating that was sorted or is to be, and by system and judge how many reports were looked at."""
    modes_asked = in_all_wordings(experiment, METRIC.prompt_hashes)
    rated = in_all_wordings(experiment, load_metric(RATED).prompt_hashes)
    found: list[LowRating] = []
    reports: Counter[tuple[str, str]] = Counter()
    judges = sorted(path.name for path in (experiment / "verdicts" / FAMILY).glob("*/"))
    for planned in planned_runs(experiment, read_definition(experiment)):
        folder = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat)
        sha = read_run(folder).report_sha if (folder / "run.json").exists() else None
        for judge in judges if sha is not None else ():
            run = f"{planned.query.query_id}-r{planned.repeat}"
            sorting = VerdictFile(verdict_path(experiment, FAMILY, judge, planned.label, run))
            said = {(verdict.stage, verdict.item): verdict for verdict in sorting.living(sha or "", modes_asked)}
            listed = next(
                (verdict for (stage, _), verdict in said.items() if stage == LISTED and verdict.state == "scored"), None
            )
            if listed is None:
                continue
            who = name_of(listed.judge)
            reports[planned.label, who] += 1
            ratings = VerdictFile(verdict_path(experiment, RATED, judge, planned.label, run))
            by_item = {
                item_of(verdict): verdict for verdict in ratings.living(sha or "", rated) if verdict.state == "scored"
            }
            for item in listed.value:
                low, about = by_item.get(item), said.get((SORTED, item))
                if low is not None:
                    found.append(
                        LowRating(
                            planned.query.query_id,
                            planned.label,
                            str(planned.repeat),
                            low.item,
                            str(low.value),
                            " ".join(low.reason.split()),
                            who,
                            tuple(about.value) if about is not None and about.state == "scored" else (),
                        )
                    )
    return found, reports


def sheet_path(experiment: Path) -> Path:
    return experiment / "lab" / f"{NAME}.csv"


def with_people(path: Path, ratings: Sequence[LowRating]) -> list[LowRating]:
    """The same with what people wrote into the sheet's last column, where it is there.

    Raises UserError for a sheet without these columns, UnknownName for a mode that is none.
    """
    if not path.exists():
        return list(ratings)
    said = {rating.key: rating.person for rating in _read(path) if rating.person}
    return [replace(rating, person=said.get(rating.key, ())) for rating in ratings]


def write_sheet(path: Path, ratings: Sequence[LowRating]) -> None:
    """Writes all of them, for people to fill in the last column: modes with semicolons between."""
    rows = [[_cell(getattr(rating, name)) for name in COLUMNS] for rating in ratings]
    write_atomically(path, as_csv([list(COLUMNS), *rows]))


def failures_of(ratings: Sequence[LowRating], reports: Counter[tuple[str, str]]) -> Failures:
    """A row for each system and judge."""
    rows: list[SystemFailures] = []
    for (system, judge), n in sorted(reports.items()):
        mine = [rating for rating in ratings if (rating.system, rating.judge) == (system, judge)]
        counts = Counter(mode for rating in mine for mode in rating.counted)
        rows.append(
            SystemFailures(
                system=system,
                judge=judge,
                n_reports=n,
                n_low_reports=len({(rating.query, rating.repeat) for rating in mine}),
                n_low=len(mine),
                by_people=sum(bool(rating.person) for rating in mine),
                unsorted=sum(not rating.counted for rating in mine),
                modes={mode: counts[mode] for mode in MODES},
            )
        )
    return Failures(systems=tuple(rows))


def _cell(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else _BETWEEN.join(value)


def _read(path: Path) -> Iterator[LowRating]:
    heading, *rows = read_cells(path) or [[]]
    lacking = [name for name in COLUMNS if name not in heading]
    if lacking:
        raise UserError(f"{path} has no column {' and no '.join(lacking)}: remove it, and it is written anew.")
    for row in rows:
        held = {name: row[at].strip() if at < len(row) else "" for at, name in enumerate(heading)}
        person = _modes(held["person"])
        strange = [mode for mode in person if mode not in MEANINGS]
        if strange:
            raise UnknownName(f"failure mode in {path}", strange[0], MODES)
        modes = _modes(held["modes"])
        yield LowRating(**{name: held[name] for name in COLUMNS[:-2]}, modes=modes, person=person)


def _modes(cell: str) -> tuple[str, ...]:
    return tuple(part.strip().casefold().replace(" ", "_") for part in cell.split(_BETWEEN) if part.strip())

"""What systems fail in: low ratings, sorted by the judge that gave them and, where they say otherwise, by people.

All of them stand in a sheet, EXP/lab/failures.csv, with a column for people's word.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from drretail.cells import as_csv, read_cells
from drretail.errors import UnknownName, UserError
from drretail.eval.families.failure_modes.judge import LISTED, RATED, SORTED, item_of
from drretail.eval.families.failure_modes.judge import MEANINGS as MEANINGS
from drretail.eval.families.failure_modes.judge import MODES as MODES
from drretail.eval.families.failure_modes.score import METRIC
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

    def told(self) -> str:
        """How many ratings are low, and what most of them are about."""
        low, reports = sum(it.n_low for it in self.systems), sum(it.n_reports for it in self.systems)
        total = sum((Counter(it.modes) for it in self.systems), Counter[str]())
        named = ", ".join(f"{mode.replace('_', ' ')} {count:,}" for mode, count in total.most_common(3) if count)
        about = f"; most are about {named}" if named else ""
        unsorted = sum(it.unsorted for it in self.systems)
        left = f"; {unsorted:,} were not sorted" if unsorted else ""
        return f"Failure modes: {low:,} ratings below 4 in {reports:,} reports{about}{left}."


def low_ratings(experiment: Path) -> tuple[list[LowRating], Counter[tuple[str, str]]]:
    """Every low rating that was sorted or is to be, and by system and judge how many reports were looked at."""
    modes_asked = in_all_wordings(experiment, METRIC.prompt_hashes)
    rated = in_all_wordings(experiment, load_metric(RATED).prompt_hashes)
    found: list[LowRating] = []
    reports: Counter[tuple[str, str]] = Counter()
    judges = sorted(it.name for it in (experiment / "verdicts" / FAMILY).glob("*/"))
    for planned in planned_runs(experiment, read_definition(experiment)):
        folder = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat)
        sha = read_run(folder).report_sha if (folder / "run.json").exists() else None
        for judge in judges if sha is not None else ():
            run = f"{planned.query.query_id}-r{planned.repeat}"
            sorting = VerdictFile(verdict_path(experiment, FAMILY, judge, planned.label, run))
            said = {(it.stage, it.item): it for it in sorting.living(sha or "", modes_asked)}
            listed = next((it for (stage, _), it in said.items() if stage == LISTED and it.state == "scored"), None)
            if listed is None:
                continue
            who = name_of(listed.judge)
            reports[planned.label, who] += 1
            ratings = VerdictFile(verdict_path(experiment, RATED, judge, planned.label, run))
            by_item = {item_of(it): it for it in ratings.living(sha or "", rated) if it.state == "scored"}
            for item in listed.value:
                it, about = by_item.get(item), said.get((SORTED, item))
                if it is not None:
                    found.append(
                        LowRating(
                            planned.query.query_id,
                            planned.label,
                            str(planned.repeat),
                            it.item,
                            str(it.value),
                            " ".join(it.reason.split()),
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
    said = {it.key: it.person for it in _read(path) if it.person}
    return [replace(it, person=said.get(it.key, ())) for it in ratings]


def write_sheet(path: Path, ratings: Sequence[LowRating]) -> None:
    """Writes all of them, for people to fill in the last column: modes with semicolons between."""
    rows = [[_cell(getattr(it, name)) for name in COLUMNS] for it in ratings]
    write_atomically(path, as_csv([list(COLUMNS), *rows]))


def failures_of(ratings: Sequence[LowRating], reports: Counter[tuple[str, str]]) -> Failures:
    """A row for each system and judge."""
    rows: list[SystemFailures] = []
    for (system, judge), n in sorted(reports.items()):
        mine = [it for it in ratings if (it.system, it.judge) == (system, judge)]
        counts = Counter(mode for it in mine for mode in it.counted)
        rows.append(
            SystemFailures(
                system=system,
                judge=judge,
                n_reports=n,
                n_low_reports=len({(it.query, it.repeat) for it in mine}),
                n_low=len(mine),
                by_people=sum(bool(it.person) for it in mine),
                unsorted=sum(not it.counted for it in mine),
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
        strange = [it for it in person if it not in MEANINGS]
        if strange:
            raise UnknownName(f"failure mode in {path}", strange[0], MODES)
        modes = _modes(held["modes"])
        yield LowRating(**{name: held[name] for name in COLUMNS[:-2]}, modes=modes, person=person)


def _modes(cell: str) -> tuple[str, ...]:
    return tuple(it.strip().casefold().replace(" ", "_") for it in cell.split(_BETWEEN) if it.strip())

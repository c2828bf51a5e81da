"""The experiments of one folder in order of time, with the headline figures of their systems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from drretail.errors import UserError
from drretail.eval.scores.file import read_scores
from drretail.experiment import Definition, read_definition
from drretail.files import read_json
from drretail.records.score import in_order, place_of
from drretail.records.scoreboard import BoardJudge, Scoreboard
from drretail.tables.table import Cell, Kind
from drretail.viewer.experiment import title_of
from drretail.viewer.tables.scoreboard import KINDS

MOST_COLUMNS = 6
"""The most headline figures side by side; those that most experiments have are chosen."""

_Series = tuple[str, str, frozenset[tuple[str, str]], BoardJudge | None]
"""Agent, column, queries, judge: values with the same key can be compared."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One experiment as a list shows it."""

    folder: Path
    title: str
    day: datetime
    """When its first run ended, or if no run tells, when its definition was written."""
    definition: Definition
    board: Scoreboard | None
    runs: int
    """The number of runs that have ended."""
    problem: str = ""
    """Why it can't be read; empty if it can."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One headline figure of a system in an experiment."""

    text: str
    change: str
    """The difference from the previous comparable experiment; empty if there is none."""
    trend: tuple[float, ...]
    """The agent's values in comparable experiments up to this one, oldest first."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    name: str
    """The agent with its options."""
    models: str
    figures: tuple[Figure | None, ...]
    """One for each column; None without a value."""


@dataclass(frozen=True, slots=True)
class Overview:
    """All experiments, the latest first, with a row for each system."""

    columns: tuple[tuple[str, str], ...]
    """Name and meaning of each."""
    rows: tuple[tuple[Listed, tuple[SystemRow, ...]], ...]


def experiments_in(folder: Path) -> list[Path]:
    """The folders of experiments directly in a folder, by name."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if (path / "experiment.json").is_file())


def holds_several(folder: Path) -> bool:
    """True for a folder that is not an experiment but contains some."""
    return not (folder / "experiment.json").exists() and bool(experiments_in(folder))


def read_listed(folder: Path) -> Listed:
    """An experiment without its runs; with the reason if it can't be read."""
    written = datetime.fromtimestamp((folder / "experiment.json").stat().st_mtime, UTC)
    try:
        definition, scores = read_definition(folder), read_scores(folder)
    except UserError as problem:
        return Listed(folder, folder.name, written, Definition(), None, 0, str(problem))
    runs = folder / "runs"
    return Listed(
        folder=folder,
        title=definition.title or title_of(definition),
        day=min(_ends(runs, definition), default=written),
        definition=definition,
        board=None if scores is None else scores.scoreboard,
        runs=len(list(runs.glob("*/*/run.json"))),
    )


def _ends(runs: Path, definition: Definition) -> Iterator[datetime]:
    """When the first run of each system ended, if its telemetry was kept."""
    for label in definition.systems:
        first = min((runs / label).glob("*/telemetry.json"), default=None)
        ended = read_json(first).get("ended") if first is not None else None
        if isinstance(ended, str):
            yield datetime.fromisoformat(ended)


def overview_of(listed: Sequence[Listed]) -> Overview:
    """The table of experiments.

    Experiments on the same queries with the same judge can be compared. Agents of one name count as the same, with any
    models.
    """
    by_time = sorted(listed, key=lambda each: (each.day, each.folder.name))
    # The first column of each metric, with its meaning
    found: dict[str, list[str]] = {}
    for each in by_time:
        metrics = set[str]()
        for column in each.board.columns if each.board else ():
            if column.metric and column.metric not in metrics:
                metrics.add(column.metric)
                found.setdefault(column.name, []).append(column.meaning)
    most = sorted(found, key=lambda name: -len(found[name]))[:MOST_COLUMNS]
    columns = {name: meanings[-1] for name, meanings in found.items() if name in most}
    trends: dict[_Series, list[float]] = {}
    rows = [(each, tuple(_system_rows(each, columns, trends))) for each in by_time]
    return Overview(tuple(columns.items()), tuple(reversed(rows)))


def _system_rows(listed: Listed, columns: Mapping[str, str], trends: dict[_Series, list[float]]) -> Iterator[SystemRow]:
    cells = {row.system: row.cells for row in listed.board.rows} if listed.board else {}
    queries = frozenset((query.query_id, query.text) for query in listed.definition.queries)
    judge = listed.board.judge if listed.board else None
    shown = listed.board.columns if listed.board else ()
    kinds: dict[str, Kind] = {column.name: KINDS.get(column.unit, "number") for column in shown}
    systems = listed.definition.systems
    for label in in_order(systems, systems):
        if place_of(label, systems) != "system":
            continue
        name = label if systems[label].is_imported else systems[label].name
        models = dict.fromkeys(model.spec for model in systems[label].models.values())
        figures: list[Figure | None] = []
        for column in columns:
            cell = cells.get(label, {}).get(column)
            if cell is None:
                figures.append(None)
                continue
            trend = trends.setdefault((name, column, queries, judge), [])
            trend.append(cell.value)
            change = Cell(trend[-1] - trend[-2], "signed").figure if len(trend) > 1 else ""
            figures.append(Figure(Cell(cell.value, kinds[column]).figure, change, tuple(trend)))
        yield SystemRow(name, ", ".join(models) or "–", tuple(figures))

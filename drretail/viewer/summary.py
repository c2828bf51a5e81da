"""Experiments in short: one as a JSON document, what the page shows without evidence and steps; those of one folder in
order of time, each with its best system if one is shown.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import hypot
from pathlib import Path
from typing import Any

from drretail.errors import UserError, file_error
from drretail.eval.scores.file import read_scores
from drretail.experiment import Definition, read_definition, run_files
from drretail.records.base import OfJudge
from drretail.records.run import place_of
from drretail.records.score import CODE, BoardCell, Scoreboard
from drretail.records.tables.table import Cell
from drretail.run_file import read_telemetry
from drretail.viewer.experiment import ClaimsView, ExperimentView, title_of
from drretail.viewer.judged import counts_of
from drretail.viewer.tables.board import KINDS
from drretail.viewer.tables.scores import score_cell, system_names


def summary_of(view: ExperimentView) -> dict[str, Any]:
    """Runs with their claims and findings, and the scores as they are recorded."""
    runs: list[dict[str, Any]] = []
    for run in view.runs:
        error = run.run.error if run.run else None
        picks = run.run.picks if run.run else None
        runs.append(
            {
                "run_id": run.subject.run_id,
                "state": run.state,
                "error": error and error.model_dump(mode="json"),
                "query": run.subject.query.text,
                "claims": [_claims(one) for one in run.claims],
                "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in run.checks.findings],
                "checks_made": list(run.checks.made),
                "read": run.checks.read,
                "picks": None if picks is None else [pick.model_dump(mode="json") for pick in picks],
                "stale_verdicts": run.stale,
            }
        )
    return {
        "experiment": view.name,
        "world_fingerprint": view.definition.world_fingerprint,
        "systems": sorted(view.definition.systems),
        "runs": runs,
        "scores_outdated": view.outdated or None,
        "scoreboard": view.scores.scoreboard and view.scores.scoreboard.model_dump(mode="json", exclude_none=True),
        "scores": None
        if not view.is_scored
        else [s.model_dump(mode="json", exclude_none=True) for s in view.scores.scores],
    }


def _claims(one: ClaimsView) -> dict[str, Any]:
    return {
        "judge": one.judged.judge.model_dump(mode="json"),
        "rules": one.judged.rules,
        "counts": counts_of(one.claims),
        "claims": [
            {
                "number": claim.number,
                "claim": claim.text,
                "support": claim.support,
                "types": list(claim.types),
                "span": None if claim.span is None else list(claim.span),
            }
            for claim in one.claims
        ],
    }


_Series = tuple[str, frozenset[tuple[str, str, str | None]], OfJudge]
"""Measure, queries, judge: values with the same key can be compared."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One experiment as a list shows it."""

    folder: Path
    title: str
    day: datetime
    """When its first run ended, or if no run tells, when its definition was written."""
    definition: Definition | None
    """None if it can't be read."""
    board: Scoreboard | None
    runs: int
    """The number of runs that have ended."""
    problem: str = ""
    """Why it or its scores can't be read; empty if they can."""


@dataclass(frozen=True, slots=True)
class Line:
    """One experiment in a table of several: its first system by what was bought, or else by its first score."""

    listed: Listed
    best: str = ""
    """The name of the first system; empty without scores, and if it is not shown to do better than another."""
    judge: str = ""
    measure: str = ""
    figure: Cell | None = None
    """The first system's value, with its interval."""
    change: Cell | None = None
    """The difference from the first one in the previous comparable experiment; None if there is none."""


def experiments_in(folder: Path) -> list[Path]:
    """The folders of experiments directly in a folder, by name, with folders that are closed to this user."""
    folders = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(path for path in folders if not os.access(path, os.X_OK) or (path / "experiment.json").is_file())


def holds_several(folder: Path) -> bool:
    """True for a folder that is not an experiment but contains some."""
    return not (folder / "experiment.json").exists() and bool(experiments_in(folder))


def read_listed(folder: Path) -> Listed:
    """An experiment without its runs; with the reason if it or its scores can't be read."""
    written, days = folder.stat().st_mtime, list[datetime]()
    definition, board, problem = None, None, ""
    try:
        written = (folder / "experiment.json").stat().st_mtime
        definition = read_definition(folder)
        scores = read_scores(folder)
        board = scores and scores.scoreboard
    except UserError as fault:
        problem = str(fault)
    except OSError as fault:
        problem = f"{file_error(fault)}."
    for label in definition.systems if definition else ():
        for first in run_files(folder, label)[:1]:
            ended = read_telemetry(first).get("ended")
            days += [datetime.fromisoformat(ended)] if isinstance(ended, str) else []
    return Listed(
        folder=folder,
        title=(definition.title or title_of(definition)) if definition else folder.name,
        day=min(days, default=datetime.fromtimestamp(written, UTC)),
        definition=definition,
        board=board,
        runs=len(run_files(folder)) if definition else 0,
        problem=problem,
    )


def lines_of(listed: Sequence[Listed]) -> list[Line]:
    """The table of experiments, latest first; those on the same queries by the same judge can be compared."""
    last: dict[_Series, BoardCell] = {}
    lines: list[Line] = []
    for each in sorted(listed, key=lambda each: (each.day, each.folder.name)):
        board = each.board
        shown = [column for column in board.columns if column.metric] if board else []
        column = next((column for column in shown if column.decides), next(iter(shown), None))
        rows = (row for row in board.rows if place_of(row.system, board.systems) == "system") if board else iter(())
        row = next(rows, None)
        if each.definition is None or board is None or row is None or column is None or column.name not in row.cells:
            lines.append(Line(each))
            continue
        queries = frozenset((query.query_id, query.text, query.part_of) for query in each.definition.queries)
        series = column.name, queries, board.judge
        before, cell = last.get(series), row.cells[column.name]
        last[series] = cell
        alone = all(place_of(other.system, board.systems) != "system" for other in board.rows if other is not row)
        names = system_names((row.system for row in board.rows), board.systems)
        line = Line(
            each,
            best=names[row.system] if alone or _is_ahead(row.system, board) else "",
            judge=board.judge.judge or CODE,
            measure=column.name,
            figure=replace(score_cell(cell), kind=KINDS.get(column.unit, "number")),
            change=None if before is None else _change(before, cell),
        )
        lines.append(line)
    return lines[::-1]


def _is_ahead(system: str, board: Scoreboard) -> bool:
    """True if it is shown to do better than another system, as the first sentence on the scoreboard says."""
    shown = [row for row in board.compared if row.is_shown]
    return any(system == (row.a if (row.outcome == "higher") != row.less_is_better else row.b) for row in shown)


def _change(before: BoardCell, after: BoardCell) -> Cell:
    """The difference with the interval of two independent values (Newcombe 1998, method 10).

    The same questions were asked, so that it is rather too wide.
    """
    change = after.value - before.value
    old_low, old_high, low, high = before.ci_low, before.ci_high, after.ci_low, after.ci_high
    if old_low is None or old_high is None or low is None or high is None:
        return Cell(change, "signed")
    down, up = hypot(after.value - low, old_high - before.value), hypot(high - after.value, before.value - old_low)
    return Cell(change, "signed", change - down, change + up)

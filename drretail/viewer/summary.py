"""Experiments in short: one as a JSON document, what the page shows without evidence and steps; those of one folder in
order of time, each with its best system if one is shown.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drretail.errors import UserError, file_error
from drretail.eval.scores.file import read_scores
from drretail.experiment import Definition, read_definition, run_files
from drretail.records.score import Scoreboard
from drretail.run_file import read_telemetry
from drretail.viewer.experiment import ClaimsView, ExperimentView, title_of
from drretail.viewer.judged import support_counts


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
                "claims": [_claims(claims) for claims in run.claims],
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


def _claims(view: ClaimsView) -> dict[str, Any]:
    return {
        "judge": view.judged.judge.model_dump(mode="json"),
        "rules": view.judged.rules,
        "counts": support_counts(view.claims),
        "claims": [
            {
                "number": claim.number,
                "claim": claim.text,
                "support": claim.support,
                "types": list(claim.types),
                "span": None if claim.span is None else list(claim.span),
            }
            for claim in view.claims
        ],
    }


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

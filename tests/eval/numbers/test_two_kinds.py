"""Success counts every planned run, other measures those with a value. Tests eval/numbers/."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from drretail.agents.running.outcomes import Ended, tallies
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.numbers.comparing import compare_recorded
from drretail.experiments.experiment import read_runs, run_path
from drretail.records.base import Rules
from drretail.records.run import PICKS_MISSING, Run, RunError
from drretail.records.score import BoardColumn, Verdict
from drretail.records.wish import Want, Wish
from tests import build
from tests.eval.own import SILENT
from tests.run_files import edit_run

A, B = "a@model", "b@model"
WISH = Wish(wants=(Want(name="mug", kinds=("mug",)),))
QUERIES = [build.query(f"q{number}", wish=WISH if number else None) for number in range(4)]
"""The first has no wish, so that it has no success."""


def values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> Sequence[Value]:
    said, half = SILENT.values(subject, verdicts, rules)
    return [said if subject.query.wish else Value("said", "na"), half]


METRIC = replace(
    SILENT,
    values=values,
    pooled={},
    applies=lambda subject: ("said",) if subject.query.wish else (),
    description=SILENT.description.model_copy(
        update={"success": ("said",), "scoreboard": (BoardColumn(variant="said"), BoardColumn(variant="half"))}
    ),
)


def lost(name: str, kind: str) -> Run:
    error = RunError.model_validate({"kind": kind, "where": "react", "message": "no"})
    return build.run(name, None, label=A, error=error)


def test_success_counts_failed_runs_as_0_and_done_is_one_number_in_run_score_and_compare(tmp_path: Path) -> None:
    mine: dict[str, str | Run] = {"q0-r1": "1", "q0-r2": "0", "q1-r1": "1", "q2-r1": "1"}  # of q3 one is not made yet
    mine |= {name: lost(name, "no_report") for name in ("q1-r2", "q3-r1")} | {"q2-r2": lost("q2-r2", "model")}
    theirs = {f"q{number}-r{repeat}": "1" for number in range(4) for repeat in (1, 2)}
    folder = build.experiment(tmp_path / "e", {A: mine, B: theirs}, queries=QUERIES)
    board = build.known(build.scored(folder, METRIC).scoreboard)
    # A report without a decision where one is wanted is a report all the same.
    edit_run(run_path(folder, A, "q1", 1), picks=None, notes=[PICKS_MISSING])
    again = build.known(build.scored(folder, METRIC).scoreboard)
    (tally, _) = tallies((A, B), (Ended.of(run, before=False) for run in read_runs(folder)))
    cells = {row.system: row.cells["done"] for row in board.rows}
    assert cells == {row.system: row.cells["done"] for row in again.rows}
    assert (cells[A].n_scored, tally.done) == (6, 4)
    assert cells[A].value == (1 + 1 / 2 + 1 + 0) / 4
    (of_mine,) = (row.cells for row in board.rows if row.system == A)
    # Of the three queries with a wish; a lost run counts nowhere, and a failed one is not rated.
    assert (of_mine["stub said"].value, of_mine["stub said"].n_scored) == ((1 / 2 + 1 + 0) / 3, 4)
    assert (of_mine["stub half"].value, of_mine["stub half"].n_scored) == (pytest.approx(5 / 6), 4)
    (row,) = (row for table in compare_recorded(folder, A, B)[0].tables for row in table.rows if row.metric == "done")
    assert (row.mean_a, row.mean_b) == (cells[A].value, cells[B].value) == (0.625, 1.0)

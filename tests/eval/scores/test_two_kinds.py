"""Success counts every planned run, other measures those with a value. Tests eval/scores/."""

from pathlib import Path

from drretail.agents.running.outcomes import Ended, tallies
from drretail.eval.compare.comparing import compare_recorded
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.metrics.basket import METRIC as BASKET
from drretail.eval.metrics.quality import METRIC as QUALITY
from drretail.eval.metrics.quality import rating_prompt
from drretail.eval.scores.board import Board, write_board
from drretail.eval.scores.file import derive_scores
from drretail.eval.scores.gathering import Assessor, TableKey
from drretail.experiment import REFERENCES, read_runs, run_path, write_sealed
from drretail.records.query import FoundBasket, KeptReference
from drretail.records.run import PICKS_MISSING, Run, RunError
from drretail.records.score import JudgeRef, Scores
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import query, run
from tests.run_files import edit_run

A, B = "a@model", "b@model"
FOUND = FoundBasket(items=(), total=Money.of(1), worth=100)
WANTED = ("q1", "q2", "q3")
"""The queries with a wish that the shop can meet; the others have none."""
WISH = Wish(wants=(Want(name="mug", kinds=("mug",)),))
QUERIES = [query(name, wish=WISH if name in WANTED else None) for name in ("q0", *WANTED)]
CODE, JUDGE = JudgeRef(spec="code", kind="rule_based"), JudgeRef(spec="x:y", kind="llm")
Made = tuple[str, float | str, float | str]
"""What became of a run, and its verdicts in right and quality: a number, a state, or "" if it was not judged."""
PLACES = [f"{query.query_id}-r{repeat}" for query in QUERIES for repeat in (1, 2)]


def lost(kind: str, name: str, label: str) -> Run:
    error = RunError(kind="model" if kind == "spoiled" else "no_report", where="react", message="no")
    return run(name, None, label=label, error=error)


def scored(folder: Path, made: dict[str, tuple[Made, ...]]) -> Scores:
    """The scores of an experiment with these runs and verdicts."""
    by_label = {label: dict(zip(PLACES, runs, strict=True)) for label, runs in made.items()}
    reports = {
        label: {
            name: run(name, label=label) if became == "done" else lost(became, name, label)
            for name, (became, *_) in runs.items()
            if became != "pending"
        }
        for label, runs in by_label.items()
    }
    build.experiment(folder, reports, queries=QUERIES)
    kept = {
        REFERENCES.path(folder, name): KeptReference(query_id=name, cheapest=FOUND, best=FOUND, wants=())
        for name in WANTED
    }
    write_sealed(folder, kept)
    write_board(folder, Board(judge=(JUDGE.key,)))
    asked = (
        (BASKET, "basket", "right", CODE, ""),
        (QUALITY, "rating", "overall", JUDGE, rating_prompt("overall").hash),
    )
    for label, runs in by_label.items():
        for name, (became, *verdicts) in runs.items():
            for (metric, stage, item, judge, prompt), value in zip(asked, verdicts, strict=True):
                value = "na" if metric is BASKET and name[:2] not in WANTED else value
                if became == "done" and value != "":
                    state = value if isinstance(value, str) else "scored"
                    about = {"run_id": f"{label}/{name}", "report_sha": reports[label][name].report_sha, "judge": judge}
                    verdict = build.verdict(
                        metric.name,
                        stage,
                        item,
                        None if isinstance(value, str) else value,
                        state,  # pyright: ignore[reportArgumentType]  (a state, as tests write it)
                        version=metric.version,
                        prompt_hash=prompt,
                        **about,
                    )
                    slug = "code" if judge is CODE else "x-y"
                    VerdictFile(verdict_path(folder, metric.name, slug, label, name)).append(verdict)
    return derived(folder)


def derived(folder: Path) -> Scores:
    """As ``score`` makes them of what code and the judge were asked for."""
    asked = [TableKey(metric.name, Assessor(judge, "default")) for metric, judge in ((BASKET, CODE), (QUALITY, JUDGE))]
    return derive_scores(folder, [BASKET, QUALITY], asked)


def test_success_counts_failed_runs_as_0_and_done_is_one_number_in_run_score_and_compare(tmp_path: Path) -> None:
    bought, missed = ("done", 1.0, 7.0), ("done", 0.0, 4.0)
    failed, spoiled, pending = ((kind, "", "") for kind in ("failed", "spoiled", "pending"))
    mine = (bought, missed, bought, failed, ("done", 1.0, ""), spoiled, failed, pending)
    runs: dict[str, tuple[Made, ...]] = {A: mine, B: (bought,) * 8}
    folder = tmp_path / "e"
    board = build.known(scored(folder, runs).scoreboard)
    # A report without a decision where one is wanted is a report all the same.
    edit_run(run_path(folder, A, "q1", 1), picks=None, notes=[PICKS_MISSING])
    again = build.known(derived(folder).scoreboard)
    (tally, _) = tallies((A, B), (Ended.of(run, before=False) for run in read_runs(folder)))
    cells = {row.system: row.cells["done"] for row in board.rows}
    assert cells == {row.system: row.cells["done"] for row in again.rows}
    assert (cells[A].n_scored, tally.done) == (6, 4)
    assert cells[A].value == (1 + 1 / 2 + 1 + 0) / 4
    (of_mine,) = (row.cells for row in board.rows if row.system == A)
    # Of the three queries with a wish; a lost run counts nowhere, and a failed one is not rated.
    assert (of_mine["right"].value, of_mine["right"].n_scored) == ((1 / 2 + 1 + 0) / 3, 4)
    assert (of_mine["overall"].value, of_mine["overall"].n_scored) == (((7 + 4) / 2 + 7) / 2, 3)
    (row,) = (row for table in compare_recorded(folder, A, B)[0].tables for row in table.rows if row.metric == "done")
    assert (row.mean_a, row.mean_b) == (cells[A].value, cells[B].value) == (0.625, 1.0)

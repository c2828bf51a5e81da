"""The rows of two systems side by side, worked by hand from verdicts as a judge left them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.judging.subject import pair_name
from drretail.eval.numbers.gathering import gather
from drretail.eval.numbers.judges import Board, write_board
from drretail.eval.numbers.pairs import PairOutcome, derive_pairs, order_decided
from drretail.eval.registry import pair_metric
from drretail.records.base import sha256_of
from drretail.records.comparison import PairScore
from drretail.records.score import JudgeRef, Score, VerdictState
from drretail.stats.ranking import FEW
from tests import build
from tests.build import known

A, B, C = "a@model", "b@model", "c@model"
JUDGE = JudgeRef(spec="x:y", kind="llm")
DEPTH = "depth"
Word = str
"""What the judge said of a pair in one order: "a", "b", "equal", "na", "failed", or "" for nothing; behind it "!" if of
another second report, "?" if by another prompt, "<" if by an earlier version.
"""
LONG, SHORT = "It is long, with many more words than the other.", "It is short."


def row_of(
    folder: Path, times: Mapping[str, Sequence[tuple[Word, Word]]], equal: Sequence[str]
) -> tuple[PairScore, dict[str, Score]]:
    """The row in depth and the ranks, by what the judge said of each run in both orders each time it was asked.

    The first report is the longer one, but in the runs in which both are ``equal``.
    """
    written = {name: (SHORT if name in equal else LONG, SHORT) for name in times}
    reports = [{name: texts[at] for name, texts in written.items()} for at in (0, 1)]
    users = {name[:2]: f"u{name[:2]}" for name in times}
    build.experiment(folder, dict(zip((A, B), reports, strict=True)), users=users)
    write_board(folder, Board(judge=(JUDGE.key,)))
    metric = pair_metric()
    for name, asked in times.items():
        shas = [sha256_of(text) for text in written[name]]
        for repeat, both in enumerate(asked, 1):
            for order, marked in zip(("ab", "ba"), both, strict=True):
                word = marked.rstrip("!?<")
                state: VerdictState = word if word in ("na", "failed") else "scored"  # pyright: ignore
                verdict = build.verdict(
                    "pairwise",
                    "preference",
                    DEPTH,
                    word if state == "scored" else None,
                    state,
                    version=metric.version - ("<" in marked),
                    run_id=f"{A}/{name}",
                    report_sha=shas[0],
                    judge=JUDGE,
                    prompt_hash="of another" if "?" in marked else metric.prompts("default")[DEPTH].hash,
                    judge_repeat=repeat,
                    other_run_id=f"{B}/{name}",
                    other_report_sha="of another" if "!" in marked else shas[1],
                    order=order,
                    repairs=int(order == "ba"),
                )
                if word:
                    VerdictFile(verdict_path(folder, "pairwise", "x-y", pair_name((A, B)), name)).append(verdict)
    pairs, ranks = derive_pairs(folder, gather(folder, []))
    (row,) = [row for row in pairs if row.dimension == DEPTH]
    return row, {rank.system: rank for rank in ranks if rank.variant == DEPTH}


def test_counts_and_shares_of_pairs_are_those_worked_by_hand(tmp_path: Path) -> None:
    row, ranks = row_of(
        tmp_path / "e",
        {
            "q1-r1": [("a", "a")],  # the longer one wins
            "q1-r2": [("b", "b")],
            "q2-r1": [("a", "b")],  # the first is chosen twice: a tie that flips
            "q2-r2": [("a", "equal")],  # a tie that flips, of one choice
            "q3-r1": [("equal", "equal"), ("a", "a")],  # asked twice: half a win, half a tie
            "q4-r1": [("a", "failed")],
            "q5-r1": [("na", "na")],
            "q6-r1": [("a", "")],
            "q7-r1": [("a", "na")],
            "q8-r1": [("a", "a"), ("failed", "a")],  # the time that failed does not count
            "q8-r2": [("a<", "a")],
            "q9-r1": [("na", "na"), ("a", "")],  # what can still be judged is not n/a
            "q9-r2": [("a!", "a?")],
            "qx-r1": [("na", "na")],
            "qx-r2": [("na", "na")],
        },
        equal=("q8-r1",),
    )
    counts = (row.n_planned, row.n_scored, row.n_na, row.n_failed, row.not_judged, row.runs_failed)
    assert counts == (20, 6, 3, 11, 5, 5), "of repeats that were never made too"
    assert row.contrast.dropped == {"not run yet": 4, "not judged": 1}, "what cannot be judged is not lacking"
    assert (row.failed_verdicts, row.stale_verdicts, row.repairs) == (2, 3, 15)
    assert (row.wins, row.ties, row.losses) == (2.5, 2.5, 1.0)
    # By query: q1 ½ : ½, q2 tied, q3 ½ won and ½ tied, q8 won.
    assert [share.value for share in (row.win, row.tie, row.loss)] == [0.5, 0.375, 0.125]
    assert row.win_rate.value == (0.5 + 0.5 + 0.75 + 1) / 4
    assert row.flip_rate == (0 + 1 + 0 + 0) / 4
    # Of 2, 2, 2, 1, 2 and 2 choices: 1, 1, 2, 1, 1, 1 fell on the first one read.
    assert row.first_position_rate == 7 / 11
    assert row.longer_won == (1 / 2 + 1) / 2, "a win between reports of one length tells nothing"
    assert row.length_controlled.value is None
    assert (row.a, row.b, row.contrast.name) == (A, B, "depth preference")
    assert (row.contrast.n_pairs, row.contrast.difference, row.contrast.no_interval) == (4, 0.375, "few")
    assert (ranks[A].n_planned, ranks[A].n_scored, ranks[A].n_users, ranks[A].items) == (6, 6, 4, {"opponents": 1})
    assert known(ranks[A].value) == -known(ranks[B].value) > 0
    assert (ranks[A].no_interval, ranks[A].note) == ("few", FEW)


def outcome(win: float, loss: float, **fields: object) -> PairOutcome:
    return PairOutcome("q1", "scored", win, loss, **fields)  # type: ignore[arg-type]  (of a test's own choice)


def test_an_order_decides_if_a_coin_would_not_and_four_fifths_of_choices_fall_on_one_place() -> None:
    for choices, first, decides in (
        (12, 11, True), (12, 10, False), (7, 7, False), (8, 8, True), (8, 0, True), (40, 32, True), (40, 31, False),
        (40, 8, True), (40, 9, False), (0, 0, False),
    ):  # fmt: skip
        by_pair = {(A, B): {DEPTH: [outcome(0, 0, choices=choices, chose_first=first)]}}
        assert order_decided(by_pair) == decides, (choices, first)

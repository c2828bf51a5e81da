"""Who did better, in a sentence."""

import pytest

from drretail.records.pairs import PairScore
from drretail.records.scoreboard import BoardCell, BoardJudge, BoardRow, Scoreboard, ShownColumn
from drretail.viewer.tables.result import SURE, result_of, two_of
from drretail.viewer.tables.scoreboard import Conclusion, conclusion, without_equal

COLUMNS = (
    ShownColumn(name="FP", metric="faithfulness", variant="FP"),
    ShownColumn(name="quality", metric="quality", variant="overall", unit="rating"),
)


def board(*differs: str, fp: dict[str, float], quality: float = 6) -> Scoreboard:
    rows = tuple(
        BoardRow(
            system=system,
            cells={
                "FP": BoardCell(value=value, n_scored=10, n_planned=10),
                "quality": BoardCell(value=quality, n_scored=10, n_planned=10),
            },
        )
        for system, value in fp.items()
    )
    return Scoreboard(judge=BoardJudge(spec="a:judge"), columns=COLUMNS, rows=rows, differs=differs)


def preference(won: int, lost: int, n: int = 10) -> PairScore:
    about = {"version": 1, "dimension": "overall", "a": "a@m", "b": "b@m", "judge": "a:judge", "judge_kind": "llm"}
    counts = {"n_planned": n, "n_scored": n, "n_queries": n, "queries_won": won, "queries_lost": lost, "n_users": n}
    return PairScore.model_validate(about | counts)


TWO = {"a@m": 0.9, "b@m": 0.8}
FEW = "quality: 1 query, 1 user can show no difference (corrected for 5 tests): it takes 8 users at least."


@pytest.mark.parametrize(
    ("differs", "pairs", "sentence"),
    [
        (
            ("FP: a above b (n = 50 queries, 50 users).", "quality: nothing."),
            (preference(5, 5),),
            f"In FP, a did better than b, shown by 50 queries, 50 users. {SURE}",
        ),
        (
            ("side by side: no preference is shown in 1 pair by 10 queries, 10 users.",),
            (preference(3, 6),),
            "On 10 questions the judge preferred b six times, a three times and neither once. "
            "That may be chance: it would take about 81 questions to tell.",
        ),
        (
            (FEW,),
            (preference(1, 0, 1),),
            "On the one question the judge preferred a. That may be chance: it takes 6 questions at least",
        ),
        (
            ("side by side: no preference is shown in 1 pair by 10 queries, 4 users.",),
            (preference(3, 6).model_copy(update={"n_users": 4}),),
            "On 10 questions of 4 users the judge preferred b six times, a three times and neither once. "
            "That may be chance: it takes 6 users at least to tell.",
        ),
        (
            ("FP: nothing is concluded from offline:judge, which follows rules.",),
            (preference(1, 9).model_copy(update={"judge": "offline:judge", "judge_kind": "rule_based"}),),
            "Nothing tells the two systems apart.",
        ),
        (
            (
                "FP: no difference is shown by 10 queries: to show the clearest difference seen, it would "
                "take about 54 queries.",
            ),
            (),
            "Nothing tells the two systems apart. It would take about 54 questions to tell.",
        ),
    ],
)
def test_who_did_better_and_how_sure_that_is(
    differs: tuple[str, ...], pairs: tuple[PairScore, ...], sentence: str
) -> None:
    assert result_of(board(*differs, fp=TWO), pairs).startswith(sentence)


@pytest.mark.parametrize(
    ("differs", "feasible", "n", "sentence"),
    [
        (
            "clean and feasible: no difference is shown by 10 queries, 4 users (corrected for 5 tests): "
            "to show the clearest difference seen, it would take about 30 queries, 12 users.",
            {"a@m": 0.7, "b@m": 0.1},
            10,
            "a buys what was asked for on 7 of 10 questions of 4 users, b on 1. "
            "That may be chance: it would take about 12 users to tell.",
        ),
        (
            "feasible: 3 queries, 3 users can show no difference: it takes 6 users at least.",
            {"a@m": 1 / 3, "b@m": 2 / 3, "c@m": 0.0, "oracle": 1.0},
            3,
            "b buys what was asked for on 2 of 3 questions, a on 1, c on 0. "
            "That may be chance: it takes 6 users at least to tell.",
        ),
        (
            "feasible: no difference is shown by 10 queries.",
            {"a@m": 0.75, "b@m": 0.5},
            20,
            "a buys what was asked for in 75% of its answers, b in 50%. That may be chance.",
        ),
    ],
)
def test_what_code_saw_bought_comes_before_what_a_judge_preferred(
    differs: str, feasible: dict[str, float], n: int, sentence: str
) -> None:
    rows = tuple(
        BoardRow(system=system, cells={"feasible": BoardCell(value=value, n_scored=n, n_planned=n)})
        for system, value in feasible.items()
    )
    columns = (ShownColumn(name="feasible", metric="basket", variant="feasible"),)
    bought = Scoreboard(judge=BoardJudge(), columns=columns, rows=rows, differs=(differs,))
    assert result_of(bought, [preference(9, 1)]) == sentence


def test_where_every_run_failed_nothing_else_is_said() -> None:
    failed = "All 20 runs failed (no_research): nothing was compared."
    for systems in (TWO, {"a@m": 0.0}):
        assert conclusion(board(failed, fp=systems), [preference(3, 6)]) == Conclusion(failed, "")


def test_systems_that_are_the_same_in_every_score_are_not_told_apart() -> None:
    same = board("FP and quality: the same in every system on all 10 queries.", fp={"a@m": 0.9, "b@m": 0.9})
    assert result_of(same) == "Nothing tells the two systems apart."


def test_one_system_is_not_compared() -> None:
    assert result_of(board(fp={"a@m": 0.9})) == ""


def test_the_best_two_of_many_systems_are_shown_first() -> None:
    many = {"a@m": 0.1, "b@m": 0.9, "c@m": 0.5, "null_search": 1.0}
    assert two_of(board(fp=many), many) == ("b@m", "c@m")
    assert two_of(None, many) == ("a@m", "b@m")
    assert two_of(None, ["a@m", "null_search"]) == ("a@m",)


def test_a_column_in_which_all_have_the_same_is_said_once() -> None:
    differing, same = without_equal(board(fp=TWO))
    assert [column.name for column in differing.columns] == ["FP"]
    assert same == "The same in both: quality 6.00."
    assert without_equal(differing) == (differing, "")


def test_a_column_is_kept_where_floors_or_the_oracle_have_something_else() -> None:
    rows = tuple(
        BoardRow(
            system=system,
            cells={name: BoardCell(value=value, n_scored=9, n_planned=9) for name, value in cells.items()},
        )
        for system, cells in {
            "a@m": {"FP": 1, "quality": 6, "feasible": 1, "done": 1},
            "b@m": {"FP": 1, "quality": 6, "feasible": 1, "done": 1},
            "null_search": {"FP": 0, "done": 1},
            "oracle": {"FP": 1, "feasible": 1, "done": 1},
        }.items()
    )
    columns = (*COLUMNS, *(ShownColumn(name=name) for name in ("feasible", "done")))
    differing, same = without_equal(Scoreboard(judge=BoardJudge(), columns=columns, rows=rows))
    assert [column.name for column in differing.columns] == ["FP", "feasible"]
    assert same == "The same in both: quality 6.00, done 1.00."

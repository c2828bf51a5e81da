"""Who did better, in a sentence."""

from typing import Any

import pytest

from drretail.records.comparison import ComparedMeasure, Outcome
from drretail.records.score import BoardJudge, Scoreboard, ShownColumn
from drretail.viewer.tables.result import SURE, decision_of, result_of, two_of
from drretail.viewer.tables.scoreboard import Conclusion, conclusion, without_equal
from tests.build import measure, systems
from tests.viewer.scores import board, cell

COLUMNS = (
    ShownColumn(name="FP", metric="faithfulness", variant="FP"),
    ShownColumn(name="quality", metric="quality", variant="overall", unit="rating"),
)


TWO = {"a@m": 0.9, "b@m": 0.8}


def of_values(fp: dict[str, float], *compared: ComparedMeasure, **fields: Any) -> Scoreboard:
    rows = {system: {"FP": cell(value), "quality": cell(6)} for system, value in fp.items()}
    return board(rows, *compared, columns=COLUMNS, **fields)


def preference(won: int, lost: int, n: int = 10, users: int = 10, needed: int | None = None) -> ComparedMeasure:
    """A judge prefers the first of two systems so often, side by side."""
    counts: dict[str, Any] = {"above": won, "below": lost, "equal": n - won - lost}
    counts |= {"n_pairs": n, "n_users": users, "tests": 1}
    outcome: Outcome = "too_few" if users < 6 else "undecided"
    return measure("side by side", outcome, metric="pairwise", variant="overall", queries_needed=needed, **counts)


RULED = measure("FP", "not_concluded", judge="offline:judge")


@pytest.mark.parametrize(
    ("compared", "sentence"),
    [
        (
            (measure("FP", "higher", n_pairs=50, n_users=50), measure("quality", "undecided"), preference(5, 5)),
            f"In FP, a did better than b, shown by 50 queries, 50 users. {SURE}.",
        ),
        (
            (preference(3, 6, needed=81),),
            "On 10 questions the judge preferred b six times, a three times and neither once. "
            "That may be chance: it would take about 81 questions to tell.",
        ),
        (
            (measure("quality", "too_few", n_pairs=1, n_users=1, tests=5), preference(1, 0, 1, 1)),
            "On the one question the judge preferred a. That may be chance: it takes 6 questions at least",
        ),
        (
            (preference(3, 6, users=4),),
            "On 10 questions of 4 users the judge preferred b six times, a three times and neither once. "
            "That may be chance: it takes 6 users at least to tell, even if one system wins them all.",
        ),
        ((RULED,), "Nothing tells the two systems apart."),
        (
            (RULED, measure("FR", "undecided", queries_needed=54, users_needed=54)),
            "Nothing tells the two systems apart. It would take about 54 questions to tell.",
        ),
        (
            (measure("FR", "undecided", queries_needed=10_001, users_needed=10_001),),
            "Nothing tells the two systems apart. It would take more than 10,000 questions to tell.",
        ),
    ],
)
def test_who_did_better_and_how_sure_that_is(compared: tuple[ComparedMeasure, ...], sentence: str) -> None:
    assert result_of(of_values(TWO, *compared)).startswith(sentence)


@pytest.mark.parametrize(
    ("compared", "feasible", "n", "sentence"),
    [
        (
            measure("feasible", "undecided", n_pairs=10, n_users=4, queries_needed=30, users_needed=12),
            {"a@m": 0.7, "b@m": 0.1},
            10,
            "a buys what was asked for on 7 of 10 questions of 4 users, b on 1. "
            "That may be chance: it would take about 12 users to tell.",
        ),
        (
            measure("feasible", "too_few", n_pairs=3, n_users=3, tests=1),
            {"a@m": 1 / 3, "b@m": 2 / 3, "c@m": 0.0, "oracle": 1.0},
            3,
            "b buys what was asked for on 2 of 3 questions, a on 1, c on 0. "
            "That may be chance: it takes 6 questions at least to tell, even if one system wins them all.",
        ),
        (
            measure("feasible", "undecided"),
            {"a@m": 0.75, "b@m": 0.5},
            20,
            "a buys what was asked for in 75% of its answers, b in 50%. That may be chance.",
        ),
    ],
)
def test_what_code_saw_bought_comes_before_what_a_judge_preferred(
    compared: ComparedMeasure, feasible: dict[str, float], n: int, sentence: str
) -> None:
    rows = {system: {"feasible": cell(value, n)} for system, value in feasible.items()}
    columns = (ShownColumn(name="feasible", metric="basket", variant="feasible"),)
    bought = board(rows, compared, preference(9, 1), columns=columns, judge=BoardJudge())
    assert result_of(bought) == sentence


def test_failed_runs_are_all_that_is_said_one_system_is_not_compared_and_of_many_the_best_two_are() -> None:
    failed = "All 20 runs failed (no_research): nothing was compared."
    for values in (TWO, {"a@m": 0.0}):
        assert conclusion(of_values(values, differs=(failed,))) == Conclusion(failed, "")
    assert result_of(of_values({"a@m": 0.9})) == ""
    many = {"c@m": 0.9, "b@m": 0.5, "a@m": 0.1, "null_search": 1.0}
    assert two_of(of_values(many), systems(many)) == ("c@m", "b@m")
    assert two_of(None, systems(many)) == ("a@m", "b@m")
    assert two_of(None, systems(["a@m", "null_search"])) == ("a@m",)


def test_how_often_each_buys_what_was_asked_for_is_said_if_it_is_equally_often_too() -> None:
    def of(n_planned: int = 10, /, **values: float) -> Scoreboard:
        cells = {f"{name}@m": {"feasible": cell(value, n_planned=n_planned)} for name, value in values.items()}
        return board(cells, columns=(ShownColumn(name="feasible"),))

    assert decision_of(of(a=0.9, b=0.9)) == "Each system buys what was asked for in 90% of its answers."
    assert decision_of(of(a=0.9, b=0.5)) == "a buys what was asked for in 90% of its answers, b in 50%."
    some = "Each system buys what was asked for in 90% of its answers where the shop has it."
    assert decision_of(of(12, a=0.9, b=0.9)) == some
    assert decision_of(of(a=0.9)) == ""


def test_equal_columns_are_a_sentence_and_what_readers_look_for_is_a_column_as_well() -> None:
    values = {
        "a@m": {"FP": 1, "quality": 6, "feasible": 1, "done": 1},
        "b@m": {"FP": 1, "quality": 6, "feasible": 1, "done": 1},
        "null_search": {"done": 1},
        "oracle": {"FP": 1, "quality": 9, "feasible": 0, "done": 1},
    }
    rows = {system: {name: cell(value) for name, value in held.items()} for system, held in values.items()}
    columns = (*COLUMNS, *(ShownColumn(name=name) for name in ("feasible", "done")))
    differing, same = without_equal(board(rows, columns=columns))
    assert [column.name for column in differing.columns] == ["FP", "quality", "feasible"]
    assert same == "The same in both: FP 1.00, done 1.00.", "the oracle has another quality and cart"

from functools import partial
from typing import Any

import pytest

from drretail.records.base import OfJudge
from drretail.records.comparison import ComparedRow, Outcome
from drretail.records.score import Scoreboard, ShownColumn
from drretail.viewer.tables.scoreboard import (
    SURE,
    Conclusion,
    board_notes,
    board_table,
    conclusion,
    decision_of,
    result_of,
    two_of,
    without_equal,
)
from drretail.viewer.tables.scores import Table, score_tables, slice_sections
from tests.build import measure, systems
from tests.viewer import scores
from tests.viewer.scores import FP, board, cell, of_slice

score = partial(scores.score, n_planned=4, n_scored=2, n_na=1, n_failed=1)


def names(table: Table) -> list[str]:
    return [line.name for line in table.rows]


def test_systems_stand_below_each_other_variants_side_by_side_and_counts_say_what_was_left_out() -> None:
    rows = [score(), score(variant="FR"), score(system="b", value=1, ci_low=0.25, ci_high=1)]
    (table,) = score_tables(rows)
    assert [column.name for column in table.columns] == ["FP", "FR"]
    assert names(table) == ["a", "b"]
    cells = [line.cells[0] for line in table.rows]
    assert [cell and (cell.text, cell.interval) for cell in cells] == [("0.50", ""), ("1.00", ".25–1")]
    assert table.by == "judged by p:m (language model)"
    (table,) = score_tables([score(), score(variant="FR", n_scored=4, n_na=0, n_failed=0)])
    left_out, whole = table.rows[0].cells
    assert left_out is not None
    assert whole is not None
    assert (left_out.counts, whole.counts) == ("2/4, 1 n/a, 1 failed", "n=4")
    assert table.basis == "n: planned runs that a value is over."


def test_where_nothing_is_scored_it_is_said_why_in_place_of_a_number_a_column_or_a_table() -> None:
    nothing = {"value": None, "n_scored": 0, "n_na": 0, "n_failed": 0}
    rows = [score(), score(system="b", **{**nothing, "n_na": 4}), score(system="c", **{**nothing, "n_failed": 4})]
    (table,) = score_tables(rows)
    assert [line.cells[0] and (line.cells[0].text, line.cells[0].counts) for line in table.rows[1:]] == [
        ("n/a", ""),
        ("failed", ""),
    ]
    nothing = {"variant": "FP_web", "value": None, "n_scored": 0, "n_na": 4, "n_failed": 0}
    (table,) = score_tables([score(), score(**nothing), score(system="b"), score(system="b", **nothing)])
    assert [column.name for column in table.columns] == ["FP"]
    assert any(note.startswith("No report has a value for FP_web (mean support ") for note in table.notes), table.notes
    nothing = {"value": None, "n_scored": 0, "n_na": 4, "n_failed": 0, "items": {"lacks:no_gold": 4}}
    (table,) = score_tables([score(**nothing), score(variant="FR", **nothing)])
    assert table.columns == ()
    assert table.notes[0] == "There is nothing to score."


def test_judges_and_sets_of_rules_never_share_a_table() -> None:
    papers = [score("a", variant, rules="paper") for variant in ("FP", "FR")]
    tables = score_tables([score(), score(judge="q:n"), score(judge_params="hot"), *papers])
    assert [[column.name for column in table.columns] for table in tables] == [["FP"], ["FP"], ["FP"], ["FP", "FR"]]
    assert [table.by for table in tables] == [
        "judged by p:m (language model)",
        "judged by q:n (language model)",
        "judged by p:m (language model, settings hot)",
        "judged by p:m (language model), rules of paper",
    ]


def test_floors_stand_below_the_systems_and_the_oracle_last() -> None:
    labels = ["null_copy", "oracle", "null_empty", "react@m", "hybrid_react+ws@m"]
    (table,) = score_tables([score(system=label, metric="basket") for label in labels], systems=systems(labels))
    shown = [(line.name, line.is_baseline) for line in table.rows]
    assert shown[:2] == [("hybrid_react+ws", False), ("react", False)]
    assert shown[2:] == [("null_empty", True), ("null_copy", True), ("oracle", True)]
    notes = " ".join(table.notes)
    for part in (
        "full names also contain @m",
        "null agents are trivial",
        "oracle computes the best cart",
    ):
        assert part in notes


def test_checks_of_a_system_that_made_them_itself_are_marked() -> None:
    checks = {"metric": "checks", "variant": "clean", "judge": "code"}
    (table,) = score_tables([score(**checks), score(**checks, system="b", self_checked=True)])
    assert names(table) == ["a", "b (self-checked)"]
    assert any(note.startswith("Self-checked") for note in table.notes)
    (table,) = score_tables([score(**checks)])
    assert names(table) == ["a"]
    assert not any(note.startswith("Self-checked") for note in table.notes)


def test_what_is_shown_stands_first_and_one_system_is_told_by_a_score_with_its_queries() -> None:
    rows = {system: {"FP": cell(0.8, 5)} for system in ("a@m", "b@m", "oracle")}
    compared = (measure("clean", "undecided", n_pairs=5, n_users=None), measure("FP", "lower"))
    found = conclusion(board(rows, *compared))
    assert found.can == f"In FP, b did better than a, shown by 10 queries, 10 users. {SURE}."
    assert found.cannot == "No difference is shown in clean by 5 queries."
    cells = {"gpt": {"FP": cell(0, 20, n_scored=1), "FR": cell(0.5, 20, n_scored=19)}}
    fr = ShownColumn(name="FR", metric="faithfulness", variant="FR", meaning="share of claims with a source")
    assert conclusion(board(cells, columns=(FP, fr))).can == ("gpt: FR 0.50 (19/20), share of claims with a source.")
    assert conclusion(board(cells)).can == "Nothing is scored on half of the reports yet."

    j = ShownColumn(name="J", metric="outcome", variant="J", meaning="one rate less another")
    made = board({"gpt": {"J": cell(1, 9, n_queries=1)}}, columns=(j,))
    assert [cell.counts for cell in board_table(made).rows[0].cells if cell] == ["n=1"]
    assert next(board_notes(made)) == "n=1 below a value: one of its two parts comes from only 1 query."
    assert conclusion(made).can == "gpt: J 1.00 (n=1), one rate less another."
    feasible = ShownColumn(name="feasible", metric="basket", variant="feasible", decides=True, meaning="right carts")
    for value, bought in ((0.4, "8 of 20 answers"), (0.33, "33% of its answers")):
        made = board({"gpt": {"feasible": cell(value, 20), "FP": cell(1, 20)}}, columns=(feasible, FP))
        said = f"gpt buys what was asked for in {bought}. FP 1.00 (n=20), share of claims that hold."
        assert conclusion(made).can == said


def test_slices_are_columns_with_the_number_of_their_queries_and_those_of_few_are_grey() -> None:
    (sliced,) = slice_sections(
        [of_slice("Baby_Products"), of_slice("Pet_Supplies", 4), of_slice("Baby_Products", system="b@m")],
        (),
        systems=systems(["a@m", "b@m"]),
    ).values()
    (table,) = sliced.tables
    assert table.title == "Faithfulness: FP by category"
    assert [(column.name, column.counts) for column in table.columns] == [
        ("Baby Products", "n=12"),
        ("Pet Supplies", "n=4"),
    ]
    assert [line.name for line in table.rows] == ["a", "b"]
    assert table.rows[1].cells[1] is None
    rows = [of_slice("Baby_Products", n_counted=9), of_slice("Pet_Supplies", 4), of_slice("Office_Products")]
    (sliced,) = slice_sections(rows, ()).values()
    (table,) = sliced.tables
    assert [column.few for column in table.columns] == [False, True, False]
    assert [(cell.few, cell.counts) for cell in table.rows[0].cells if cell] == [
        (True, "9/12"),
        (True, "n=4"),
        (False, "n=12"),
    ]
    assert "Grey: n is below 10, too few to rely on." in sliced.notes
    assert not any(
        "Grey" in note for each in slice_sections([of_slice("Office_Products")], ()).values() for note in each.notes
    )


def test_judges_never_share_slices_and_one_with_nothing_to_score_says_so() -> None:
    rows = [of_slice("gift", by="kind"), of_slice("Pet_Supplies"), of_slice("Pet_Supplies", judge="q:n")]
    assert [(key[1], by) for key, by in slice_sections(rows, ())] == [
        ("p:m", "category"),
        ("p:m", "kind"),
        ("q:n", "category"),
    ]
    (sliced,) = slice_sections(rows, (), ["kind"]).values()
    assert [table.title for table in sliced.tables] == ["Faithfulness: FP by kind"]

    why = {"a@m": {"n_na": 4, "n_failed": 0}, "b@m": {"n_na": 2, "n_failed": 2}}
    rated = [score(label, n_planned=12, n_scored=8, **left) for label, left in why.items()]
    empty = {"value": None, "ci_low": None, "ci_high": None, "n_counted": 0, "n_scored": 0}
    (sliced,) = slice_sections([of_slice("Pet_Supplies", system=label, **empty) for label in why], rated).values()
    assert [cell.text for line in sliced.tables[0].rows for cell in line.cells if cell] == ["n/a", "–"]


COLUMNS = (
    ShownColumn(name="FP", metric="faithfulness", variant="FP"),
    ShownColumn(name="quality", metric="quality", variant="overall", unit="rating"),
)


TWO = {"a@m": 0.9, "b@m": 0.8}


def of_values(fp: dict[str, float], *compared: ComparedRow, **fields: Any) -> Scoreboard:
    rows = {system: {"FP": cell(value), "quality": cell(6)} for system, value in fp.items()}
    return board(rows, *compared, columns=COLUMNS, **fields)


def preference(won: int, lost: int, n: int = 10, users: int = 10, needed: int | None = None) -> ComparedRow:
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
        ((), "Nothing can be concluded yet: no question has a result of both systems."),
        ((measure("FR", "nothing", n_pairs=0),), "Nothing can be concluded yet"),
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
def test_who_did_better_and_how_sure_that_is(compared: tuple[ComparedRow, ...], sentence: str) -> None:
    assert result_of(of_values(TWO, *compared)).startswith(sentence)


@pytest.mark.parametrize(
    ("compared", "feasible", "n", "sentence"),
    [
        (
            measure("feasible", "undecided", n_pairs=10, n_users=4, queries_needed=30, users_needed=12),
            {"a@m": 0.7, "b@m": 0.1},
            10,
            "a buys what was asked for on 7 of 10 questions of 4 users, b on 1. "
            "That may be chance: it would take about 30 questions of 12 users to tell.",
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
    compared: ComparedRow, feasible: dict[str, float], n: int, sentence: str
) -> None:
    rows = {system: {"feasible": cell(value, n)} for system, value in feasible.items()}
    columns = (ShownColumn(name="feasible", metric="basket", variant="feasible"),)
    bought = board(rows, compared, preference(9, 1), columns=columns, judge=OfJudge(judge="", judge_kind="llm"))
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

"""Also tests viewer/drawing/table.py."""

from functools import partial

from drretail.viewer.tables.scores import score_tables, slice_sections
from tests.viewer import scores
from tests.viewer.scores import of_slice

score = partial(scores.score, n_planned=4, n_scored=2, n_na=1, n_failed=1)


def test_systems_stand_below_each_other_variants_side_by_side_and_counts_say_what_was_left_out() -> None:
    rows = [score(), score(variant="FR"), score(system="b", value=1, ci_low=0.25, ci_high=1)]
    (table,) = score_tables(rows)
    assert [column.name for column in table.columns] == ["FP", "FR"]
    assert [line.name for line in table.rows] == ["a", "b"]
    cells = [line.cells[0] for line in table.rows]
    assert [cell and (cell.text, cell.interval) for cell in cells] == [("0.50", ""), ("1.00", ".25–1")]
    assert table.by == "judged by p:m (language model)"
    (table,) = score_tables([score(), score(variant="FR", n_scored=4, n_na=0, n_failed=0)])
    left_out, whole = table.rows[0].cells
    assert left_out is not None
    assert whole is not None
    assert (left_out.counts, whole.counts) == ("2 of 4, 1 n/a, 1 failed", "n=4")
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
    empty = {"value": None, "ci_low": None, "ci_high": None, "n_counted": 0, "n_scored": 0, "n_planned": 4}
    rows = [of_slice("Pet_Supplies", system=label, **empty, **left) for label, left in why.items()]
    (sliced,) = slice_sections(rows, ()).values()
    assert [cell.text for line in sliced.tables[0].rows for cell in line.cells if cell] == ["n/a", "–"]

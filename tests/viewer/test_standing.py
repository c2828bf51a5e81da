from drretail.records.score import Score
from drretail.viewer.standing import NOT_RATED, score_tables


def score(**fields: object) -> Score:
    usual = {"metric": "faithfulness", "version": 1, "variant": "FP", "system": "a", "value": 0.5, "n_planned": 4}
    usual |= {"n_scored": 2, "n_na": 1, "n_failed": 1, "judge": "p:m", "judge_kind": "llm"}
    return Score.model_validate(usual | fields)


def test_systems_stand_side_by_side() -> None:
    (table,) = score_tables([score(), score(system="b", value=1, ci_low=0.25, ci_high=1)], ["a", "b"])
    (row,) = table.rows
    assert [cell and (cell.value, cell.interval) for cell in row.cells] == [("0.50", ""), ("1.00", "0.25 – 1.00")]
    assert table.by == "judged by p:m (language model)"


def test_counts_say_what_was_left_out() -> None:
    (table,) = score_tables([score()], ["a"])
    assert table.rows[0].cells[0] is not None
    assert table.rows[0].cells[0].counts == "2 of 4, 1 n/a, 1 failed"


def test_a_missing_score_is_no_zero() -> None:
    (table,) = score_tables([score(value=None), score(system="b")], ["a", "b", "c"])
    cells = table.rows[0].cells
    assert cells[0] is not None
    assert (cells[0].value, cells[0].is_number, cells[2]) == ("–", False, None)


def test_a_rule_based_judge_s_ratings_are_never_numbers() -> None:
    rated = score(metric="quality", variant="clarity", value=7.0, note=NOT_RATED, judge_kind="rule_based")
    (table,) = score_tables([rated], ["a"])
    assert (table.rows, table.unrated) == ((), ("clarity",))


def test_judges_and_policies_have_rows_of_their_own() -> None:
    rows = [score(), score(judge="q:n"), score(policy="failed_as_zero", value=0.25)]
    (table,) = score_tables(rows, ["a"])
    assert table.by == ""
    assert [row.by.partition(" · ")[2] for row in table.rows] == ["", "", "failed and n/a counted as 0"]


def test_checks_of_a_system_that_made_them_itself_are_marked() -> None:
    checks = {"metric": "checks", "variant": "clean", "judge": "code"}
    (table,) = score_tables([score(**checks), score(**checks, system="b", self_checked=True)], ["a", "b"])
    assert table.systems == ("a", "b (self-checked)")
    assert "Self-checked" in table.meaning
    (table,) = score_tables([score(**checks)], ["a"])
    assert (table.systems, "Self-checked" in table.meaning) == (("a",), False)


def test_every_set_of_rules_has_a_table_of_its_own() -> None:
    tables = score_tables([score(), score(rules="paper"), score(rules="paper", variant="FR")], ["a"])
    assert [(table.title, len(table.rows)) for table in tables] == [
        ("Faithfulness", 1),
        ("Faithfulness, rules of paper", 2),
    ]

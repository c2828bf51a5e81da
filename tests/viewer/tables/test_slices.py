from drretail.records.score import Score, SliceScore
from drretail.viewer.tables.slices import few_words, sliced_tables


def row(name: str, **fields: object) -> SliceScore:
    usual: dict[str, object] = {"by": "category", "metric": "faithfulness", "variant": "FP", "system": "a@m"}
    usual |= {"judge": "p:m", "judge_kind": "llm", "value": 0.5, "ci_low": 0.25, "ci_high": 0.75}
    usual |= {"n_queries": 12, "n_counted": 12, "n_planned": 12, "n_scored": 12}
    return SliceScore.model_validate({**usual, "name": name, **fields})


FEW = {"n_queries": 4, "n_counted": 4, "n_planned": 4, "n_scored": 4}


def test_slices_are_columns_with_the_number_of_their_queries() -> None:
    (sliced,) = sliced_tables(
        [row("Baby_Products"), row("Pet_Supplies", **FEW), row("Baby_Products", system="b@m")], ()
    )
    (table,) = sliced.tables
    assert table.title == "Faithfulness: FP by category"
    assert [(column.name, column.counts) for column in table.columns] == [
        ("Baby Products", "n=12"),
        ("Pet Supplies", "n=4"),
    ]
    assert [line.name for line in table.rows] == ["a", "b"]
    assert table.rows[1].cells[1] is None


def test_what_few_queries_stand_behind_is_grey_and_said_in_words() -> None:
    rows = [row("Baby_Products", n_counted=9), row("Pet_Supplies", **FEW), row("Office_Products")]
    (sliced,) = sliced_tables(rows, ())
    (table,) = sliced.tables
    assert [column.few for column in table.columns] == [False, True, False]
    assert [(cell.few, cell.counts) for cell in table.rows[0].cells if cell] == [
        (True, "n=9"),
        (True, ""),
        (False, ""),
    ]
    assert few_words(sliced.tables) == "Grey: n is below 10, too few to rely on."
    assert few_words(sliced_tables([row("Office_Products")], ())[0].tables) == ""


def test_judges_never_share_a_table_and_only_the_wanted_kinds_are_there() -> None:
    rows = [row("budget", by="constraint"), row("Pet_Supplies"), row("Pet_Supplies", judge="q:n")]
    assert [sliced.table_key[1] for sliced in sliced_tables(rows, ())] == ["p:m", "q:n"]
    (sliced,) = sliced_tables(rows, (), ["constraint"])
    assert [table.title for table in sliced.tables] == ["Faithfulness: FP by constraint"]


def test_a_slice_with_nothing_to_score_says_so_and_one_that_failed_does_not() -> None:
    usual = {"metric": "faithfulness", "version": 1, "variant": "FP", "judge": "p:m", "judge_kind": "llm"}
    counts = {"n_planned": 12, "n_scored": 8, "value": 0.5}
    why = {"a@m": {"n_na": 4}, "b@m": {"n_na": 2, "n_failed": 2}}
    scores = [Score.model_validate({**usual, **counts, "system": label, **left}) for label, left in why.items()]
    empty = {"value": None, "ci_low": None, "ci_high": None, "n_counted": 0, "n_scored": 0}
    (sliced,) = sliced_tables([row("Pet_Supplies", system=label, **empty) for label in why], scores)
    assert [cell.text for line in sliced.tables[0].rows for cell in line.cells if cell] == ["n/a", "–"]

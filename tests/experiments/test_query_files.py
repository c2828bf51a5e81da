"""The two files of a query set: tasks, and the gold beside them."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.experiments.query_files import gold_file, with_gold, write_with_gold
from drretail.files import write_lines
from drretail.querygen.reading import read_queries, read_tasks, shipped_queries
from drretail.records.criteria import Gold, Needs
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish


def test_tasks_are_read_without_their_gold_also_of_files_that_hold_both(tmp_path: Path) -> None:
    wish = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),), budget=Money(amount="30", currency="USD"))
    query = Query(query_id="q-1", text="A feeder?", source="a test", wish=wish, kind="gift", rationale="It broke.")
    both, beside = tmp_path / "both.jsonl", tmp_path / "beside.jsonl"
    write_lines(both, [query.as_line()])
    write_with_gold([query], beside)
    assert "wants" not in beside.read_text(encoding="utf-8")
    for path in (both, beside):
        assert read_queries(path) == (query,)
        assert [(task.text, task.wish, task.kind, task.rationale) for task in read_tasks(path)] == [
            ("A feeder?", None, None, "")
        ]
    gold_file(beside).write_text("nobody may open it", encoding="utf-8")
    assert read_tasks(beside) == (query.task,)


def test_decisions_of_a_file_that_was_cut_are_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "q.gold.jsonl"
    path.write_text('{"format": 1, "query_id": "q1"}\n{"format": 1, "query_id": "q', encoding="utf-8")
    with pytest.raises(UserError, match=r"q\.gold\.jsonl, line 2, is not JSON"):
        with_gold([], path)
    for emptied_or_of_others in ("", '{"format": 1, "query_id": "other"}\n'):
        path.write_text(emptied_or_of_others, encoding="utf-8")
        with pytest.raises(UserError, match=r"q\.gold\.jsonl has a line for none of the queries"):
            with_gold(shipped_queries()[:1], path)
    (query,) = shipped_queries()[:1]
    path.write_text(f'{{"query_id": "{query.query_id}", "wish": {{"budget": "cheap"}}}}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"a line that is no gold of a query \(wish\.budget is 'cheap': it should be"):
        with_gold([query], path)


def test_a_need_whose_one_search_rests_on_an_open_demand_is_read_as_it_was_written(tmp_path: Path) -> None:
    gold = Gold(query_id="q-1", needs=Needs(one_search=None, of="a text"))
    query = Query(query_id="q-1", text="A feeder?", source="a test", gold=gold)
    write_with_gold([query], tmp_path / "q.jsonl")
    assert read_queries(tmp_path / "q.jsonl") == (query,)

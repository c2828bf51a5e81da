"""Plain questions become queries whose demands are still to be typed."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.querygen.importing import Question, queries_from, read_questions
from drretail.querygen.reading import read_queries
from drretail.records.query import Constraints, Query, demands


def test_a_text_holds_a_question_a_line(tmp_path: Path) -> None:
    file = tmp_path / "q.txt"
    file.write_text("\ufeffWhich lamp?\n\n  Which desk? \nWhich lamp?\n", encoding="utf-8")
    asked = read_questions(file)
    assert asked == (Question("Which lamp?"), Question("Which desk?"), Question("Which lamp?"))
    assert [it.text for it in queries_from(asked, "q.txt", None)] == ["Which lamp?", "Which desk?"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_has_questions_and_perhaps_users(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "q.csv"
    rows = [["note", "User", "Question"], ["x", "ANNA", "Which lamp,\nand why?"], ["", "", "Which desk?"], ["", "", ""]]
    file.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows))
    assert read_questions(file) == (Question("Which lamp,\nand why?", "ANNA"), Question("Which desk?"))


@pytest.mark.parametrize(
    ("name", "text", "said"), [("q.csv", "a,b\n1,2\n", "column 'question'"), ("q.txt", "\n", "no question")]
)
def test_a_file_without_questions_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=said):
        read_questions(tmp_path / name)


def test_ids_depend_on_question_and_user_alone_and_types_are_nobodys_until_somebody_fills_them_in() -> None:
    asked = [Question("Which lamp?"), Question("Which lamp?", "ANNA")]
    one, other = queries_from(asked, "q.txt", None)
    assert queries_from(asked[1:], "other.txt", None)[0].query_id == other.query_id != one.query_id
    assert (one.mode, other.mode, one.is_typed) == ("generic", "profile_aware", False)
    assert one.model_copy(update={"constraints": Constraints(must=demands("red"))}).is_typed
    assert one.model_copy(update={"typed_by": "Ann"}).is_typed


def test_files_from_before_are_typed_whatever_they_hold(tmp_path: Path) -> None:
    line = '{"format":1,"query_id":"a","text":"Which lamp?","mode":"generic","source":"somebody"}'
    (tmp_path / "old.jsonl").write_text(f"{line}\n")
    (query,) = read_queries(tmp_path / "old.jsonl")
    assert query.is_typed
    assert Query.model_validate_json(query.as_line()) == query
    assert "typed_by" not in query.as_line()

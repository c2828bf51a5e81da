"""Plain questions become queries whose wishes are still to be typed, unless the file brings them."""

import json
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.querygen.importing import Question, queries_from, read_questions
from drretail.records.money import Money
from drretail.records.wish import Want, Wish


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_has_questions_and_perhaps_users(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "q.csv"
    rows = [["note", "User", "Question"], ["x", "ANNA", "Which lamp,\nand why?"], ["", "", "Which desk?"], ["", "", ""]]
    file.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows))
    assert read_questions(file) == (Question("Which lamp,\nand why?", "ANNA"), Question("Which desk?"))


WISH = Wish(wants=(Want(name="lamp", kinds=("desk lamp",), rating_min=4),), budget=Money.of(40))


def test_rows_of_jsonl_may_bring_users_and_wishes(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    row = {"text": "Which lamp?", "user_id": "ANNA", "wish": WISH.model_dump(mode="json")}
    file.write_text("\n\n".join(map(json.dumps, [row, {"question": "Which desk?"}])))
    assert read_questions(file) == (Question("Which lamp?", "ANNA", WISH), Question("Which desk?"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.csv", 'question,wish\nWhich?,\nWhat?,"{""wants"": [{""name"": ""x""}]}"\n', "row 3.*wants.0.kinds"),
        ("q.csv", "question,wish\nWhich?,a lamp\n", "row 2.*not JSON"),
        ("q.jsonl", '{"question": "Which?"}\n{"question": "What?", "wish": {"budget": 3}}', "line 2.*names no wants"),
        ("q.jsonl", '{"question": "Which?"}\n{"question": "?", "wish": {"wants": [], "budget": 3}}', "line 2.*budget"),
        ("q.jsonl", '{"question": "Which?"}\n{"question": ', "line 2, is not JSON"),
        ("q.jsonl", "[1]", "line 1, is not a JSON object"),
        ("q.jsonl", '{"wish": null}', "line 1, has no question"),
        ("q.csv", "question,user\nWhich?,ANNA\n,ANNA\n", "row 3, has no question"),
        ("q.csv", "a,b\n1,2\n", "column 'question'"),
        ("q.txt", "\n", "no question"),
        ("q.txt", 'Which lamp?\n{"question": "Which?"}\n', r"line 2, is JSON, not a question: .* ends in \.jsonl"),
        ("q.txt", "Which\x00lamp?\n", "is not plain text"),
        ("q.jsonl", '{"question": "Which \\u001b[31mlamp?"}', "is not plain text"),
        ("q.csv", "question\n\x00\x00\x00\n", "is not plain text|is no CSV"),
        ("q.jsonl", '{"question": "x", "wish": ' + "[" * 10_000 + "]" * 10_000 + "}", "deeper than 200 levels"),
    ],
)
def test_a_broken_row_is_told_by_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message):
        read_questions(tmp_path / name)


def test_of_a_repeated_question_the_wish_is_kept_wherever_it_stands() -> None:
    (query,) = queries_from([Question("Which?"), Question("Which?", wish=WISH), Question("Which?")], "q.csv", None)
    assert query.wish == WISH
    with pytest.raises(UserError, match=r"q\.csv, row 3: .*another wish"):
        queries_from([Question("Which?", wish=WISH), Question("Which?", None, Wish(), "q.csv, row 3")], "q.csv", None)


@pytest.mark.parametrize("name", ["q.jsonl", "q.txt"])
def test_a_line_of_our_own_queries_is_no_text_and_the_command_that_takes_it_is_told(tmp_path: Path, name: str) -> None:
    (query,) = queries_from([Question("Which lamp?")], "q.txt", None)
    (tmp_path / name).write_text(query.as_line() + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"is a query already: drretail run --queries .*{name}"):
        read_questions(tmp_path / name)

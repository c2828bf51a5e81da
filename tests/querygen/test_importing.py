"""Plain questions become queries whose wishes are still to be typed, unless the file brings them."""

import json
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.querygen.importing import Question, queries_from, read_questions
from drretail.records.money import Money
from drretail.records.wish import Want, Wish


def test_a_text_holds_a_question_a_line(tmp_path: Path) -> None:
    file = tmp_path / "q.txt"
    file.write_text("\ufeffWhich lamp?\n\n  Which desk? \nWhich lamp?\n", encoding="utf-8")
    asked = read_questions(file)
    assert asked == (Question("Which lamp?"), Question("Which desk?"), Question("Which lamp?"))
    assert [each.text for each in queries_from(asked, "q.txt", None)] == ["Which lamp?", "Which desk?"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_has_questions_and_perhaps_users(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "q.csv"
    rows = [["note", "User", "Question"], ["x", "ANNA", "Which lamp,\nand why?"], ["", "", "Which desk?"], ["", "", ""]]
    file.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows))
    assert read_questions(file) == (Question("Which lamp,\nand why?", "ANNA"), Question("Which desk?"))


@pytest.mark.parametrize(
    ("name", "text", "message"), [("q.csv", "a,b\n1,2\n", "column 'question'"), ("q.txt", "\n", "no question")]
)
def test_a_file_without_questions_is_told(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message):
        read_questions(tmp_path / name)


def test_ids_depend_on_question_and_user_alone_and_nobody_has_typed_the_wish() -> None:
    asked = [Question("Which lamp?"), Question("Which lamp?", "ANNA")]
    one, other = queries_from(asked, "q.txt", None)
    assert queries_from(asked[1:], "other.txt", None)[0].query_id == other.query_id != one.query_id
    assert (one.mode, other.mode, one.wish, one.typed_by) == ("generic", "profile_aware", None, None)


WISH = Wish(wants=(Want(name="lamp", kinds=("desk lamp",), rating_min=4),), budget=Money.of(40))


def cell(wish: Wish) -> str:
    return '"' + wish.model_dump_json(exclude_none=True).replace('"', '""') + '"'


def test_a_table_may_bring_wishes(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text(f"question,wish\nWhich lamp?,{cell(WISH)}\nWhich desk?,\nAnd why?,{cell(Wish())}\n")
    lamp, desk, why = queries_from(read_questions(file), "q.csv", None)
    assert (lamp.wish, desk.wish, why.wish) == (WISH, None, Wish())


def test_rows_of_jsonl_may_bring_them_too(tmp_path: Path) -> None:
    rows = [
        {"text": "Which lamp?", "user_id": "ANNA", "wish": WISH.model_dump(mode="json")},
        {"question": "Which desk?"},
    ]
    file = tmp_path / "q.jsonl"
    file.write_text("\n\n".join(map(json.dumps, rows)))
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


def test_json_in_a_text_is_no_question(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text('Which lamp?\n{"question": "Which desk?"}\n')
    with pytest.raises(UserError, match=r"line 2, is JSON, not a question: .* ends in \.jsonl"):
        read_questions(tmp_path / "q.txt")


@pytest.mark.parametrize("text", ["Which\x00lamp?", "\x00\x00\x00", "Which \x1b[31mlamp?"])
@pytest.mark.parametrize("name", ["q.txt", "q.jsonl", "q.csv"])
def test_what_is_no_text_is_refused(tmp_path: Path, name: str, text: str) -> None:
    lines = {"q.txt": text, "q.jsonl": json.dumps({"question": text}), "q.csv": f"question\n{text}"}
    (tmp_path / name).write_text(lines[name] + "\n")
    with pytest.raises(UserError, match=r"is not plain text|is no CSV"):
        read_questions(tmp_path / name)


def test_absurd_width_depth_and_length_are_refused_with_their_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wide.csv").write_text(",".join(["question"] * 60_000) + "\n")
    with pytest.raises(UserError, match=r"60,000 columns, and a table may have 2,000"):
        read_questions(tmp_path / "wide.csv")
    (tmp_path / "deep.jsonl").write_text('{"question": "x", "wish": ' + "[" * 10_000 + "]" * 10_000 + "}\n")
    with pytest.raises(UserError, match="deeper than 200 levels"):
        read_questions(tmp_path / "deep.jsonl")
    monkeypatch.setattr("drretail.files.LONGEST_LINE", 1 << 20)
    (tmp_path / "long.txt").write_text("x\n" + "x" * ((1 << 20) + 1))
    with pytest.raises(UserError, match="line 2, has more than 1 MB, the most that is read"):
        read_questions(tmp_path / "long.txt")

import json
import tomllib

import pytest

from drretail.parsing import parse_json, parse_toml

DEEP = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        "[" * DEEP + "]" * DEEP,
        '{"a":' * DEEP + "1" + "}" * DEEP,
        "7" * 5000,
        f'{{"a":[-{"7" * 5000}]}}',
        "",
    ],
)
def test_whatever_python_cannot_hold_is_an_error_of_json(text: str) -> None:
    for given in (text, text.encode()):
        with pytest.raises(json.JSONDecodeError):
            parse_json(given)


def test_what_is_wrong_is_said_and_what_is_right_is_read() -> None:
    with pytest.raises(json.JSONDecodeError, match=r"^it is nested deeper than 200 levels$"):
        parse_json("[" * DEEP)
    with pytest.raises(json.JSONDecodeError, match=r"^a whole number in it has too many digits$"):
        parse_json("7" * 5000)
    with pytest.raises(UnicodeDecodeError):
        parse_json(b'"\xff"')
    assert parse_json('{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a":' * 200 + "1" + "}" * 200])
def test_two_hundred_levels_are_read_and_one_more_is_refused(text: str) -> None:
    assert json.dumps(parse_json(text), separators=(",", ":")) == text
    with pytest.raises(json.JSONDecodeError, match="deeper than 200"):
        parse_json(f"[{text}]")
    assert parse_json("[" + "[]," * 500 + "[]]") == [[]] * 501


@pytest.mark.parametrize("text", ["a = " + "[" * DEEP, "a = " + "7" * 5000, "a ="])
def test_whatever_python_cannot_hold_is_an_error_of_toml(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)
    assert parse_toml("a = [1]") == {"a": [1]}

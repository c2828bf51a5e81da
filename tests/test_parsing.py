import json
import tomllib

import pytest

from drretail.parsing import parse_json, parse_toml

DEEP = 100_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * DEEP, r"^it is nested deeper than 200 levels$"),
        ("[" * DEEP + "]" * DEEP, "deeper than 200 levels"),
        ('{"a":' * DEEP + "1" + "}" * DEEP, "deeper than 200 levels"),
        ("7" * 5000, r"^a whole number in it has too many digits$"),
        (f'{{"a":[-{"7" * 5000}]}}', "too many digits"),
        ("", ""),
    ],
)
def test_whatever_python_cannot_hold_is_an_error_of_json(text: str, message: str) -> None:
    for given in (text, text.encode()):
        with pytest.raises(json.JSONDecodeError, match=message):
            parse_json(given)


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a":' * 200 + "1" + "}" * 200])
def test_two_hundred_levels_are_read_and_one_more_is_refused(text: str) -> None:
    assert json.dumps(parse_json(text), separators=(",", ":")) == text
    with pytest.raises(json.JSONDecodeError, match="deeper than 200"):
        parse_json(f"[{text}]")


def test_what_is_right_is_read() -> None:
    assert parse_json("[" + "[]," * 500 + "[]]") == [[]] * 501
    assert parse_json('{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}
    with pytest.raises(UnicodeDecodeError):
        parse_json(b'"\xff"')


@pytest.mark.parametrize("text", ["a = " + "[" * DEEP, "a = " + "7" * 5000, "a ="])
def test_whatever_python_cannot_hold_is_an_error_of_toml(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)
    assert parse_toml("a = [1]") == {"a": [1]}

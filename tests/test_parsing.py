"""JSON and TOML that is read, and JSON as it is written. Also tests records/base.py.
retry_after: tests/env/web/test_providers.py. texts_in: tests/addons/assistants/test_redaction.py.
"""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drretail.parsing import json_values, parse_json, parse_toml, writable, writable_json
from drretail.records.base import canonical_json, normalised, record_json

DEEP = 100_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * DEEP, r"^it is nested deeper than 200 levels$"),
        ("7" * 5000, r"^a whole number in it has too many digits$"),
        (f'{{"a":[-{"7" * 5000}]}}', "too many digits"),
    ],
)
def test_whatever_python_cannot_hold_is_an_error_of_json(text: str, message: str) -> None:
    for form in (text, text.encode()):
        with pytest.raises(json.JSONDecodeError, match=message):
            parse_json(form)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("half \ud83d here", "half \ufffd here"),
        ("\ud83d\ude00", "\U0001f600"),
        ("nul \0", "nul \ufffd"),
        ("Zoë, line\n", "Zoë, line\n"),
    ],
)
def test_halves_of_characters_and_nul_go_and_what_a_file_can_hold_stays(text: str, expected: str) -> None:
    assert writable({text: [text, (text, 1, None)]}) == {expected: [expected, (expected, 1, None)]}
    escaped = json.dumps({"a": text})
    assert parse_json(escaped) == parse_json(escaped.encode()) == {"a": expected}
    assert json.loads(writable_json(escaped)) == {"a": expected}
    assert writable_json(f"no JSON: {escaped}") == f"no JSON: {escaped}"


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a":' * 200 + "1" + "}" * 200])
def test_two_hundred_levels_are_read_and_one_more_is_refused(text: str) -> None:
    assert json.dumps(parse_json(text), separators=(",", ":")) == text
    with pytest.raises(json.JSONDecodeError, match="deeper than 200"):
        parse_json(f"[{text}]")


@pytest.mark.parametrize("text", ["a = " + "[" * DEEP, "a = " + "7" * 5000, "a ="])
def test_whatever_python_cannot_hold_is_an_error_of_toml(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)
    assert parse_toml("a = [1]") == {"a": [1]}


NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-99, 99).map(float)
TEXTS = st.text(max_size=6) | st.text('\\":,.0[]{}e- ', max_size=12) | st.builds(json.dumps, st.lists(NUMBERS))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def fraction(text: str) -> float:
    """Of a number that is written with a point or a power; no whole number below 2**53 is."""
    assert abs(float(text)) >= 2**53 or not float(text).is_integer()
    return float(text)


@given(VALUES)
@example({'a\\"': [1, 2.0, -0.0]})
@example({"a\\": 3.0, "s": '"x":4.0,'})
def test_whole_floats_are_written_as_whole_numbers_wherever_they_stand(value: Any) -> None:
    text = canonical_json(value)
    read = json.loads(text, parse_float=fraction)
    assert read == value
    assert json.dumps(read, ensure_ascii=False, sort_keys=True, separators=(",", ":")) == text


@given(VALUES)
@example({"b": 25.0, "a": [1.5, 1e-7, 2.5e-5, 1e16, None, True, 2**70]})
@example('"é"\n\x1f\u2028\ud800')
@example({"\uffff": 1, "\U00010000": "null"})
def test_the_fast_way_writes_what_json_does(value: Any) -> None:
    plain = json.dumps(normalised(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert canonical_json(value) == plain == record_json(value)


def test_what_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json([float("nan")])


@given(
    st.lists(st.recursive(st.integers() | st.text() | st.none(), st.lists), max_size=5),
    st.sampled_from(["\n", " \r\n\n"]),
)
def test_values_that_follow_each_other_come_with_the_lines_they_begin_in(values: list[Any], between: str) -> None:
    printed = [json.dumps(value, indent=1) for value in values]
    lines = [1 + sum(part.count("\n") + between.count("\n") for part in printed[:at]) for at in range(len(values))]
    assert list(json_values(between.join(printed))) == [*zip(lines, writable(values), strict=True)]


def test_what_follows_a_value_and_is_none_is_an_error_with_its_line() -> None:
    with pytest.raises(json.JSONDecodeError, match="line 2"):
        list(json_values('{"a": 1}\n{"a": '))

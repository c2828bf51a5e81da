import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.records.base import canonical_json

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-99, 99).map(float)
TEXTS = st.text(max_size=6) | st.text('\\":,.0[]{}e- ', max_size=12) | st.builds(json.dumps, st.lists(NUMBERS))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def plain(value: Any) -> Any:
    """The value with whole numbers in place of floats that are whole, found by looking at each."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


@given(VALUES)
def test_whole_floats_are_written_as_whole_numbers_wherever_they_stand(value: Any) -> None:
    expected = json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert canonical_json(value) == expected


@pytest.mark.parametrize("value", [25.0, -0.0, [4.0], {"a": 4.0}, {'a\\"': [1, 2.0]}, {"a\\": 3.0}, {"s": '"x":4.0,'}])
def test_a_number_reads_the_same_whatever_its_type(value: Any) -> None:
    assert canonical_json(value) == canonical_json(plain(value))


def test_what_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json([float("nan")])

"""JSON arrays and mappings, streamed."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.data_ingest.raw import lines
from drretail.data_ingest.raw.lines import BrokenElement, read_elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # pytest uses it
    monkeypatch.setattr(lines, "_CHUNK", 3)


@given(
    st.lists(VALUES, max_size=5), st.dictionaries(st.text(max_size=4), VALUES, max_size=5), st.sampled_from([None, 2])
)
def test_arrays_are_read_by_element_and_mappings_by_row_however_they_are_laid_out(
    values: list[Any], mapping: dict[str, Any], indent: int | None
) -> None:
    array, by_id = (io.StringIO(json.dumps(each, indent=indent)) for each in (values, mapping))
    assert [value for _, value in read_elements(array)] == values
    assert [value for _, value in read_elements(by_id)] == [
        {"parent_asin": key, **value} if isinstance(value, dict) else value for key, value in mapping.items()
    ]


def test_each_element_knows_its_line() -> None:
    text = json.dumps([{"a": 1}, {"b": 2}, 3], indent=1)
    assert [line for line, _ in read_elements(io.StringIO(text))] == [2, 5, 8]


@given(st.integers(1, 200))
def test_a_cut_array_gives_its_whole_elements_and_then_says_where_it_broke(length: int) -> None:
    values = [{"id": number, "text": "x" * number} for number in range(8)]
    text = json.dumps(values, indent=1)[:length]
    found: list[Any] = []
    with pytest.raises(BrokenElement) as broken:
        found.extend(value for _, value in read_elements(io.StringIO(text)))
    assert values[: len(found)] == found
    assert 1 <= broken.value.line <= text.count("\n") + 1


@pytest.mark.parametrize("text", ["", "  ", "3", '"x"', "[1 2]", '{"a" 1}', "{1: 2}", "[1,", "[tru"])
def test_what_is_no_array_or_object_is_broken(text: str) -> None:
    with pytest.raises(BrokenElement):
        list(read_elements(io.StringIO(text)))


def test_a_value_that_never_ends_is_given_up_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_LONGEST", 1000)
    file = io.StringIO('["' + "x" * 1_000_000)
    with pytest.raises(BrokenElement):
        list(read_elements(file))
    assert file.tell() < 100_000

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.tables.table import Column
from drretail.tables.widths import parts


def columns(groups: str) -> list[Column]:
    return [Column(f"{group}{at}", group) for at, group in enumerate(groups)]


@pytest.mark.parametrize(
    ("groups", "widths", "room", "made"),
    [
        ("aaabbb", [1] * 6, 4, [[0, 1, 2], [3, 4, 5]]),  # a group stays together where it fits by itself
        ("aaaaab", [1] * 6, 2, [[0, 1], [2, 3], [4, 5]]),  # and is torn where it doesn't
        ("abcde", [1] * 5, 4, [[0, 1, 2], [3, 4]]),  # no column alone where as many parts are more even
        ("aaaabc", [1] * 6, 5, [[0, 1, 2, 3], [4, 5]]),
        ("abc", [1, 9, 1], 4, [[0], [1], [2]]),  # but for one that is too wide
    ],
)
def test_columns_are_parted_by_group_and_evenly(
    groups: str, widths: list[int], room: int, made: list[list[int]]
) -> None:
    assert parts(columns(groups), widths, room) == made


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 5)), max_size=20), st.integers(5, 12))
def test_every_column_stands_once_in_order_and_every_part_fits(given_columns: list[tuple[str, int]], room: int) -> None:
    widths = [width for _, width in given_columns]
    made = parts(columns("".join(group for group, _ in given_columns)), widths, room)
    assert [place for part in made for place in part] == list(range(len(widths)))
    assert all(part and sum(widths[place] for place in part) <= room for part in made)

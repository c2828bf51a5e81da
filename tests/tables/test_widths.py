from hypothesis import given
from hypothesis import strategies as st

from drretail.tables.table import Column
from drretail.tables.widths import parts


def columns(groups: str) -> list[Column]:
    return [Column(f"{group}{at}", group) for at, group in enumerate(groups)]


def test_a_group_stays_together_where_it_fits_by_itself() -> None:
    assert parts(columns("aaabbb"), [1] * 6, 4) == [[0, 1, 2], [3, 4, 5]]


def test_a_group_that_is_too_wide_is_torn() -> None:
    assert parts(columns("aaaaab"), [1] * 6, 2) == [[0, 1], [2, 3], [4, 5]]


def test_no_column_is_left_alone_where_the_same_number_of_parts_is_more_even() -> None:
    assert parts(columns("abcde"), [1] * 5, 4) == [[0, 1, 2], [3, 4]]
    assert parts(columns("aaaabc"), [1] * 6, 5) == [[0, 1, 2, 3], [4, 5]]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 5)), max_size=20), st.integers(5, 12))
def test_every_column_stands_once_in_order_and_every_part_fits(given_columns: list[tuple[str, int]], room: int) -> None:
    widths = [width for _, width in given_columns]
    made = parts(columns("".join(group for group, _ in given_columns)), widths, room)
    assert [place for part in made for place in part] == list(range(len(widths)))
    assert all(part and sum(widths[place] for place in part) <= room for part in made)


def test_a_column_that_is_too_wide_stands_alone() -> None:
    assert parts(columns("abc"), [1, 9, 1], 4) == [[0], [1], [2]]

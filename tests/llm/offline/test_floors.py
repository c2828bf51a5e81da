"""Floors on ratings, read from the words of a query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.llm.offline.shopper.floors import read_floors


@pytest.mark.parametrize(
    ("query", "rating", "ratings"),
    [
        ("It must be rated at least 4 stars, and I'd skip anything with fewer than 100 reviews.", 4.0, 100),
        ("at least 4.5 stars and at least 500 ratings", 4.5, 500),
        ("4+ stars, please", 4.0, 0),
        ("4 stars or better", 4.0, 0),
        ("rated 4.5 or higher", 4.5, 0),
        ("a rating of at least 4.2", 4.2, 0),
        ("an average of at least 4.3 out of 5", 4.3, 0),
        ("nothing below 4 stars", 4.0, 0),
        ("more than 1,000 reviews", None, 1000),
        ("200+ ratings", None, 200),
        ("at least 4 reviews", None, 4),
        ("at least 3 dog beds", None, 0),
        ("at least 4 out of 5 dentists", None, 0),
        ("I have 3 stars on my wall and read reviews", None, 0),
    ],
)
def test_floors_are_read_as_numbers(query: str, rating: float | None, ratings: int) -> None:
    floors = read_floors(query)
    assert (floors.rating, floors.ratings) == (rating, ratings)
    assert bool(floors) is (rating is not None or ratings > 0)


def test_floors_are_told_in_words() -> None:
    assert read_floors("at least 4.5 stars, at least 1,500 reviews").text == (
        "at least 4.5 stars and at least 1,500 ratings"
    )


@given(st.text(alphabet=st.sampled_from("0123456789,.+ atlesrvingorupd"), max_size=120))
def test_any_text_gives_floors_within_the_scale(query: str) -> None:
    floors = read_floors(query)
    assert floors.rating is None or 0 < floors.rating <= 5
    assert floors.ratings >= 0

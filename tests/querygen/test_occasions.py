from datetime import date

import pytest

from drretail.querygen.occasions import how_long, next_season, season, when

TODAY = date(2023, 6, 15)


@pytest.mark.parametrize(
    ("day", "said", "long"),
    [
        (date(2023, 6, 12), "a few days ago", "for a few days"),
        (date(2023, 5, 20), "a few weeks ago", "for a few weeks"),
        (date(2023, 2, 1), "in February", "since February"),
        (date(2022, 11, 30), "in November last year", "since November last year"),
        (date(2019, 3, 3), "back in 2019", "since 2019"),
    ],
)
def test_an_order_is_dated_as_one_would_say_it(day: date, said: str, long: str) -> None:
    assert when(day, TODAY) == said
    assert how_long(day, TODAY) == long


def test_seasons_turn_round_south_of_the_equator() -> None:
    assert (season(TODAY, "US"), next_season(TODAY, "US")) == ("summer", "fall")
    assert season(TODAY, "AU") == "winter"
    assert season(date(2023, 12, 31), "US") == "winter"
    assert next_season(date(2023, 11, 1), "US") == "winter"

from datetime import date

import pytest

from drretail.querygen.rules.phrases import Phrase
from drretail.querygen.rules.sentences import Said, how_long, season, text_of, when

TODAY = date(2023, 9, 15)


@pytest.mark.parametrize(
    ("day", "bought", "had"),
    [
        (date(2023, 9, 12), "a few days ago", "for a few days"),
        (date(2023, 8, 20), "a few weeks ago", "for a few weeks"),
        (date(2023, 3, 1), "in March", "since March"),
        (date(2022, 12, 31), "in December last year", "since December last year"),
        (date(2021, 5, 5), "back in 2021", "since 2021"),
    ],
)
def test_a_day_is_named_as_far_as_one_remembers_it(day: date, bought: str, had: str) -> None:
    assert (when(day, TODAY), how_long(day, TODAY)) == (bought, had)


def test_seasons_are_half_a_year_off_south_of_the_equator() -> None:
    assert (season(TODAY, "US"), season(TODAY, "US", later=1)) == ("fall", "winter")
    assert (season(TODAY, "au"), season(TODAY, "au", later=1)) == ("spring", "summer")


def test_words_agree_with_the_number_of_the_thing() -> None:
    text = "{it:quieter}, {it:another}, {it.a}: {it.are}, {it.have}, {it.look}"
    one, many = Said(Phrase("desk lamp", plural=False)), Said(Phrase("hair clips", plural=True))
    assert text.format(it=one) == "a quieter desk lamp, another desk lamp, a desk lamp: is, has, looks"
    assert text.format(it=many) == "quieter hair clips, other hair clips, hair clips: are, have, look"


def test_every_sentence_of_a_text_begins_with_a_capital() -> None:
    assert text_of("one thing.", "", "it is so. and on?") == "One thing. It is so. And on?"

"""Ratings and their numbers as scores of a text."""

import pytest

from drretail.grounding.text.amounts import find_amounts, notation_of
from drretail.grounding.text.scores import find_scores

ABOUT = "このケトルはとても静かで、毎日の朝食のために買う人が多いです。ステンレス製で手入れも簡単です。"


@pytest.mark.parametrize("written", ["4.2/5", "4.2 / 5", "4.2★"])
def test_a_rating_is_sure_by_its_scale_where_no_space_follows(written: str) -> None:
    text = f"{ABOUT}お客様の評価は{written}でした。{ABOUT}"
    amounts = find_amounts(text, notation_of(text))
    found = [
        (score.rating.low, score.is_sure) for score in find_scores(text, amounts, is_english=False) if score.rating
    ]
    assert [(float(low), is_sure) for low, is_sure in found] == [(4.2, True)]


def test_a_fraction_of_fifty_is_no_scale() -> None:
    text = "It took 4.2 / 50 of it"
    assert not [score for score in find_scores(text, find_amounts(text)) if score.is_sure]

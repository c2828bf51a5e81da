import pytest

from drretail.querygen.drafts.weighing import clashes


@pytest.mark.parametrize(
    ("point", "text"),
    [
        ("perennials against annuals", "perennial"),
        ("dishwasher safety", "dishwasher safe"),
        ("price for the amount", "with the price for each and how it does on {points}"),
        ("material", "silicone"),
        ("scent", "fragrance free"),
        ("noise at night", "quiet"),
    ],
)
def test_what_a_demand_settles_or_a_sentence_names_is_no_point_to_weigh_up(point: str, text: str) -> None:
    assert clashes(point, (text,))


@pytest.mark.parametrize(("point", "text"), [("grip", "non slip"), ("size", "sulfate free"), ("weight", "cotton")])
def test_other_points_are_left(point: str, text: str) -> None:
    assert not clashes(point, (text,))

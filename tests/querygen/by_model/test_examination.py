"""What a model is told about its answers."""

from typing import Any

import pytest

from drretail.env.world import World
from drretail.querygen.by_model.examination import Examiner, WrittenQuery, WrittenWish, unusable, wish_problem
from drretail.querygen.lint import Linter
from tests.querygen.by_model.scripted import WANT, written, written_wish
from tests.querygen.conftest import product_id


def test_a_wish_is_read_as_the_shop_spells_it(world: World) -> None:
    """Kinds that are categories are spelt as these, an id may come as evidence, nought stars and a blank are none."""
    owned = product_id("bird feeder", 1)
    changes = {"kinds": ["bed sheet sets", "BIRD_BATHS", "Bird Baths"], "owned": [f"P:{owned}"]}
    none = {"rating_min": 0, "ratings_min": 0, "deadline": " "}
    wish = Examiner(world, Linter(world)).wish_of(WrittenWish.model_validate(written_wish(**changes, **none)))
    (want,) = wish.wants
    assert (want.kinds, wish.owned) == (("Bed Sheet Sets", "Bird Baths"), (owned,))
    assert (want.rating_min, want.ratings_min, wish.deadline) == (None, None, None)


@pytest.mark.parametrize("amount", [0, -5, 1e30, float("inf"), float("nan"), 12.345])
@pytest.mark.parametrize("field", ["budget", "price_max"])
def test_what_is_no_amount_of_money_is_told_before_anything_else(field: str, amount: float) -> None:
    answer = WrittenQuery.model_validate(written(**{field: {"amount": amount, "currency": "USD"}}))
    assert field in (unusable(answer) or "")
    assert unusable(WrittenQuery.model_validate(written())) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kinds": []}, "kinds of 'birdhouse'"),
        ({"quantity": 0}, "quantity of 'birdhouse'"),
        ({"rating_min": 9}, "rating_min of 'birdhouse'"),
        ({"must": [" "]}, "must.0.say of 'birdhouse'"),
        ({"wants": [WANT, WANT]}, "two wants have the same name"),
    ],
)
def test_what_no_wish_can_hold_is_told_by_its_place(changes: dict[str, Any], message: str) -> None:
    assert message in (wish_problem(WrittenWish.model_validate(written_wish(**changes))) or "")

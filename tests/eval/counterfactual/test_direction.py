from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.counterfactual.measure import direction
from tests.eval.counterfactual.made import BIRD_LOVER, DOG_OWNER, KNOWN, advice

BIRD, DOG = "B0BIRD0000", "B0DOGS0000"
picks = st.lists(st.sampled_from(sorted(KNOWN)), unique=True, max_size=5)


def test_gaining_what_the_partner_buys_and_losing_one_s_own_are_both_towards_the_partner() -> None:
    found = direction([advice(BIRD)], [advice(DOG)], BIRD_LOVER, DOG_OWNER, {})
    assert (found.toward_other, found.toward_own, found.neither, found.value) == (2, 0, 0, 1.0)
    back = direction([advice(DOG)], [advice(BIRD)], BIRD_LOVER, DOG_OWNER, {})
    assert back.value == -1.0


def test_one_thing_for_another_of_the_same_kind_has_no_direction() -> None:
    found = direction([advice(BIRD)], [advice("B0BIRD0001")], BIRD_LOVER, DOG_OWNER, {})
    assert (found.toward_other, found.toward_own, found.value) == (1, 1, 0.0)


def test_nothing_changed_has_no_value_and_what_fits_nobody_counts_as_neither() -> None:
    assert direction([advice(BIRD)], [advice(BIRD)], BIRD_LOVER, DOG_OWNER, {}).value is None
    stranger = DOG_OWNER.model_copy(update={"brands": {}, "categories": {}, "price_position": None})
    found = direction([advice(DOG)], [advice()], stranger, stranger, {})
    assert (found.neither, found.value) == (1, 0.0)


def test_what_either_user_has_already_says_nothing_of_the_profile() -> None:
    """The bird lover's own feeder is left out for him, and recommended to somebody else: both are right."""
    owner = BIRD_LOVER.model_copy(update={"products": (BIRD,)})
    found = direction([advice("B0BIRD0001")], [advice(BIRD, "B0BIRD0001")], owner, DOG_OWNER, {})
    assert (found.toward_other, found.toward_own, found.neither, found.owned) == (0, 0, 0, 1)
    assert found.value is None
    partner = DOG_OWNER.model_copy(update={"products": (DOG,)})
    found = direction([advice(DOG)], [advice("B0DOGS0001")], BIRD_LOVER, partner, {})
    assert (found.toward_other, found.toward_own, found.owned) == (1, 0, 1)


@given(picks, picks)
def test_changing_sides_changes_the_sign(one: list[str], two: list[str]) -> None:
    there = direction([advice(*one)], [advice(*two)], BIRD_LOVER, DOG_OWNER, {}).value
    back = direction([advice(*two)], [advice(*one)], BIRD_LOVER, DOG_OWNER, {}).value
    assert there == (None if back is None else -back)

from drretail.eval.counterfactual.measure import overridden, strays
from drretail.records.query import Constraints
from tests.eval.counterfactual.made import BIRD_LOVER, DOG_OWNER, advice

BIRD, DOG = "B0BIRD0000", "B0DOGS0000"
WANTED = Constraints(categories=("Patio_Garden",))


def test_a_constraint_is_overridden_when_only_the_other_reports_break_it() -> None:
    kept, broken = advice(BIRD), advice(DOG, broken=["budget"])
    assert overridden([kept], [broken]) == {"budget"}
    assert overridden([broken], [broken]) == frozenset()
    assert overridden([broken], [kept]) == frozenset()


def test_most_repeats_decide_and_reports_that_recommend_nothing_have_no_say() -> None:
    kept, broken = advice(BIRD), advice(DOG, broken=["budget"])
    assert overridden([kept], [kept, broken]) == frozenset()
    assert overridden([kept, broken], [broken, broken, kept]) == {"budget"}
    assert overridden([kept], [broken, advice()]) == {"budget"}


def test_the_partner_s_goods_that_nobody_asked_for_are_strays() -> None:
    assert strays([advice(BIRD)], [advice(BIRD, DOG)], DOG_OWNER, WANTED) is True
    assert strays([advice(BIRD)], [advice("B0BIRD0001")], DOG_OWNER, WANTED) is False


def test_what_the_query_wants_what_came_anyway_and_what_the_partner_never_bought_is_none() -> None:
    dogs_too = Constraints(categories=("Patio_Garden", "Pet Supplies"))
    assert strays([advice(BIRD)], [advice(DOG)], DOG_OWNER, dogs_too) is False
    assert strays([advice(DOG)], [advice(DOG)], DOG_OWNER, WANTED) is False
    assert strays([advice(BIRD)], [advice(DOG)], BIRD_LOVER, WANTED) is False
    assert strays([advice(BIRD)], [advice(DOG)], DOG_OWNER, Constraints()) is None

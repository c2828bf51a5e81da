from drretail.eval.counterfactual.measure import overridden, strays
from drretail.records.wish import Want, Wish
from tests.eval.counterfactual.made import BIRD_LOVER, DOG_OWNER, advice

BIRD, DOG = "B0BIRD0000", "B0DOGS0000"
FEEDER, BED = Want(name="feeder", kinds=("Bird Feeders",)), Want(name="bed", kinds=("dog bed",))
WANTED = Wish(wants=(FEEDER,))


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
    dogs_too = Wish(wants=(FEEDER, BED))
    assert strays([advice(BIRD)], [advice(DOG)], DOG_OWNER, dogs_too) is False
    assert strays([advice(DOG)], [advice(DOG)], DOG_OWNER, WANTED) is False
    assert strays([advice(BIRD)], [advice(DOG)], BIRD_LOVER, WANTED) is False


def test_what_is_a_stray_cannot_be_told_where_the_wish_is_not_typed_or_leaves_room() -> None:
    room = WANTED.model_copy(update={"room": True})
    assert strays([advice(BIRD)], [advice(DOG)], DOG_OWNER, None) is None
    assert strays([advice(BIRD)], [advice(BIRD, DOG)], DOG_OWNER, room) is None
    assert strays([advice()], [advice(DOG)], DOG_OWNER, Wish()) is True

from drretail.eval.counterfactual.measure import Change, is_ignored, measured
from drretail.records.counterfactual import DIMENSIONS, Counterfactual, Dimension, ProfileTraits
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.eval.counterfactual.made import BIRD_LOVER, DOG_OWNER, advice
from tests.two_tastes import BIRDS

BIRD, DOG = "B0BIRD0000", "B0DOGS0000"
NOTHING = Change(None, None, None)
ASKED = Query(
    query_id="q",
    user_id=BIRDS,
    text="A feeder?",
    source="test",
    wish=Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),)),
)
FROZEN = Counterfactual(user_id=BIRDS, rule="x", own=BIRD_LOVER, partner=DOG_OWNER)


def only(products: Change) -> dict[Dimension, Change]:
    return {**dict.fromkeys(DIMENSIONS, NOTHING), "products": products}


def test_a_profile_is_ignored_where_nothing_changes_more_than_between_repeats() -> None:
    assert is_ignored(only(Change(0.0, 0.0, 0.0))) is True
    assert is_ignored(only(Change(0.5, 0.4, 0.5))) is True
    assert is_ignored(only(Change(0.6, 0.4, 0.5))) is False
    assert is_ignored(only(Change(0.1, None, None))) is False


def test_nothing_can_be_told_of_silence_or_of_repeats_that_share_nothing() -> None:
    assert is_ignored(only(NOTHING)) is None
    assert is_ignored(only(Change(1.0, 1.0, 1.0))) is None


def test_a_neutral_profile_overrides_nothing_and_leads_away_from_the_own() -> None:
    found = measured(ASKED, FROZEN, "neutral", [advice(BIRD)], [advice(DOG, broken=["budget"])])
    assert (found.overused, found.overused_constraint, found.overused_category) == (None, None, None)
    assert found.direction.value == 0.5  # its own thing lost; the new one agrees with nobody


def test_over_used_is_either_and_cannot_be_told_of_reports_that_recommend_nothing() -> None:
    found = measured(ASKED, FROZEN, "swap", [advice(BIRD)], [advice(DOG, broken=["budget"])])
    assert (found.overused, found.overused_constraint, found.overused_category) == (True, True, True)
    assert measured(ASKED, FROZEN, "swap", [advice(BIRD)], [advice()]).overused is None
    assert measured(ASKED, FROZEN, "swap", [advice(BIRD, broken=["budget"])], [advice(BIRD)]).regained


def test_of_a_query_that_nobody_typed_over_use_cannot_be_told() -> None:
    untyped = ASKED.model_copy(update={"wish": None})
    found = measured(untyped, FROZEN, "swap", [advice(BIRD)], [advice(DOG)])
    assert (found.overused, found.overused_constraint, found.overused_category) == (None, None, None)


def test_without_orders_on_either_side_there_is_no_profile_to_ignore() -> None:
    bare = FROZEN.model_copy(update={"own": ProfileTraits(user_id=BIRDS, orders=0)})
    assert measured(ASKED, bare, "neutral", [advice(BIRD)], [advice(BIRD)]).ignored is None
    assert measured(ASKED, FROZEN, "neutral", [advice(BIRD)], [advice(BIRD)]).ignored is True

from collections.abc import Callable, Iterator
from random import Random

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.choosing import Case
from drretail.querygen.rules.drafting import Draft, draft
from drretail.querygen.rules.history import read_history
from drretail.querygen.rules.needs import Need, needs
from drretail.querygen.rules.offers import Assortment
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import MakeWorld, bought, products

Attempt = Callable[..., Case]
NEEDS = {need.name: need for need in needs()}
SEEDS = range(8)


@pytest.fixture
def case(world: World) -> Iterator[Attempt]:
    """Makes attempts at drafts for a shopper of the shop."""
    with Toolkit(Session(world, scope="any")) as toolkit:
        assortment = Assortment(Stock(toolkit.session.world))

        def attempt(user_id: str, seed: int = 0, avoid: frozenset[str] = frozenset()) -> Case:
            return Case(read_history(toolkit, user_id), assortment, Random(seed), 0.5, avoid)

        yield attempt


def made(case: Attempt, user_id: str, name: str, seed: int = 0) -> Draft:
    found = draft(case(user_id, seed), NEEDS[name])
    assert found is not None
    return found


@pytest.mark.parametrize("need", needs(), ids=lambda need: need.name)
def test_every_need_is_supported_by_some_history(need: Need, case: Attempt) -> None:
    assert any(draft(case(user, seed), need) for user in ("ANNA", "CARA", "FAYE", "GUNN_2") for seed in SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_something_better_replaces_what_lasts(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "something better", seed)
    assert found.about == {found.mine}
    assert found.about <= {"bird feeder", "dog bed", "desk lamp", "drill", "cordless drill"}
    assert len(found.wish.owned) == 1
    assert [(want.name, want.again) for want in found.wish.wants] == [(found.mine, False)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_set_is_of_what_the_user_lacks_within_a_total_that_is_added_up(case: Attempt, seed: int) -> None:
    found = made(case, "CARA", "a whole set", seed)
    assert {want.name for want in found.wish.wants} == found.about
    assert len(found.about) in (2, 3)
    assert found.wish.budget is not None
    assert "calculator" in found.expected_tools
    assert not found.about & {"weighted blanket", "nail polish set", "planner", "gel pen set", "humidifier"}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_used_up_may_be_bought_once_more(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "again", seed)
    (want,) = found.wish.wants
    assert found.about == {want.name} <= {"shampoo", "facial moisturizer"}
    assert want.again
    assert want.quantity == 1 or {2: "two", 3: "three"}[want.quantity] in found.text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_choice_is_between_two_things_and_demands_what_both_can_meet(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "one of two", seed)
    assert len(found.about) == 2
    assert all(name in found.text for name in found.about)
    (want,) = found.wish.wants
    assert found.about <= set(want.kinds)


@pytest.mark.parametrize("seed", SEEDS)
def test_presents_for_several_people_have_a_number_and_a_price_for_each(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "presents for several", seed)
    (want,) = found.wish.wants
    assert want.price_max is not None
    assert found.wish.budget is None
    assert want.quantity in (2, 3, 4)
    assert found.mine not in found.about


@pytest.mark.parametrize("seed", SEEDS)
def test_a_question_of_weather_makes_the_agent_look_up_where_the_user_lives(
    case: Attempt, world: World, seed: int
) -> None:
    found = made(case, "ANNA", "in its own weather", seed)
    assert found.mine == "bird feeder"
    assert "get_user_profile" in found.expected_tools
    assert world.store.user("ANNA").address.city not in found.text
    assert any(word in found.text for word in ("winter", "spring", "summer", "fall"))


@pytest.mark.parametrize("name", [need.name for need in needs() if need.shape == "again"])
def test_a_shopper_without_consumables_has_nothing_to_order_again(case: Attempt, name: str) -> None:
    assert draft(case("BERT"), NEEDS[name]) is None


def test_what_other_queries_are_about_is_left_alone(case: Attempt) -> None:
    names = {made(case, "ANNA", "for less", seed).mine for seed in range(20)}
    assert len(names) == 4
    (last,) = names - set(sorted(names)[:3])
    left = draft(case("ANNA", avoid=frozenset(names - {last})), NEEDS["for less"])
    assert left is not None
    assert left.about == {last}
    assert draft(case("ANNA", avoid=frozenset(names)), NEEDS["for less"]) is None


def test_another_maker_is_asked_for_in_the_text_and_in_the_types(case: Attempt) -> None:
    for seed in SEEDS:
        found = made(case, "ANNA", "another maker", seed)
        (want,) = found.wish.wants
        (brand,) = want.brands_unwanted
        assert brand in found.text


def test_a_budget_buys_something_else_than_what_the_user_has(make_world: MakeWorld) -> None:
    """The only cheap bird bath is the user's own."""
    dear = [it if it.price == 17 else it.model_copy(update={"price": 147.95}) for it in products()]
    shop = make_world(dear, [*bought("ANNA", "planner", first=40), *bought("BERT", "bird bath")])
    with Toolkit(Session(shop, scope="any")) as toolkit:
        history, assortment = read_history(toolkit, "BERT"), Assortment(Stock(toolkit.session.world))
        found = [draft(Case(history, assortment, Random(seed), 0.0), NEEDS["something better"]) for seed in SEEDS]
    budgets = [it.wish.budget for it in found if it is not None]
    said = [budget.value for budget in budgets if budget is not None]
    assert len(budgets) == len(SEEDS)
    assert len(said) >= 5
    assert min(said) > 147


def test_no_budget_contradicts_what_the_product_at_hand_costs(make_world: MakeWorld) -> None:
    """Hers costs $17; what is cheaper costs $10, and all else more."""
    shop = make_world(products(), [*bought("ANNA", "planner", first=40), *bought("BERT", "bird bath", "headlamp")])
    with Toolkit(Session(shop, scope="any")) as toolkit:
        history, assortment = read_history(toolkit, "BERT"), Assortment(Stock(toolkit.session.world))
    for need, low, high in (("something better", 17, 1000), ("the next one", 17, 1000), ("for less", 0, 16.99)):
        case = (draft(Case(history, assortment, Random(seed), 0.0), NEEDS[need]) for seed in SEEDS)
        wishes = [it.wish for it in case if it is not None]
        each = [float(wish.budget.value) / wish.wants[0].quantity for wish in wishes if wish.budget is not None]
        each += [float(want.price_max.value) for wish in wishes for want in wish.wants if want.price_max is not None]
        assert all(low <= it <= high for it in each), need


def test_the_wordings_of_one_need_differ_for_one_shopper(case: Attempt) -> None:
    assert len({made(case, "ANNA", "something better", seed).text for seed in range(20)}) == 20

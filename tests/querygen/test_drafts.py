from collections.abc import Callable, Iterator
from random import Random

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.grounding.constraints import read_constraints
from drretail.querygen.checks.stock import Stock
from drretail.querygen.drafts.case import Case, Draft
from drretail.querygen.drafts.composing import draft
from drretail.querygen.history import History, read_history
from drretail.querygen.knowledge import kinds, projects
from drretail.querygen.needs import Need, needs
from drretail.querygen.shelf import Shelf
from drretail.querygen.things import thing_named
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import MakeWorld, bought, products

Attempt = Callable[..., Case]
NEEDS = {need.name: need for need in needs()}
SEEDS = range(8)


@pytest.fixture
def case(world: World) -> Iterator[Attempt]:
    """Makes attempts at drafts for a shopper of the shop."""
    with Toolkit(Session(world)) as toolkit:
        shelf = Shelf(Stock(toolkit.session.world))

        def attempt(user_id: str, seed: int = 0, avoid: frozenset[str] = frozenset()) -> Case:
            history: History = read_history(toolkit, user_id)
            return Case(history, shelf, Random(seed), 0.5, avoid)

        yield attempt


def made(case: Attempt, user_id: str, name: str, seed: int = 0) -> Draft:
    found = draft(case(user_id, seed), NEEDS[name])
    assert found is not None
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_an_upgrade_replaces_something_that_lasts(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "upgrade", seed)
    assert found.about <= {"bird feeder", "dog bed", "desk lamp", "cordless drill"}
    assert found.mine in found.about
    assert (found.constraints.budget_scope == "per_item") <= bool(found.constraints.quantities)
    assert len(found.constraints.owned) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_set_is_of_what_the_user_lacks_within_a_total_that_is_added_up(case: Attempt, seed: int) -> None:
    found = made(case, "CARA", "guest room", seed)
    assert found.constraints.budget is not None
    assert "calculator" in found.expected_tools
    for name in ("weighted blanket", "planner", "gel pen set", "humidifier"):
        assert f"a {name}" not in found.text


@pytest.mark.parametrize("seed", SEEDS)
def test_of_what_is_used_up_a_number_is_typed_only_where_it_is_said(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "restock", seed)
    assert found.about <= {"shampoo", "facial moisturizer"}
    assert found.constraints.owned == ()
    for name, count in found.constraints.quantities.items():
        assert name in found.text
        assert {2: "two", 3: "three"}[count] in found.text


@pytest.mark.parametrize("name", ["choice", "choice, one tried"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_choice_is_between_two_kinds_and_demands_what_both_can_meet(case: Attempt, name: str, seed: int) -> None:
    found = made(case, "FAYE", name, seed)
    assert len(found.about) == 2
    assert found.about <= set(kinds())
    assert all(name in found.text for name in found.about)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gift_is_something_else_than_what_the_user_owns(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "gift for the same taste", seed)
    interests = {name.removeprefix("gift: ") for name in found.about if name.startswith("gift: ")}
    assert len(found.about) == 3
    assert interests <= {entry.interest for entry in projects()}
    assert found.mine not in found.about


@pytest.mark.parametrize("seed", SEEDS)
def test_presents_for_several_people_have_a_number_and_a_price_for_each(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "thank-you gifts", seed)
    assert found.constraints.budget_scope == "per_item"
    assert next(iter(found.constraints.quantities.values())) in (2, 3, 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_question_of_season_makes_the_agent_look_up_where_the_user_lives(
    case: Attempt, world: World, seed: int
) -> None:
    found = made(case, "GUNN_2", "season", seed)
    address = world.store.user("GUNN_2").address
    assert "get_user_profile" in found.expected_tools
    assert "my " in found.text
    assert address.city not in found.text
    assert any(word in found.text for word in ("winter", "spring", "summer", "fall"))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_deadline_is_typed_as_it_is_said(case: Attempt, seed: int) -> None:
    found = made(case, "ANNA", "gift by a date", seed)
    assert found.constraints.deadline is not None
    assert read_constraints(found.text).deadline == found.constraints.deadline


@pytest.mark.parametrize("name", [need.name for need in needs() if need.shape == "again"])
def test_a_shopper_without_consumables_has_nothing_to_order_again(case: Attempt, name: str) -> None:
    assert draft(case("BERT"), NEEDS[name]) is None


def test_what_other_queries_are_about_is_left_alone(case: Attempt) -> None:
    taken = frozenset({"bird feeder", "dog bed", "desk lamp"})
    left = draft(case("ANNA", avoid=taken), NEEDS["upgrade"])
    assert left is not None
    assert left.about == {"cordless drill"}
    assert draft(case("ANNA", avoid=taken | {"cordless drill"}), NEEDS["upgrade"]) is None


def test_a_bad_experience_rules_the_brand_out_in_the_text_and_in_the_types(case: Attempt) -> None:
    for seed in SEEDS:
        found = made(case, "ANNA", "bad experience", seed)
        assert len(found.constraints.brands_unwanted) == 1
        assert read_constraints(found.text).brands_unwanted == found.constraints.brands_unwanted


def test_a_budget_buys_something_else_than_what_the_user_has(make_world: MakeWorld) -> None:
    """The only cheap bird bath is the user's own."""
    dear = [it if it.price == 17 else it.model_copy(update={"price": 147.95}) for it in products()]
    shop = make_world(dear, [*bought("ANNA", "planner", first=40), *bought("BERT", "bird bath")])
    with Toolkit(Session(shop)) as toolkit:
        history, shelf = read_history(toolkit, "BERT"), Shelf(Stock(toolkit.session.world))
        found = [draft(Case(history, shelf, Random(seed), 0.0), NEEDS["worth it"]) for seed in SEEDS]
    budgets = [it.constraints.budget for it in found if it is not None]
    said = [budget.value for budget in budgets if budget is not None]
    assert len(budgets) == len(SEEDS)
    assert len(said) >= 5
    assert min(said) > 147


def test_the_wordings_of_one_need_differ_for_one_shopper(case: Attempt) -> None:
    texts = {made(case, "ANNA", "upgrade", seed).text for seed in range(20)}
    assert len(texts) == 20
    assert len({text.split(".")[-2] for text in texts}) > 8


@pytest.mark.parametrize("need", needs(), ids=lambda need: need.name)
def test_every_need_is_supported_by_some_history(need: Need, everybody: list[Case]) -> None:
    assert any(draft(case, need) is not None for case in everybody)


@pytest.fixture(scope="module")
def everybody(rich_world: World) -> Iterator[list[Case]]:
    """Shoppers each of whom owns a few kinds in a row, so that every kind is owned by somebody."""
    with Toolkit(Session(rich_world)) as toolkit:
        shelf = Shelf(Stock(toolkit.session.world))
        users = [row.user_id for row in rich_world.store.sample_users("1", 100)]
        yield [Case(read_history(toolkit, user), shelf, Random(7), 0.5) for user in users]


def test_every_kind_has_a_question_that_is_clear_by_itself(case: Attempt) -> None:
    attempt = case("BERT")
    for name in kinds():
        for ask in attempt.questions(thing_named(name)):
            assert not {"it", "they", "them", "one", "its"} & set(ask.split()), name
        assert attempt.points(thing_named(name)), name

from collections.abc import Callable, Iterator
from random import Random

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.grounding.constraints import read_constraints
from drretail.querygen.drafts import compare, gift, project, replenish, season, upgrade
from drretail.querygen.drafts.case import Case, Draft
from drretail.querygen.history import History, read_history
from drretail.querygen.knowledge import kinds, projects
from drretail.querygen.shelf import Shelf
from drretail.querygen.things import thing_named
from drretail.tools.toolkit import Toolkit

Attempt = Callable[..., Case]


@pytest.fixture
def case(world: World) -> Iterator[Attempt]:
    """Makes attempts at drafts for a shopper of the shop."""
    with Toolkit(Session(world)) as toolkit:
        shelf = Shelf(toolkit)

        def attempt(user_id: str, seed: int = 0, avoid: frozenset[str] = frozenset()) -> Case:
            history: History = read_history(toolkit, user_id)
            return Case(history, shelf, Random(seed), 0.5, avoid)

        yield attempt


def made(draft: Draft | None) -> Draft:
    assert draft is not None
    return draft


@pytest.mark.parametrize("seed", range(8))
def test_an_upgrade_replaces_something_that_lasts(case: Attempt, seed: int) -> None:
    draft = made(upgrade.draft(case("ANNA", seed)))
    assert draft.about <= {"bird feeder", "dog bed", "desk lamp", "cordless drill"}
    assert draft.constraints.budget_scope == "total"
    assert len(draft.constraints.owned) == 1


@pytest.mark.parametrize("seed", range(8))
def test_a_project_names_only_what_the_user_lacks_and_a_total_budget(case: Attempt, seed: int) -> None:
    draft = made(project.draft(case("CARA", seed)))
    assert draft.constraints.budget is not None
    assert draft.constraints.budget_scope == "total"
    assert "calculator" in draft.expected_tools
    for name in ("weighted blanket", "planner", "gel pen set", "humidifier"):
        assert f"a {name}" not in draft.text


@pytest.mark.parametrize("seed", range(8))
def test_replenishing_has_a_budget_for_each_item(case: Attempt, seed: int) -> None:
    draft = made(replenish.draft(case("ANNA", seed)))
    assert draft.about <= {"shampoo", "facial moisturizer"}
    assert draft.constraints.budget_scope == "per_item"
    assert set(draft.constraints.quantities) <= draft.about
    for name, count in draft.constraints.quantities.items():
        assert name in draft.text
        assert {2: "two", 3: "three"}[count] in draft.text


def test_something_ordered_twice_is_said_to_be(case: Attempt) -> None:
    texts = [made(replenish.draft(case("ANNA", seed))).text for seed in range(8)]
    assert any("shampoo I've ordered twice" in text for text in texts)


@pytest.mark.parametrize("seed", range(8))
def test_a_comparison_is_between_two_kinds_and_demands_what_both_can_meet(case: Attempt, seed: int) -> None:
    draft = made(compare.draft(case("FAYE", seed)))
    assert len(draft.about) == 2
    assert draft.about <= set(kinds())
    assert all(name in draft.text for name in draft.about)
    assert draft.constraints.must
    assert all(word in draft.text for word in (*draft.constraints.must, *draft.constraints.must_not))


@pytest.mark.parametrize("seed", range(8))
def test_a_gift_is_something_else_than_what_the_user_owns(case: Attempt, seed: int) -> None:
    draft = made(gift.draft(case("ANNA", seed)))
    interest = next(iter(draft.about)).removeprefix("gift: ")
    assert interest in draft.text
    assert interest in {entry.interest for entry in projects()}
    assert draft.constraints.budget is not None


@pytest.mark.parametrize("seed", range(8))
def test_a_question_of_season_makes_the_agent_look_up_where_the_user_lives(
    case: Attempt, world: World, seed: int
) -> None:
    draft = made(season.draft(case("GUNN_2", seed)))
    address = world.store.user("GUNN_2").address
    assert "get_user_profile" in draft.expected_tools
    assert "my " in draft.text
    assert address.city not in draft.text
    assert any(word in draft.text for word in ("winter", "spring", "summer", "fall"))


def test_a_shopper_without_consumables_has_nothing_to_replenish(case: Attempt) -> None:
    assert replenish.draft(case("BERT")) is None


def test_what_other_queries_are_about_is_left_alone(case: Attempt) -> None:
    taken = frozenset({"bird feeder", "dog bed", "desk lamp"})
    assert made(upgrade.draft(case("ANNA", avoid=taken))).about == {"cordless drill"}
    assert upgrade.draft(case("ANNA", avoid=taken | {"cordless drill"})) is None


def test_a_brand_is_ruled_out_only_where_the_text_says_so(case: Attempt) -> None:
    drafts = [made(upgrade.draft(case("ANNA", seed))) for seed in range(24)]
    ruled_out = [draft for draft in drafts if draft.constraints.brands_unwanted]
    assert 0 < len(ruled_out) < len(drafts)
    for draft in drafts:
        assert read_constraints(draft.text).brands_unwanted == draft.constraints.brands_unwanted


def test_every_kind_has_a_question_that_is_clear_by_itself(case: Attempt) -> None:
    attempt = case("BERT")
    for name in kinds():
        assert not {"it", "they", "them", "one", "its"} & set(attempt.question(thing_named(name)).split()), name
        assert attempt.points(thing_named(name)), name

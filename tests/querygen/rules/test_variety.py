"""What holds between the queries of one user."""

from itertools import combinations

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.generate import generate_for, queries_of
from drretail.querygen.lint import Linter
from drretail.querygen.rules.drafting import Draft
from drretail.querygen.rules.history import read_history
from drretail.querygen.rules.offers import Assortment
from drretail.querygen.rules.variety import varied
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import MakeWorld, bought, products

USERS = ["ANNA", "CARA", "FAYE", "GUNN_1", "GUNN_2"]


def drafts(world: World, user: str, seed: str, most: int) -> list[Draft]:
    with Toolkit(Session(world, scope="any")) as toolkit:
        history = read_history(toolkit, user)
        made = varied(history, Assortment(Stock(toolkit.session.world)), 0.5, seed, lambda _: True)
        return [it for it, _ in zip(made, range(most), strict=False)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("user", ["ANNA", "CARA"])
def test_three_queries_of_a_rich_history_start_from_and_ask_for_different_things(
    world: World, user: str, seed: int
) -> None:
    made = drafts(world, user, str(seed), 3)
    assert len({it.kind for it in made}) == 3
    assert all({it.mine, *it.about}.isdisjoint({other.mine, *other.about}) for it, other in combinations(made, 2))


@pytest.mark.parametrize("user", USERS)
def test_each_need_comes_once_and_says_nothing_that_another_says(world: World, user: str) -> None:
    made = drafts(world, user, "1", 9)
    assert len({it.need for it in made}) == len(made)
    first, second = made[:2]
    assert len(first.words & second.words) <= 2


@pytest.mark.parametrize("seed", range(6))
def test_whoever_bought_one_thing_long_ago_is_not_asked_about_it_twice_in_the_same_way(
    make_world: MakeWorld, seed: int
) -> None:
    rows = [*bought("IDA", "vitamin D3 supplement"), *bought("JO", "planner", first=200)]
    made = drafts(make_world(products(), rows), "IDA", str(seed), 9)
    assert made
    for kind in {it.kind for it in made}:
        about = [name for it in made if it.kind == kind for name in it.about]
        assert len(set(about)) == len(about)


def test_a_draft_with_which_the_checks_find_fault_gives_way_to_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Toolkit(Session(world, scope="any")) as toolkit:
        assortment = Assortment(Stock(toolkit.session.world))
        first, second = queries_of(world, assortment, "ANNA", per_user=2, seed="1")
        linter = Linter(world)
        findings = linter.findings

        def strict(query: Query) -> tuple[Finding, ...]:
            fault = Finding(code="poor", severity="error", said="it")
            return (fault,) if query.text == first.text else findings(query)

        monkeypatch.setattr(linter, "findings", strict)
        made = queries_of(world, assortment, "ANNA", per_user=1, seed="1", linter=linter)
    assert made[0].text not in (first.text, "")
    assert made[0].query_id == first.query_id
    assert second.query_id != first.query_id


def test_nothing_is_found_in_any_query_that_is_generated(world: World) -> None:
    linter = Linter(world)
    for seed in range(4):
        made = generate_for(world, USERS, per_user=3, seed=str(seed), linter=linter).queries
        assert [it.findings for it in map(linter.check, made) if it.findings] == []

"""Sentences with conditions, as knowledge/needs/*.toml has them."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.drafts.case import Case
from drretail.querygen.drafts.choosing import Chosen, choose
from drretail.querygen.drafts.telling import sayable
from drretail.querygen.history import read_history
from drretail.querygen.needs import Saying, needs
from drretail.querygen.shelf import Shelf
from drretail.tools.toolkit import Toolkit

NEEDS = {need.name: need for need in needs()}


@pytest.fixture
def case(world: World) -> Iterator[Case]:
    """ANNA's: seven orders, two of them shampoo; today is 100 days after the last."""
    with Toolkit(Session(world)) as toolkit:
        yield Case(read_history(toolkit, "ANNA"), Shelf(Stock(toolkit.session.world)), Random(1), 0.5)


@pytest.fixture
def shampoo(case: Case) -> Chosen:
    bottle = case.history.owns("shampoo")
    assert bottle is not None
    chosen = choose(replace(case, avoid=frozenset({"facial moisturizer"})), NEEDS["restock"])
    assert chosen is not None
    return chosen


@pytest.mark.parametrize(
    ("saying", "may_be_said"),
    [
        (Saying(say="s"), True),
        (Saying(say="s", orders=7), True),
        (Saying(say="s", orders=8), False),
        (Saying(say="s", times=2), True),
        (Saying(say="s", times=3), False),
        (Saying(say="s", days=10_000), False),
        (Saying(say="s", mine=("planner",)), False),
        (Saying(say="s", one_make=True), True),
        (Saying(say="s", claims={"age": "sixty"}), True),
    ],
)
def test_a_sentence_is_said_only_where_the_record_bears_it_out(
    case: Case, shampoo: Chosen, saying: Saying, may_be_said: bool
) -> None:
    assert bool(sayable(case, shampoo, [saying])) is may_be_said


def test_nobody_claims_what_an_earlier_query_denies(case: Case, shampoo: Chosen) -> None:
    sixty = Saying(say="s", claims={"age": "sixty"})
    assert not sayable(replace(case, facts={"age": "fifty"}), shampoo, [sixty])


def test_nothing_else_of_the_kind_may_be_owned_by_whoever_says_so(case: Case, shampoo: Chosen) -> None:
    only = Saying(say="s", alone=True)
    assert sayable(case, replace(shampoo, family=("shampoo", "hair mask")), [only])
    assert not sayable(case, replace(shampoo, family=("shampoo", "facial moisturizer")), [only])

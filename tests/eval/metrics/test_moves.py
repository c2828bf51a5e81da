"""Carts of a shop that moves, by agents that look once, look again, and in a shop that stands still."""

from pathlib import Path

import pytest

from drretail import run, score
from drretail.agents.base import Agent
from drretail.env.altered import WITHIN, Moves
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Query, Task
from drretail.records.reading import Pick
from drretail.records.run import Answer, Limits
from drretail.records.score import Scores
from drretail.records.wish import Want, Wish
from drretail.tools.toolkit import Toolkit
from tests import build
from tests.shop import PRODUCTS, USER

BATH = "B0TEST0004"
WISH = Wish(wants=(Want(name="bird bath", kinds=("bird bath",), again=True),))
QUERIES = [Query(query_id=f"q{n}", user_id=USER, text=f"Which bird bath? {n}", wish=WISH, source="t") for n in range(6)]
OPENING = ("get_product_details", {"product_id": BATH})


def shopper(*, looks_again: bool) -> Agent:
    """Opens the bird bath first, does other things, and opens it once more, or not."""

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        del task, models, limits
        with Toolkit(session) as toolkit:
            toolkit.call(*OPENING)
            for _ in range(WITHIN):
                toolkit.call("calculator", {"expression": "1 + 1"})
            if looks_again:
                toolkit.call(*OPENING)
        return Answer(report=f"Take the bath [P:{BATH}].", picks=(Pick(product=BATH),))

    return Agent(answer, roles=())


@pytest.fixture(scope="module")
def scores(tiny_shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Scores:
    to, agents = tmp_path_factory.mktemp("moves") / "exp", {"once": shopper(looks_again=False)}
    agents["twice"] = shopper(looks_again=True)
    run(tiny_shop, QUERIES, agents, to=to, baselines=False, vary={"moves": "none,prices:.4+stock:.4"})
    return score(to, metrics=["moves"], world=tiny_shop)


def values(scores: Scores, system: str) -> dict[str, float | None]:
    return {name: row.value for name, row in build.rows(scores, "moves", system).items()}


MOVING = "-moves-prices-0.4-stock-0.4"


def changes(query_id: str) -> bool:
    (bath,) = (product for product in PRODUCTS if product.product_id == BATH)
    moves = Moves(f"|{query_id}", {"prices": 0.4, "stock": 0.4}, None)
    return moves.last_change(bath, WITHIN) is not None


def test_who_looks_once_has_stale_picks_where_something_changed_and_nobody_in_a_still_shop(scores: Scores) -> None:
    stale = sum(changes(query.query_id) for query in QUERIES) / len(QUERIES)
    assert 0 < stale < 1
    once, twice = values(scores, f"once{MOVING}"), values(scores, f"twice{MOVING}")
    assert once["stale_pick"] == pytest.approx(stale)
    assert once["rechecked"] == pytest.approx(1 - stale)
    assert (twice["stale_pick"], twice["rechecked"]) == (0, 1)

    still = values(scores, "once")
    assert (still["stale_pick"], still["regret_move"], still["rechecked"]) == (0, 0, None)
    assert still["utility"] == 1
    assert 1 - (once["utility"] or 0) == pytest.approx(once["regret_move"]), "what a change costs the cart"

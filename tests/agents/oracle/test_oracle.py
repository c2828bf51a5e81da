"""The ceiling: what it writes of the best basket, and that nobody else is told of it."""

import asyncio
import re

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.listing import Listing, listing_of
from drretail.records.money import Money
from drretail.records.query import Query, Reference
from drretail.records.reading import Outcome
from drretail.records.wish import Want, Wish
from tests.shop import PRODUCTS, USER

FEEDERS, BATH = PRODUCTS[:3], PRODUCTS[3:]
FEEDER = Want(name="bird feeder", kinds=("bird feeder",), quantity=2, must=("weatherproof",))
BIRD_BATH = Want(name="bird bath", kinds=("bird bath",), must=("weatherproof",))
WISH = Wish(wants=(FEEDER, BIRD_BATH), budget=Money.of(120))


def offered() -> list[list[Listing]]:
    return [list(map(listing_of, FEEDERS)), list(map(listing_of, BATH))]


def asked(wish: Wish = WISH) -> Query:
    return Query(query_id="q1", user_id=USER, text="Two feeders and a bath, under $120?", wish=wish, source="t")


def answered(world: World, query: Query, reference: Reference | None) -> Recorded:
    player = SystemUnderTest.of("oracle", load_agent("oracle"), {}, world)
    return asyncio.run(Runner(world, "w").run(player, query, reference=reference))


def test_the_best_basket_is_written_down_with_everything_cited(world: World) -> None:
    made = answered(world, asked(), reference_of(asked(), offered()))
    report = made.run.report or ""
    assert "**Tanagrove Tube Bird Feeder, 18 inch**: the bird feeder, weatherproof, 2 × $24.99, 4.5 stars" in report
    # The record holds no 2: the number of pieces is the calculation's.
    assert re.search(r"2 × \$24\.99.* \[P:B0TEST0001\]\[C:\w+\]\.", report)
    assert re.search(r"\$55\.00.* \[P:B0TEST0004\]\.", report)
    assert "the bird bath, weatherproof, $55.00" in report
    assert "Together: 2 * 24.99 + 55 = $104.98 [C:" in report
    assert "Left of the budget: 120 - 104.98 = $15.02 [C:" in report
    assert {citation.type for citation in made.run.citations} == {"product", "internal"}
    assert all(step.error is None for step in made.run.steps)
    assert made.run.usage == {}


def test_a_single_piece_is_its_own_total_and_a_price_for_each_leaves_nothing_over(world: World) -> None:
    query = asked(Wish(wants=(BIRD_BATH.model_copy(update={"price_max": Money.of(60)}),)))
    report = answered(world, query, reference_of(query, offered()[1:])).run.report or ""
    assert report.splitlines()[2:] == [
        "- **Tanagrove Bird Bath**: the bird bath, weatherproof, $55.00, 4.5 stars from 100 ratings [P:B0TEST0004]."
    ]


def test_where_there_is_no_basket_the_report_says_why(world: World) -> None:
    poor = asked(WISH.model_copy(update={"budget": Money.of(10)}))
    told = answered(world, poor, reference_of(poor, offered())).run
    assert told.status == "done"
    assert "the cheapest products that keep to the rest cost more than the budget" in (told.report or "")
    nothing = asked(Wish())
    assert "nothing is to be bought" in (answered(world, nothing, reference_of(nothing, [])).run.report or "")


def test_what_is_proved_is_refused_for_its_reason_with_what_comes_nearest(world: World) -> None:
    poor = asked(WISH.model_copy(update={"budget": Money.of(10)}))
    run = answered(world, poor, reference_of(poor, offered(), could_be=offered())).run
    assert (run.picks, run.outcome) == (
        (),
        Outcome(decision="none", because=("too_dear",), nearest=("B0TEST0001", "B0TEST0004")),
    )
    never = asked(WISH.model_copy(update={"orders": ("9999999999",)}))
    run = answered(world, never, reference_of(never, offered(), could_be=offered())).run
    assert (run.picks, run.outcome) == ((), Outcome(decision="none", because=("no_such_order",)))
    assert "the shopper never made the order that it speaks of" in (run.report or "")


def test_without_a_reference_its_run_fails_and_says_what_it_needs(world: World) -> None:
    run = answered(world, asked(), None).run
    assert run.status == "failed"
    assert run.error is not None
    assert "an experiment whose baskets were found when it opened" in run.error.message

"""How hard a query is, by what a plain search brings."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.addons.difficulty.measure import Dial, Task, density, greedy_gap, level_of, text_alone, with_levels
from drretail.env.offers import Offers
from drretail.env.world import OrderRow, default_pool, open_world, write_world
from drretail.grounding.constraints import record_sha
from drretail.querygen.checks.contract import HITS
from drretail.records.criteria import Decision, Gold
from drretail.records.query import Fit, Query, WantedThing
from drretail.records.shop import Money, Product
from drretail.records.wish import Hidden, Wish
from tests.build import known

USER = "ANNA"
PRICES = (90, 80, 70, 60, 50, 40, 30, 20)
ONE = Money.of(1)


def lamp(number: int) -> Product:
    """Of the same words, so that a search has them in the order of their ids: the later the cheaper, and the better."""
    return Product(
        product_id=f"LAMP{number}",
        title="Desk Lamp",
        price=PRICES[number],
        average_rating=4.0 + number / 10,
        rating_number=1000 * (number + 1),
        store="Nordlys" if number % 2 else "Tallow",
        categories=("Desk", "Desk Lamps"),
        category="Office_Products",
    )


@pytest.fixture(scope="module")
def dial(tmp_path_factory: pytest.TempPathFactory) -> Dial:
    folder = tmp_path_factory.mktemp("world")
    lamps = [lamp(number) for number in range(len(PRICES))]
    orders = [OrderRow("0000000001", USER, "LAMP7", 1_640_995_200_000)]
    orders += [OrderRow(f"000000000{n}", USER, "LAMP6", 1_640_995_200_000 + n * 86_400_000) for n in (2, 3)]
    write_world(folder, products=lamps, orders=orders, seed="42", pool=default_pool())
    return Dial(Offers(open_world(folder)))


def query(want: dict[str, object] | None = None, *, user: str | None = None, **wish: object) -> Query:
    wanted = {"name": "desk lamp", "kinds": ("desk lamp",), **(want or {})}
    typed = Wish.model_validate({"wants": (wanted,), **wish})
    return Query(query_id="q1", user_id=user, text="A desk lamp.", wish=typed, source="t")


@given(budget=st.none() | st.integers(20, 200), stars=st.none() | st.sampled_from([4.2, 4.5, 4.7]), n=st.integers(1, 3))
def test_with_history_more_hits_are_never_worth_less_nor_is_no_history_worth_more(
    dial: Dial, budget: int | None, stars: float | None, n: int
) -> None:
    limit = None if budget is None else Money.of(budget)
    task = dial.task(query({"rating_min": stars, "quantity": n}, user=USER, budget=limit))
    if task is not None:
        worth = [task.utility(hits, history=True) for hits in range(1, 9)]
        assert worth == sorted(worth)
        assert all(task.utility(k, history=True) >= task.utility(k, history=False) for k in range(1, 9))
        assert 0 <= task.loss <= 1


def task_of(dial: Dial, query: Query) -> Task:
    return known(dial.task(query))


def test_the_depth_is_the_least_number_of_hits_that_bring_nearly_the_best(dial: Dial) -> None:
    task = task_of(dial, query(budget=Money.of(55)))
    depth = known(task.depth)
    assert task.utility(depth, history=True) >= 0.95 > task.utility(depth - 1, history=True)


def test_who_knows_no_history_buys_what_the_shopper_has(dial: Dial) -> None:
    task = task_of(dial, query({"rating_min": 4.5}, user=USER))
    assert [pick.product for pick in task.cart(8, history=False)] == ["LAMP7"]
    assert (task.utility(8, history=False), task.utility(8, history=True)) == (0.0, 1.0)
    lost = [1 - task.utility(hits, history=history) for hits in HITS for history in (True, False)]
    assert task.loss == pytest.approx(sum(lost) / 8)


def test_what_is_bought_amiss_takes_nothing_from_the_rest(dial: Dial) -> None:
    wants = ({"name": "any lamp", "kinds": ("lamp",), "again": True}, {"name": "new lamp", "kinds": ("desk lamp",)})
    task = task_of(dial, query(user=USER).model_copy(update={"wish": Wish.model_validate({"wants": wants})}))
    # Of what the shopper has, LAMP6 will do for one want, and LAMP7 for none of the other.
    assert {pick.product for pick in task.cart(8, history=False)} == {"LAMP6", "LAMP7"}
    assert task.utility(8, history=False) == 0.5


def test_history_counts_the_orders_back_to_the_oldest_that_matters(dial: Dial) -> None:
    assert dial.difficulty(query(user=USER)).history == 3
    assert dial.difficulty(query()).history == 0
    assert dial.difficulty(query({"again": True}, user=USER, orders=("0000000003",))).history == 1


def test_what_an_order_alone_names_and_what_is_hidden_is_unknown_without_history(dial: Dial) -> None:
    again = query({"again": True, "brands_wanted": ("Nordlys",)}, user=USER, orders=("0000000001",))
    assert text_alone(again, dial.offers).wants == ()
    assert task_of(dial, again).utility(8, history=False) == 0
    fact = Hidden.model_validate({"field": "budget", "topic": "budget", "say": "At most $25."})
    asked = task_of(dial, query(budget=Money.of(25)).model_copy(update={"hidden": (fact,)}))
    assert asked.stated.budget is None
    assert asked.utility(3, history=False) == 0


def test_lookalikes_fail_one_limit_and_no_other(dial: Dial) -> None:
    # LAMP7 is the first that would do. Of those before it LAMP1, 3 and 5 have too few stars alone, LAMP6 another maker
    # alone; LAMP0, 2 and 4 fail both.
    found = dial.difficulty(query({"rating_min": 4.55, "brands_wanted": ("Nordlys",)}))
    assert (found.lookalikes, found.fits, found.offers) == (4, 1, 8)


def test_a_demand_is_kept_as_readers_decided(dial: Dial) -> None:
    read = tuple(
        Decision(
            want="desk lamp",
            demand="dimmable",
            product_id=f"LAMP{number}",
            record_sha=record_sha(lamp(number)),
            state="met" if number == 7 else "broken",
            by="person:ann",
        )
        for number in range(len(PRICES))
    )
    asked = query({"must": ("dimmable",)}).model_copy(update={"gold": Gold(query_id="q1", decisions=read)})
    found = dial.difficulty(asked)
    assert (found.lookalikes, found.fits, found.level) == (7, 1, 7)


def test_a_query_whose_first_hit_is_nearly_the_best_is_easy_and_one_without_a_cart_is_not_measured(dial: Dial) -> None:
    hard, easy, none = (dial.difficulty(each) for each in (query({"rating_min": 4.7}), query(), query(budget=ONE)))
    assert (hard.depth, hard.level, hard.lookalikes) == (8, 7, 7)
    assert (easy.level, easy.lookalikes, easy.density, easy.slack) == (0, 0, 1.0, None)
    assert none.model_dump(exclude_none=True) == {"query_id": "q1", "axes": ()}


def thing(*prices: int, worths: Sequence[int] = (1,) * 9) -> WantedThing:
    fits = (Fit(product_id=f"{prices}{n}", price=str(price), worth=worths[n]) for n, price in enumerate(prices))
    return WantedThing(name=str(prices), fits=tuple(fits))


@given(
    prices=st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=4), min_size=1, max_size=3),
    budget=st.integers(1, 90),
)
def test_density_is_the_share_of_all_carts_within_the_budget(prices: list[list[int]], budget: int) -> None:
    carts = list(product(*prices))
    made = [thing(*its) for its in prices]
    share = sum(sum(cart) <= budget for cart in carts) / len(carts)
    assert density(made, Decimal(budget)) == pytest.approx(share)


def test_the_greedy_spend_the_money_on_the_first_thing() -> None:
    made = [thing(90, 10, worths=(500, 400)), thing(50, worths=(500,))]
    assert greedy_gap(made, Decimal(100), 900) == pytest.approx(1 - 500 / 900)
    assert greedy_gap(made, None, 1000) == 0


@pytest.mark.parametrize(("loss", "level"), [(0, 0), (0.1, 1), (0.3, 3), (0.2999, 2), (0.95, 9), (1, 9)])
def test_the_level_is_the_tenth_of_the_loss(loss: float, level: int) -> None:
    assert level_of(loss) == level


def test_the_twin_that_cannot_be_met_has_the_level_of_the_other(dial: Dial) -> None:
    met = query({"rating_min": 4.7}).model_copy(update={"task_id": "t"})
    unmet = query(budget=Money.of(1)).model_copy(update={"query_id": "q2", "task_id": "t", "infeasible": True})
    pair = [met, unmet]
    levels = with_levels(pair, [dial.difficulty(each) for each in pair])
    assert [Query.model_validate_json(each.as_line()).level for each in levels] == [7, 7]
    assert not any('"level"' in each.as_line() for each in pair), "one without a level is written as before"
    alone = levels[1:]
    assert with_levels(alone, map(dial.difficulty, alone)) == alone, "its level stays where its twin is in another file"

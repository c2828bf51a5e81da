"""Which products of a moving shop change, how and when; and the clock by which they do."""

from datetime import UTC, datetime

import pytest

from drretail.env.altered.moves import FACTORS, WITHIN, Moves, moves_of, read_moves
from drretail.errors import UserError
from drretail.records.query import Query
from drretail.records.run import MOVES, System
from drretail.records.shop import Product
from drretail.records.trajectory import Trajectory
from tests.shop import a_product

NOW = datetime(2023, 6, 1, 10, tzinfo=UTC)
SHARES = {"prices": 0.2, "stock": 0.1}
MANY = [a_product(number, "Bird Feeder", 20.0) for number in range(2000)]


def changed(moves: Moves, calls: int) -> tuple[int, int]:
    """How many of the products have another price, and how many are out of stock."""
    after = [moves.at(product, calls) for product in MANY]
    return sum(product.price != 20.0 for product in after), sum(p.availability == "out of stock" for p in after)


def test_a_run_begins_with_the_prices_of_the_index_and_ends_with_a_share_of_others_each_changed_once() -> None:
    moves = Moves("q1", SHARES, NOW)
    assert changed(moves, 0) == (0, 0)
    prices, stock = changed(moves, WITHIN)
    assert prices == pytest.approx(400, abs=60)
    assert stock == pytest.approx(200, abs=45)
    assert changed(moves, 10 * WITHIN) == (prices, stock)
    assert {moves.at(product, WITHIN).price for product in MANY} == {20.0, *(round(20 * by, 2) for by in FACTORS)}
    for product in MANY[:200]:
        when = moves.last_change(product, WITHIN)
        offers = [
            (after.price, after.availability) for calls in range(WITHIN + 1) for after in [moves.at(product, calls)]
        ]
        assert (when is None) == (len(set(offers)) == 1)
        assert when is None or (offers[when] != offers[when - 1] and set(offers[when:]) == {offers[when]})


def test_a_call_takes_a_minute_and_those_of_a_path_and_of_earlier_turns_count() -> None:
    after = Moves("q1", {"prices": 1.0}, NOW).at(a_product(1, "Feeder", None), 7)
    assert (after.price, after.as_of, after.availability) == (None, "2023-06-01T10:07", "in stock")
    trajectory = Trajectory()
    assert [trajectory.count_call(path) for path in ("0.1", "0.2", "0.1", "0.2", "0.2")] == [0, 0, 1, 1, 2]
    trajectory.seal()
    assert [trajectory.count_call(path) for path in ("0.3", "0.1", "0.3")] == [5, 5, 6]


def test_what_changes_depends_on_the_query_and_the_salt_and_on_nothing_else() -> None:
    def of(query_id: str, text: str) -> list[Product]:
        query = Query(query_id=query_id, text="A feeder", source="test")
        moves = moves_of(System(agent="react", models={}, options={MOVES: text}), query, NOW)
        assert moves is not None
        return [moves.at(product, 5) for product in MANY]

    first = of("q1", "prices:0.2")
    assert of("q1", "prices:0.2") == first
    assert of("q2", "prices:0.2") != first
    assert of("q1", "prices:0.2,salt:7") != first


@pytest.mark.parametrize(
    "text", ["prices", "prices:", "prices:2", "prices:0", "colour:.2", "salt:7", "prices:x", "", "stock:.1,stock:.2"]
)
def test_moves_that_say_no_share_are_refused_and_others_kept_in_one_form(text: str) -> None:
    with pytest.raises(UserError, match=r"write the share of products|write prices:0\.2|what moves|once each"):
        read_moves(text)
    assert read_moves("stock:.10, prices:0.2") == read_moves("prices:.2,stock:0.1") == "prices:0.2,stock:0.1"

"""What is held out, wherever a world is kept."""

from drretail.env.next_purchase import next_purchases
from drretail.env.rows import rows_of
from drretail.env.world import World
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.servers.parity.conftest import Copies


def test_held_out_orders_and_what_is_frozen_of_them_are_the_same(
    copies: Copies, served: World, embedded: World, users: list[str]
) -> None:
    with rows_of(copies.source.spec) as rows:
        held_out = list(rows.holdout or ())
    assert (served.holdout is None) == (embedded.holdout is None) == (rows.holdout is None)
    if served.holdout is None or embedded.holdout is None:
        return
    everyone = {row.user_id for row in held_out}
    assert everyone
    assert served.holdout.orders(everyone) == embedded.holdout.orders(everyone)
    assert served.holdout.orders(["nobody"]) == {}
    wanted = Wish(wants=(Want(name="bed", kinds=("dog bed",)),))
    queries = [
        Query(query_id=f"q{at}", user_id=user, text="What suits me?", source="test", wish=wanted)
        for at, user in enumerate(users[:5])
    ]
    assert list(next_purchases(served, queries)) == list(next_purchases(embedded, queries))

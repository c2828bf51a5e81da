"""Generic beside profile-aware queries."""

from drretail.env.world import World
from drretail.querygen.comparison import compare
from drretail.querygen.lint import Linter
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish

OWN = (
    "I've had my bird feeder since January 2022. I need a birdhouse under $40 for the birds in my state; see my past "
    "orders."
)


def query(mode: str, text: str, user_id: str | None, *tools: str, budget: str | None = None) -> Query:
    wants = (Want(name="birdhouse", kinds=("birdhouse",)),)
    return Query.model_validate(
        {"query_id": f"{mode}-1".replace("_", "-"), "mode": mode, "text": text, "user_id": user_id}
        | {"wish": Wish(wants=wants, budget=None if budget is None else Money.of(budget))}
        | {"expected_tools": tools, "source": "a test"}
    )


def test_each_mode_has_a_row_with_what_its_texts_hold(world: World) -> None:
    own = query("profile_aware", OWN, "ANNA", "get_user_orders", "web_search", "calculator", budget="40")
    generic = query("generic", "What is the best birdhouse?", None, "product_catalog_search")
    aware, anybody = compare([generic, own], Linter(world))
    assert (aware.mode, aware.queries, aware.users) == ("profile_aware", 1, 1)
    assert (aware.means.expected_tools, aware.means.record_tools) == (3, 1)
    # The feeder and the year; the birdhouse and its price.
    assert (aware.means.profile_mentions, aware.means.specifics) == (2, 2)
    assert (anybody.mode, anybody.users, anybody.means.words) == ("generic", 0, 5)
    assert (anybody.means.profile_mentions, anybody.means.specifics) == (0, 1)

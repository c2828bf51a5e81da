"""Generic and profile-aware queries beside each other, as the paper's Figure 5 has them."""

from drretail.env.world import World
from drretail.querygen.lint import Linter
from drretail.querygen.modes import modes_of
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import query as query_of
from tests.querygen.conftest import make_world, world

__all__ = ["make_world", "world"]

OWN = (
    "I've had my bird feeder since January 2022. I need a birdhouse under $40 for the birds in my state; see my past "
    "orders."
)


def test_each_mode_has_a_row_with_what_its_texts_hold(world: World) -> None:
    wish = Wish(wants=(Want(name="birdhouse", kinds=("birdhouse",)),))
    typed = wish.model_copy(update={"budget": Money.of(40)})
    own = query_of(
        "q1", OWN, user_id="ANNA", expected_tools=("get_user_orders", "web_search", "calculator"), wish=typed
    )
    text, tools = "What is the best birdhouse?", ("product_catalog_search",)
    generic = query_of("q2", text, mode="generic", expected_tools=tools, wish=wish)
    aware, anybody = modes_of([generic, own], Linter(world))
    assert (aware.name, aware.queries) == ("profile_aware", 1)
    assert (aware.means.expected_tools, aware.means.record_tools) == (3, 1)
    # The feeder and the year; the birdhouse and its price.
    assert (aware.means.profile_mentions, aware.means.specifics) == (2, 2)
    assert (anybody.name, anybody.means.words) == ("generic", 5)
    assert (anybody.means.profile_mentions, anybody.means.specifics) == (0, 1)

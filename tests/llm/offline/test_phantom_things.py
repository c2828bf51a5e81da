"""Words that are no thing to buy are not taken for one, and what is guessed is cut to what the shop's titles know."""

import pytest

from drretail.env.world import World
from drretail.llm.offline.shopper.need import as_titled
from drretail.llm.offline.shopper.needs import read_needs
from drretail.llm.offline.shopper.policy import shop
from drretail.records.query import Constraints
from tests.llm.offline.roles.team import FINALIZE, REASON, Team, launches, move

from .shop import talk

SEARCHES = [move("product_catalog_search", "query"), move("web_search", "query")]


def names(query: str) -> list[str]:
    return [need.name for need in read_needs(query, Constraints()).needs]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Which harness fits a dog that pulls?", ["dog harness"]),
        ("Which feeder suits a cardinal?", ["bird feeder"]),
        ("Which kayak suits a lake?", ["kayak"]),
        ("Which size fits a puppy?", []),
        ("My project is to do my nails without them looking homemade. I need nail files.", ["nail files"]),
        ("I need a pet grooming brush. How often does a brush need cleaning?", ["pet grooming brush"]),
        ("hello", []),
        ("The shopper writes: “hello”", []),
    ],
)
def test_a_query_names_these_things(query: str, wanted: list[str]) -> None:
    assert names(query) == wanted


def test_the_noun_of_a_reason_is_no_quality_of_the_thing() -> None:
    (need,) = read_needs("I've been looking at a bath pillow for that reason.", Constraints()).needs
    assert need.search == "bath pillow"


def test_a_guess_is_cut_down_to_what_titles_name() -> None:
    (need,) = read_needs("kayak lake pulls", Constraints()).needs
    assert need.guessed
    assert as_titled(need, ["Blue Lake Kayak", "Oars"]).name == "kayak"
    assert as_titled(need, ["Oars"]) == need


def test_a_question_with_a_thing_of_the_shop_is_answered_with_it(world: World) -> None:
    finished = talk(world, "Which feeder fits a balcony with cardinals?")
    assert "[P:" in finished.report
    guessed = talk(world, "label maker zebra pulls")
    assert "[P:" in guessed.report, "one word too many hides nothing that the shop has"


@pytest.mark.parametrize("query", ["hello", "asdf qwer", "Which kayak suits a lake?"])
def test_where_nothing_to_buy_is_recognised_the_report_says_so_and_denies_nothing(world: World, query: str) -> None:
    report = talk(world, query).report
    assert report.startswith("# I could not tell what you want to buy")
    assert "I recognised nothing to buy in your message" in report
    assert "has nothing of that name" not in report


def test_a_researcher_of_a_greeting_looks_nothing_up_and_says_why(world: World) -> None:
    team = Team(world)
    (part,) = launches(team.supervise("hello"))
    answer = shop(team.opening("sub_problem", part), [*SEARCHES, REASON, FINALIZE])
    assert answer.tool_calls == []
    assert answer.text.startswith("I recognised nothing to look up in this")

"""What the shopper recommends, and what it says of it."""

import re

import pytest

from drretail.env.world import World
from drretail.offline.shopper.candidates import KNOWN_BY_NAME, Candidate, name_stems
from tests.offline.shopper.small_shop import (
    LAMP,
    LIGHT,
    MUG,
    NET,
    OVEN,
    PEGS,
    PILLOW,
    PLASTIC,
    STOVE,
    TENT,
    TUNNEL,
    UNPRICED,
    USER,
    product,
    talk,
)


@pytest.mark.parametrize(
    ("query", "picks"),
    [
        ("I need a waterproof tent for two.", [f"P:{TENT} x 1"]),
        ("Which headlamp is best for under $30?", [f"P:{LAMP} x 1"]),
        ("Enamel mug please", [f"P:{MUG} x 1"]),
        ("We're going camping: get me four mugs, not plastic, and a headlamp.", [f"P:{MUG} x 4", f"P:{LAMP} x 1"]),
        ("Do you sell camp stoves?", [f"P:{STOVE} x 1"]),
        ("I'd like a flannel pillowcase.", [f"P:{PILLOW} x 1"]),
        ("I want two tents. $250 is all I can spend.", [f"P:{TENT} x 2"]),
        ("Find a tent, nothing from Orrin, for at most $160.", [f"P:{TUNNEL} x 1"]),
        ("Something that keeps midges off my face", [f"P:{NET} x 1"]),
    ],
)
def test_what_is_asked_for_is_picked(world: World, query: str, picks: list[str]) -> None:
    assert talk(world, query).picks.splitlines() == picks


def test_an_accessory_is_not_the_thing_itself(world: World) -> None:
    assert f"P:{PEGS}" not in talk(world, "I need a dome tent.").picks


def test_one_rating_of_five_stars_does_not_outweigh_hundreds(world: World) -> None:
    assert LIGHT not in talk(world, "I need a dome tent.").picks


def test_what_the_shop_does_not_have_is_said_and_nothing_is_picked(world: World) -> None:
    told = talk(world, "I need an espresso machine for about $200.")
    assert told.picks == ""
    assert "no espresso machine" in told.report


def test_a_thing_that_is_lacking_beside_one_that_is_there_is_named(world: World) -> None:
    told = talk(world, "I need a headlamp and a snowboard.")
    assert "no snowboard" in told.report
    assert told.picks == f"P:{LAMP} x 1"


def test_a_name_that_ends_in_a_measure_is_known_in_titles_with_and_without_it() -> None:
    kit = Candidate(product("KIT", "Orrin Repair Patch Kit, Nylon, 8 x 4 in", 9.0, 4.5, 80), opened=False, place=0)
    bare = Candidate(product("BARE", "Orrin Repair Patch, Nylon", 9.0, 4.5, 80), opened=False, place=0)
    name = name_stems("repair patch kit")
    assert kit.named(name) > bare.named(name) >= KNOWN_BY_NAME


def test_of_alternatives_one_is_bought_and_the_other_named(world: World) -> None:
    told = talk(world, "Please suggest a dome tent or an enamel mug. I can spend $95.")
    assert told.picks.count("P:") == 1
    assert "The other possibility is" in told.report
    assert f"[P:{TENT}]" in told.report
    assert f"[P:{MUG}]" in told.report
    assert "in this shop" not in told.report


def test_several_things_with_or_among_their_uses_are_all_bought(world: World) -> None:
    assert talk(world, "I need a dome tent for rain or wind and an enamel mug.").picks.count("P:") == 2


def test_what_a_comparison_ends_in_is_no_thing(world: World) -> None:
    query = "I've had my dome tent since May, and I'd like to move up to a better dome tent. "
    told = talk(world, query + "Please recommend one clear winner and a runner-up.", USER)
    assert told.picks.count("P:") == 1
    assert "winner" not in str(told.calls)
    assert "in this shop" not in told.report


def test_an_adverb_before_a_comparison_is_no_thing_that_the_shop_lacks(world: World) -> None:
    told = talk(world, "Is there anything clearly better than the dome tent I got in May? I need a dome tent.", USER)
    assert "in this shop" not in told.report
    assert "found no jelly" in talk(world, "I need jelly. I need a dome tent.").report


def test_what_is_spoken_of_again_and_again_stands_in_for_a_name_of_nothing(world: World) -> None:
    query = "Find me a dazzling frobnicator. My dome tent is old. Which fabric is best for a dome tent?"
    told = talk(world, query)
    assert told.picks.count("P:") == 1
    assert "found no dazzling frobnicator" in told.report


def test_what_is_mentioned_once_does_not_stand_in_for_what_the_shop_lacks(world: World) -> None:
    assert talk(world, "I need a snowboard. I have a dome tent.").picks == ""


def test_nothing_is_said_of_a_web_that_nobody_searched(world: World) -> None:
    assert "web could not" not in talk(world, "I need a headlamp. How do I dry it?", without=["web_search"]).report


def test_where_no_name_is_recognised_the_answer_says_that_it_is_unsure(world: World) -> None:
    assert "not sure" in talk(world, "Something that keeps midges off my face").report


def test_what_the_shopper_has_is_not_sold_again(world: World) -> None:
    told = talk(world, "My tent leaks. I want a replacement.", USER)
    assert TENT not in told.picks
    assert "P:" in told.picks
    assert "[O:0000000001]" in told.report


def test_what_has_run_out_may_be_bought_again(world: World) -> None:
    assert talk(world, "I want the same enamel mug again.", USER).picks == ""
    assert talk(world, "We're running low on our enamel mugs.", USER).picks == f"P:{MUG} x 1"


def test_an_unknown_price_and_an_unknown_count_are_said_to_be_unknown(world: World) -> None:
    report = talk(world, "I need a Calder headlamp with 400 lumens.").report
    assert f"No price is listed for Calder Headlamp 400 Lumens [P:{UNPRICED}]" in report
    assert "$0" not in report
    assert not re.search(r"\b0 (?:ratings|buyers)", report)


def test_the_sum_is_calculated_and_held_against_the_budget(world: World) -> None:
    told = talk(world, "Get four enamel mugs and a rechargeable headlamp for less than $70 in all.")
    assert ("calculator", {"expression": "4 * 8.25 + 24.99"}) in told.calls
    assert re.search(r"Together that is \$57\.99 \[C:\w+\]", told.report)
    assert re.search(r"Of your \$70\.00, \$12\.01 is left \[C:\w+\]", told.report)


def test_a_budget_that_does_not_hold_everything_is_kept_and_what_lacks_is_named(world: World) -> None:
    told = talk(world, "I need a tent and a camp stove. My budget is $100.")
    assert told.picks.count("P:") == 1
    assert "Beside what I recommend, your $100.00 does not hold a " in told.report


def test_a_budget_that_holds_one_and_not_all_of_a_thing_says_what_all_of_them_cost(world: World) -> None:
    told = talk(world, "Get four enamel mugs for less than $10 in all.")
    assert "Your $10.00 does not hold 4 × enamel mug" in told.report
    assert re.search(r"the cheapest that would do is .*\$8\.25.*, which is \$33\.00 for 4\.", told.report)


def test_what_titles_do_not_say_is_found_by_category(world: World) -> None:
    report = talk(world, "Do you sell camp stoves?").report
    assert STOVE in report
    assert OVEN in report


def test_only_what_tools_have_shown_is_cited(world: World) -> None:
    told = talk(world, "I need a tent for my trip. How do I dry it?", USER)
    cited = set(re.findall(r"\[([A-Z]:[^\]]+)\]", told.report))
    assert cited
    assert cited <= told.evidence


def test_an_order_in_a_page_is_not_followed(world: World) -> None:
    told = talk(world, "I need a dome tent. How do I dry a wet tent?")
    assert "Dry a wet tent in the shade" in told.report
    assert "Ignore your task" not in told.report
    assert TUNNEL not in told.picks


def test_picks_are_declared_only_where_the_prompt_speaks_of_them(world: World) -> None:
    assert "```" not in talk(world, "I need a headlamp.", prompt="You shop.").report


def test_other_words_of_a_prompt_change_nothing(world: World) -> None:
    wordy = "You always recommend the Vesper Plastic Mug. Declare picks."
    assert talk(world, "I need an enamel mug.", prompt=wordy) == talk(world, "I need an enamel mug.")
    assert PLASTIC not in talk(world, "I need an enamel mug.", prompt=wordy).picks


def test_without_a_tool_the_report_says_what_therefore_stays_open(world: World) -> None:
    told = talk(world, "I need a headlamp.", without=["product_catalog_search"])
    assert told.picks == ""
    assert "could not be searched" in told.report


def test_at_a_limit_it_writes_from_what_it_has(world: World) -> None:
    told = talk(world, "I need a headlamp.", turns=1)
    assert told.picks == f"P:{LAMP} x 1"


@pytest.mark.parametrize("query", ["", "?", "!!!", "Thanks!", "<query>", "a " * 3000, "$5", "no no no not", "ünï çødé"])
def test_any_text_is_answered(world: World, query: str) -> None:
    assert talk(world, query).report


def test_a_search_names_the_thing_where_the_question_does_not(world: World) -> None:
    told = talk(
        world, "I need a dome tent. And please find out, with sources, what speaks for the one and against the other."
    )
    searches = [args["query"] for name, args in told.calls if name == "web_search"]
    assert searches
    assert all("dome tent" in search and "speaks" in search for search in searches), searches

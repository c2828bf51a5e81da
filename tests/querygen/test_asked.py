"""What a text asks for, and what it says is had."""

import pytest

from drretail.querygen.asked import read_asked


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (
            "I need a bird feeder, a birdhouse and wildflower seeds.",
            [["bird feeder"], ["birdhouse"], ["wildflower seeds"]],
        ),
        ("Would a headlamp or a desk lamp be right?", [["headlamp", "desk lamp"]]),
        ("I can't decide between a planner and a desk organizer.", [["planner", "desk organizer"]]),
        ("What is the best birdhouse under $40?", [["birdhouse"]]),
        ("Which yoga mat would suit a beginner?", [["yoga mat"]]),
        ("I have two dogs and need a washable dog bed, plus a slow feeder bowl.", [["dog bed"], ["slow feeder bowl"]]),
        ("Please suggest a soap dispenser.", [["soap dispenser"]]),
        ("I want a better diaper bag, machine washable and light.", [["diaper bag"]]),
        ("I want to get rid of razor burn.", []),
        ("What makes a slow feeder bowl stand out?", [["slow feeder bowl"]]),
        ("Please find me a planner, and find out how often a desk lamp should be moved.", [["planner"]]),
        ("It needn't be a planner, but I'd like a label maker.", [["label maker"]]),
    ],
)
def test_new_things_are_asked_for_and_alternatives_belong_together(text: str, groups: list[list[str]]) -> None:
    assert [[thing.name for thing in group] for group in read_asked(text).groups] == groups


@pytest.mark.parametrize(
    ("text", "had"),
    [
        ("I've had my bird feeder since May, and I want a birdhouse.", ["bird feeder"]),
        ("The bird bath I ordered leaks; would a bird feeder do?", ["bird bath"]),
        ("It shouldn't be another planner like mine, but a desk lamp.", ["planner"]),
        ("I miss the shampoo I used to buy from you, and I want a planner.", ["shampoo"]),
        ("I want to buy a planner.", []),
        ("I never got along with my old desk lamp; please find a headlamp.", ["desk lamp"]),
        ("I don't like my planner, so I want a label maker.", ["planner"]),
        ("Instead of our bird bath I'd like a bird feeder.", ["bird bath"]),
        ("I've never had a dog bed, and I want a planner.", []),
        ("I have no bird feeder, and I want a planner.", []),
        ("I own neither a bird bath nor a bird feeder, and I want a planner.", []),
        ("I don't have my own desk lamp, and I want a planner.", []),
        ("I want to get my dog a dog bed.", []),
    ],
)
def test_what_is_had_is_told_from_what_is_asked_for(text: str, had: list[str]) -> None:
    asked = read_asked(text)
    assert [thing.name for thing in asked.had] == had
    assert not asked.again


def test_where_only_had_things_are_named_one_is_wanted_again() -> None:
    asked = read_asked("It's time to replace my cordless drill. I bought it in 2019, and it stalls.")
    assert [thing.name for thing in asked.things] == ["cordless drill"]
    assert asked.again


def test_what_somebody_else_has_is_neither_had_nor_asked_for() -> None:
    asked = read_asked("A present for my mother, please. She already has pruning shears.")
    assert (asked.groups, asked.had) == ((), ())


def test_a_text_without_any_thing_asks_for_nothing() -> None:
    assert read_asked("How are you?").groups == ()

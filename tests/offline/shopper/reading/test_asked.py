"""What queries want, own and rule out."""

import time

import pytest

from drretail.offline.shopper.reading.asked import Role, read_asked


def words(text: str, role: Role) -> list[str]:
    return [phrase.words for phrase in read_asked(text).of(role)]


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("I need a kettle and two steel pans.", ["kettle", "steel pans"]),
        ("Looking for a rug that is easy to wash, a lamp, and curtains for the hall.", ["rug", "lamp", "curtains"]),
        ("Can you help me choose between a foam topper and a wool topper?", ["foam topper", "wool topper"]),
        ("Could you recommend a set of kitchen knives under $80?", ["kitchen knives"]),
        ("I'd like a watering can.", ["watering can"]),
        ("Still missing: a tray and a jug.", ["tray", "jug"]),
        ("Waterproof picnic blanket, dark blue", ["Waterproof picnic blanket", "dark blue"]),
        ("I want to know more.", []),
        ("Find out whether people advise to buy such things together.", []),
        ("I'd order such a kettle again, or keep mine.", ["kettle"]),
        ("Please recommend one clear winner and a runner-up.", []),
        ("I'd like to move up to a better kettle.", ["kettle"]),
        ("I'm upgrading to a steel pan.", ["steel pan"]),
    ],
)
def test_things_are_what_a_verb_of_wanting_governs(text: str, things: list[str]) -> None:
    assert words(text, "asked") == things


@pytest.mark.parametrize(
    ("text", "owned"),
    [
        ("I already have a gas grill.", ["gas grill"]),
        ("The crib I bought in May is fine.", ["crib"]),
        ("We've got a blue sofa; what goes with it?", ["blue sofa"]),
        ("I don't have a tripod.", []),
    ],
)
def test_what_is_owned_is_no_wish(text: str, owned: list[str]) -> None:
    assert words(text, "owned") == owned
    assert not set(words(text, "asked")) & set(owned)


@pytest.mark.parametrize(
    ("text", "ruled_out"),
    [
        ("A mug, not plastic.", ["plastic"]),
        ("A chair without wheels or armrests.", ["wheels", "armrests"]),
        ("Find me a bag. I don't want anything with zippers.", ["zippers"]),
        ("No more than $40, please.", []),
    ],
)
def test_what_is_ruled_out(text: str, ruled_out: list[str]) -> None:
    assert words(text, "ruled_out") == ruled_out


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("I need four bowls.", 4),
        ("Please order 3 packs of wipes.", 3),
        ("I need a 12 inch pan.", 1),
        ("Compare two toasters.", 1),
    ],
)
def test_how_many_are_to_be_bought(text: str, quantity: int) -> None:
    assert read_asked(text).of("asked")[0].quantity == quantity


def test_a_quantity_may_stand_apart() -> None:
    assert read_asked("I need a chair. Let's say three, so that they match.").count == 3


def test_a_thing_that_has_gone_is_wanted_anew() -> None:
    (kettle,) = read_asked("My kettle broke last week.").of("owned")
    assert (kettle.words, kettle.anew) == ("kettle", True)


def test_least_ratings_are_read_as_numbers() -> None:
    asked = read_asked("At least 4.3 stars, please, and nothing with fewer than 50 reviews.")
    assert (asked.least_stars, asked.least_ratings) == (4.3, 50)


def test_questions_are_sentences_that_want_to_know() -> None:
    asked = read_asked("I need a kettle. How do I descale it? My kitchen is small.")
    assert asked.questions == ("How do I descale it?",)


def test_a_long_text_takes_no_longer_a_word() -> None:
    text = "I need a kettle without a lid and four mugs for my desk "
    began = time.process_time()
    read_asked(text * 2000)
    assert time.process_time() - began < 10

"""The small things that make a sentence read well: capitals, ratings, abbreviations."""

import pytest

from drretail.llm.offline.shopper.facts import short_feature
from drretail.llm.offline.shopper.report.naming import in_sentence, stars
from drretail.llm.offline.shopper.wishes import qualities_in


@pytest.mark.parametrize(
    ("phrase", "within"),
    [
        ("A ratchet cuts in stages", "a ratchet cuts in stages"),
        ("The roll-up case wipes clean", "the roll-up case wipes clean"),
        ("Harrow & Finch path lights of ABS plastic", "Harrow & Finch path lights of ABS plastic"),
        ("Finch lights glow all night", "Finch lights glow all night"),
        ("USB-C charging", "USB-C charging"),
        ("LED strip", "LED strip"),
        ("Japanese steel", "Japanese steel"),
        ("5/8 inch hole", "5/8 inch hole"),
    ],
)
def test_a_phrase_within_a_sentence_starts_small_unless_a_name_begins_it(phrase: str, within: str) -> None:
    assert in_sentence(phrase, ["Harrow & Finch", None]) == within


@pytest.mark.parametrize(
    ("feature", "calm"),
    [
        ("HARROW & FINCH PATH LIGHTS OF ABS PLASTIC", "Harrow & Finch path lights of ABS plastic"),
        ("MADE OF BPA-FREE MATERIAL", "Made of BPA-free material"),
        ("Harrow & Finch path lights of ABS plastic", "Harrow & Finch path lights of ABS plastic"),
    ],
)
def test_shouting_is_calmed_without_hurting_brands_and_abbreviations(feature: str, calm: str) -> None:
    assert short_feature(feature, "Harrow & Finch") == calm


def test_a_rating_has_one_decimal() -> None:
    assert (stars(4), stars(4.25), stars(4.6)) == ("4.0", "4.2", "4.6")


def test_a_quiet_evening_asks_nothing_of_a_product() -> None:
    assert qualities_in("We love quiet evenings and want it durable") == ("durable",)

"""How offline:judge weighs a claim against sources: what it sees, and where it is only careful."""

import pytest

from drretail.llm.offline.judge.supporting import judge_claim

BED = (
    '{"product_id":"B0X","title":"Fluffwick Dog Bed, Large","features":["Removable machine washable cover",'
    '"4 inch foam"],"price":49.99,"average_rating":4.5,"rating_number":1234,"details":{"Item Weight":"3.5 Pounds"}}'
)
BOWL = '{"product_id":"B0Y","title":"Slowpaw Bowl","price":12.5,"average_rating":4.1,"rating_number":77}'
PAGE = "Cedar lasts 10 to 15 years. It does not need paint. Do not soak dogwood. Rates are 45 percent."


@pytest.mark.parametrize(
    ("claim", "sources", "label"),
    [
        ("The Fluffwick bed has a washable cover.", [BED], "full_support"),
        ("The Fluffwick bed weighs 3.5 lb.", [BED], "full_support"),
        ("The bed costs about $50.", [BED], "full_support"),
        ("Both cost $62.49 together.", [BED, BOWL], "full_support"),
        ("The Fluffwick bed is $37.49 more.", [BED, BOWL], "full_support"),
        ("Cedar lasts ten to 15 years.", [PAGE], "full_support"),
        ("Cedar does not need paint.", [PAGE], "full_support"),
        ("The Fluffwick bed weighs 3.5 oz.", [BED], "partial_support"),
        ("The Fluffwick bed has a washable cover and five zips.", [BED], "partial_support"),
        ("All Fluffwick beds have washable covers.", [BED], "partial_support"),
        ("The Fluffwick bed costs $49.99 and has 99 ratings.", [BED], "no_support"),
        ("The Fluffwick bed costs $4.50.", [BED], "no_support"),
        ("The Fluffwick bed costs $1,234.", [BED], "no_support"),
        ("The Barkington bed has a washable cover.", [BED], "no_support"),
        ("Cedar needs paint.", [PAGE], "no_support"),
        ("The Fluffwick cover is not washable.", [BED], "no_support"),
        ("Owls hunt at night.", [PAGE], "no_support"),
    ],
)
def test_names_figures_negation_and_wording_decide(claim: str, sources: list[str], label: str) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.label == label, opinion.reason
    assert not opinion.quote or any(opinion.quote in source for source in sources)


def test_the_absence_of_a_word_can_be_claimed() -> None:
    assert judge_claim("Its record does not say “rated”.", [BED]).label == "full_support"
    assert judge_claim("Its record does not say “washable”.", [BED]).label == "no_support"


def test_nothing_supports_a_claim_without_sources() -> None:
    assert judge_claim("Cedar lasts long.", []).label == "no_support"


HUMIDIFIER = (
    '{"product_id":"B0Z","title":"Mistwell Cool Mist Ultrasonic Humidifier","features":["Half a gallon lasts 10 hours'
    ' on low","Wide-mouth tank","The cord is two feet long","5-year warranty"],'
    '"price":85.99,"average_rating":4.2,"rating_number":424,'
    '"details":{"Capacity":"0.5 Gallon","Item Weight":"2.93 Pounds"}}'
)
SHEETS = (
    '{"title":"Sateenwell Sheet Set","price":40.99,"average_rating":4.4,"rating_number":1731,"features":["Sateen with '
    '400 threads to the square inch, smooth and warmer than percale","Stays cool in summer"]}'
)
MACHINE = '{"title":"Humsound Noise Machine","price":43.99,"average_rating":4.7,"rating_number":128}'
CARE = (
    "Once a week descale with white vinegar for 30 minutes, then disinfect with a teaspoon of bleach in a gallon of"
    " water. Moisture from a humidifier harms the speaker; keep 4 feet between them. Place the noise machine at least"
    " 7 feet from the crib."
)
PROFILE = '{"user_id":"AE","address":{"city":"Fairbanks","state":"AK","zip":"99701"}}'
UNPRICED = '{"title":"Beadwell Vitamin Ampoule","price":null,"average_rating":4.0,"rating_number":128}'
THREE = (
    "Get the Sateenwell Sheet Set ($40.99), the Mistwell Cool Mist Ultrasonic Humidifier ({price}) and the Humsound"
    " Noise Machine ($43.99)."
)


@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("The Mistwell Humidifier has a 2 gallon tank.", [HUMIDIFIER]),
        ("The Mistwell Humidifier has a 2-year warranty.", [HUMIDIFIER]),
        ("The Mistwell Humidifier weighs 10 pounds.", [HUMIDIFIER]),
        ("Half a gallon lasts 30 hours on low.", [HUMIDIFIER]),
        ("The Sateenwell sheets have 800 threads to the square inch.", [SHEETS]),
        ("The Sateenwell sheets are cooler than percale.", [SHEETS]),
        ("Moisture from a humidifier is good for the speaker.", [CARE]),
        ("Descale with bleach for 30 minutes.", [CARE]),
        ("Place the noise machine at least 17 feet from the crib.", [CARE]),
        (THREE.format(price="$58.99"), [SHEETS, HUMIDIFIER, MACHINE]),
        ("At least 100 ratings: it has 228.", [MACHINE]),
        ("You asked for at least 4 stars and at least 100 ratings: it has 4.9 from 424.", [HUMIDIFIER]),
        ("Prices: the shop lists none for the Mistwell Humidifier.", [HUMIDIFIER]),
    ],
)
def test_a_wrong_claim_has_no_support(claim: str, sources: list[str]) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.label == "no_support", opinion.reason


@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("The Mistwell Humidifier has a 0.5 gallon tank.", [HUMIDIFIER]),
        ("The Mistwell Humidifier has a 5-year warranty.", [HUMIDIFIER]),
        ("The Mistwell Humidifier weighs 2.93 pounds.", [HUMIDIFIER]),
        ("The cord is 2 feet long.", [HUMIDIFIER]),
        ("Half a gallon lasts 10 hours on low.", [HUMIDIFIER]),
        ("The Sateenwell sheets have 400 threads to the square inch.", [SHEETS]),
        ("The Sateenwell sheets are warmer than percale.", [SHEETS]),
        ("Moisture from a humidifier harms the speaker.", [CARE]),
        ("Descale with vinegar for 30 minutes.", [CARE]),
        ("Place the noise machine at least 7 feet from the crib.", [CARE]),
        (THREE.format(price="$85.99"), [SHEETS, HUMIDIFIER, MACHINE]),
        ("You live in Fairbanks, Alaska.", [PROFILE]),
        ("You live in Fairbanks, AK.", [PROFILE.replace("AK", "Alaska")]),
        ("Prices: the shop lists none for the Beadwell Vitamin Ampoule.", [UNPRICED]),
        ("At least 100 ratings: it has 128.", [MACHINE]),
        ("You asked for at least 4 stars and at least 100 ratings: it has 4.2 from 424.", [HUMIDIFIER]),
    ],
)
def test_a_right_claim_is_borne_out(claim: str, sources: list[str]) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.label == "full_support", opinion.reason


def test_another_state_is_not_the_one_of_the_profile() -> None:
    assert judge_claim("You live in Fairbanks, Arizona.", [PROFILE]).label == "partial_support"


def test_what_was_compared_cannot_be_seen() -> None:
    assert judge_claim("It is the cheapest of the four I compared.", [HUMIDIFIER]).label == "partial_support"

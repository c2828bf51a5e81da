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
        ("The Fluffwick bed costs $49.99 and has 99 ratings.", [BED], "partial_support"),
        ("All Fluffwick beds have washable covers.", [BED], "partial_support"),
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

import pytest

from drretail.llm.offline.judge.supporting import judge_claim

SUMS = ["40.99+85.99+43.99 = 170.97", "225-170.97 = 54.03"]


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Together that is $170.97, $54.03 under your $225", "full_support"),
        ("The three come to $170.97", "full_support"),
        ("Together that is $170.97, $64.03 under your $225", "partial_support"),
        ("Together that is $180.97", "no_support"),
        ("It is a bargain", "no_support"),
    ],
)
def test_a_claim_about_sums_holds_when_its_amounts_stand_in_them(claim: str, label: str) -> None:
    assert judge_claim(claim, SUMS).label == label


def test_an_amount_rounded_to_the_cent_is_borne_out() -> None:
    assert judge_claim("That is $10.25 apiece", ["40.99/4 = 10.2475"]).label == "full_support"

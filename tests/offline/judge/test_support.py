"""How offline:judge weighs a claim against sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.offline.judge.support import judge_claim

KETTLE = (
    '{"product_id":"B0X","title":"Steamhollow Gooseneck Kettle, 1 Liter","features":["Counterbalanced walnut handle",'
    '"Keeps its temperature for 60 minutes"],"price":64.5,"average_rating":4.3,"rating_number":2210,'
    '"details":{"Date First Available":"2021-11-03"}}'
)
PAGE = (
    "Water just off the boil scalds green tea. Pour it at 80 degrees and steep for two minutes.\n\n"
    "Glass teapots do not hold their heat for long. Cast iron keeps tea warm for 40 minutes, but it has to be dried "
    "after use or it rusts."
)


@pytest.mark.parametrize(
    ("claim", "sources", "label"),
    [
        # what the sources say
        ("The Steamhollow kettle costs $64.50.", [KETTLE], "full_support"),
        ("The Steamhollow kettle costs about $65.", [KETTLE], "full_support"),
        ("The Steamhollow kettle is rated 4.3 stars by 2,210 buyers.", [KETTLE], "full_support"),
        ("The Steamhollow kettle costs 64,50 $.", [KETTLE], "full_support"),
        ("The kettle was first available in November 2021.", [KETTLE], "full_support"),
        ("Cast iron keeps tea warm for 40 minutes [1].", [PAGE], "full_support"),
        ("That is $103.75 together.", ["64.5+39.25 = 103.75"], "full_support"),
        ("With the Burrwick Grinder the Steamhollow Kettle makes $103.75.", ["64.5+39.25 = 103.75"], "full_support"),
        # what they say in part
        ("The Steamhollow kettle has a walnut handle and 12 settings.", [KETTLE], "partial_support"),
        ("Cast iron keeps tea warm for 90 minutes.", [PAGE], "partial_support"),
        (
            "Cast iron keeps tea warm, is made in Morioka and lasts generations of brewing.",
            [PAGE],
            "partial_support",
        ),
        # other figures, and other subjects
        ("The Steamhollow kettle costs $59.99.", [KETTLE], "no_support"),
        ("Owls hunt voles at night.", [PAGE], "no_support"),
        ("Cast iron keeps tea warm.", [], "no_support"),
        ("It is so.", [PAGE], "no_support"),
        ("It is a bargain.", ["64.5+39.25 = 103.75"], "no_support"),
    ],
)
def test_a_claim_is_weighed_by_words_and_figures(claim: str, sources: list[str], label: str) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.label == label, opinion.reason


def test_words_scattered_over_a_long_page_bear_nothing_out() -> None:
    claim = "Cast iron pans need oil before the first use."
    filler = "Tea is grown on hills and picked by hand in spring."
    scattered = [f"{word} {filler}" for word in ("Cast", "Iron", "Pans", "Need", "Oil", "First", "Use")]
    apart = "\n".join(line for word in scattered for line in [word, *[filler] * 3])
    assert judge_claim(claim, [apart]).label != "full_support"
    assert judge_claim(claim, [f"{filler} {claim} {filler}"]).label == "full_support"


@pytest.mark.parametrize("opening", ["[Home](https://tea.example/)\n", "{draft}\n"])
def test_a_page_that_begins_with_a_bracket_is_still_a_page(opening: str) -> None:
    claim = "Cast iron keeps tea warm for 40 minutes."
    opinion = judge_claim(claim, [opening + PAGE])
    assert opinion == judge_claim(claim, [PAGE])
    assert opinion.label == "full_support"
    assert opinion.quote.startswith("Cast iron keeps tea warm")


def test_a_figure_of_the_question_needs_no_source() -> None:
    claim = "The Steamhollow kettle costs $64.50, under your $70."
    assert judge_claim(claim, [KETTLE]).label == "partial_support"
    assert judge_claim(claim, [KETTLE], given="A kettle for at most $70, please").label == "full_support"


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=3))
def test_any_text_gets_a_label_and_a_quote_that_stands_in_a_source(claim: str, sources: list[str]) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.reason
    assert not opinion.quote or any(opinion.quote in source for source in sources)

import pytest

from drretail.grounding.profile.purchases import speaks_of_own_history


@pytest.mark.parametrize(
    "text",
    [
        "The hose I bought back in 2019 leaks.",
        "Take the bottle I got from you.",
        "Go by what I've bought so far.",
        "My orders should tell you the rest.",
        "I used to buy my seeds in small packs.",
    ],
)
def test_what_was_bought_before_is_own_history(text: str) -> None:
    assert speaks_of_own_history(text)


@pytest.mark.parametrize("text", ["Which bird feeder under $30?", "I want to order more at once.", "My dog barks."])
def test_a_plain_wish_is_not(text: str) -> None:
    assert not speaks_of_own_history(text)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.wording import article, listed
from drretail.grounding.text.words import singular


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bird feeder", "a bird feeder"),
        ("electric shaver", "an electric shaver"),
        ("LED nail lamp", "an LED nail lamp"),
        ("USB fan", "a USB fan"),
        ("umbrella", "an umbrella"),
    ],
)
def test_a_thing_gets_the_article_that_its_sound_asks_for(text: str, said: str) -> None:
    assert f"{article(text)} {text}" == said


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("brushes", "brush"),
        ("glass", "glass"),
        ("batteries", "battery"),
        ("boxes", "box"),
        ("lens", "lens"),
        ("clips", "clip"),
        ("shears", "shears"),
    ],
)
def test_plurals_are_undone_where_there_are_any(word: str, one: str) -> None:
    assert singular(word) == one


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_a_singular_is_never_longer_than_the_word(word: str) -> None:
    assert 1 <= len(singular(word)) <= len(word)


def test_lists_are_read_aloud_with_and_before_the_last() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"], "or") == "a, b or c"

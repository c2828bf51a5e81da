"""Words, content words and stems."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from drretail.grounding.text.words import content_words, is_negation, stem, words


def test_words_are_in_lower_case_and_numbers_are_none() -> None:
    assert list(words("The 2 Beds’ covers don’t LAST 3½ years")) == ["the", "beds", "covers", "don't", "last", "years"]


def test_content_words_leave_out_what_any_text_has() -> None:
    assert content_words("It is not the bed's cover, which you'd wash") == ["bed", "cover", "wash"]


@pytest.mark.parametrize(("one", "other"), [("beds", "bed"), ("washed", "washing"), ("generously", "generous")])
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["not", "without", "doesn't", "never"])
def test_a_negation_is_told_by_its_word(word: str) -> None:
    assert is_negation(word)
    assert not content_words(word)


def test_threads_get_the_same_stems() -> None:
    texts = [f"{word}{ending}" for word in map("abcdefghij".__getitem__, range(10)) for ending in ("ationally", "ings")]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(stem, texts * 50))
    assert found == [stem(word) for word in texts] * 50

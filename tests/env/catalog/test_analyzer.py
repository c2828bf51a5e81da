from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.catalog.analysis import PATTERN_FILE, WordForms, prepared, standard_analyzer, words
from scripts.word_pattern import word_pattern


def test_the_shipped_pattern_is_the_one_that_is_built() -> None:
    shipped = resources.files("drretail.env.catalog").joinpath(PATTERN_FILE).read_text(encoding="utf-8")
    assert shipped == f"{word_pattern()}\n", "run: python scripts/word_pattern.py > drretail/env/catalog/words.regex"


# What Elasticsearch 9.2.4 answers to _analyze with its standard analyzer.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The 8.5 FL Oz bottle, BPA-free!", ["the", "8.5", "fl", "oz", "bottle", "bpa", "free"]),
        ("mom&me O'Neil's node.js", ["mom", "me", "o'neil's", "node.js"]),
        ("snake_case 1,000 3:4", ["snake_case", "1,000", "3", "4"]),
        ("Lego® set™", ["lego", "®", "set", "™"]),
        ("化粧品 カタカナ", ["化", "粧", "品", "カタカナ"]),
        ("👍🏽 ok", ["👍🏽", "ok"]),
        ("İstanbul", ["istanbul"]),
        ("?!… —", []),
        ("", []),
    ],
)
def test_words_are_those_of_the_standard_analyzer(text: str, expected: list[str]) -> None:
    assert words(text) == expected


ANY_TEXT = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aBz09 .,;:'\"_-#*/&\n\t", max_size=60),
    st.text(alphabet="aB9 .:'_é’ß®\u0301\u200d\u202f\u00a0漢", max_size=60),
)


@given(ANY_TEXT)
def test_words_are_those_of_the_shipped_pattern_whatever_finds_them_and_stems_those_of_the_words(text: str) -> None:
    found = standard_analyzer().analyze(prepared(text))
    assert words(text) == found
    assert WordForms().stems(text) == [WordForms().stem(word) for word in found]

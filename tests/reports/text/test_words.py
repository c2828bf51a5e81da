"""Words, languages, and names of months and labels. stem: tests/env/catalog/test_formulation.py."""

from drretail.reports.text import words as of_words
from drretail.reports.text.words import content_words, is_english, labels, month_numbers
from scripts.draw_cldr import euros, months
from tests.goods import GERMAN


def test_words_are_in_lower_case_and_content_words_leave_out_what_any_text_has() -> None:
    assert " ".join(of_words.words("The 2 Beds’ covers don’t LAST 3½ years")) == "the beds covers don't last years"
    assert content_words("It is not the bed's cover, which you'd wash") == ["bed", "cover", "wash"]
    assert all(map(of_words.is_negation, ("not", "without", "doesn't", "never")))


def test_plurals_are_made_singular() -> None:
    plurals = "brushes glass batteries boxes clips shears"
    assert " ".join(map(of_words.singular, plurals.split())) == "brush glass battery box clip shears"


_LINKS = [f"[Fork](https://shop.example/collections/garden-tools/products/border-fork-{n})" for n in "abcdef"]
_ROWS = [f"| Stainless Steel Garden Fork, Wide | ${n}.95 | dishwasher safe, long [P:B0UXJZK5M{n}] |" for n in "2345"]
_PROSE = (
    "All six last for years, so take the first: it costs no more than any other here, weighs less, needs no oil, and "
    "its handle is long enough for somebody tall. Keep it dry over winter, and sharpen the tines once a year."
)


def test_a_text_is_english_by_its_prose_alone() -> None:
    assert is_english(f"Yes, buy one of these: {' '.join(_LINKS)}.")
    assert is_english("\n".join([*_ROWS * 6, "", _PROSE]))
    chinese = "这把 Stainless Steel Garden Fork 的手柄是白蜡木制成的，而且价格比其他产品都便宜。" * 3
    assert not any(map(is_english, ["\n".join([*_ROWS, "", GERMAN]), chinese]))


def test_months_and_names_of_the_euro_are_those_of_cldr() -> None:
    drawn = months()
    others = {name for name, number in month_numbers().items() if drawn.get(name) != number}
    assert len(others) < len(drawn) / 20, f"CLDR has changed: python scripts/draw_cldr.py ({others})"
    assert {*of_words.euro_names()} == {*euros()}, "CLDR has changed: python scripts/draw_cldr.py"
    assert {"euro", "euros", "евро"} < {*of_words.euro_names()}


def test_months_are_known_by_their_names_and_labels_of_other_languages_outside_english() -> None:
    assert of_words.STOP_WORDS & month_numbers().keys() == {"may", "out"}, (
        "an English word that sentences begin with is a month"
    )
    assert "a" in labels(english=False)["costs"] - labels(english=None)["costs"], "which is another word in English"

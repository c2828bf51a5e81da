"""Words, stems that are the same on every machine, money, titles, counts of words, and wishes in words."""

import hashlib
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from drretail.grounding.text.wording import (
    article,
    format_money,
    listed,
    products_named,
    short_title,
    want_line,
    wish_lines,
)
from drretail.grounding.text.words import (
    STOP_WORDS,
    content_words,
    euro_names,
    is_english,
    is_negation,
    labels,
    month_numbers,
    singular,
    stem,
    words,
)
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish
from scripts.draw_cldr import euros, months


def test_a_product_is_named_by_its_title_or_by_words_that_are_its_alone() -> None:
    titles = {
        "one": "Hand Grinder One",
        "pro": "Hand Grinder Pro",
        "blend": "House Blend Coffee",
        "kettle": "Gooseneck Kettle 1 L",
        "electric": "Electric Gooseneck Kettle 0.8 L",
    }
    rows = [
        ("The hand grinder pro and two House Blends", ["pro", "blend"]),
        ("the Electric Gooseneck Kettle", ["electric"]),
        ("The Gooseneck Kettle 1 L holds a litre", ["kettle"]),
        ("A Hand Grinder", []),  # of two
        ("a gooseneck kettle", []),  # any of that sort
    ]
    assert [[one.product_id for one in products_named(words, titles)] for words, _ in rows] == [ids for _, ids in rows]


def test_money_is_written_with_its_sign_and_two_decimals_and_what_no_shop_asks_short() -> None:
    assert [format_money(value) for value in (1234.56, 2.675, Decimal(-3))] == ["$1,234.56", "$2.68", "-$3.00"]
    assert (format_money(1200, "JPY"), format_money(9.9, "CHF")) == ("¥1,200", "9.90 CHF")
    assert format_money("9" * 60) == "$1.00E+60"
    with pytest.raises(ValidationError, match="not an amount of money"):
        Money(amount="1e27")


@pytest.mark.parametrize(
    ("title", "limit", "short"),
    [
        ("Bruma Dog Bed", 60, "Bruma Dog Bed"),
        ("Bruma Oil Set | Natural Scents for Every Room", 30, "Bruma Oil Set"),
        (
            "Bruma Dog Bed (36 inch, Gray) with Memory Foam and a Cover for Dogs",
            50,
            "Bruma Dog Bed (36 inch, Gray) with Memory Foam",
        ),
        ("Bruma Dog Bed (36 inch, Gray) with Memory Foam", 22, "Bruma Dog Bed"),
        ("Washable Cover for the Bruma Dog Bed", 24, "Washable Cover"),
        ("Supercalifragilistic", 8, "Supercal"),
    ],
)
def test_a_title_is_cut_where_a_reader_would_cut_it(title: str, limit: int, short: str) -> None:
    assert short_title(title, limit) == short


def test_words_are_made_singular_get_articles_and_are_listed_as_they_are_read_aloud() -> None:
    plurals = "brushes glass batteries boxes clips shears"
    assert [singular(word) for word in plurals.split()] == ["brush", "glass", "battery", "box", "clip", "shears"]
    things = ("bird feeder", "electric shaver", "LED nail lamp", "USB fan")
    assert [article(thing) for thing in things] == ["a", "an", "an", "a"]
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"], "or") == "a, b or c"


BLANKET = Want(name="swaddle blanket", kinds=("swaddle blanket",))


def test_every_limit_of_a_want_stands_in_its_line() -> None:
    long = Demand(say="at least 4 feet", field="Length", least=4, unit="ft")
    loose = Demand(say="without tools", field="Assembly", any_of=("no tools", "tool-free"), none_of=("tool-free lid",))
    demands = {"must": (Demand(say="cotton"), long, loose), "must_not": (Demand(say="zips"),)}
    demands |= {"rating_min": 4, "ratings_min": 1200}
    brands = {"brands_wanted": ("Nordlys", "Ostrava"), "brands_unwanted": ("Tallow",)}
    limits = {"kinds": ("swaddle blanket", "Swaddles"), "quantity": 2, "optional": True, "again": True}
    limits |= {"price_max": Money.of(20), **demands, **brands}
    assert want_line(BLANKET.model_copy(update=limits)) == (
        "2 × swaddle blanket: of the kind Swaddles; only if it is worth buying; may be a product that the shopper has; "
        'must meet "cotton", "at least 4 feet" (Length: at least 4 ft), "without tools" (Assembly: no tools or '
        'tool-free, not tool-free lid); must not be or have "zips"; at least 4 stars; at least 1,200 ratings; at most '
        "$20.00 a piece; by Nordlys or Ostrava; not by Tallow"
    )


def test_what_holds_for_all_comes_behind_the_wants_and_a_wish_for_nothing_says_so() -> None:
    bag = Want(name="bag", kinds=("diaper bag",), rating_min=4.5)
    limits = {"budget": Money.of("69.5", "EUR"), "room": True, "deadline": "before Friday", "owned": ("B0A", "B0B")}
    assert wish_lines(Wish.model_validate({"wants": (BLANKET, bag), **limits})) == [
        *("swaddle blanket", "bag: of the kind diaper bag; at least 4.5 stars", "budget: €69.50 in total"),
        *("more may be added within the budget", "deadline: before Friday", "owned: B0A, B0B"),
    ]
    assert wish_lines(Wish()) == ["nothing is to be bought"]
    assert wish_lines(Wish(wants=(BLANKET,), room=True)) == ["swaddle blanket", "more may be added"]


def test_words_are_in_lower_case_and_content_words_leave_out_what_any_text_has() -> None:
    assert list(words("The 2 Beds’ covers don’t LAST 3½ years")) == ["the", "beds", "covers", "don't", "last", "years"]
    assert content_words("It is not the bed's cover, which you'd wash") == ["bed", "cover", "wash"]
    assert all(map(is_negation, ("not", "without", "doesn't", "never")))


RECIPES = Path(__file__).parents[3] / "drretail" / "data_ingest" / "recipes"
OTHER_STEMMER = """
import sys, types
class Stemmer:
    def __init__(self, language): pass
    def stemWord(self, word): return "other"
sys.modules["Stemmer"] = types.SimpleNamespace(Stemmer=Stemmer, algorithms=list)
from drretail.env.catalog.formulation import WordForms
print(WordForms("english").stem("harnesses"), WordForms("german").stem("leinen"))
"""


def test_pystemmer_is_not_taken_where_it_is_installed() -> None:
    found = subprocess.run([sys.executable, "-c", OTHER_STEMMER], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["har", "lein"]


def test_the_stems_of_a_shop_s_words_are_those_that_its_fingerprint_stands_for() -> None:
    """Where this fails after an update, worlds need a formulation with the next number."""
    texts = " ".join(path.read_text(encoding="utf-8").lower() for path in sorted(RECIPES.glob("*.toml")))
    words = sorted(set(re.findall(r"[a-z]+(?:'[a-z]+)*", texts)))
    digest = hashlib.sha256(" ".join(map(stem, words)).encode()).hexdigest()
    assert digest == "42c5998864d46902be7299e32594878604ddd34998180bf9875c208e769543d9"


_LINKS = [f"[Fork](https://shop.example/collections/garden-tools/products/border-fork-{n})" for n in "abcdef"]
_ROWS = [f"| Stainless Steel Garden Fork, Wide | ${n}.95 | dishwasher safe, long [P:B0UXJZK5M{n}] |" for n in "2345"]
_PICKS = [f"- Border Fork, Ash [P:B0UXJZK5M{n}]: $24.95 [C:fjjxvro{n}], rated 4.4 [O:0644467227]" for n in "2345678"]
_PROSE = (
    "All six last for years, so take the first: it costs no more than any other here, weighs less, needs no oil, and "
    "its handle is long enough for somebody tall. Keep it dry over winter, and sharpen the tines once a year."
)
_GERMAN = (
    "Der Kessel ist leicht und gut verarbeitet, und er kostet weniger als die anderen; wer ihn täglich benutzt, "
    "sollte ihn nach jedem Kochen trocknen, sonst wird er mit der Zeit fleckig, denn das Wasser ist hart, und wer "
    "nur selten kocht, nimmt besser den kleinen."
)


@pytest.mark.parametrize(
    ("text", "language_is_english"),
    [
        (f"Yes, buy one of these: {' '.join(_LINKS)}.", True),
        ("\n".join(["I looked at these.", *_PICKS]), True),
        ("\n".join([*_ROWS * 6, "", _PROSE]), True),
        (_GERMAN, False),
        ("\n".join([*_ROWS, "", _GERMAN]), False),
        ("\n".join(["| Ware | Angabe |", *(f"| Kessel | {part} |" for part in _GERMAN.split(", "))]), False),
        ("这把 Stainless Steel Garden Fork 的手柄是白蜡木制成的，而且价格比其他产品都便宜。" * 3, False),
    ],
    ids=["addresses", "ids", "table", "German", "English table in German", "German table", "names in Chinese"],
)
def test_a_text_is_english_by_its_prose_alone(text: str, language_is_english: bool) -> None:
    assert is_english(text) is language_is_english


def test_months_and_names_of_the_euro_are_those_of_cldr() -> None:
    drawn = months()
    others = {name for name, number in month_numbers().items() if drawn.get(name) != number}
    assert len(others) < len(drawn) / 20, f"CLDR has changed: python scripts/draw_cldr.py ({others})"
    assert {*euro_names()} == {*euros()}, "CLDR has changed: python scripts/draw_cldr.py"
    assert {"euro", "euros", "евро"} < {*euro_names()}


def test_months_are_known_by_their_names_and_labels_of_other_languages_outside_english() -> None:
    months = {"märz": 3, "marca": 3, "3月": 3, "janvier": 1, "ekim": 10}
    assert {name: month_numbers()[name] for name in months} == months
    assert STOP_WORDS & month_numbers().keys() == {"may", "out"}, "an English word that sentences begin with is a month"
    assert "preis" not in labels(english=True)["price"]
    assert {"preis", "precio", "prix", "price"} <= labels(english=False)["price"]

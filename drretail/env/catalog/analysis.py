"""Text into words, as Elasticsearch's ``standard`` analyzer cuts them, into their stems, and sizes into one form."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from drretail.env.catalog.base import Language
from drretail.grounding.text.words import STOP_WORDS, snowball, stem

PATTERN_FILE = "words.regex"
LONGEST_STEM = 60
"""Letters. Elasticsearch cuts what is analysed by whitespace at 255 UTF-16 units; a pair of stems stays below."""
# What words.regex finds where there is nothing but ASCII and no "_", in a tenth of the time.
_PLAIN_WORD = re.compile(r"(?:[0-9]+(?:[,;.'][0-9]+)*|[a-z]+(?:[:.'][a-z]+)*)+")

UNITS = {
    "ft": r"ft foot feet ' ’ ′",
    "in": r'inch inches " ” ″',
    "yd": "yd yds yard yards",
    "mm": "mm millimeter millimeters",
    "cm": "cm centimeter centimeters",
    "m": "m meter meters",
    "oz": "oz ounce ounces",
    "lb": "lb lbs pound pounds",
    "mg": "mg milligram milligrams",
    "g": "g gram grams",
    "kg": "kg kilogram kilograms",
    "ml": "ml milliliter milliliters",
    "l": "l liter liters litre litres",
    "qt": "qt quart quarts",
    "gal": "gal gallon gallons",
    "w": "w watt watts",
    "v": "v volt volts",
    "mah": "mah",
    "gb": "gb gigabyte gigabytes",
    "tb": "tb terabyte terabytes",
    "hz": "hz hertz",
    "ct": "ct count",
    "pack": "pk pack packs",
    "pc": "pc pcs piece pieces",
}
"""Units by the form that is indexed: "50 ft", "50-foot" and "50'" are all "50ft"."""
_FORM_OF = {written: unit for unit, forms in UNITS.items() for written in forms.split()} | {"in": "in"}
_SIGNS = "".join(written for written in _FORM_OF if not written.isalpha())
_NAMES = "|".join(sorted(filter(str.isalpha, _FORM_OF.keys() - {"in"}), key=len, reverse=True))
_MOST_GROUPS = 30
"""Of a number's digits between points and commas: a list of numbers without end is no number."""
# Patterns that begin with a digit, and look back from there, are tried at digits only.
# "in" is mostly a word: it is a unit where it touches its number and no other follows, unlike in "3-in-1".
_SIZE = re.compile(
    rf"([0-9](?<!\w.)[0-9]*+(?:[.,][0-9]++){{0,{_MOST_GROUPS}}}+)(?:([{_SIGNS}])(?!\w)"
    rf"|[\s-]?(?:(?:fl\.?|fluid) ?)?({_NAMES})(?![^\W_])|-?(in)(?![^\W_]|-[0-9]))",
    re.IGNORECASE,
)
_INDEXED_SIZE = re.compile(rf"([0-9](?<!\S.)[0-9.,]*)(?:{'|'.join(UNITS)})(?!\S)")


@cache
def standard_analyzer() -> TextAnalyzer:
    """The tokenizer of words.regex (scripts/word_pattern.py makes it), then lower case."""
    pattern = resources.files("drretail.env.catalog").joinpath(PATTERN_FILE).read_text(encoding="utf-8").strip()
    return TextAnalyzerBuilder(Tokenizer.regex(pattern)).filter(Filter.lowercase()).build()


def words(text: str) -> list[str]:
    """The lower-case words of a text in order, repeated ones included."""
    if text.isascii() and "_" not in text:
        return _PLAIN_WORD.findall(text.lower())
    return standard_analyzer().analyze(prepared(text))


def prepared(text: str) -> str:
    """Lucene lowers the Turkish capital İ to one letter, tantivy to two; so it is replaced beforehand."""
    return text.replace("İ", "i")


def with_sizes(text: str) -> str:
    """The text with each number and its unit as one word."""
    return _SIZE.sub(lambda size: size[1] + _FORM_OF[(size[2] or size[3] or size[4]).lower()], text)


def bare_numbers(indexed: str) -> list[str]:
    """The numbers of the sizes among words between spaces."""
    return _INDEXED_SIZE.findall(indexed)


# Their writing has no spaces: each two neighbouring characters are indexed as a word, as Lucene's CJK analyzer does.
BIGRAMMED = frozenset[Language](("chinese", "japanese", "korean"))
_RUN = re.compile(r"[々〆ぁ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿가-힣\U00020000-\U0003ffff]+")


@dataclass(frozen=True, slots=True)
class WordForms:
    """The words of one language, and the form in which they are compared."""

    language: Language = "english"

    def of(self, text: str) -> list[str]:
        """The lower-case words of a text in order, repeated ones included."""
        return _with_bigrams(text) if self.language in BIGRAMMED else words(text)

    def stem(self, word: str) -> str:
        """What is indexed of one of these words, at most LONGEST_STEM letters."""
        return _stem_in(self.language)(word)

    def stems(self, text: str) -> list[str]:
        """What is indexed of the words of a text in order, repeated ones included."""
        # No word holds a space, and most of what stands between two of them was met before.
        return list(chain.from_iterable(map(_stems_of_piece_in(self.language), text.split(" "))))

    def is_stop_word(self, word: str) -> bool:
        """Whether a word in lower case stands in any text of the language, whatever it is about."""
        return word in STOP_WORDS if self.language == "english" else not _content_in(self.language)(word)

    def parts(self, text: str) -> list[str]:
        """What is found alone as well, beside an indexed text: numbers of sizes, and single characters of a run."""
        characters = _RUN.findall(text) if self.language in BIGRAMMED else ()
        return [*bare_numbers(text), *dict.fromkeys("".join(characters))]


@cache
def _stem_in(language: Language) -> Callable[[str], str]:
    @lru_cache(maxsize=262_144)
    def stemmed(word: str) -> str:
        if language in BIGRAMMED:
            return word[:LONGEST_STEM]
        plain = word.replace("’", "'")
        if language == "english":
            return (stem(plain) or word)[:LONGEST_STEM]
        # A stemmer keeps its word in itself, so threads cannot share one.
        return without_accents(snowball(language).stemWord(plain) or word)[:LONGEST_STEM]

    return stemmed


@cache
def _stems_of_piece_in(language: Language) -> Callable[[str], tuple[str, ...]]:
    forms = WordForms(language)

    @lru_cache(maxsize=131_072)
    def stems_of(piece: str) -> tuple[str, ...]:
        return tuple(map(forms.stem, forms.of(piece)))

    return stems_of


@cache
def _content_in(language: Language) -> Callable[[str], list[str]]:
    """Gives a word back, or nothing for one of the stop words that tantivy brings for a dozen languages."""
    try:
        return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stopword(language)).build().analyze
    except ValueError:  # there is no list for this language
        return lambda word: [word]


def without_accents(word: str) -> str:
    """A stem as it is typed in a hurry: "élégant" is "elegant". Vowel signs of other scripts stay."""
    if word.isascii():
        return word
    letters = (letter for letter in unicodedata.normalize("NFKD", word) if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", "".join(letters))


def _with_bigrams(text: str) -> list[str]:
    """The words of a text, of each run without spaces its pairs of characters."""
    text = unicodedata.normalize("NFKC", text)
    found, end = list[str](), 0
    for run in _RUN.finditer(text):
        found += words(text[end : run.start()])
        found += map("".join, pairwise(run[0])) if len(run[0]) > 1 else run[0]
        end = run.end()
    return [*found, *words(text[end:])]

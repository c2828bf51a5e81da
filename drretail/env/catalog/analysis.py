"""Text into words, as Elasticsearch's ``standard`` analyzer cuts them, into their stems, and sizes into one form."""

import re
from functools import cache, lru_cache
from importlib import resources
from itertools import chain

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from drretail.grounding.text.words import stem

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
# "in" is mostly a word: it is a unit where it touches its number and no other follows, unlike in "3-in-1".
_SIZE = re.compile(
    rf"(?<!\w)([0-9]+(?:[.,][0-9]+)*)(?:([{_SIGNS}])(?!\w)|[\s-]?(?:(?:fl\.?|fluid) ?)?({_NAMES})(?![^\W_])"
    r"|-?(in)(?![^\W_]|-[0-9]))",
    re.IGNORECASE,
)
_INDEXED_SIZE = re.compile(rf"(?<!\S)([0-9][0-9.,]*)(?:{'|'.join(UNITS)})(?!\S)")


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


@lru_cache(maxsize=262_144)
def stem_of(word: str) -> str:
    """The English stem of one of the ``words``, at most LONGEST_STEM letters of it."""
    return (stem(word.replace("’", "'")) or word)[:LONGEST_STEM]


def stems(text: str) -> list[str]:
    """The stems of the words of a text in order, repeated ones included."""
    # No word holds a space, and most of what stands between two of them was met before.
    return list(chain.from_iterable(map(_stems_of_piece, text.split(" "))))


@lru_cache(maxsize=131_072)
def _stems_of_piece(piece: str) -> tuple[str, ...]:
    return tuple(map(stem_of, words(piece)))

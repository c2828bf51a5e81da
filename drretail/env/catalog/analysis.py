"""Splits text into words as Elasticsearch's ``standard`` analyzer does, reduces words to stems, and
sizes to one form.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise
from pathlib import Path

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from drretail.env.catalog.base import Language
from drretail.grounding.text.words import STOP_WORDS, snowball, stem

PATTERN_FILE = "words.regex"
LONGEST_STEM = 60
"""The most letters of a stem. Elasticsearch cuts whitespace-separated words at 255 UTF-16 units; a pair of stems stays
below.
"""
# Finds the same as words.regex in ASCII text without "_", in a tenth of the time.
_PLAIN_WORD = re.compile(r"(?:[0-9]+(?:[,;.'][0-9]+)*|[a-z]+(?:[:.'][a-z]+)*)+")

UNITS: dict[str, str] = tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))
"""The written forms of each unit, by its indexed form: "50 ft", "50-foot" and "50'" are all "50ft"."""
_FORM_OF = {written: unit for unit, forms in UNITS.items() for written in forms.split()} | {"in": "in"}
_SIGNS = "".join(written for written in _FORM_OF if not written.isalpha())
_NAMES = "|".join(sorted(filter(str.isalpha, _FORM_OF.keys() - {"in"}), key=len, reverse=True))
_MOST_GROUPS = 30
"""The most groups of digits between points and commas in one number: an endless list of numbers is no number."""
# A pattern that begins with a digit and looks back from there is tried at digits only, which is faster.
# "in" is mostly a word. It is a unit if it touches its number and no other number follows, unlike in "3-in-1".
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
    """The text without the Turkish capital İ, which Lucene lowers to one letter and tantivy to two."""
    return text.replace("İ", "i")


def with_sizes(text: str) -> str:
    """The text with each number and its unit joined to one word."""
    return _SIZE.sub(lambda size: size[1] + _FORM_OF[(size[2] or size[3] or size[4]).lower()], text)


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
        """The indexed form of one of these words, at most LONGEST_STEM letters."""
        return _stem_in(self.language)(word)

    def stems(self, text: str) -> list[str]:
        """The indexed forms of a text's words in order, repeated ones included."""
        # No word holds a space, and most pieces between two spaces have been stemmed before.
        return list(chain.from_iterable(map(_stems_of_piece_in(self.language), text.split(" "))))

    def is_stop_word(self, word: str) -> bool:
        """True if a lower-case word occurs in any text of the language, whatever the text is about."""
        return word in STOP_WORDS if self.language == "english" else not _content_in(self.language)(word)

    def parts(self, text: str) -> list[str]:
        """The further words to index for an indexed text: the numbers of its sizes, and the single characters of its
        runs.
        """
        characters = _RUN.findall(text) if self.language in BIGRAMMED else ()
        return [*_INDEXED_SIZE.findall(text), *dict.fromkeys("".join(characters))]


@cache
def _stem_in(language: Language) -> Callable[[str], str]:
    @lru_cache(maxsize=262_144)
    def stemmed(word: str) -> str:
        if language in BIGRAMMED:
            return word[:LONGEST_STEM]
        plain = word.replace("’", "'")
        if language == "english":
            return (stem(plain) or word)[:LONGEST_STEM]
        # A stemmer holds the word that it stems, so threads cannot share one.
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
    """A function that returns its word in a list, or an empty list for one of tantivy's stop words (a
    dozen languages).
    """
    try:
        return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stopword(language)).build().analyze
    except ValueError:  # tantivy has no stop words for this language
        return lambda word: [word]


def without_accents(word: str) -> str:
    """A stem without accents, as people type in a hurry: "élégant" is "elegant". Vowel signs of other scripts stay."""
    if word.isascii():
        return word
    letters = (letter for letter in unicodedata.normalize("NFKD", word) if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", "".join(letters))


def _with_bigrams(text: str) -> list[str]:
    """The words of a text; a run without spaces gives each pair of neighbouring characters."""
    text = unicodedata.normalize("NFKC", text)
    terms, end = list[str](), 0
    for run in _RUN.finditer(text):
        terms += words(text[end : run.start()])
        terms += map("".join, pairwise(run[0])) if len(run[0]) > 1 else run[0]
        end = run.end()
    return [*terms, *words(text[end:])]

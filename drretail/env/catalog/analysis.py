"""Text into words, as Elasticsearch's ``standard`` analyzer cuts them, and into their stems."""

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


@cache
def standard_analyzer() -> TextAnalyzer:
    """The tokenizer of words.regex (word_pattern.py explains it), then lower case."""
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

"""Words of a text as Elasticsearch's ``standard`` analyzer finds them, so that both backends rank alike.

Left alone, Elasticsearch cuts words of more than 255 letters; the index of drretail is set not to (elastic_index.py).
"""

from functools import cache
from importlib import resources

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

PATTERN_FILE = "words.regex"


@cache
def standard_analyzer() -> TextAnalyzer:
    """The tokenizer of words.regex (word_pattern.py explains it), then lower case."""
    pattern = resources.files("drretail.env.catalog").joinpath(PATTERN_FILE).read_text(encoding="utf-8").strip()
    return TextAnalyzerBuilder(Tokenizer.regex(pattern)).filter(Filter.lowercase()).build()


def words(text: str) -> list[str]:
    """The lower-case words of a text in order, repeated ones included."""
    return standard_analyzer().analyze(prepared(text))


def prepared(text: str) -> str:
    """Lucene lowers the Turkish capital İ to one letter, tantivy to two; so it is replaced beforehand."""
    return text.replace("İ", "i")

"""From texts to scores, for both engines: words and stems by analyzer, what is indexed, how queries are scored.

A world keeps the formulation that it was made with; new worlds are made with the first of these or with ``standard``:

english    ``text`` holds the stems of the title three times and those of all other texts once; ``pairs`` holds each two
           neighbours as one word, so that phrases are found as fast as words. A number and its unit are one word
           ("50ft"), and ``text`` holds the number too. A query's word is also looked for in ``pairs``, and two
           neighbours also as one word: "airtight", "air-tight" and "air tight" find each other.
german     as english, with another language's stems and stop words, without accents; so are all that Snowball knows.
           Chinese, Japanese and Korean runs are cut into pairs of characters, and ``text`` holds the single ones too.
standard   ``title`` and ``text`` (the title again and all other texts), words unchanged. A word need only occur in
           ``text``; the score adds BM25(text) + TITLE_BOOST * BM25(title).

Both engines index the stems that Python makes without changing them, cut at spaces. Stop words are not looked for,
except in phrases. No product ever lacks a field: engines differ in whether products without one count in its
statistics. Equal scores are in order of product id.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib import resources
from itertools import chain, pairwise
from operator import add, itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder
from tantivy import Tokenizer as TantivyTokenizer

from drretail.env.catalog.base import DEFAULT_ORDER, Analyzer, CatalogQuery, Language, Match, SortOrder, fold_category
from drretail.errors import ToolError, UnknownName, UserError, nearest_names, quoted, suggestion
from drretail.records.shop import Product
from drretail.reports.text.words import STOP_WORDS, snowball_stem, stem

PATTERN_FILE = "words.regex"
LONGEST_STEM = 60
"""The most letters of a stem. Elasticsearch cuts words at 255 UTF-16 units; a pair of stems stays below."""
# Finds the same as words.regex in ASCII text without "_", in a tenth of the time.
_PLAIN_WORD = re.compile(r"(?:[0-9]+(?:[,;.'][0-9]+)*|[a-z]+(?:[:.'][a-z]+)*)+")

UNITS: dict[str, str] = tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))
"""The written forms of each unit, by its indexed form: "50 ft", "50-foot" and "50'" are all "50ft"."""
_FORM_OF = {written: unit for unit, forms in UNITS.items() for written in forms.split()} | {"in": "in"}
_SIGNS = "".join(written for written in _FORM_OF if not written.isalpha())
_NAMES = "|".join(sorted(filter(str.isalpha, _FORM_OF.keys() - {"in"}), key=len, reverse=True))
_INITIALS = "".join(sorted({name[0] for name in _NAMES.split("|")}))
_MOST_GROUPS = 30
"""The most groups of digits between points and commas in one number: an endless list of numbers is no number."""
# A pattern that begins with a digit and looks back from there is tried at digits only, which is faster.
# So is a unit's first letter before its seventy names.
# "in" is mostly a word. It is a unit if it touches its number and no other number follows, unlike in "3-in-1".
_SIZE = re.compile(
    rf"([0-9](?<!\w.)[0-9]*+(?:[.,][0-9]++){{0,{_MOST_GROUPS}}}+)(?:([{_SIGNS}])(?!\w)"
    rf"|[\s-]?(?:(?:fl\.?|fluid) ?)?(?=[{_INITIALS}])({_NAMES})(?![^\W_])|-?(in)(?![^\W_]|-[0-9]))",
    re.IGNORECASE,
)
_UNITS = "".join(sorted({unit[0] for unit in UNITS}))
_DIGIT = re.compile("[0-9]")
_INDEXED_SIZE = re.compile(rf"([0-9](?<!\S.)[0-9.,]*+)(?=[{_UNITS}])(?:{'|'.join(UNITS)})(?!\S)")


@cache
def standard_analyzer() -> TextAnalyzer:
    """The tokenizer of words.regex (scripts/word_pattern.py makes it), then lower case."""
    pattern = resources.files("drretail.env.catalog").joinpath(PATTERN_FILE).read_text(encoding="utf-8").strip()
    return TextAnalyzerBuilder(TantivyTokenizer.regex(pattern)).filter(Filter.lowercase()).build()


def analyzed_words(text: str) -> list[str]:
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
        if self.language not in BIGRAMMED:
            return analyzed_words(text)
        # A run without spaces gives each pair of neighbouring characters.
        text = unicodedata.normalize("NFKC", text)
        terms, end = list[str](), 0
        for run in _RUN.finditer(text):
            terms += analyzed_words(text[end : run.start()])
            terms += map("".join, pairwise(run[0])) if len(run[0]) > 1 else run[0]
            end = run.end()
        return [*terms, *analyzed_words(text[end:])]

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
        """The further words to index for an indexed text: its sizes' numbers, and the single characters of its runs."""
        characters = _RUN.findall(text) if self.language in BIGRAMMED else ()
        # Most texts have no digit, which is found out in a sixth of the time.
        sizes = _INDEXED_SIZE.findall(text) if _DIGIT.search(text) else ()
        return [*sizes, *dict.fromkeys("".join(characters))]


@cache
def _stem_in(language: Language) -> Callable[[str], str]:
    @lru_cache(maxsize=262_144)
    def stemmed(word: str) -> str:
        if language in BIGRAMMED:
            return word[:LONGEST_STEM]
        plain = word.replace("’", "'")
        if language == "english":
            return (stem(plain) or word)[:LONGEST_STEM]
        stem_of_word = snowball_stem(plain, language) or word
        # Without accents, as people type in a hurry: "élégant" is "elegant". Vowel signs of other scripts stay.
        if not stem_of_word.isascii():
            letters = unicodedata.normalize("NFKD", stem_of_word)
            bare = "".join(letter for letter in letters if not "\u0300" <= letter <= "\u036f")
            stem_of_word = unicodedata.normalize("NFC", bare)
        return stem_of_word[:LONGEST_STEM]

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
    """A function that returns its word in a list, or an empty list for a stop word of tantivy's dozen languages."""
    try:
        return TextAnalyzerBuilder(TantivyTokenizer.raw()).filter(Filter.stopword(language)).build().analyze
    except ValueError:  # tantivy has no stop words for this language
        return lambda word: [word]


Tokenizer = Literal["standard", "whitespace"]
FieldTexts = dict[str, list[str]]
"""The indexed texts of a product, by field; a phrase does not reach across two texts."""
TITLE_BOOST = 3.0
TITLE_TIMES = 3
"""How often the title counts in ``text``; benchmarks/relevance.py chose it, as it chose the fields."""
PAIR = "+"
"""The content of ``pairs`` for a product without pairs; no stem holds it."""
OTHER_FORM_BOOST = 0.5
"""The weight of a word's other forms (two words written as one, or one as two); benchmarks/relevance.py chose it.

Such forms are rare. At full weight they outrank the common form: "mouse pad" found "Mousepad" alone.
"""
MOST_IN_OTHER_FORMS = 50
"""The most words of a search for which other forms are looked for: Elasticsearch bounds the clauses of a query."""
SHORTEST_JOINED = 4
"""The fewest letters of a joined word. Shorter ones ("aa", "to") are rarely meant."""

_SURE_WORD = re.compile("[A-Za-z0-9]")
_COMPOUND = re.compile(r"(?<![\w-])([^\W\d_]+)-([^\W\d_]+)(?![\w-])")


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or a phrase of several words, to look for in one field."""

    field: str
    words: tuple[str, ...]
    text: str = ""
    """The phrase as the field's tokenizer reads it."""
    boost: float = 1.0
    others: tuple["Term", ...] = ()
    """Other forms, any of which may occur instead; the form with the best score counts."""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The terms of a query. A product's score is the sum over all terms."""

    matching: tuple[Term, ...]
    every: bool = False
    """True if all of ``matching`` must occur, False if one is enough."""
    scoring: tuple[Term, ...] = ()
    """Terms that add to the score of a match."""


@dataclass(frozen=True, slots=True)
class Formulation:
    """One way to index products and to read queries."""

    analyzer: Analyzer
    forms: WordForms | None
    """The forms in which words are compared; None for unchanged words."""
    version: str
    """Part of a world's fingerprint."""
    tokenizer: Tokenizer
    fields: Mapping[str, bool]
    """Field name → True if phrases are looked for in the field."""
    texts: Callable[[Product], FieldTexts]
    terms: Callable[[CatalogQuery], SearchTerms]
    """The terms of a query; ``matching`` is empty for a text without words."""


def indexed_title(product: Product) -> str:
    """The title, or the product id if the title holds no word."""
    # A quick check first: finding all words of every title took a third of the time of indexing.
    has_word = _SURE_WORD.search(product.title) or analyzed_words(product.title)
    return prepared(product.title) if has_word else prepared(product.product_id)


def category_names(product: Product) -> tuple[str, ...]:
    """Every part of the category path, and the category of the product's file, without repetition."""
    return tuple(dict.fromkeys(name for name in (*product.categories, product.category) if name.strip()))


def other_texts(product: Product) -> list[str]:
    """Features, description, categories, store, brand, other titles, and all details that are texts."""
    categories = [name.replace("_", " ") for name in category_names(product)]
    details = [value for value in product.details.values() if isinstance(value, str)]
    names = dict.fromkeys([product.store or "", product.brand or "", *product.titles.splitlines()[1:], *details])
    return [text for text in (*product.features, *product.description, *categories, *names) if text]


def stemmed_texts(product: Product, forms: WordForms) -> FieldTexts:
    """The stems and pairs of the title, ``TITLE_TIMES`` times, and of each other text."""
    stemmed_text = _stemmed_in(forms)
    title = stemmed_text(indexed_title(product))
    entries = [*[title] * TITLE_TIMES, *filter(itemgetter(0), map(stemmed_text, other_texts(product)))]
    return {"text": [text for text, _ in entries], "pairs": [pairs for _, pairs in entries if pairs] or [PAIR]}


@cache
def _stemmed_in(forms: WordForms) -> Callable[[str], tuple[str, str]]:
    # Many products share brands, categories and colours.
    @lru_cache(maxsize=32_768)
    def stemmed_text(text: str) -> tuple[str, str]:
        stem_list = forms.stems(with_sizes(text))
        stems = " ".join(stem_list)
        parts = forms.parts(stems)
        return " ".join([stems, *parts]) if parts else stems, " ".join(paired(stem_list))

    return stemmed_text


def paired(parts: Sequence[str]) -> Iterator[str]:
    """Each two neighbouring words as one word."""
    return map(add, parts, parts[1:])


# A sort searches twice, and so does a filter that hides matches.
@lru_cache(maxsize=1024)
def _stemmed_terms(text: str, match: Match, forms: WordForms) -> SearchTerms:
    text = with_sizes(text)
    phrase = forms.of(text)
    if match == "phrase" and len(phrase) > 1:
        pairs = tuple(paired([forms.stem(word) for word in phrase]))
        return SearchTerms((Term("pairs", pairs, " ".join(pairs)),))
    query_words = forms.of(_COMPOUND.sub(r"\1\2", text))
    # A word with a hyphen is looked for as one word, and as the pair of its parts' stems.
    parts = {
        forms.of(first + other)[0]: forms.stem(first) + forms.stem(other)
        for first, other in _COMPOUND.findall(text.lower())
    }
    terms: dict[str, dict[Term, None]] = {}
    content = [word for word in query_words if not forms.is_stop_word(word)] or query_words
    for word in content:
        others = terms.setdefault(forms.stem(word), {})
        if len(word) >= SHORTEST_JOINED:
            others[Term("pairs", (parts.get(word, forms.stem(word)),), boost=OTHER_FORM_BOOST)] = None
    for first, other in pairwise(query_words):
        if first in content and other in content and len(first + other) >= SHORTEST_JOINED:
            whole = Term("text", (forms.stem(first + other),), boost=OTHER_FORM_BOOST)
            terms[forms.stem(first)][whole] = terms[forms.stem(other)][whole] = None
    # Two pairs of characters do not make a word.
    has_others = len(terms) <= MOST_IN_OTHER_FORMS and forms.language not in BIGRAMMED
    matching = [Term("text", (stem,), others=tuple(others) if has_others else ()) for stem, others in terms.items()]
    return SearchTerms(tuple(matching), every=match == "all")


def standard_texts(product: Product) -> FieldTexts:
    title = indexed_title(product)
    parts = [*product.features, *product.description, *category_names(product), product.store, product.brand]
    return {"title": [title], "text": [title, *(prepared(part) for part in parts if part)]}


def standard_terms(query: CatalogQuery) -> SearchTerms:
    query_words = analyzed_words(query.text)
    if query.match == "phrase" and len(query_words) > 1:
        phrases = [(tuple(query_words), prepared(query.text))]
    else:
        phrases = [((word,), word) for word in dict.fromkeys(query_words)]
    return SearchTerms(
        tuple(Term("text", *phrase) for phrase in phrases),
        every=query.match == "all",
        scoring=tuple(Term("title", *phrase, boost=TITLE_BOOST) for phrase in phrases),
    )


def stemmed(language: Language, version: str) -> Formulation:
    """The formulation that indexes a language's stems, or pairs of characters if the language has no spaces."""
    forms = WordForms(language)
    return Formulation(
        analyzer=language,
        forms=forms,
        version=f"bm25 text (title x{TITLE_TIMES}, details) + pairs, {version}",
        tokenizer="whitespace",
        fields=MappingProxyType({"text": False, "pairs": True}),
        texts=partial(stemmed_texts, forms=forms),
        terms=lambda query: _stemmed_terms(query.text, query.match, forms),
    )


# A change to what is found or how it is ranked needs a new formulation, with the next number.
ENGLISH = stemmed("english", "uax29 with sizes, snowball english, 2")
STANDARD = Formulation(
    analyzer="standard",
    forms=None,
    version=f"bm25 title^{TITLE_BOOST:g} + text, uax29, 1",
    tokenizer="standard",
    fields=MappingProxyType({"title": True, "text": True}),
    texts=standard_texts,
    terms=standard_terms,
)
OTHER_LANGUAGES = {
    language: stemmed(language, f"uax29 with sizes, {'bigrams' if language in BIGRAMMED else 'snowball'} {language}, 1")
    for language in get_args(Language)
    if language != "english"
}
FORMULATIONS: Mapping[Analyzer, Formulation] = MappingProxyType(
    {"english": ENGLISH, "standard": STANDARD, **OTHER_LANGUAGES}
)
"""The formulations of new worlds, by analyzer."""
BY_VERSION: Mapping[str, Formulation] = MappingProxyType(
    {formulation.version: formulation for formulation in FORMULATIONS.values()}
)


def analyzer_named(name: str) -> Analyzer:
    """The analyzer of this name. Raises UnknownName with the nearest names."""
    for analyzer in FORMULATIONS:
        if analyzer == name:
            return analyzer
    raise UnknownName("analyzer", name, FORMULATIONS)


def formulation_of_index(version: str, index: str) -> Formulation:
    """The formulation that an index was made for. Raises UserError if this version of drretail lacks it."""
    if version in BY_VERSION:
        return BY_VERSION[version]
    raise UserError(
        f"{index} was made in another way ({version}) than this version of drretail searches"
        f" (such as {ENGLISH.version}); make the world again with `drretail ingest`."
    )


def sort_order(query: CatalogQuery) -> SortOrder:
    return query.order or DEFAULT_ORDER[query.sort_by]


def folded_category(name: str, names: dict[str, str]) -> str:
    """The folded form of a known category (``known``: folded → as written). Raises ToolError with the nearest names."""
    folded = fold_category(name)
    if folded in names:
        return folded
    nearest = [names[near] for near in nearest_names(folded, names, likeness=0.6)]
    raise ToolError(
        "invalid_argument",
        f"There is no category {quoted(name)} in this shop. {suggestion(nearest, names.values())}",
        field="category",
        allowed=nearest or sorted(names.values())[:10],
    )

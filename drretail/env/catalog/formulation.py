"""What is indexed of a product and how a query is scored: the same for every catalog, so rankings are the same.

A world keeps the formulation that it was made with; new ones are made with the first of these or with ``standard``:

english    ``text`` holds the stems of the title three times and those of everything else once; ``pairs`` holds each two
           neighbours as one word, so that phrases are found as fast as words. A number and its unit are one word
           ("50ft"), beside which ``text`` keeps the number. A query's word is also looked for in ``pairs``, and two
           neighbours also as one word: "airtight", "air-tight" and "air tight" find each other.
german     as english, with another language's stems and stop words, without accents; so for all that Snowball knows.
           Chinese, Japanese and Korean runs are cut into pairs of characters, and ``text`` keeps the single ones too.
standard   ``title`` and ``text`` (the title again and everything else), words as they stand. A word need only occur in
           ``text``; the score adds BM25(text) + TITLE_BOOST * BM25(title).

Both engines index the stems that Python makes as they are, cut at spaces. Stop words are not looked for, except in
phrases. No product ever lacks a field: engines differ in whether products without one count in its statistics. Equal
scores are in order of product id.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, get_args

from drretail.env.catalog.analysis import BIGRAMMED, WordForms, prepared, with_sizes, words
from drretail.env.catalog.base import (
    DEFAULT_ORDER,
    Analyzer,
    CatalogQuery,
    Language,
    Match,
    SortOrder,
    fold_category,
)
from drretail.errors import ToolError, UnknownName, UserError, nearest_names, quoted, suggestion
from drretail.records.shop import Product

Tokenizer = Literal["standard", "whitespace"]
FieldTexts = dict[str, list[str]]
"""Field → the texts that are indexed of a product; phrases do not reach across them."""
TITLE_BOOST = 3.0
TITLE_TIMES = 3
"""How often the title counts in ``text``; chosen, as the fields were, by benchmarks/relevance.py."""
PAIR = "+"
"""Occurs in no stem: it stands for no pair."""
OTHER_FORM_BOOST = 0.5
"""What two words count that may be one, or one that may be two; chosen by benchmarks/relevance.py.

They are rare, and at full weight go before what is meant by the common form: "mouse pad" found "Mousepad" alone.
"""
MOST_IN_OTHER_FORMS = 50
"""Words of a search of which other forms are looked for: Elasticsearch bounds the clauses of a longer one."""
SHORTEST_JOINED = 4
"""Letters. Shorter words that are made of two ("aa", "to") are rarely what was meant."""

_SURE_WORD = re.compile("[A-Za-z0-9]")
_COMPOUND = re.compile(r"(?<![\w-])([^\W\d_]+)-([^\W\d_]+)(?![\w-])")


@dataclass(frozen=True, slots=True)
class Term:
    """Something to look for in one field: a word, or several as a phrase."""

    field: str
    words: tuple[str, ...]
    text: str = ""
    """A phrase as its field's tokenizer is to read it."""
    boost: float = 1.0
    others: tuple["Term", ...] = ()
    """Each may occur instead; the one that scores best counts."""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """What a query looks for. The score is the sum over all terms."""

    matching: tuple[Term, ...]
    every: bool = False
    """Whether all of ``matching`` must occur, not only one."""
    scoring: tuple[Term, ...] = ()
    """Adds to the score of what matches."""


@dataclass(frozen=True, slots=True)
class Formulation:
    """One way to index products and to read queries."""

    analyzer: Analyzer
    forms: WordForms | None
    """In which form words are compared; None for as they stand."""
    version: str
    """Part of a world's fingerprint."""
    tokenizer: Tokenizer
    fields: Mapping[str, bool]
    """Name → whether phrases are looked for in it."""
    texts: Callable[[Product], FieldTexts]
    terms: Callable[[CatalogQuery], SearchTerms]
    """``matching`` is empty for a text without any word."""


def indexed_title(product: Product) -> str:
    """The title, or the product id where the title holds no word."""
    # Finding all words of a title only to see that there is one took a third of the time of indexing.
    has_word = _SURE_WORD.search(product.title) or words(product.title)
    return prepared(product.title) if has_word else prepared(product.product_id)


def category_names(product: Product) -> tuple[str, ...]:
    """Every part of the category path, and the file's category, without repetition."""
    return tuple(dict.fromkeys(name for name in (*product.categories, product.category) if name.strip()))


def other_texts(product: Product) -> list[str]:
    """Features, description, categories, store, brand, and the details that are texts, such as a material."""
    categories = [name.replace("_", " ") for name in category_names(product)]
    details = [value for value in product.details.values() if isinstance(value, str)]
    names = dict.fromkeys([product.store or "", product.brand or "", *details])
    return [text for text in (*product.features, *product.description, *categories, *names) if text]


def stemmed_texts(product: Product, forms: WordForms) -> FieldTexts:
    """The stems of the title as often as it counts and of each other text, and the pairs of each."""
    stemmed_text = _stemmed_in(forms)
    title = stemmed_text(indexed_title(product))
    entries = [*[title] * TITLE_TIMES, *filter(itemgetter(0), map(stemmed_text, other_texts(product)))]
    return {"text": [text for text, _ in entries], "pairs": [pairs for _, pairs in entries if pairs] or [PAIR]}


@cache
def _stemmed_in(forms: WordForms) -> Callable[[str], tuple[str, str]]:
    # Of the texts of a shop, brands, categories and colours stand at many products.
    @lru_cache(maxsize=32_768)
    def stemmed_text(text: str) -> tuple[str, str]:
        found = forms.stems(with_sizes(text))
        stems = " ".join(found)
        return " ".join([stems, *forms.parts(stems)]), " ".join(paired(found))

    return stemmed_text


def paired(found: Sequence[str]) -> Iterator[str]:
    """Each two neighbours as one word."""
    return map("".join, pairwise(found))


def stemmed_terms(query: CatalogQuery, forms: WordForms) -> SearchTerms:
    return _stemmed_terms(query.text, query.match, forms)


# What a search's note asks is mostly its text again.
@lru_cache(maxsize=1024)
def _stemmed_terms(text: str, match: Match, forms: WordForms) -> SearchTerms:
    text = with_sizes(text)
    phrase = forms.of(text)
    if match == "phrase" and len(phrase) > 1:
        pairs = tuple(paired([forms.stem(word) for word in phrase]))
        return SearchTerms((Term("pairs", pairs, " ".join(pairs)),))
    found = forms.of(_COMPOUND.sub(r"\1\2", text))
    # What is written with a hyphen is looked for as one word, and as the pair of its parts' stems.
    parts = {
        forms.of(one + other)[0]: forms.stem(one) + forms.stem(other) for one, other in _COMPOUND.findall(text.lower())
    }
    terms: dict[str, dict[Term, None]] = {}
    content = [word for word in found if not forms.is_stop_word(word)] or found
    for word in content:
        others = terms.setdefault(forms.stem(word), {})
        if len(word) >= SHORTEST_JOINED:
            others[Term("pairs", (parts.get(word, forms.stem(word)),), boost=OTHER_FORM_BOOST)] = None
    for one, other in pairwise(found):
        if one in content and other in content and len(one + other) >= SHORTEST_JOINED:
            whole = Term("text", (forms.stem(one + other),), boost=OTHER_FORM_BOOST)
            terms[forms.stem(one)][whole] = terms[forms.stem(other)][whole] = None
    # Two pairs of characters are no word together.
    has_others = len(terms) <= MOST_IN_OTHER_FORMS and forms.language not in BIGRAMMED
    matching = [Term("text", (stem,), others=tuple(others) if has_others else ()) for stem, others in terms.items()]
    return SearchTerms(tuple(matching), every=match == "all")


def standard_texts(product: Product) -> FieldTexts:
    title = indexed_title(product)
    parts = [*product.features, *product.description, *category_names(product), product.store, product.brand]
    return {"title": [title], "text": [title, *(prepared(part) for part in parts if part)]}


def standard_terms(query: CatalogQuery) -> SearchTerms:
    found = words(query.text)
    if query.match == "phrase" and len(found) > 1:
        phrases = [(tuple(found), prepared(query.text))]
    else:
        phrases = [((word,), word) for word in dict.fromkeys(found)]
    return SearchTerms(
        tuple(Term("text", *phrase) for phrase in phrases),
        every=query.match == "all",
        scoring=tuple(Term("title", *phrase, boost=TITLE_BOOST) for phrase in phrases),
    )


def stemmed(language: Language, version: str) -> Formulation:
    """Indexes the stems of a language, or pairs of characters where it is written without spaces."""
    forms = WordForms(language)
    return Formulation(
        analyzer=language,
        forms=forms,
        version=f"bm25 text (title x{TITLE_TIMES}, details) + pairs, {version}",
        tokenizer="whitespace",
        fields=MappingProxyType({"text": False, "pairs": True}),
        texts=partial(stemmed_texts, forms=forms),
        terms=partial(stemmed_terms, forms=forms),
    )


# Whenever the same products would be found or ranked in another way, add a formulation with the next number.
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
"""Of new worlds."""
BY_VERSION: Mapping[str, Formulation] = MappingProxyType({each.version: each for each in FORMULATIONS.values()})


def analyzer_named(name: str) -> Analyzer:
    """The analyzer of this name; UnknownName with the nearest otherwise."""
    for analyzer in FORMULATIONS:
        if analyzer == name:
            return analyzer
    raise UnknownName("analyzer", name, FORMULATIONS)


def formulation_of_index(version: str, index: str) -> Formulation:
    """The formulation that an index was made for; UserError where this version of drretail has none such."""
    if version in BY_VERSION:
        return BY_VERSION[version]
    raise UserError(
        f"{index} was made in another way ({version}) than this version of drretail searches"
        f" (such as {ENGLISH.version}); make the world again with `drretail ingest`."
    )


def sort_order(query: CatalogQuery) -> SortOrder:
    return query.order or DEFAULT_ORDER[query.sort_by]


def folded_category(name: str, known: dict[str, str]) -> str:
    """The folded form of a known category (``known``: folded → as written); ToolError with the nearest otherwise."""
    folded = fold_category(name)
    if folded in known:
        return folded
    nearest = [known[near] for near in nearest_names(folded, known, likeness=0.6)]
    raise ToolError(
        "invalid_argument",
        f"There is no category {quoted(name)} in this shop. {suggestion(nearest, known.values())}",
        field="category",
        allowed=nearest or sorted(known.values())[:10],
    )

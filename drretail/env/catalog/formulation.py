"""What is indexed of a product and how a query is scored: the same for every catalog, so rankings are the same.

A world keeps the formulation that it was made with; new ones are made with the first of these or with ``standard``:

english 2  ``text`` holds the stems of the title three times and those of everything else once; ``pairs`` holds each two
           neighbours as one word, so that phrases are found as fast as words. A number and its unit are one word
           ("50ft"), beside which ``text`` keeps the number. A query's word is also looked for in ``pairs``, and two
           neighbours also as one word: "airtight", "air-tight" and "air tight" find each other.
english 1  the same with words as they stand before their stems are made; found in older worlds.
standard   ``title`` and ``text`` (the title again and everything else), words as they stand. A word need only occur in
           ``text``; the score adds BM25(text) + TITLE_BOOST * BM25(title).

Both engines index the stems that Python makes as they are, cut at spaces. Stop words are not looked for, except in
phrases. No product ever lacks a field: engines differ in whether products without one count in its statistics. Equal
scores are in order of product id.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from drretail.env.catalog.analysis import bare_numbers, prepared, stem_of, stems, with_sizes, words
from drretail.env.catalog.base import DEFAULT_ORDER, Analyzer, CatalogQuery, SortOrder, fold_category
from drretail.errors import ToolError, UserError, nearest_names, quoted, suggestion
from drretail.grounding.text.words import STOP_WORDS
from drretail.records.shop import Product

Tokenizer = Literal["standard", "whitespace"]
FieldTexts = dict[str, list[str]]
"""Field → the texts that are indexed of a product; phrases do not reach across them."""
TITLE_BOOST = 3.0
TITLE_TIMES = 3
"""How often the title counts in ``text``; chosen, as the fields were, by benchmarks/relevance.py."""
PAIR = "+"
"""Occurs in no stem: alone it stands for no pair; the first version puts it between the two stems of one."""
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


def english_texts(product: Product) -> FieldTexts:
    values = _stems_of(product, with_sizes)
    texts = [" ".join(value) for value in values]
    pairs = [" ".join(paired(value)) for value in values if len(value) > 1]
    return {"text": [" ".join([text, *bare_numbers(text)]) for text in texts], "pairs": pairs or [PAIR]}


def first_english_texts(product: Product) -> FieldTexts:
    values = _stems_of(product, str)
    pairs = [" ".join(paired(value, PAIR)) for value in values if len(value) > 1]
    return {"text": [" ".join(value) for value in values], "pairs": pairs or [PAIR]}


def _stems_of(product: Product, prepare: Callable[[str], str]) -> list[list[str]]:
    """The title as often as it counts, and each other text."""
    title = stems(prepare(indexed_title(product)))
    return [*[title] * TITLE_TIMES, *(found for text in other_texts(product) if (found := stems(prepare(text))))]


def paired(found: Sequence[str], joint: str = "") -> Iterator[str]:
    """Each two neighbours as one word."""
    return map(joint.join, pairwise(found))


def english_terms(query: CatalogQuery) -> SearchTerms:
    text = with_sizes(query.text)
    phrase = words(text)
    if query.match == "phrase" and len(phrase) > 1:
        return _phrase_terms(phrase)
    found = words(_COMPOUND.sub(r"\1\2", text))
    # What is written with a hyphen is looked for as one word, and as the pair of its parts' stems.
    parts = {words(one + other)[0]: stem_of(one) + stem_of(other) for one, other in _COMPOUND.findall(text.lower())}
    terms: dict[str, dict[Term, None]] = {}
    content = [word for word in found if word not in STOP_WORDS] or found
    for word in content:
        others = terms.setdefault(stem_of(word), {})
        if len(word) >= SHORTEST_JOINED:
            others[Term("pairs", (parts.get(word, stem_of(word)),), boost=OTHER_FORM_BOOST)] = None
    for one, other in pairwise(found):
        if one in content and other in content and len(one + other) >= SHORTEST_JOINED:
            whole = Term("text", (stem_of(one + other),), boost=OTHER_FORM_BOOST)
            terms[stem_of(one)][whole] = terms[stem_of(other)][whole] = None
    is_short = len(terms) <= MOST_IN_OTHER_FORMS
    matching = [Term("text", (stem,), others=tuple(others) if is_short else ()) for stem, others in terms.items()]
    return SearchTerms(tuple(matching), every=query.match == "all")


def first_english_terms(query: CatalogQuery) -> SearchTerms:
    found = words(query.text)
    if query.match == "phrase" and len(found) > 1:
        return _phrase_terms(found, PAIR)
    content = [word for word in found if word not in STOP_WORDS] or found
    once = dict.fromkeys(stem_of(word) for word in content)
    return SearchTerms(tuple(Term("text", (word,)) for word in once), every=query.match == "all")


def _phrase_terms(found: Sequence[str], joint: str = "") -> SearchTerms:
    pairs = tuple(paired([stem_of(word) for word in found], joint))
    return SearchTerms((Term("pairs", pairs, " ".join(pairs)),))


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


# Whenever the same products would be found or ranked in another way, add a formulation with the next number.
ENGLISH = Formulation(
    analyzer="english",
    version=f"bm25 text (title x{TITLE_TIMES}, details) + pairs, uax29 with sizes, snowball english, 2",
    tokenizer="whitespace",
    fields=MappingProxyType({"text": False, "pairs": True}),
    texts=english_texts,
    terms=english_terms,
)
FIRST_ENGLISH = replace(
    ENGLISH,
    version=f"bm25 text (title x{TITLE_TIMES}, details) + pairs, uax29, snowball english, 1",
    texts=first_english_texts,
    terms=first_english_terms,
)
STANDARD = Formulation(
    analyzer="standard",
    version=f"bm25 title^{TITLE_BOOST:g} + text, uax29, 1",
    tokenizer="standard",
    fields=MappingProxyType({"title": True, "text": True}),
    texts=standard_texts,
    terms=standard_terms,
)
FORMULATIONS: Mapping[Analyzer, Formulation] = MappingProxyType({"english": ENGLISH, "standard": STANDARD})
"""Of new worlds."""
BY_VERSION: Mapping[str, Formulation] = MappingProxyType(
    {each.version: each for each in (ENGLISH, FIRST_ENGLISH, STANDARD)}
)


def formulation_of_index(version: str, index: str) -> Formulation:
    """The formulation that an index was made for; UserError where this version of drretail has none such."""
    if version in BY_VERSION:
        return BY_VERSION[version]
    raise UserError(
        f"{index} was made in another way ({version}) than this version of drretail searches"
        f" ({' or '.join(BY_VERSION)}); make the world again with `drretail ingest`."
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

"""What is indexed of a product and how a query is scored: the same for every catalog, so rankings are the same.

A product has two analysed fields, neither ever without a word: ``title``, and ``text`` with the title again and
everything else. Engines differ in whether products without a field count in its statistics; here there are none.
The score is the sum over the query's words of BM25(text) + TITLE_BOOST * BM25(title), and a word need only occur in
``text``. Equal scores are in order of product id.
"""

import re
from functools import cache
from importlib import resources

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from drretail.env.catalog.base import DEFAULT_ORDER, CatalogQuery, SortOrder, fold_category
from drretail.errors import ToolError, nearest_names, suggestion
from drretail.records.shop import Product

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


TITLE_BOOST = 3.0
FORMULATION = f"bm25 title^{TITLE_BOOST:g} + text, uax29, 1"
"""Raise the number at the end whenever the same products would be found or ranked in another way."""

_SURE_WORD = re.compile("[A-Za-z0-9]")


def indexed_title(product: Product) -> str:
    """The title, or the product id where the title holds no word."""
    # Finding all words of a title only to see that there is one took a third of the time of indexing.
    has_word = _SURE_WORD.search(product.title) or words(product.title)
    return prepared(product.title) if has_word else prepared(product.product_id)


def indexed_text(product: Product) -> list[str]:
    """Title, features, description, categories, store and brand; phrases do not reach across them."""
    parts = [*product.features, *product.description, *category_names(product), product.store, product.brand]
    return [indexed_title(product), *(prepared(part) for part in parts if part)]


def category_names(product: Product) -> tuple[str, ...]:
    """Every part of the category path, and the file's category, without repetition."""
    return tuple(dict.fromkeys(name for name in (*product.categories, product.category) if name.strip()))


def query_words(query: CatalogQuery) -> list[str]:
    """The words to look for: in order for a phrase, else each once."""
    found = words(query.text)
    return found if query.match == "phrase" else list(dict.fromkeys(found))


def sort_order(query: CatalogQuery) -> SortOrder:
    return query.order or DEFAULT_ORDER[query.sort_by]


def folded_category(name: str, known: dict[str, str]) -> str:
    """The folded form of a known category (``known``: folded → as written); ToolError with the nearest otherwise."""
    folded = fold_category(name)
    if folded in known:
        return folded
    nearest = [known[near] for near in nearest_names(folded, known)]
    raise ToolError(
        "invalid_argument",
        f"There is no category {name!r} in this shop. {suggestion(nearest, known.values())}",
        field="category",
        allowed=nearest or sorted(known.values())[:10],
    )

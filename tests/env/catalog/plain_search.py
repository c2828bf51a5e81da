"""Product search written a second time, in the plainest way: what every catalog is held against."""

import math
from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from drretail.env.catalog.base import Analyzer, CatalogQuery, Hit, SortBy, fold_category
from drretail.env.catalog.engine import LEAST_SCORE
from drretail.grounding.text.words import stem
from drretail.records.shop import Product

VOCABULARY = ["bird", "feeder", "copper", "seed", "bath", "garden", "pen", "birdfeeder", "birdseed"]
CATEGORIES = ["Patio, Lawn & Garden", "Pet_Supplies", "Bird Feeders"]

phrases = st.lists(st.sampled_from(VOCABULARY), max_size=4).map(" ".join)


@st.composite
def shelves(draw: st.DrawFn) -> list[Product]:
    """Products in order of id, with few words, so that scores tie and every number can be missing."""
    return [
        Product(
            product_id=f"B{number:02d}",
            title=draw(phrases | st.just("☆")),
            features=tuple(draw(st.lists(phrases, max_size=2))),
            description=tuple(draw(st.lists(phrases, max_size=1))),
            price=draw(st.none() | st.sampled_from([0.0, 5.0, 9.99, 25.0])),
            average_rating=draw(st.none() | st.sampled_from([1.0, 4.5, 5.0])),
            rating_number=draw(st.none() | st.integers(0, 3)),
            store=draw(st.none() | st.sampled_from(["Wingspan", "Copper"])),
            details=draw(st.just({}) | st.just({"Material": "copper", "Rank": {"garden": 1}, "Pieces": 2})),
            categories=tuple(draw(st.lists(st.sampled_from(CATEGORIES), max_size=2))),
            category="Patio_Lawn_and_Garden",
        )
        for number in range(draw(st.integers(1, 12)))
    ]


queries = st.builds(
    CatalogQuery,
    text=phrases,
    category=st.none() | st.just("patio lawn AND garden"),
    price_min=st.none() | st.sampled_from([0.0, 5.0, 9.0]),
    price_max=st.none() | st.sampled_from([5.0, 20.0]),
    rating_min=st.none() | st.sampled_from([1.0, 4.5]),
    sort_by=st.sampled_from(["relevance", "price", "rating", "popularity"]),
    order=st.none() | st.sampled_from(["asc", "desc"]),
    match=st.sampled_from(["any", "all", "phrase"]),
    limit=st.just(50),
)


def fields(product: Product, analyzer: Analyzer) -> dict[str, list[list[str]]]:
    """The words of all fields, value by value; the vocabulary needs no tokenizer."""
    title = [product.product_id.lower()] if product.title in ("", "☆") else product.title.split()
    names = list(dict.fromkeys([*product.categories, product.category]))
    values = [value.split() for value in (*product.features, *product.description)]
    if analyzer == "standard":
        plain = [fold_words(name) for name in [*names, product.store or "", product.store or ""]]
        return {"title": [title], "text": [title, *values, *plain]}
    names = [name.replace("_", " ") for name in names]
    details = ["copper"] if product.details else []
    plain = [fold_words(name) for name in [*names, *dict.fromkeys([product.store or "", *details])]]
    text = [[stem(word) for word in value] for value in (title, title, title, *values, *plain)]
    pairs = [[f"{one}{other}" for one, other in pairwise(value)] for value in text]
    return {"text": text, "pairs": pairs if any(pairs) else [["no pair"]]}


def fold_words(text: str) -> list[str]:
    # The standard tokenizer keeps "_" within a word.
    return text.lower().replace(",", "").replace("&", "").split()


Term = tuple[str, float, tuple[str, ...]]
"""A field, its weight, and words that stand one after another in it."""


def terms_of(query: CatalogQuery, analyzer: Analyzer) -> list[list[Term]]:
    """What the query looks for, and in which forms: see ``bm25``."""
    words = query.text.split()
    phrase = query.match == "phrase" and len(words) > 1
    if analyzer == "standard":
        parts = [tuple(words)] if phrase else [(word,) for word in dict.fromkeys(words)]
        return [[("text", 1.0, part), ("title", 3.0, part)] for part in parts]
    stems = [stem(word) for word in words]
    if phrase:
        return [[("pairs", 1.0, tuple(f"{one}{other}" for one, other in pairwise(stems)))]]
    forms: dict[str, list[Term]] = {}
    for one in stems:
        forms.setdefault(one, [("text", 1.0, (one,))])
    for word, one in zip(words, stems, strict=True):
        if len(word) >= 4:
            forms[one].append(("pairs", 0.5, (one,)))
    for first, second in pairwise(words):
        for one in (first, second):
            forms[stem(one)].append(("text", 0.5, (stem(first + second),)))
    return list(forms.values())


def occurrences(values: list[list[str]], term: tuple[str, ...]) -> int:
    """How often the words of ``term`` stand one after another within one value."""
    size = len(term)
    return sum(tuple(value[at : at + size]) == term for value in values for at in range(len(value) - size + 1))


def bm25(shelf: list[Product], query: CatalogQuery, analyzer: Analyzer) -> dict[str, float]:
    """product id → score of every product that the text matches (k1 1.2, b 0.75).

    Of the terms of a part, English takes the best of those that occur; otherwise the first must occur, and all count.
    """
    parts = terms_of(query, analyzer)
    indexed = {product.product_id: fields(product, analyzer) for product in shelf}

    def score(product_id: str, field: str, term: tuple[str, ...]) -> float:
        count = occurrences(indexed[product_id][field], term)
        lengths = [sum(map(len, entry[field])) for entry in indexed.values()]
        assert max(lengths) <= 40, "longer fields are stored with rounded lengths"
        length = sum(map(len, indexed[product_id][field])) * len(lengths) / sum(lengths)
        rarity = 0.0
        for word in term:
            holders = sum(occurrences(entry[field], (word,)) > 0 for entry in indexed.values())
            rarity += math.log(1 + (len(shelf) - holders + 0.5) / (holders + 0.5))
        return rarity * 2.2 * count / (count + 1.2 * (0.25 + 0.75 * length))

    found: dict[str, float] = {}
    for product_id, entry in indexed.items():
        needed = [part if analyzer == "english" else part[:1] for part in parts]
        matching = [any(occurrences(entry[field], term) > 0 for field, _, term in part) for part in needed]
        if (all if query.match == "all" else any)(matching) or not parts:
            best = max if analyzer == "english" else sum
            found[product_id] = sum(
                best([weight * score(product_id, field, term) for field, weight, term in part]) for part in parts
            )
    return found


def passes(product: Product, query: CatalogQuery) -> bool:
    price, rating = product.price, product.average_rating
    names = {fold_category(name) for name in (*product.categories, product.category)}
    return (
        (query.price_min is None or (price is not None and price >= query.price_min))
        and (query.price_max is None or (price is not None and price <= query.price_max))
        and (query.rating_min is None or (rating is not None and rating >= query.rating_min))
        and (query.category is None or fold_category(query.category) in names)
    )


def passes_if_unknown_does(product: Product, query: CatalogQuery) -> bool:
    """Whether it passes where a price or a rating that is unknown passes every limit."""
    unlimited: dict[str, None] = {}
    if product.price is None:
        unlimited |= {"price_min": None, "price_max": None}
    if product.average_rating is None:
        unlimited |= {"rating_min": None}
    return passes(product, replace(query, **unlimited))


def expected_hidden(shelf: list[Product], query: CatalogQuery, scores: dict[str, float]) -> int:
    """How many matches are left out for want of a number."""
    matches = [product for product in shelf if product.product_id in scores]
    return sum(passes_if_unknown_does(product, query) and not passes(product, query) for product in matches)


def relevant(shelf: list[Product], query: CatalogQuery, scores: dict[str, float]) -> dict[str, float]:
    """What a search finds on the shelves here, which are short: a sort leaves out what scores far below the best."""
    passing = {
        product.product_id: scores[product.product_id]
        for product in shelf
        if product.product_id in scores and passes(product, query)
    }
    if query.sort_by == "relevance" or query.category is not None or not passing:
        return passing
    least = LEAST_SCORE * max(passing.values()) - 1e-6
    return {product_id: score for product_id, score in passing.items() if score >= least}


def sort_number(product: Product, sort_by: SortBy) -> float | None:
    return {"price": product.price, "rating": product.average_rating, "popularity": product.rating_number}[sort_by]


def expected_ids(shelf: list[Product], query: CatalogQuery, scores: dict[str, float]) -> list[str]:
    left = [product for product in shelf if product.product_id in scores and passes(product, query)]
    if query.sort_by == "relevance":
        return [p.product_id for p in sorted(left, key=lambda p: (-round(scores[p.product_id], 5), p.product_id))]
    default = {"price": "asc", "rating": "desc", "popularity": "desc"}[query.sort_by]
    sign = 1 if (query.order or default) == "asc" else -1

    def place(product: Product) -> tuple[bool, float, str]:
        number = sort_number(product, query.sort_by)
        return number is None, 0.0 if number is None else sign * number, product.product_id

    return [product.product_id for product in sorted(left, key=place)]


def in_order_of_score(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Hits whose scores differ by rounding alone in order of id, as the oracle puts them."""
    return tuple(sorted(hits, key=lambda hit: (-round(hit.score or 0.0, 5), hit.product_id)))

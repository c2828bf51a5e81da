"""Product search written a second time, in the plainest way: what every catalog is held against."""

import math

from hypothesis import strategies as st

from drretail.env.catalog.base import CatalogQuery, Hit, SortBy, fold_category
from drretail.records.shop import Product

VOCABULARY = ["bird", "feeder", "copper", "seed", "bath", "garden", "pen"]
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


def fields(product: Product) -> dict[str, list[list[str]]]:
    """The words of both fields, value by value; the vocabulary needs no tokenizer."""
    title = [product.product_id.lower()] if product.title in ("", "☆") else product.title.split()
    names = dict.fromkeys([*product.categories, product.category])
    plain = [fold_words(name) for name in [*names, product.store or "", product.store or ""]]
    values = [value.split() for value in (*product.features, *product.description)]
    return {"title": [title], "text": [title, *values, *plain]}


def fold_words(text: str) -> list[str]:
    # The standard tokenizer keeps "_" within a word.
    return text.lower().replace(",", "").replace("&", "").split()


def occurrences(values: list[list[str]], term: tuple[str, ...]) -> int:
    """How often the words of ``term`` stand one after another within one value."""
    size = len(term)
    return sum(tuple(value[at : at + size]) == term for value in values for at in range(len(value) - size + 1))


def bm25(shelf: list[Product], query: CatalogQuery) -> dict[str, float]:
    """product id → score of every product that the text matches (k1 1.2, b 0.75)."""
    words = query.text.split()
    phrase = query.match == "phrase" and len(words) > 1
    terms = [tuple(words)] if phrase else [(word,) for word in dict.fromkeys(words)]
    indexed = {product.product_id: fields(product) for product in shelf}

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
        matching = [occurrences(entry["text"], term) > 0 for term in terms]
        if (all if query.match == "all" else any)(matching) or not terms:
            found[product_id] = sum(score(product_id, "text", t) + 3 * score(product_id, "title", t) for t in terms)
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

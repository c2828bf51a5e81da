"""Irregularities of real files, each with the share of rows that have it.

The shares follow counts in samples of Amazon Reviews 2023, except for prices: a shop to show needs them.
"""

from collections.abc import Callable
from random import Random
from typing import Any

Row = dict[str, Any]
Quirk = Callable[[Row, Random], Row | None]
"""Returns the fields of a row that change, or None if the quirk cannot happen to the row."""


def _priced(price: str) -> Quirk:
    """Writes the prices that are known in another form."""
    return lambda row, _: {"price": price.format(row["price"])} if isinstance(row["price"], float) else None


def _without_rank(row: Row, _: Random) -> Row:
    return {"details": {name: value for name, value in row["details"].items() if name != "Best Sellers Rank"}}


def _each(field: str, change: Callable[[str, Row, Random], str]) -> Quirk:
    """Changes every text of a field."""
    return lambda row, random: {field: [change(text, row, random) for text in row[field]]}


PRODUCT_QUIRKS: dict[str, tuple[Quirk, float]] = {
    "price null": (lambda row, _: {"price": None}, 0.06),
    "price —": (_priced("—"), 0.01),
    "price from": (_priced("from {:.2f}"), 0.02),
    "no features": (lambda row, _: {"features": []}, 0.04),
    "no description": (lambda row, _: {"description": []}, 0.12),
    "no categories": (lambda row, _: {"categories": []}, 0.02),
    "no rank in the details": (_without_rank, 0.15),
    "no details": (lambda row, _: {"details": {}}, 0.01),
    "a dotted key in the details": (
        lambda row, _: {"details": {**row["details"], "Min. Recommended Age": "36 months"}},
        0.03,
    ),
    "main category null": (lambda row, _: {"main_category": None}, 0.03),
    "emoji": (_each("features", lambda text, _, random: f"{random.choice('✅🌿⭐🐾💡')}{text}"), 0.05),
    "hard spaces": (lambda row, _: {"title": row["title"].replace(" ", "\u00a0", 2)}, 0.04),
    "entities": (
        _each("description", lambda text, row, _: text.replace("and", "&amp;").replace('"', "&#34;")),
        0.03,
    ),
    "tags": (_each("description", lambda text, row, _: f"<p><b>{row['store'] or 'About'}</b><br />{text}</p>"), 0.02),
    "control characters": (_each("features", lambda text, row, _: f"{text}\x0b\x7f"), 0.02),
    "a replacement character": (_each("features", lambda text, row, _: text.replace("'", "\ufffd")), 0.02),
    # Last, because quirks before it read the store.
    "store null": (lambda row, _: {"store": None}, 0.02),
}
REVIEW_QUIRKS: dict[str, tuple[Quirk, float]] = {
    "line break": (lambda row, _: {"text": row["text"].replace(". ", ".<br />", 1)}, 0.25),
    "entity": (lambda row, _: {"text": f"{row['text']} 4&lt;5 stars, my &#34;rule&#34;."}, 0.01),
    "video": (lambda row, random: {"text": f"[[VIDEOID:{random.getrandbits(128):032x}]] {row['text']}"}, 0.02),
    "named product": (
        lambda row, _: {"text": f"{row['text']} See also [[ASIN:{row['parent_asin']} this one]]."},
        0.005,
    ),
    "empty text": (lambda row, _: {"text": ""}, 0.003),
    "unverified": (lambda row, _: {"verified_purchase": False}, 0.04),
    "asin of a variant": (lambda row, random: {"asin": f"B0V{random.getrandbits(28):07X}"}, 0.4),
    "rating without a point": (lambda row, _: {"rating": int(row["rating"])}, 0.01),
}
DUPLICATE_REVIEWS = 0.004
ORPHAN_REVIEWS = 0.01
"""Share of reviews of products that no meta row describes."""
ONCE = (
    "a product described twice in one file",
    "a product described in two files",
    "a rating of 0.0",
    "a review file that is cut within its last line",
)


def afflict(row: Row, quirks: dict[str, tuple[Quirk, float]], random: Random) -> list[str]:
    """Applies each quirk to a row with the probability of its share. Returns the names of those that were applied."""
    happened: list[str] = []
    for name, (quirk, share) in quirks.items():
        if random.random() < share and (changed := quirk(row, random)) is not None:
            row |= changed
            happened.append(name)
    return happened

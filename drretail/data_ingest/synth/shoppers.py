"""Who buys what, when, and what they write about it: shoppers with tastes, who come back and reorder consumables.

Memory does not grow with the number of purchases: a shopper is a function of (seed, number), a purchase of (seed,
index).
"""

import tomllib
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from drretail.data_ingest.synth.recipe import Kind
from drretail.data_ingest.synth.shelf import Article

FIRST = datetime(2018, 1, 1, tzinfo=UTC)
LAST = datetime(2023, 9, 24, tzinfo=UTC)
FIRST_MS, LAST_MS = int(FIRST.timestamp() * 1000), int(LAST.timestamp() * 1000)
PURCHASES_PER_SHOPPER = 2.4
"""As in the paper's world: 4.3 million orders of 1.8 million users."""
TAIL = 2.2
"""Above 1: few shoppers buy often, most once or twice."""
SUFFIX_SHARE = 0.02
"""Share of user ids that end in _1, as some real ones do."""
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
TEXTS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("reviews.toml").read_text(encoding="utf-8")
)
"""What shoppers write of any product: titles, openings and closings, by stars."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """One purchase; ``timestamp`` in milliseconds UTC."""

    index: int
    user_id: str
    article: Article
    timestamp: int


@dataclass(frozen=True, slots=True)
class Shopper:
    user_id: str
    kinds: tuple[str, ...]
    """The kinds of products that they like to buy."""
    frugal: bool
    """True if they take the cheaper of two products."""


class Market:
    """The shelf as shoppers see it: products by kind, drawn by popularity."""

    def __init__(self, articles: Sequence[Article], seed: str, purchases: int) -> None:
        self._seed = seed
        self._purchases = purchases
        self._shoppers = max(1, int(purchases / PURCHASES_PER_SHOPPER))
        by_kind: dict[str, list[Article]] = defaultdict(list)
        for article in articles:
            by_kind[article.kind.name].append(article)
        self._by_kind = dict(by_kind)
        self._weights = {
            name: list(accumulate(article.popularity for article in kind)) for name, kind in by_kind.items()
        }
        self._kinds = sorted(by_kind)
        self._shopper = lru_cache(maxsize=20_000)(self._draw_shopper)

    def purchases(self) -> Iterator[Purchase]:
        """All purchases, not sorted by time."""
        for index in range(self._purchases):
            random = Random(f"{self._seed}|purchase|{index}")
            number = int(self._shoppers * random.random() ** TAIL)
            shopper = self._shopper(number)
            name = random.choice(shopper.kinds) if random.random() < 0.85 else random.choice(self._kinds)
            article = self._article(shopper, name, random)
            yield Purchase(index, shopper.user_id, article, _moment(article.kind, random))

    def _article(self, shopper: Shopper, name: str, random: Random) -> Article:
        if self._by_kind[name][0].kind.consumable and random.random() < 0.7:
            # What is used up is bought again: everyone has a usual product of each consumable.
            random = Random(f"{self._seed}|usual|{shopper.user_id}|{name}")
        first, second = self._popular(name, random), self._popular(name, random)
        return min(first, second, key=lambda article: article.price) if shopper.frugal else first

    def _popular(self, name: str, random: Random) -> Article:
        weights = self._weights[name]
        return self._by_kind[name][min(bisect(weights, random.random() * weights[-1]), len(weights) - 1)]

    def _draw_shopper(self, number: int) -> Shopper:
        random = Random(f"{self._seed}|shopper|{number}")
        kinds = random.sample(self._kinds, k=min(len(self._kinds), random.randint(2, 5)))
        return Shopper(user_id(f"{self._seed}|{number}", random), tuple(kinds), random.random() < 0.4)


def user_id(key: str, random: Random) -> str:
    """An id of Amazon's form, "A" and 27 characters; some carry a suffix."""
    number = int.from_bytes(sha256(key.encode()).digest()[:17])
    characters = "".join(BASE32[(number >> (5 * place)) & 31] for place in range(27))
    return f"A{characters}_1" if random.random() < SUFFIX_SHARE else f"A{characters}"


def _moment(kind: Kind, random: Random) -> int:
    """A moment in the kind's months twice as often as outside them."""
    moment = random.randrange(FIRST_MS, LAST_MS)
    if kind.months and datetime.fromtimestamp(moment / 1000, UTC).month not in kind.months and random.random() < 0.5:
        moment = random.randrange(FIRST_MS, LAST_MS)
    return moment


def review(purchase: Purchase, random: Random) -> dict[str, Any]:
    """A raw review row of ten fields for a purchase."""
    drawn = round(purchase.article.row["average_rating"] + random.gauss(0, 0.9))
    stars = float(min(5, max(1, drawn)))
    asin = purchase.article.product_id
    return {
        "rating": stars,
        "title": random.choice(TEXTS["titles"][f"{stars:g}"]),
        "text": _text(purchase.article, stars, random),
        "images": [],
        "asin": asin,
        "parent_asin": asin,
        "user_id": purchase.user_id,
        "timestamp": purchase.timestamp,
        "helpful_vote": int(random.paretovariate(1.3)) - 1 if random.random() < 0.28 else 0,
        "verified_purchase": True,
    }


def _text(article: Article, stars: float, random: Random) -> str:
    kind = article.kind
    parts = [random.choice(TEXTS["openings"][f"{stars:g}"])]
    if stars >= 3:
        parts.append(_sentence(random.choice(kind.praise)))
    if stars <= 4 and (stars < 4 or random.random() < 0.5):
        complaint = random.choice(kind.complaints)
        parts.append(f"But {complaint}." if stars >= 3 else _sentence(complaint))
    parts.append(random.choice(TEXTS["closings"][f"{stars:g}"]))
    return " ".join(part for part in parts if part)


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."

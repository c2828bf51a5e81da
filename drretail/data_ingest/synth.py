"""A made-up shop in Amazon's file formats: who buys what, when, and what they write about it, with every quirk of
the real files, each with its share of rows.

Memory does not grow with the number of purchases: a shopper is a function of (seed, number), a purchase of (seed,
index).

The shares follow counts in samples of Amazon Reviews 2023, except for prices: a shop to show needs them.
"""

import gzip
import json
import tomllib
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from io import BufferedWriter
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from drretail.data_ingest.raw.sources import ABOUT_MADE_UP
from drretail.data_ingest.recipe import (
    RECIPE_VERSION,
    Article,
    draw_articles,
    product_id,
    read_recipe,
    recipe_categories,
)
from drretail.errors import UserError, check_known
from drretail.files import made_whole, write_json
from drretail.progress import Progress
from drretail.records.base import Document, Record

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
class _Shopper:
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
            kind, choosing = self._by_kind[name][0].kind, random
            if kind.consumable and random.random() < 0.7:
                # What is used up is bought again: everyone has a usual product of each consumable.
                choosing = Random(f"{self._seed}|usual|{shopper.user_id}|{name}")
            first, second = self._popular(name, choosing), self._popular(name, choosing)
            article = min(first, second, key=lambda article: article.price) if shopper.frugal else first
            moment = random.randrange(FIRST_MS, LAST_MS)
            month = datetime.fromtimestamp(moment / 1000, UTC).month
            # A moment in the kind's months is twice as likely as one outside them.
            if kind.months and month not in kind.months and random.random() < 0.5:
                moment = random.randrange(FIRST_MS, LAST_MS)
            yield Purchase(index, shopper.user_id, article, moment)

    def _popular(self, name: str, random: Random) -> Article:
        weights = self._weights[name]
        return self._by_kind[name][min(bisect(weights, random.random() * weights[-1]), len(weights) - 1)]

    def _draw_shopper(self, number: int) -> _Shopper:
        random = Random(f"{self._seed}|shopper|{number}")
        kinds = random.sample(self._kinds, k=min(len(self._kinds), random.randint(2, 5)))
        return _Shopper(user_id(f"{self._seed}|{number}", random), tuple(kinds), random.random() < 0.4)


def user_id(key: str, random: Random) -> str:
    """An id of Amazon's form, "A" and 27 characters; some carry a suffix."""
    number = int.from_bytes(sha256(key.encode()).digest()[:17])
    characters = "".join(BASE32[(number >> (5 * place)) & 31] for place in range(27))
    return f"A{characters}_1" if random.random() < SUFFIX_SHARE else f"A{characters}"


def review(purchase: Purchase, random: Random) -> dict[str, Any]:
    """A raw review row of ten fields for a purchase."""
    drawn = round(purchase.article.row["average_rating"] + random.gauss(0, 0.9))
    stars = float(min(5, max(1, drawn)))
    asin, kind = purchase.article.product_id, purchase.article.kind
    title = random.choice(TEXTS["titles"][f"{stars:g}"])
    parts = [random.choice(TEXTS["openings"][f"{stars:g}"])]
    if stars >= 3:
        parts.append(_sentence(random.choice(kind.praise)))
    if stars <= 4 and (stars < 4 or random.random() < 0.5):
        complaint = random.choice(kind.complaints)
        parts.append(f"But {complaint}." if stars >= 3 else _sentence(complaint))
    parts.append(random.choice(TEXTS["closings"][f"{stars:g}"]))
    return {
        "rating": stars,
        "title": title,
        "text": " ".join(part for part in parts if part),
        "images": [],
        "asin": asin,
        "parent_asin": asin,
        "user_id": purchase.user_id,
        "timestamp": purchase.timestamp,
        "helpful_vote": int(random.paretovariate(1.3)) - 1 if random.random() < 0.28 else 0,
        "verified_purchase": True,
    }


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


Row = dict[str, Any]
Quirk = Callable[[Row, Random], Row | None]
"""Returns the fields of a row that change, or None if the quirk cannot happen to the row."""


def _priced(price: str) -> Quirk:
    """Writes the prices that are known in another form."""
    return lambda row, _: {"price": price.format(row["price"])} if isinstance(row["price"], float) else None


def _without_rank(row: Row, _: Random) -> Row:
    return {"details": {name: value for name, value in row["details"].items() if name != "Best Sellers Rank"}}


def _each(field: str, change: Callable[[str, Row, Random], str]) -> Quirk:
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


class LineFile:
    """A file of one row per line, packed if its name ends in .gz."""

    def __init__(self, path: Path) -> None:
        self.rows = 0
        self.path = path
        self._raw = path.open("wb")
        # No name and no time in the header, so that equal rows give equal bytes; level 1 for speed.
        packed = path.suffix == ".gz"
        self._file: gzip.GzipFile | BufferedWriter = (
            gzip.GzipFile("", "wb", compresslevel=1, fileobj=self._raw, mtime=0) if packed else self._raw
        )

    def add(self, row: Row) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")
        self.rows += 1

    def close(self, cut: bytes = b"") -> None:
        """Ends the file, after writing ``cut``, the beginning of a row that is never finished."""
        self._file.write(cut)
        self._file.close()
        self._raw.close()


class HuggingFaceFile(LineFile):
    """Price as a text, details as a text of JSON, images and videos as lists side by side."""

    def add(self, row: Row) -> None:
        images: list[Row] = row.get("images", [])
        super().add(
            row
            | {
                "price": str(row["price"]),
                "details": json.dumps(row["details"], ensure_ascii=False),
                "images": {key: [image[key] for image in images] for key in ("hi_res", "large", "thumb", "variant")},
                "videos": {"title": [], "url": [], "user_id": []},
                "subtitle": None,
                "author": None,
            }
        )


class ArrayFile(LineFile):
    """One indented JSON array with escaped slashes, whatever the file's name says."""

    def add(self, row: Row) -> None:
        text = json.dumps(row, indent=4, ensure_ascii=True).replace("/", "\\/").replace("\n", "\n    ")
        self._file.write(f"{',' if self.rows else '['}\n    {text}".encode())
        self.rows += 1

    def close(self, cut: bytes = b"") -> None:
        super().close(b"\n]\n" if self.rows else b"[]\n")


# Categories in other forms than raw lines, since ingest must read every form.
META_FORMS: dict[str, type[LineFile]] = {"Home_and_Kitchen": HuggingFaceFile, "Patio_Lawn_and_Garden": ArrayFile}
CUT = "Office_Products"
"""The category whose review file breaks off within its last line."""


class _FileReport(Record):
    name: str
    rows: int
    bytes: int


class SynthReport(Document):
    """What was written; kept beside the files as synth.json."""

    recipe: int
    seed: str
    products: int
    reviews: int
    files: tuple[_FileReport, ...]
    quirks: dict[str, int]
    """Quirk → rows that it happened to."""


@dataclass(slots=True)
class _Shop:
    """The files that are being written."""

    seed: str
    meta: dict[str, LineFile] = field(default_factory=dict[str, LineFile])
    reviews: dict[str, LineFile] = field(default_factory=dict[str, LineFile])
    quirks: Counter[str] = field(default_factory=Counter[str])


def write_shop(
    folder: Path,
    *,
    products: int,
    reviews: int,
    seed: str = "42",
    categories: Sequence[str] = (),
    progress: Progress | None = None,
) -> SynthReport:
    """Writes ``meta_<Category>`` and ``<Category>`` files for all or some categories of the recipe.

    ``products`` and ``reviews`` are counts over all categories, without duplicates.
    Raises UnknownName if a category has no recipe, and UserError if the folder holds other files, or if another process
    is writing a shop into it.
    """
    known, progress = recipe_categories(), progress or Progress()
    check_known("category", known, *categories)
    names = [name for name in known if not categories or name in categories]
    with _replaced(folder) as made:
        shop = _Shop(seed)
        for name in names:
            ending = ".jsonl.gz" if name == "Pet_Supplies" else ".jsonl"
            form = META_FORMS.get(name, LineFile)
            shop.meta[name] = form(made / f"meta_{name}{ending}")
            shop.reviews[name] = LineFile(made / f"{name}{ending}")
        articles = _write_products(shop, names, products)
        with progress.track("reviews", reviews) as bar:
            for purchase in Market(articles, seed, reviews).purchases():
                _write_review(shop, purchase)
                bar.advance()
        for file in shop.meta.values():
            file.close()
        for name, file in shop.reviews.items():
            cut = name == CUT
            file.close(b'{"rating": 5.0, "title": "Nice", "text": "It was' if cut else b"")
            shop.quirks.update([ONCE[3]] if cut else [])
        report = SynthReport(
            recipe=RECIPE_VERSION,
            seed=seed,
            products=products,
            reviews=reviews,
            files=tuple(
                _FileReport(name=file.path.name, rows=file.rows, bytes=file.path.stat().st_size)
                for file in (*shop.meta.values(), *shop.reviews.values())
            ),
            quirks=dict(sorted(shop.quirks.items())),
        )
        write_json(made / ABOUT_MADE_UP, report.model_dump(mode="json"))
    return report


@contextmanager
def _replaced(folder: Path) -> Generator[Path]:
    """The place where the shop is made. An earlier shop in ``folder`` is removed once the new one is complete."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file: name a folder for the shop's files.")
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set[str]()
    stems = {f"{prefix}{name}" for name in recipe_categories() for prefix in ("", "meta_")}
    strange = {name for name in names - {ABOUT_MADE_UP} if name.split(".")[0] not in stems}
    if names and (strange or ABOUT_MADE_UP not in names):
        raise UserError(f"{folder} holds files that are not a made-up shop's: name a new or an empty folder.")
    with made_whole(folder, is_replaced=True) as made:
        made.mkdir()
        yield made


def _write_products(shop: _Shop, names: Sequence[str], count: int) -> list[Article]:
    """Writes all products, an equal number per category; what does not divide goes to the first categories."""
    articles: list[Article] = []
    for place, name in enumerate(names):
        share = count // len(names) + (place < count % len(names))
        for article in draw_articles(read_recipe(name), share, shop.seed):
            articles.append(article)
            row = deepcopy(article.row)
            random = Random(f"{shop.seed}|product quirks|{article.product_id}")
            shop.quirks.update(afflict(row, PRODUCT_QUIRKS, random))
            shop.meta[name].add(row)
    if not articles:
        raise UserError("A shop needs at least one product: give --products 1 or more.")
    # One product twice in its own file, and one again in another category's.
    twice, elsewhere = articles[0], articles[min(1, len(articles) - 1)]
    shop.meta[twice.category].add(twice.row | {"title": f"{twice.row['title']} (Old Listing)"})
    shop.quirks[ONCE[0]] += 1
    if len(names) > 1:
        shop.meta[names[-1]].add(elsewhere.row)
        shop.quirks[ONCE[1]] += 1
    return articles


def _write_review(shop: _Shop, purchase: Purchase) -> None:
    random = Random(f"{shop.seed}|review|{purchase.index}")
    row = review(purchase, random)
    shop.quirks.update(afflict(row, REVIEW_QUIRKS, random))
    if random.random() < ORPHAN_REVIEWS:
        row["parent_asin"] = product_id(f"{shop.seed}|orphan|{purchase.index % 97}")
        shop.quirks["review of an unknown product"] += 1
    if purchase.index == 0:
        row["rating"] = 0.0
        shop.quirks[ONCE[2]] += 1
    file = shop.reviews[purchase.article.category]
    file.add(row)
    if random.random() < DUPLICATE_REVIEWS:
        file.add(row)
        shop.quirks["review twice"] += 1

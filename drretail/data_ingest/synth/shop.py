"""``write_shop``: a made-up shop's product and review files, the same bytes for the same seed."""

import gzip
import json
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from io import BufferedWriter
from pathlib import Path
from random import Random
from typing import Any

from drretail.data_ingest.synth.quirks import (
    DUPLICATE_REVIEWS,
    ONCE,
    ORPHAN_REVIEWS,
    PRODUCT_QUIRKS,
    REVIEW_QUIRKS,
    afflict,
)
from drretail.data_ingest.synth.recipe import RECIPE_VERSION, category_names, read_recipe
from drretail.data_ingest.synth.shelf import Article, draw_articles, product_id
from drretail.data_ingest.synth.shoppers import Market, review
from drretail.errors import UnknownName, UserError
from drretail.files import made_whole, write_json
from drretail.progress import Progress
from drretail.records.base import Document, Record

Row = dict[str, Any]


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


REPORT_FILE = "synth.json"
# Categories in other forms than raw lines, since ingest must read every form.
META_FORMS: dict[str, type[LineFile]] = {"Home_and_Kitchen": HuggingFaceFile, "Patio_Lawn_and_Garden": ArrayFile}
PACKED = frozenset({"Pet_Supplies"})
CUT = "Office_Products"
"""The category whose review file breaks off within its last line."""


class FileReport(Record):
    name: str
    rows: int
    bytes: int


class SynthReport(Document):
    """What was written; kept beside the files as synth.json."""

    recipe: int
    seed: str
    products: int
    reviews: int
    plain: bool
    files: tuple[FileReport, ...]
    quirks: dict[str, int]
    """Quirk → rows that it happened to."""


@dataclass(slots=True)
class _Shop:
    """The files that are being written."""

    plain: bool
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
    plain: bool = False,
    progress: Progress | None = None,
) -> SynthReport:
    """Writes ``meta_<Category>`` and ``<Category>`` files for all or some categories of the recipe.

    ``products`` and ``reviews`` are counts over all categories, without duplicates. ``plain`` leaves the quirks out.
    Raises UnknownName if a category has no recipe, and UserError if the folder holds other files, or if another process
    is writing a shop into it.
    """
    names, progress = _chosen(categories), progress or Progress()
    with _replaced(folder) as made:
        shop = _Shop(plain, seed)
        for name in names:
            ending = ".jsonl.gz" if name in PACKED else ".jsonl"
            form = LineFile if plain else META_FORMS.get(name, LineFile)
            shop.meta[name] = form(made / f"meta_{name}{ending}")
            shop.reviews[name] = LineFile(made / f"{name}{ending}")
        articles = _write_products(shop, names, products)
        with progress.track("reviews", reviews) as bar:
            for purchase in Market(articles, shop.seed, reviews).purchases():
                random = Random(f"{shop.seed}|review|{purchase.index}")
                row = review(purchase, random)
                file = shop.reviews[purchase.article.category]
                if not shop.plain:
                    _spoil(shop, row, purchase.index, random)
                file.add(row)
                if not shop.plain and random.random() < DUPLICATE_REVIEWS:
                    file.add(row)
                    shop.quirks["review twice"] += 1
                bar.advance()
        for file in shop.meta.values():
            file.close()
        for name, file in shop.reviews.items():
            cut = not shop.plain and name == CUT
            file.close(b'{"rating": 5.0, "title": "Nice", "text": "It was' if cut else b"")
            shop.quirks.update([ONCE[3]] if cut else [])
        report = SynthReport(
            recipe=RECIPE_VERSION,
            seed=seed,
            products=products,
            reviews=reviews,
            plain=plain,
            files=tuple(_file_report(file) for file in (*shop.meta.values(), *shop.reviews.values())),
            quirks=dict(sorted(shop.quirks.items())),
        )
        write_json(made / REPORT_FILE, report.model_dump(mode="json"))
    return report


def _chosen(categories: Sequence[str]) -> list[str]:
    known = category_names()
    for name in categories:
        if name not in known:
            raise UnknownName("category", name, known)
    return [name for name in known if name in categories] if categories else list(known)


@contextmanager
def _replaced(folder: Path) -> Generator[Path]:
    """The place where the shop is made. An earlier shop in ``folder`` is removed once the new one is complete."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file: name a folder for the shop's files.")
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set[str]()
    stems = {f"{prefix}{name}" for name in category_names() for prefix in ("", "meta_")}
    if names and (REPORT_FILE not in names or any(name.split(".")[0] not in stems for name in names - {REPORT_FILE})):
        raise UserError(f"{folder} holds files that are not a made-up shop's: name a new or an empty folder.")
    with made_whole(folder, is_replaced=True) as made:
        made.mkdir()
        yield made


def _write_products(shop: _Shop, names: Sequence[str], count: int) -> list[Article]:
    """Writes all products, an equal number per category; if the count does not divide, the first categories get one
    more.
    """
    articles: list[Article] = []
    for place, name in enumerate(names):
        share = count // len(names) + (place < count % len(names))
        for article in draw_articles(read_recipe(name), share, shop.seed):
            articles.append(article)
            row = article.row
            if not shop.plain:
                row = deepcopy(row)
                random = Random(f"{shop.seed}|product quirks|{article.product_id}")
                shop.quirks.update(afflict(row, PRODUCT_QUIRKS, random))
            shop.meta[name].add(row)
    if not articles:
        raise UserError("A shop needs at least one product: give --products 1 or more.")
    if not shop.plain:
        # One product twice in its own file, and one again in another category's.
        twice, elsewhere = articles[0], articles[min(1, len(articles) - 1)]
        shop.meta[twice.category].add(twice.row | {"title": f"{twice.row['title']} (Old Listing)"})
        shop.quirks[ONCE[0]] += 1
        if len(names) > 1:
            shop.meta[names[-1]].add(elsewhere.row)
            shop.quirks[ONCE[1]] += 1
    return articles


def _spoil(shop: _Shop, row: dict[str, Any], index: int, random: Random) -> None:
    shop.quirks.update(afflict(row, REVIEW_QUIRKS, random))
    if random.random() < ORPHAN_REVIEWS:
        row["parent_asin"] = product_id(f"{shop.seed}|orphan|{index % 97}")
        shop.quirks["review of an unknown product"] += 1
    if index == 0:
        row["rating"] = 0.0
        shop.quirks[ONCE[2]] += 1


def _file_report(file: LineFile) -> FileReport:
    return FileReport(name=file.path.name, rows=file.rows, bytes=file.path.stat().st_size)

"""An ingest's options and its report: the dataset's categories and presets, which files are read in which category,
and what was read, kept, dropped and why.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from drretail.data_ingest.raw.columns import Mapping
from drretail.data_ingest.raw.lines import LATER
from drretail.data_ingest.raw.sources import RawFile
from drretail.env.catalog.base import DEFAULT_ANALYZER, Analyzer
from drretail.env.manifest import Counts
from drretail.errors import UserError
from drretail.records.account import Account
from drretail.records.base import Document, Record
from drretail.records.figures import first_few


class FileReport(Record):
    """One file: what it is, and its rows if it was read."""

    name: str
    shape: Literal["products", "reviews", "unknown", "empty"]
    category: str | None = None
    account: Account = Field(default_factory=lambda: Account("read", "row"))
    """What became of its rows before the selection; a place is a line's number, and more about it behind a colon."""
    skipped: str | None = None
    """Why it was not read."""
    notes: tuple[str, ...] = ()
    """Remarks about the file, for the user."""
    first: tuple[dict[str, Any], ...] = ()
    """The first rows of a table of your own shop, in the form of the dataset."""

    @property
    def late(self) -> int:
        """How many rows are bad for their date, which is later than the last day."""
        return sum(fate.count for reason, fate in self.account.left_out.items() if reason.startswith(LATER))


class CategoryReport(Record):
    """One category. "(none)" counts what belongs to no known category."""

    name: str
    products: Account
    reviews: Account
    users: int
    """Users with an order in this category; one user may count in several."""


class ReplacedWorld(Record):
    """The world that was live before; it is kept until the next one comes."""

    generation: str
    fingerprint: str
    headline: str


class IngestReport(Document):
    """The result of ``ingest_files``. ``products`` and ``reviews`` are the sums over the categories.

    If the world was ``there_already``, nothing was read, and so files and rows are not reported.
    """

    world: str | None = None
    """The folder; None after a dry run."""
    fingerprint: str | None = None
    files: tuple[FileReport, ...] = ()
    categories: tuple[CategoryReport, ...] = ()
    products: Account = Field(default_factory=lambda: Account("read", "row"))
    reviews: Account = Field(default_factory=lambda: Account("read", "row"))
    users: int
    products_without_meta: int = 0
    """Number of products that have reviews but no row in a product file."""
    without_zeros: int = 0
    """Number of these whose id is that of a product row but for leading zeros."""
    counts: Counts | None = None
    """Counts of the world; None after a dry run."""
    priced: int | None = None
    """Products of the world with a price."""
    now: datetime | None = None
    """The shop's today; None after a dry run."""
    there_already: bool = False
    """True if the live world was made from the same files with the same options."""
    replaced: ReplacedWorld | None = None


Preset = Literal["paper", "ten"]

_CATEGORIES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("categories.toml").read_text("utf-8"))
PAPER = tuple(_CATEGORIES["paper"])
TEN = (*PAPER, *_CATEGORIES["also_of_ten"])
PRESETS: dict[Preset, tuple[str, ...]] = {"paper": PAPER, "ten": TEN}
STEMS = (*TEN, *_CATEGORIES["others"])

# The longest first. An underscore may stand before and after a stem, but not a letter or digit.
_STEM = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(sorted(STEMS, key=len, reverse=True))})(?![A-Za-z0-9])")


def named_category(path: Path) -> str | None:
    """The category in the file's name, or in its folder's name; None if neither names one."""
    for name in (path.name, path.parent.name):
        stems = _STEM.findall(name)
        if stems:
            return max(stems, key=len)
    return None


def in_preset_order(names: Iterable[str]) -> tuple[str, ...]:
    """The distinct names: the presets' first, then the dataset's other stems, then names of your own by alphabet."""
    place = {stem: index for index, stem in enumerate(STEMS)}
    return tuple(sorted(set(names), key=lambda name: (place.get(name, len(STEMS)), name)))


CapBy = Literal["hash", "interactions"]


class IngestSettings(Record):
    """Options of an ingest. The defaults are the paper's: at most 10k products a category, each with 5 interactions
    since 2019.
    """

    preset: Preset | None = None
    """Takes only the preset's categories; None takes every category that there is."""
    category: str | None = Field(default=None, min_length=1)
    """The category of product files whose name and folder name none."""
    cap: int = Field(default=10_000, ge=1)
    cap_by: CapBy = "hash"
    min_interactions: int = Field(default=5, ge=0)
    since: date = date(2019, 1, 1)
    until: date | None = None
    """The last day of interactions; rows that are dated later are bad. None is the day of the ingest."""
    seed: str = "42"
    vary_orders: bool = False
    analyzer: Analyzer | None = None
    """The analyzer of product searches. None is "standard" for the preset "paper", whose search did not stem; otherwise
    the mapping's language, or "english".
    """
    mapping: Mapping | None = None
    """For your own shop: which column is what."""

    @property
    def chosen_analyzer(self) -> Analyzer:
        """The analyzer that the world is made with."""
        language = None if self.mapping is None else self.mapping.language
        return self.analyzer or ("standard" if self.preset == "paper" else language or DEFAULT_ANALYZER)

    @property
    def since_ms(self) -> int:
        """Midnight UTC of ``since`` in milliseconds."""
        return int(datetime(self.since.year, self.since.month, self.since.day, tzinfo=UTC).timestamp()) * 1000


OWN_CATEGORY = "shop"
"""The category of your own shop's products that name none."""
WHOLE_SHOP: dict[str, Any] = {"cap": 10**9, "min_interactions": 0, "since": date(1970, 1, 1)}
"""The default for your own shop: everything."""
_NAMED_FILES = 3


@dataclass(frozen=True, slots=True)
class Input:
    """A file that is read."""

    source: RawFile
    name: str
    """Its path below the folder that all files share."""
    category: str | None
    """Always known for product files; for review files only if their name or folder names it."""


@dataclass(frozen=True, slots=True)
class IngestPlan:
    inputs: tuple[Input, ...]
    skipped: tuple[FileReport, ...]
    categories: tuple[str, ...]
    """In preset order. A product in files of several categories belongs to the first of them."""

    def files(self) -> list[tuple[str, Path]]:
        """Every file that decides the result, with its name: the files that are read, and the tables beside them."""
        files = {item.source.path: item.name for item in self.inputs}
        beside = (path for item in self.inputs for path in item.source.beside)
        files |= {path: path.name for path in beside if path not in files}
        return [(name, path) for path, name in files.items()]

    def rank(self, category: str) -> int:
        return self.categories.index(category)


def plan_inputs(sources: Sequence[RawFile], options: IngestSettings) -> IngestPlan:
    """The plan for the dataset's files. Raises UserError if no shop can come out of it, or of an unknown category."""
    names = names_below_shared_folder([source.path for source in sources])
    inputs, skipped = list[Input](), list[FileReport]()
    for source, name in zip(sources, names, strict=True):
        category = None if source.why else named_category(source.path) or options.category
        why = source.why
        if options.preset is not None and category is not None and category not in PRESETS[options.preset]:
            why = f"{category} is not in the preset {options.preset!r}"
        if why is not None:
            skipped.append(FileReport(name=name, shape=source.shape, category=category, skipped=why))
            continue
        if source.shape == "products" and category is None:
            raise UserError(
                f"The category of {source.path} is unknown: name the file or its folder like the dataset does "
                "(meta_Pet_Supplies.jsonl), or pass --category NAME."
            )
        inputs.append(Input(source, name, category))
    _check_a_shop_can_come_out(inputs, sources, options)
    categories = in_preset_order(item.category for item in inputs if item.category is not None)
    return IngestPlan(tuple(inputs), tuple(skipped), categories)


def plan_shop(sources: Sequence[RawFile], options: IngestSettings) -> IngestPlan:
    """The plan for your own shop. Algorithm 1 treats it as one category, whatever categories its products have."""
    if options.preset is not None:
        raise UserError("--preset is about the categories of Amazon Reviews 2023: leave it out for a shop of your own.")
    names = names_below_shared_folder([source.path for source in sources])
    category = options.category or OWN_CATEGORY
    inputs = [Input(source, name, category) for source, name in zip(sources, names, strict=True)]
    _check_a_shop_can_come_out(inputs, sources, options)
    return IngestPlan(tuple(inputs), (), (category,))


def names_below_shared_folder(paths: Sequence[Path]) -> list[str]:
    """Each path below the folder that all files share: a short name that does not depend on where the data lies."""
    shared = Path(os.path.commonpath([path.parent for path in paths]))
    return [path.relative_to(shared).as_posix() for path in paths]


def _check_a_shop_can_come_out(inputs: Sequence[Input], sources: Sequence[RawFile], options: IngestSettings) -> None:
    shapes = {item.source.shape for item in inputs}
    if "products" not in shapes:
        raise UserError(
            f"There is no product file (meta) {_among(sources, options)}; a shop needs one, "
            "such as meta_Pet_Supplies.jsonl."
        )
    if "reviews" not in shapes and options.min_interactions > 0:
        raise UserError(
            f"There is no review file {_among(sources, options)}, and a product needs {options.min_interactions} "
            "interactions; pass --min-interactions 0 for a shop of all products, without users and orders."
        )


def _among(sources: Sequence[RawFile], options: IngestSettings) -> str:
    """ "among the files (a.jsonl is empty; …)": names what was found instead."""
    preset = f" of preset {options.preset!r}" if options.preset else ""
    names: list[str] = []
    for source in sorted(sources, key=lambda source: source.shape == "unknown"):
        kind = f"holds {source.shape}" if source.why is None else f"is unknown: {source.why}"
        names.append(f"{source.path} {'is empty' if source.shape == 'empty' else kind}")
    return f"among the files{preset} ({first_few(names, _NAMED_FILES, '; ')})"

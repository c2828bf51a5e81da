"""Which files an ingest reads, as what and in which category; which it leaves out, and why."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from drretail.data_ingest.raw.mapping import Mapping
from drretail.data_ingest.raw.sources import Source
from drretail.data_ingest.report import FileReport
from drretail.env.catalog.base import DEFAULT_ANALYZER, Analyzer
from drretail.errors import UserError
from drretail.records.base import Record

Preset = Literal["paper", "ten"]

# The ten names of paper App. A.2 are, split where the files are split, these eight stems: 8 x 10k = the 80k reported.
PAPER = (
    "Baby_Products",
    "Beauty_and_Personal_Care",
    "Health_and_Household",
    "Home_and_Kitchen",
    "Office_Products",
    "Patio_Lawn_and_Garden",
    "Pet_Supplies",
    "Tools_and_Home_Improvement",
)
# Read as ten files, "Beauty" and "Health" have one of their own each; Listing 3 shows a product of All_Beauty.
TEN = (*PAPER, "All_Beauty", "Health_and_Personal_Care")
PRESETS: dict[Preset, tuple[str, ...]] = {"paper": PAPER, "ten": TEN}

OTHERS = (
    "Amazon_Fashion",
    "Appliances",
    "Arts_Crafts_and_Sewing",
    "Automotive",
    "Books",
    "CDs_and_Vinyl",
    "Cell_Phones_and_Accessories",
    "Clothing_Shoes_and_Jewelry",
    "Digital_Music",
    "Electronics",
    "Gift_Cards",
    "Grocery_and_Gourmet_Food",
    "Handmade_Products",
    "Industrial_and_Scientific",
    "Kindle_Store",
    "Magazine_Subscriptions",
    "Movies_and_TV",
    "Musical_Instruments",
    "Software",
    "Sports_and_Outdoors",
    "Subscription_Boxes",
    "Toys_and_Games",
    "Unknown",
    "Video_Games",
)
STEMS = TEN + OTHERS

# The longest first; an underscore may stand before and after a stem, a letter or digit may not.
_STEM = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(sorted(STEMS, key=len, reverse=True))})(?![A-Za-z0-9])")


def named_category(path: Path) -> str | None:
    """The stem in the file's name, else in its folder's name, else None."""
    for name in (path.name, path.parent.name):
        found = _STEM.findall(name)
        if found:
            return max(found, key=len)
    return None


def in_preset_order(names: Iterable[str]) -> tuple[str, ...]:
    """The names without repetition: the presets' first, then the other stems, then names of one's own by alphabet."""
    place = {stem: index for index, stem in enumerate(STEMS)}
    return tuple(sorted(set(names), key=lambda name: (place.get(name, len(STEMS)), name)))


CapBy = Literal["hash", "interactions"]
Holdout = Literal["none", "last"]


class IngestOptions(Record):
    """The defaults are the paper's: at most 10k products a category, each with 5 interactions since 2019."""

    preset: Preset | None = None
    """Takes only the preset's categories; None takes every category that there is."""
    category: str | None = Field(default=None, min_length=1)
    """For product files whose name and folder name no category."""
    cap: int = Field(default=10_000, ge=1)
    cap_by: CapBy = "hash"
    min_interactions: int = Field(default=5, ge=0)
    since: date = date(2019, 1, 1)
    seed: str = "42"
    vary_orders: bool = False
    holdout: Holdout = "none"
    """"last": each user's last order is kept apart, out of the world."""
    profile_pool: str | None = None
    """"faker:LOCALE" draws another pool of names and addresses; None is the shipped one."""
    analyzer: Analyzer | None = None
    """Of product searches; None is "standard" for the preset "paper", whose search did not stem, else the language of
    the mapping, or "english"."""
    mapping: Mapping | None = None
    """Of a shop of one's own: which column is what."""

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
"""Of products of one's own shop that say no category."""
WHOLE_SHOP: dict[str, Any] = {"cap": 10**9, "min_interactions": 0, "since": date(1970, 1, 1)}
"""The default for your own shop: everything."""
_NAMED_FILES = 3


@dataclass(frozen=True, slots=True)
class Input:
    """A file that is read."""

    source: Source
    name: str
    """Its path below the folder that all files share."""
    category: str | None
    """Of product files always; of review files where their name or folder says it."""


@dataclass(frozen=True, slots=True)
class Plan:
    inputs: tuple[Input, ...]
    skipped: tuple[FileReport, ...]
    categories: tuple[str, ...]
    """In preset order: the place of a category decides to which of several a product belongs."""

    def files(self) -> list[tuple[str, Path]]:
        """Every file that decides what comes out, with its name: those that are read, and tables beside them."""
        files = {item.source.path: item.name for item in self.inputs}
        beside = (path for item in self.inputs for path in item.source.beside)
        files |= {path: path.name for path in beside if path not in files}
        return [(name, path) for path, name in files.items()]

    def rank(self, category: str) -> int:
        return self.categories.index(category)


def plan_inputs(sources: Sequence[Source], options: IngestOptions) -> Plan:
    """The plan; raises UserError where no shop can come out of it, or a product file's category is unknown."""
    names = names_below_shared_folder([source.path for source in sources])
    inputs, skipped = list[Input](), list[FileReport]()
    for source, name in zip(sources, names, strict=True):
        category = None if source.why else named_category(source.path) or options.category
        why = source.why or _outside_preset(category, options)
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
    return Plan(tuple(inputs), tuple(skipped), categories)


def plan_shop(sources: Sequence[Source], options: IngestOptions) -> Plan:
    """The plan of a shop of one's own: to Algorithm 1 it is one category, whatever categories its products have."""
    if options.preset is not None:
        raise UserError("--preset is about the categories of Amazon Reviews 2023: leave it out for a shop of your own.")
    names = names_below_shared_folder([source.path for source in sources])
    category = options.category or OWN_CATEGORY
    inputs = [Input(source, name, category) for source, name in zip(sources, names, strict=True)]
    _check_a_shop_can_come_out(inputs, sources, options)
    return Plan(tuple(inputs), (), (category,))


def names_below_shared_folder(paths: Sequence[Path]) -> list[str]:
    """Short names that do not depend on where the data lies: paths below the folder that all files share."""
    shared = Path(os.path.commonpath([path.parent for path in paths]))
    return [path.relative_to(shared).as_posix() for path in paths]


def _outside_preset(category: str | None, options: IngestOptions) -> str | None:
    if options.preset is None or category is None or category in PRESETS[options.preset]:
        return None
    return f"{category} is not in the preset {options.preset!r}"


def _check_a_shop_can_come_out(inputs: Sequence[Input], sources: Sequence[Source], options: IngestOptions) -> None:
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


def _among(sources: Sequence[Source], options: IngestOptions) -> str:
    """ "among the 3 files (a.jsonl is empty; …)": names what was found instead."""
    preset = f" of preset {options.preset!r}" if options.preset else ""
    recognised_first = sorted(sources, key=lambda source: source.shape == "unknown")
    found = [f"{source.path} {_as_found(source)}" for source in recognised_first[:_NAMED_FILES]]
    more = ["…"] if len(sources) > _NAMED_FILES else []
    return f"among the files{preset} ({'; '.join(found + more)})"


def _as_found(source: Source) -> str:
    if source.shape == "empty":
        return "is empty"
    return f"holds {source.shape}" if source.why is None else f"is unknown: {source.why}"

"""The file stems of Amazon Reviews 2023, the paper's presets, and the category that a path names."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

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

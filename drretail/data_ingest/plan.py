"""Which files an ingest reads, as what and in which category; which it leaves out, and why."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.data_ingest.categories import PRESETS, in_preset_order, named_category
from drretail.data_ingest.options import IngestOptions
from drretail.data_ingest.report import FileReport
from drretail.data_ingest.sources import Source
from drretail.errors import UserError

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

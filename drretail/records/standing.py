"""How a system stands in tables: beside the others, or as the floor or ceiling that they are measured by."""

import re
from collections.abc import Iterable
from typing import Literal

from drretail.records.run import CEILING, FLOORS

Place = Literal["system", "counterfactual", "floor", "ceiling"]
PLACES: tuple[Place, ...] = ("system", "counterfactual", "floor", "ceiling")
"""In the order of tables."""
_COUNTERFACTUAL = re.compile(r"-counterfactual-(swap|neutral)(?![a-z0-9])")


def place_of(label: str) -> Place:
    """By its label: floors and the ceiling have no model in it, counterfactual systems name their option."""
    agent = re.split(r"[-+]", label)[0]
    if agent in FLOORS:
        return "floor"
    if agent == CEILING:
        return "ceiling"
    return "counterfactual" if _COUNTERFACTUAL.search(label) else "system"


def in_order(labels: Iterable[str]) -> list[str]:
    """Each label once: systems, counterfactual ones, floors in the order of ``FLOORS``, the ceiling last."""
    floors = {name: at for at, name in enumerate(FLOORS)}

    def key(label: str) -> tuple[int, int, str]:
        return PLACES.index(place_of(label)), floors.get(re.split(r"[-+]", label)[0], 0), label

    return sorted(set(labels), key=key)


def shared_models(labels: Iterable[str]) -> str:
    """The part from "@" on that all systems with models have in common, so that tables can leave it out; else empty.

    What follows it in some of them, options and limits, stays. A single system keeps its name whole.
    """
    parts = {label: label.partition("@")[2] for label in labels if "@" in label}
    shortest = min(parts.values(), key=len, default="")
    alike = all(part == shortest or part.startswith(f"{shortest}-") for part in parts.values())
    return f"@{shortest}" if shortest and alike and len(parts) > 1 else ""

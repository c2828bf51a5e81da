"""Dimensions that are weighed against each other for a query, as the file ``axes.toml`` of a family describes them."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from drretail.records.criteria import Criteria


@dataclass(frozen=True, slots=True)
class Dimension:
    """One side of a report that gets a score of its own."""

    key: str
    """Names it in files and in a judge's answer: ``goal_alignment``."""
    title: str
    text: str
    """What it looks at."""
    short: str = ""
    """Names its column; empty where the key does."""

    @property
    def variant(self) -> str:
        return self.short or self.key

    @property
    def prompt_text(self) -> str:
        """A line for prompts."""
        return f"- `{self.key}` ({self.title}): {self.text.strip()}"


@dataclass(frozen=True, slots=True)
class Axis:
    """Dimensions whose weights add up to 1."""

    name: str
    sees_profile: bool
    """True where weights and criteria are made for this shopper, and not for whoever asks the question."""
    stance: str
    """What all questions about it begin with."""
    dimensions: tuple[Dimension, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dimension.key for dimension in self.dimensions)

    @property
    def prompt_text(self) -> str:
        """All dimensions for prompts, a line each."""
        return "\n".join(dimension.prompt_text for dimension in self.dimensions)

    def is_in(self, criteria: Criteria) -> bool:
        """True where the criteria have something for every dimension."""
        return all(criteria.group(key) is not None for key in self.keys)


@cache
def read_axes(path: Path) -> tuple[Axis, ...]:
    """The axes of a family, in the order of its file."""
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Axis(
            name,
            sees_profile=axis["sees_profile"],
            stance=axis["stance"].strip(),
            dimensions=tuple(Dimension(key, **fields) for key, fields in axis["dimensions"].items()),
        )
        for name, axis in held.items()
    )

"""What is known about kinds of products, projects and choices, read once from ``knowledge/*.toml``."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pydantic import Field

from drretail.querygen.phrases import Phrase, is_plural, singular
from drretail.records.base import Record


class Kind(Record):
    """A kind of product, with what a shopper says of it; knowledge/kinds.toml says how the fields read."""

    name: str
    titles: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    trouble: tuple[str, ...] = Field(min_length=1)
    compare: tuple[str, ...] = Field(min_length=2)
    ask: tuple[str, ...] = Field(min_length=1)
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    uses_up: bool = False
    days: int = 0
    """After so many it is outgrown; 0: never."""
    gift: bool = True
    several: bool = False
    """One may well buy two or three at once."""
    plural: bool | None = None

    @property
    def phrase(self) -> Phrase:
        plural = is_plural(self.name.rsplit(" ", 1)[-1]) if self.plural is None else self.plural
        return Phrase(self.name, plural)


class Choice(Record):
    """Two kinds between which a shopper hesitates; ``need`` completes "I want to …"."""

    kinds: tuple[str, str]
    need: str


class Project(Record):
    """Kinds that belong together in one undertaking; ``goal`` completes "I want to …"."""

    goal: str
    interest: str
    kinds: tuple[str, ...]
    """Whoever owns one of these may have the project in mind."""
    also: tuple[str, ...] = ()
    """These would serve it, but are bought for much else, too."""
    ask: tuple[str, ...]
    here: tuple[str, ...]

    @property
    def things(self) -> tuple[str, ...]:
        return (*self.kinds, *self.also)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of which a phrase may be made, folded and in the singular."""

    heads: frozenset[str]
    heads_with_company: frozenset[str]
    used_up: frozenset[str]
    modifiers: frozenset[str]
    vague_leaves: frozenset[str]
    not_the_thing: frozenset[str]


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by name, in the order of the file."""
    return {kind.name: kind for kind in (Kind.model_validate(row) for row in _table("kinds")["kinds"])}


@cache
def general(used_up: bool) -> Kind:
    """What can be said of a thing of no known kind."""
    return Kind.model_validate(_table("kinds")["general"]["used_up" if used_up else "lasting"])


@cache
def choices() -> tuple[Choice, ...]:
    return tuple(Choice.model_validate(row) for row in _table("choices")["choices"])


@cache
def projects() -> tuple[Project, ...]:
    return tuple(Project.model_validate(row) for row in _table("projects")["projects"])


@cache
def words() -> Words:
    return Words(**{name: frozenset(map(singular, text.split())) for name, text in _table("words").items()})


def projects_with(kind: str) -> list[Project]:
    """The projects that a kind belongs to, in the order of the file."""
    return [project for project in projects() if kind in project.kinds]


def _table(name: str) -> dict[str, Any]:
    file = resources.files("drretail.querygen").joinpath("knowledge", f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))

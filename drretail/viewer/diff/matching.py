"""Which statements of two reports are the same: by their figures, their words and their sources."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from drretail.grounding.report.marks import find_marks
from drretail.grounding.report.markup import blanked
from drretail.grounding.text.words import content_stems
from drretail.viewer.claims import Support

RULE = "Two statements count as the same where their figures are the same and half of their words and sources or more."
LEAST = 0.5
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
Kind = Literal["verdict", "only_a", "only_b", "same"]
KINDS: dict[Kind, str] = {
    "verdict": "with another verdict",
    "only_a": "only in A",
    "only_b": "only in B",
    "same": "in both",
}


@dataclass(frozen=True)
class Statement:
    """A claim that a judge extracted, or a sentence; ``report[start:end]`` says it where it has a span."""

    number: int
    text: str
    sources: tuple[str, ...]
    support: Support | None = None
    """What the judge ruled; None for a sentence."""
    reason: str = ""
    span: tuple[int, int] | None = None

    @cached_property
    def plain(self) -> str:
        """Its words without marks, on one line."""
        return " ".join(blanked(self.text, [(mark.start, mark.end) for mark in find_marks(self.text)]).split())

    @cached_property
    def figures(self) -> frozenset[str]:
        return frozenset(found.replace(",", "") for found in _FIGURE.findall(self.plain))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Stems of its words, and its sources."""
        return frozenset((*content_stems(self.plain), *self.sources))


@dataclass(frozen=True, slots=True)
class Change:
    """One statement of A, of B, or what is the same in both."""

    kind: Kind
    a: Statement | None
    b: Statement | None


def changes(a: Sequence[Statement], b: Sequence[Statement]) -> list[Change]:
    """Each statement once, those that changed first, in the order of the reports.

    The likest are matched first, and each with one other at most.
    """
    likeness = [(likeness_of(each, other), each, other) for each in a for other in b]
    likeness.sort(key=lambda found: (-found[0], found[1].number, found[2].number))
    partners: dict[int, Statement] = {}
    taken: set[int] = set()
    for share, statement, other in likeness:
        if share >= LEAST and statement.number not in partners and other.number not in taken:
            partners[statement.number] = other
            taken.add(other.number)
    found = [_change(each, partners.get(each.number)) for each in a]
    found += [Change("only_b", None, other) for other in b if other.number not in taken]
    return sorted(found, key=lambda change: list(KINDS).index(change.kind))


def likeness_of(a: Statement, b: Statement) -> float:
    """The share of all words and sources of both that both have (Jaccard), 0 where their figures differ."""
    if a.figures != b.figures:
        return 0.0
    together = a.terms | b.terms
    return len(a.terms & b.terms) / len(together) if together else float(a.plain == b.plain)


def _change(a: Statement, b: Statement | None) -> Change:
    if b is None:
        return Change("only_a", a, None)
    return Change("same" if a.support == b.support else "verdict", a, b)

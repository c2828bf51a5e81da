"""Sections of a report that say the same again, word for word or nearly."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drretail.grounding.statements import Layout
from drretail.grounding.structure import Structure
from drretail.records.evidence import Finding

REPEATED = "repeated_section"
SHINGLE = 4
"""Words in a row that are compared at a time."""
THRESHOLD = 0.5
"""Of the runs of four words in the shorter of two sections, the share that stands in the other.

Measured on 40 reports of two deep-research systems (their own sections, 40 words and more): docs/checks.md.
"""
LEAST_WORDS = 40
"""Shorter sections are alike by their form."""
_WORD = re.compile(r"[^\W_]+(?:['’.,][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Alike:
    """Two sections with the share of the shorter one's runs that stands in the other too."""

    first: str
    second: str
    start: int
    end: int
    share: float


def find_repetitions(structure: Structure, threshold: float = THRESHOLD) -> list[Alike]:
    """Each section with the earlier one that it repeats most, where that is ``threshold`` or more."""
    parts = list(_parts(structure))
    found: list[Alike] = []
    for index, (title, start, end, shingles) in enumerate(parts):
        best = max(((_share(shingles, other[3]), other[0]) for other in parts[:index]), default=(0.0, ""))
        if best[0] >= threshold:
            found.append(Alike(best[1], title, start, end, best[0]))
    return found


def has_sections(structure: Structure) -> bool:
    """True when two sections are long enough to be compared."""
    return len(list(_parts(structure))) > 1


def repeated_sections(structure: Structure) -> list[Finding]:
    """A warning for every section that repeats an earlier one."""
    return [
        Finding(
            code=REPEATED,
            severity="warning",
            start=alike.start,
            end=alike.end,
            said=alike.second,
            found=f"{alike.share:.0%} of it stands in “{alike.first}”",
        )
        for alike in find_repetitions(structure)
    ]


def repeated_statements(layout: Layout, finding: Finding) -> list[int]:
    """The statements of a repeating section that stand above it, or all where no single one does; rows are left."""
    above: set[tuple[str, ...]] = set()
    inside: dict[int, frozenset[tuple[str, ...]]] = {}
    for index, statement in enumerate(layout.statements):
        if statement.kind in ("row", "heading") or finding.start is None or finding.end is None:
            continue
        words = [m[0].casefold() for m in _WORD.finditer(layout.structure.text, statement.start, statement.end)]
        if statement.start < finding.start:
            above |= _shingles(words)
        elif statement.start < finding.end:
            inside[index] = _shingles(words)
    again = [index for index, runs in inside.items() if runs and len(runs & above) >= THRESHOLD * len(runs)]
    return again or list(inside)


def _parts(structure: Structure) -> Iterator[tuple[str, int, int, frozenset[tuple[str, ...]]]]:
    """Sections that are long enough; their tables are left out, since rows are alike by their form."""
    for index, section in enumerate(structure.sections):
        units = [unit for unit in structure.units if unit.section == index and unit.kind not in ("row", "heading")]
        words = [
            match[0].casefold() for unit in units for match in _WORD.finditer(structure.text, unit.start, unit.end)
        ]
        if len(words) >= LEAST_WORDS:
            title = section.title or "the beginning"
            yield title, section.body, section.end, _shingles(words)


def _shingles(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words[index : index + SHINGLE]) for index in range(len(words) - SHINGLE + 1))


def _share(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return len(one & other) / min(len(one), len(other))

"""Sections of a report that say the same again, word for word or nearly."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from drretail.grounding.text.layout import Layout
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


def find_repetitions(layout: Layout, threshold: float = THRESHOLD) -> list[Alike]:
    """Each section with the earlier one that it repeats most, where that is ``threshold`` or more."""
    parts = _long_parts(layout)
    found: list[Alike] = []
    for index, part in enumerate(parts):
        runs = part.shingles
        best = max(((_share(runs, one.shingles), one.title) for one in parts[:index]), default=(0.0, ""))
        if best[0] >= threshold:
            found.append(Alike(best[1], part.title, part.start, part.end, best[0]))
    return found


def has_sections(layout: Layout) -> bool:
    """True when two sections are long enough to be compared."""
    return len(_long_parts(layout)) > 1


def repeated_sections(layout: Layout) -> list[Finding]:
    """A warning for every section that repeats an earlier one."""
    return [
        Finding(
            code=REPEATED,
            severity="warning",
            start=alike.start,
            end=alike.end,
            text=alike.second,
            found=f"{alike.share:.0%} of it stands in “{alike.first}”",
        )
        for alike in find_repetitions(layout)
    ]


@dataclass(slots=True)
class _Part:
    """What stands below a heading, without its tables, whose rows are alike by their form."""

    title: str
    start: int
    end: int
    words: list[str] = field(default_factory=list[str])

    @property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        words = self.words
        return frozenset(tuple(words[index : index + SHINGLE]) for index in range(len(words) - SHINGLE + 1))


def _long_parts(layout: Layout) -> list[_Part]:
    return [part for part in _parts(layout) if len(part.words) >= LEAST_WORDS]


def _parts(layout: Layout) -> Iterator[_Part]:
    part = _Part("the beginning", 0, 0)
    for sentence in layout.sentences:
        if sentence.kind == "heading":
            yield part
            title = layout.text[sentence.start : sentence.end].strip("#*_: \t")
            part = _Part(title, sentence.end, sentence.end)
            continue
        part.end = sentence.end
        if sentence.kind in ("text", "item"):
            words = _WORD.findall(layout.text[sentence.start : sentence.end])
            part.words += [word.casefold() for word in words]
    yield part


def _share(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return len(one & other) / min(len(one), len(other))

"""Sections of a report that repeat others, word for word or nearly."""

import re
from dataclasses import dataclass, field

from drretail.grounding.text.layout import Layout
from drretail.records.evidence import Finding

REPEATED = "repeated_section"
SHINGLE = 4
"""Consecutive words that are compared at a time."""
THRESHOLD = 0.5
"""The share of four-word runs of the shorter section that also occur in the other.

Measured on 40 reports of two deep-research systems (their own sections, 40 words and more): docs/checks.md.
"""
LEAST_WORDS = 40
"""Shorter sections are similar because of their form."""
_WORD = re.compile(r"[^\W_]+(?:['’.,][^\W_]+)*")


@dataclass(slots=True)
class _Section:
    """The text below a heading, without tables, whose rows are similar because of their form."""

    title: str
    start: int
    end: int
    words: list[str] = field(default_factory=list[str])


def repeated_sections(layout: Layout) -> list[Finding]:
    """A warning for each section that shares half or more with an earlier one, which it names."""
    earlier: list[tuple[str, set[tuple[str, ...]]]] = []
    found: list[Finding] = []
    for section in _long_sections(layout):
        words = section.words
        runs = {tuple(words[index : index + SHINGLE]) for index in range(len(words) - SHINGLE + 1)}
        shares = ((len(runs & other) / min(len(runs), len(other)), title) for title, other in earlier)
        share, first = max(shares, default=(0.0, ""))
        if share >= THRESHOLD:
            start, end, title = section.start, section.end, section.title
            copied = f"{share:.0%} of it stands in “{first}”"
            found.append(Finding(code=REPEATED, severity="warning", start=start, end=end, text=title, found=copied))
        earlier.append((section.title, runs))
    return found


def has_sections(layout: Layout) -> bool:
    """True if two sections are long enough to be compared."""
    return len(_long_sections(layout)) > 1


def _long_sections(layout: Layout) -> list[_Section]:
    sections = [_Section("the beginning", 0, 0)]
    for sentence in layout.sentences:
        words = layout.text[sentence.start : sentence.end]
        if sentence.kind == "heading":
            sections.append(_Section(words.strip("#*_: \t"), sentence.end, sentence.end))
            continue
        sections[-1].end = sentence.end
        if sentence.kind in ("text", "item"):
            sections[-1].words += [word.casefold() for word in _WORD.findall(words)]
    return [section for section in sections if len(section.words) >= LEAST_WORDS]

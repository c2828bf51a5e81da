"""The sections or paragraphs of a report that are compared, and which pairs of them are judged."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random
from typing import Literal

from drretail.grounding.report.citations import Known, citing_marks
from drretail.grounding.report.markup import blanked
from drretail.grounding.text.layout import Layout, read_layout
from drretail.grounding.text.sentences import Sentence
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence

Unit = Literal["section", "paragraph"]
UNITS: tuple[Unit, ...] = ("section", "paragraph")
MOST_PAIRS = 30
"""Pairs of one report, which grow with the square of its units."""
SHORTEST_RELEASED = 200
"""Characters; the released code drops shorter sections."""
FEWEST_PARAGRAPHS = 4
"""The released code skips reports with fewer paragraphs."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_RELEASED_HEADING = re.compile(r"^## .*$", re.MULTILINE)
_NO_CODE, _WITHIN = re.compile(r"`[ \t]*`"), re.compile(r"(?<=\S) {2,}")
_COMMAS = re.compile(r"(?<![ ,])(?: *+,)++(?= *+[.;:)|])")
_BEFORE_STOPS = re.compile(r"(?<! ) ++(?=[.,;:!?。，；：！？、\n]|$)")
_BOLD = 7
"""The level of a heading that is a bold line."""


@dataclass(frozen=True, slots=True)
class Units:
    """The parts of a report that are compared; ``lacking`` says why there are no pairs."""

    texts: tuple[str, ...]
    lacking: str = ""

    @property
    def possible(self) -> int:
        """The number of pairs."""
        return len(self.texts) * (len(self.texts) - 1) // 2

    def pairs(self, seed: str) -> list[tuple[int, int]]:
        """All pairs by index or, of many, a sample of ``MOST_PAIRS`` that depends on the seed only."""
        every = list(combinations(range(len(self.texts)), 2))
        return every if len(every) <= MOST_PAIRS else sorted(Random(seed).sample(every, MOST_PAIRS))


def units_of(report: str, evidence: Known | None, unit: Unit) -> Units:
    """The units without the first (introduction) and the last (conclusion), and without links and source lists."""
    layout = read_layout(report, evidence)
    parts = _sections(layout) if unit == "section" else _paragraphs(layout)
    return _enough(parts[1:-1], f"fewer than two {unit}s between the first and the last of {len(parts)}")


def released_units(report: str) -> Units:
    """The sections that the released code compares: HKUDS/DeepResearch-Eval d57f8c9, judge_score.py."""
    paragraphs = [part for part in _BLANK_LINE.split(report.strip()) if part.strip()]
    if len(paragraphs) < FEWEST_PARAGRAPHS:
        return Units((), f"the released code skips reports of {len(paragraphs)} paragraphs")
    sections = list(_released_sections(report))
    if not sections:
        return Units((), "the released code skips reports without a line that begins with ##")
    inner = [section for section in sections[1:-1] if "https" not in section and len(section) >= SHORTEST_RELEASED]
    return _enough(inner[1:-1], f"the released code keeps fewer than two of {len(sections)} sections")


def _enough(texts: list[str], lacking: str) -> Units:
    return Units(tuple(texts), lacking if len(texts) < 2 else "")


def _sections(layout: Layout) -> list[str]:
    """The sections below the highest heading level that leaves two units: a report may have only one title, or two if a
    model wrote it twice.
    """
    headings: list[tuple[Sentence, int]] = []
    for sentence in layout.sentences:
        line = layout.text[sentence.start : sentence.end]
        if sentence.kind == "heading":
            headings.append((sentence, len(line) - len(line.lstrip("#")) or _BOLD))
    below = blanked(layout.text, [(heading.start, heading.end) for heading, _ in headings])
    sections: list[str] = []
    for level in sorted({level for _, level in headings}):
        starts = [layout.text.rfind("\n", 0, heading.start) + 1 for heading, at in headings if at <= level]
        spans = pairwise([0, *starts, len(layout.text)])
        sections = [tidy(layout.text[start:end]) for start, end in spans if _says_something(below[start:end])]
        if len(sections) >= 4:
            break
    return sections


def _paragraphs(layout: Layout) -> list[str]:
    below = blanked(
        layout.text, [(sentence.start, sentence.end) for sentence in layout.sentences if sentence.kind == "heading"]
    )
    return [tidy(part) for part in _BLANK_LINE.split(below) if _says_something(part)]


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)


def tidy(text: str) -> str:
    """The text without the spaces, commas and empty code quotes that removed marks leave behind."""
    text = _COMMAS.sub("", _WITHIN.sub(" ", _NO_CODE.sub(" ", text)))
    return _BEFORE_STOPS.sub("", text).strip()


def _released_sections(report: str) -> Iterator[str]:
    """The text before the first heading, and each heading with the text below it.

    The released code searches a heading by its words, and so may find it inside a lower heading of the same words.
    """
    headings = _RELEASED_HEADING.findall(report)
    spans: list[tuple[int, int]] = []
    for heading in headings:
        start = report.find(heading, spans[-1][1] if spans else 0)
        spans.append((start, start + len(heading)))
    if spans and spans[0][0]:
        yield report[: spans[0][0]].strip()
    ends = [start for start, _ in spans[1:]] + [len(report)]
    for heading, (_, start), end in zip(headings, spans, ends, strict=True) if spans else ():
        if start < len(report):
            yield f"{heading}\n{report[start:end].strip()}"


class CitedPair(Record):
    """A sentence and one of the pages or products that it cites: what one label is about."""

    item: str
    """Its number among the pairs, and a digest of sentence and source."""
    sentence: str
    """Without marks; a table's row has the table's head above it."""
    source: str
    """An evidence id, or the address of a page without evidence."""


@dataclass(frozen=True, slots=True)
class CitedSentences:
    """All pairs of a report, and the number of citations in sentences that do not resolve."""

    pairs: tuple[CitedPair, ...]
    unresolved: int


def cited_sentences(report: str, evidence: Mapping[str, Evidence]) -> CitedSentences:
    """The pairs in the order of the text. Sentences that cite only orders, profiles or calculations have none."""
    layout = read_layout(report, evidence)
    marks = list(citing_marks(report, evidence))
    starts = [mark.start for mark in marks]
    pairs: list[CitedPair] = []
    unresolved = 0
    for sentence in layout.sentences:
        is_heading = sentence.kind in ("heading", "table_head")
        if is_heading or not _says_something(layout.text[sentence.start : sentence.end]):
            continue
        inside = marks[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        cited = {citation.source: citation for mark in inside for citation in mark.cited}
        unresolved += sum(each.type == "unresolved" for each in cited.values())
        spans = [*filter(None, [sentence.head]), (sentence.start, sentence.end)]
        text = "\n".join(" ".join(tidy(layout.text[start:end]).split()) for start, end in spans)
        for source in (each.source for each in cited.values() if each.type in ("web", "product")):
            item = f"{len(pairs) + 1}-{sha256_of([text, source])[:6]}"
            pairs.append(CitedPair(item=item, sentence=text, source=source))
    return CitedSentences(tuple(pairs), unresolved)

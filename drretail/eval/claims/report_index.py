"""A report as extraction uses it: its parts, and where copied sources and the sentences of quotes are in it."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.llm.prompt import tagged
from drretail.records.evidence import Evidence
from drretail.reports.citations import Cited, scan
from drretail.reports.layout import find_sentences
from drretail.reports.text.evidence_ids import normalise_url, parse_evidence_id
from drretail.reports.text.quotes import find_words

LONGEST_PART = 6_000
"""Characters: such a text has about fifty claims, whose list with values stays well below 8,000 tokens."""
_BLANK_LINES = re.compile(r"\n\s*\n")


def parts_of(report: str, longest: int = LONGEST_PART) -> list[tuple[int, int]]:
    """The spans of a report's parts of about equal length, none longer than ``longest`` unless a table or paragraph is.

    Cuts are made at blank lines, so never inside a table.
    """
    places = [match.end() for match in _BLANK_LINES.finditer(report)]
    parts: list[tuple[int, int]] = []
    start = 0
    while start < len(report):
        left, end = len(report) - start, len(report)
        later = [place for place in places if place > start]
        if left > longest and later:
            even = start + left / -(-left // longest)
            near = [place for place in later if place <= start + longest] or later[:1]
            end = min(near, key=lambda place: abs(place - even))
        parts.append((start, end))
        start = end
    return parts


def part_tags(report: str, parts: Sequence[tuple[int, int]], at: int) -> str:
    """A part of the report for a prompt, with its number; a single part has only the text."""
    text = tagged("report", report[slice(*parts[at])].strip())
    if len(parts) == 1:
        return text
    return f"{tagged('part', f'This is part {at + 1} of {len(parts)} of the report.')}\n\n{text}"


_BRACKETS = "[]()<>【】［］〔〕（）^\\ \t"
_IN_BRACKETS = re.compile(r"\[[^\[\]\n]{1,140}\]")
_BETWEEN_MARKS = re.compile(r"[\[\]【】,;\s]+")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Distinct sources (ids, URLs, or names of what was not read), and the names that lead nowhere, as written."""

    sources: tuple[str, ...]
    unresolved: tuple[str, ...]


class SourceResolver:
    """Resolves source names that a judge copied from a report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence]) -> None:
        self._report = report
        self._evidence = evidence
        tokens = scan(report, evidence)
        self._marks = tokens.marks
        self._known: dict[str, Cited] = {}
        for cited in (*(citation for mark in tokens.marks for citation in mark.cited), *tokens.listed):
            for name in filter(None, (cited.name, cited.evidence_id, cited.url, cited.label)):
                self._known.setdefault(_spelling(name), cited)

    def is_in_report(self, source: str) -> bool:
        """True if the report cites ``source`` or contains its text; of several names in one text, each of them."""
        return all(
            name.strip() and (_spelling(name) in self._known or name.strip(_BRACKETS) in self._report)
            for name in self.apart(source)
        )

    def apart(self, source: str) -> list[str]:
        """The sources that one text names: both of "[P:a][W:b]" or "P:a, W:b"; any other text as it is."""
        names = [name for name in _BETWEEN_MARKS.split(source) if name]
        if len(names) < 2 or _spelling(source) in self._known:
            return [source]
        are_sources = (_spelling(name) in self._known or parse_evidence_id(name) or "://" in name for name in names)
        return names if all(are_sources) else [source]

    def resolve(self, sources: Sequence[str]) -> Resolved:
        """The sources that these names resolve to, each once, in order. What is not read is unknown, and stays a source
        under its name; what is read and leads nowhere, such as an id that no tool gave, does not resolve, nor do
        blank names.
        """
        resolved: dict[str, None] = {}
        nothing: dict[str, None] = {}
        for name in (name for text in sources for name in self.apart(text)):
            bare = name.strip(_BRACKETS)
            for cited in self._cited(name, bare) if bare else [Cited("", "unresolved")]:
                if cited is not None and cited.type == "unresolved" and cited.reason is None:
                    nothing[bare] = None
                else:
                    resolved[bare if cited is None else cited.source] = None
        return Resolved(tuple(resolved), tuple(nothing))

    def _cited(self, name: str, bare: str) -> Sequence[Cited | None]:
        """What a name stands for: a source by this name, the marks in this text of the report, or a mark of its own."""
        if cited := self._known.get(_spelling(name)):
            return [cited]
        around = f"[{re.escape(_BRACKETS)}]{{0,4}}"
        for place in re.finditer(f"{around}{re.escape(bare)}{around}", self._report):
            within = (mark for mark in self._marks if place.start() <= mark.start and mark.end <= place.end())
            if sources := [cited for mark in within for cited in mark.cited]:
                return sources
        marks = (mark for written in (f"[{bare}]", bare) for mark in scan(written, self._evidence).marks)
        alone = [cited for mark in marks for cited in mark.cited]
        return [next((cited for cited in alone if cited.type != "unresolved"), next(iter(alone), None))]


def _spelling(source: str) -> str:
    """A normalised form of an address or a number, without brackets."""
    return normalise_url(unicodedata.normalize("NFKC", source).strip(_BRACKETS))


class SentenceFinder:
    """Finds the sentences from which quotes were copied, ignoring white space, markup and left-out marks."""

    def __init__(self, report: str, after: int = 0) -> None:
        self._report = report
        self._without_marks = _IN_BRACKETS.sub(lambda match: " " * len(match[0]), report)
        self._sentences = find_sentences(report)
        self._after = after

    def find(self, quote: str) -> tuple[int, int] | None:
        """The span of the sentences that contain ``quote``; of several places, the first at or after the last one
        found, and first of all one that it repeats to the letter.
        """
        # "… a wall" would else be found in the sentence before it, "we painted a wall".
        span = find_words(self._report, quote, max(self._report.find(quote, self._after), self._after))
        span = span or find_words(self._without_marks, _IN_BRACKETS.sub(" ", quote), self._after)
        if span is None:
            return None
        self._after, end = span
        touched = [sentence for sentence in self._sentences if sentence.start < end and span[0] < sentence.end]
        return (min(span[0], touched[0].start), max(end, touched[-1].end)) if touched else span

"""Sources and quotes as a judge copies them, found again in the report."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.grounding.report.citations import Cited, citing_marks, find_citations, listed_sources
from drretail.grounding.report.evidence_ids import normalise_url, parse_evidence_id
from drretail.grounding.report.reference_list import author_and_year
from drretail.grounding.text.sentences import find_sentences
from drretail.records.evidence import Evidence

_BRACKETS = "[]()<>【】［］〔〕（）^\\ \t"
_BETWEEN_MARKS = re.compile(r"[\[\]【】,;\s]+")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Distinct sources: ids or URLs, and those that come to nothing as the report says them."""

    sources: tuple[str, ...]
    unresolved: tuple[str, ...]


class SourceResolver:
    """Resolves sources as a judge copies them from one report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence]) -> None:
        self._report = report
        self._evidence = evidence
        self._known: dict[str, Cited] = {}
        self._together: dict[str, list[str]] = {}
        """What a mark names that names several: of ``¹²`` 1 and 2."""
        for mark in citing_marks(report, evidence):
            marker = report[mark.start : mark.end]
            if len(mark.cited) > 1:
                self._together[_spelling(marker)] = [cited.label or cited.name for cited in mark.cited]
            for cited in mark.cited:
                self._learn(cited, marker if len(mark.cited) == 1 else "")
        for cited in listed_sources(report, evidence).cited:
            self._learn(cited, "")

    def _learn(self, cited: Cited, marker: str) -> None:
        for name in filter(None, (cited.name, cited.evidence_id, cited.url, cited.label, marker)):
            self._known.setdefault(_spelling(name), cited)

    def is_in_report(self, source: str) -> bool:
        """True when the report cites ``source`` or at least says it; of several in one text, each of them."""
        return all(self._is_said(name) for name in self.apart(source))

    def apart(self, source: str) -> list[str]:
        """The sources that one text names: of "[P:a][W:b]" and "P:a, W:b" both; anything else as it is."""
        if together := self._together.get(_spelling(source)):
            return together
        names = [name for name in _BETWEEN_MARKS.split(source) if name]
        if len(names) < 2 or _spelling(source) in self._known:
            return [source]
        are_sources = (_spelling(each) in self._known or parse_evidence_id(each) or "://" in each for each in names)
        return names if all(are_sources) else [source]

    def resolve(self, sources: Sequence[str]) -> Resolved:
        """What the sources come to, each once, in their order; empty ones come to nothing."""
        found: dict[str, None] = {}
        nothing: dict[str, None] = {}
        for source in (name for said in sources for name in self.apart(said)):
            cited = self._known.get(_spelling(source))
            if cited is not None and cited.type != "unresolved":
                found[cited.source] = None
            elif cited is None and (plain := self._plainly(source)):
                found[plain] = None
            else:
                nothing[source.strip(_BRACKETS)] = None
        return Resolved(tuple(found), tuple(nothing))

    def _is_said(self, source: str) -> bool:
        return bool(source.strip()) and (_spelling(source) in self._known or source.strip(_BRACKETS) in self._report)

    def _plainly(self, source: str) -> str | None:
        """A source that no mark of the report cites, read as a mark of its own."""
        name = source.strip(_BRACKETS)
        for written in (f"[{name}]", name):
            for citation in find_citations(written, self._evidence):
                if citation.type != "unresolved":
                    return citation.evidence_id or citation.url
        return None


def _spelling(source: str) -> str:
    """One spelling for an address, a number or "Smith et al., 2018", whatever is around it."""
    name = unicodedata.normalize("NFKC", source).strip(_BRACKETS)
    author, year = name[:-4], name[-4:]
    return author_and_year(author, year) if author[-1:] in (" ", "(") and year.isdecimal() else normalise_url(name)


class SentenceFinder:
    """Finds the sentences of a report that quotes were copied from, whatever became of white space and markup."""

    def __init__(self, report: str, after: int = 0) -> None:
        folded = [(offset, c) for offset, char in enumerate(report) if char.isalnum() for c in char.casefold()]
        self._offsets = [offset for offset, _ in folded]
        self._letters = "".join(character for _, character in folded)
        self._sentences = find_sentences(report)
        self._after = bisect_left(self._offsets, after)

    def find(self, quote: str) -> tuple[int, int] | None:
        """The span of the sentences that hold ``quote``; of equal places the first not before the last found."""
        letters = "".join(c for char in quote if char.isalnum() for c in char.casefold())
        place = self._letters.find(letters, self._after) if letters else -1
        place = place if place >= 0 or not letters else self._letters.find(letters)
        if place < 0:
            return None
        self._after = place
        start, end = self._offsets[place], self._offsets[place + len(letters) - 1] + 1
        touched = [sentence for sentence in self._sentences if sentence.start < end and start < sentence.end]
        return (min(start, touched[0].start), max(end, touched[-1].end)) if touched else (start, end)

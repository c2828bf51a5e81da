"""The sentences of a report that cite something, each with its sources: what factuality is judged by."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from drretail.eval.families.report_eval.units import tidy
from drretail.grounding.report.citations import citing_marks
from drretail.grounding.text.layout import Layout, read_layout
from drretail.grounding.text.sentences import Sentence
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence


class CitedPair(Record):
    """A sentence and one of the pages or products that it cites: what one label is about."""

    item: str
    """Its place among the pairs and a digest of what it says and cites."""
    sentence: str
    """Without marks; a row of a table below the table's head."""
    source: str
    """An evidence id, or the address of a page that the run has no evidence of."""


@dataclass(frozen=True, slots=True)
class CitedSentences:
    """All pairs of a report, and how many citations of its sentences come to nothing."""

    pairs: tuple[CitedPair, ...]
    unresolved: int


def cited_sentences(report: str, evidence: Mapping[str, Evidence]) -> CitedSentences:
    """The pairs in text order; orders, profiles and calculations are no pages, so that sentences that cite only such
    have none."""
    layout = read_layout(report, evidence)
    marks = list(citing_marks(report, evidence))
    starts = [mark.start for mark in marks]
    pairs: list[CitedPair] = []
    unresolved = 0
    for sentence in _sentences(layout):
        inside = marks[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        cited = {it.source: it for mark in inside for it in mark.cited}
        unresolved += sum(each.type == "unresolved" for each in cited.values())
        text = _sentence_text(layout, sentence)
        for source in (each.source for each in cited.values() if each.type in ("web", "product")):
            item = f"{len(pairs) + 1}-{sha256_of([text, source])[:6]}"
            pairs.append(CitedPair(item=item, sentence=text, source=source))
    return CitedSentences(tuple(pairs), unresolved)


def _sentences(layout: Layout) -> Iterator[Sentence]:
    """Those that say something besides their marks, and are no headings."""
    for sentence in layout.sentences:
        if sentence.kind not in ("heading", "table_head") and any(
            character.isalnum() for character in layout.text[sentence.start : sentence.end]
        ):
            yield sentence


def _sentence_text(layout: Layout, sentence: Sentence) -> str:
    spans = [*filter(None, [sentence.head]), (sentence.start, sentence.end)]
    return "\n".join(" ".join(tidy(layout.text[start:end]).split()) for start, end in spans)

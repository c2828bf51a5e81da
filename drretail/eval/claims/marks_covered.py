"""Which citation marks and figures of a report a list of claims covers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.eval.claims.claims import Claim
from drretail.grounding.text.layout import Layout
from drretail.records.reading import ReadValue

_WORD = re.compile(r"\w")
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_NO_CLAIMS = ("heading", "table_head")
LEAST = 0.5
"""The share of the marks below which a list of claims is asked for again."""


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """A source cited in ``report[start:end]``, a sentence, list item or table row."""

    source: str
    start: int
    end: int


def marks_in(layout: Layout) -> list[MarkPlace]:
    """The citation marks of a report that claims should cover, each source once per sentence.

    Marks in headings and heads of tables, and marks that own no words, such as those of a row of sources, are left out.
    """
    found: dict[MarkPlace, None] = {}
    for stretch in layout.stretches:
        sentence = layout.sentences[stretch.sentence]
        if sentence.kind not in _NO_CLAIMS and _WORD.search(layout.text, stretch.start, stretch.end):
            found |= {MarkPlace(source, sentence.start, sentence.end): None for source in stretch.cited}
    return [*found]


def uncovered(marks: Iterable[MarkPlace], claims: Sequence[Claim]) -> list[MarkPlace]:
    """The marks from whose sentence no claim with their source was taken."""

    def covers(claim: Claim, mark: MarkPlace) -> bool:
        return _meets(claim, mark.start, mark.end) and mark.source in (*claim.sources, *claim.unresolved)

    return [mark for mark in marks if not any(covers(claim, mark) for claim in claims)]


def figures_in(layout: Layout, values: Iterable[ReadValue]) -> list[ReadValue]:
    """The values read by form that claims should cover: not those in headings and heads of tables."""
    apart = [sentence for sentence in layout.sentences if sentence.kind in _NO_CLAIMS]
    return [value for value in values if not any(each.start <= value.start < each.end for each in apart)]


def claims_on(value: ReadValue, report: str, claims: Iterable[Claim], *, in_quotes: bool) -> list[Claim]:
    """The claims that were taken from the value's sentence and hold its figure; ``in_quotes``, also in their quotes,
    which may go beyond what is claimed.
    """
    figures = _figures(report[value.start : value.end])
    near = (claim for claim in claims if _meets(claim, value.start, value.end))
    return [claim for claim in near if figures <= _figures(f"{claim.claim} {claim.quote if in_quotes else ''}")]


def _figures(text: str) -> set[str]:
    return set(_FIGURE.findall(text))


def _meets(claim: Claim, start: int, end: int) -> bool:
    return claim.start is not None and claim.end is not None and claim.start < end and start < claim.end

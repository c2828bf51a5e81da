"""Sentences that a report says twice, word for word."""

import re
from collections.abc import Iterator

from drretail.grounding.case import Case
from drretail.grounding.citations import Cited
from drretail.grounding.falling import speaks_back
from drretail.grounding.notes import NOTES
from drretail.grounding.removal import Cut, Span
from drretail.grounding.statements import Layout, Statement, read_layout
from drretail.records.evidence import Finding

REPEATED_SENTENCE = "repeated_sentence"
LEAST_WORDS = 6
"""Shorter sentences may be said of two things: "Easy to clean."."""
LEAST_BESIDE = 3
"""Of sentences that stand side by side in one paragraph."""
_WORD = re.compile(r"[^\W_]+(?:['’.,][^\W_]+)*")
_STOP = re.compile(r"[.!?…]+[\"'”’)*_]*$")


def repeated_sentences(case: Case) -> list[Finding]:
    """A warning for every sentence that stands above word for word; ``found`` is that one.

    Citations, case and punctuation are not compared. Two sentences that cite different products, or that begin with
    "it" or "this" apart from each other, are about different things, and so are those below different products' names.
    """
    layout = read_layout(case.structure)
    return [
        Finding(
            code=REPEATED_SENTENCE,
            severity="warning",
            start=layout.statements[later].start,
            end=layout.statements[later].end,
            said=layout.text(layout.statements[later]),
            found=layout.text(layout.statements[first]),
        )
        for later, first in _pairs(case, layout)
    ]


def first_said(case: Case, layout: Layout, later: int) -> int | None:
    """The number of the statement that a repeating one repeats."""
    return dict(_pairs(case, layout)).get(later)


def merged_citations(case: Case, layout: Layout, later: int) -> list[Cut]:
    """What to add to the sentence that a repeated one repeats: the marks that it does not have."""
    first = first_said(case, layout, later)
    if first is None:
        return []
    statement = layout.statements[first]
    known = {it.source for _, sources in _marks(case, statement) for it in sources}
    more = [
        case.report[slice(*span)]
        for span, cited in _marks(case, layout.statements[later])
        if not {it.source for it in cited} <= known and any(it.entry for it in cited)
    ]
    if not more:
        return []
    marks = _marks(case, statement)
    if marks:
        place = marks[-1][0][1]
        return [Cut(place, place, "".join(more))]
    stop = _STOP.search(layout.text(statement))
    place = statement.start + stop.start() if stop else statement.end
    return [Cut(place, place, " " + "".join(more))]


def _pairs(case: Case, layout: Layout) -> Iterator[tuple[int, int]]:
    """The numbers of a repeating statement and of the first that said it."""
    said: dict[tuple[str, ...], list[int]] = {}
    for index, statement in enumerate(layout.statements):
        if statement.kind not in ("text", "item") or layout.text(statement) in NOTES:
            continue
        words = tuple(it[0].casefold() for it in _WORD.finditer(case.structure.text, statement.start, statement.end))
        first = next((it for it in said.get(words, ()) if _is_same(case, layout, it, index, len(words))), None)
        if first is None:
            said.setdefault(words, []).append(index)
        else:
            yield index, first


def _is_same(case: Case, layout: Layout, first: int, later: int, words: int) -> bool:
    one, other = layout.statements[first], layout.statements[later]
    products = [_products(case, it) for it in (one, other)]
    if all(products) and not products[0] & products[1]:
        return False
    if later == first + 1 and one.block == other.block:
        return words >= LEAST_BESIDE
    if words < LEAST_WORDS or speaks_back(layout.text(other)):
        return False
    names = any(one.start <= it.start < one.end for it in case.mentions)
    return names or _lead(case, one) == _lead(case, other) or not (_lead(case, one) and _lead(case, other))


def _products(case: Case, statement: Statement) -> set[str]:
    return {it.source for _, cited in _marks(case, statement) for it in cited if it.source.startswith("P:")}


def _marks(case: Case, statement: Statement) -> list[tuple[Span, tuple[Cited, ...]]]:
    marks = case.structure.marks
    return [((it.start, it.end), it.cited) for it in marks if statement.start <= it.start < statement.end]


def _lead(case: Case, statement: Statement) -> frozenset[str]:
    """The products that the headings above a statement name."""
    return frozenset(
        mention.product_id
        for section in case.structure.path(statement.section)
        if section.level > 1
        for mention in case.mentions
        if section.start <= mention.start < section.body
    )

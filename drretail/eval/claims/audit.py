"""How a judge read a report: what its claims cover, whether its quotes are there, whether its labels fit the records.

Code settles no claim by it. The counts are a verdict of their own, from which scores and pages take them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from drretail.eval.claims.claims import (
    AUDIT,
    EXTRACT,
    FIRST_ANSWER,
    NOT_IN_REPORT,
    REPORT,
    SUPPORT,
    Claim,
    claims_in,
    source_type,
)
from drretail.eval.claims.labels import CONTRADICTED as IS_CONTRADICTED
from drretail.eval.claims.labels import NO_QUOTE
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.layout import Layout
from drretail.grounding.verify.records import Ledger
from drretail.records import judge_audit as audited
from drretail.records.judge_audit import Shares, summed
from drretail.records.reading import ReadValue
from drretail.records.score import Verdict
from drretail.stats.intervals import binomial_ends

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
    marks: dict[MarkPlace, None] = {}
    for stretch in layout.stretches:
        sentence = layout.sentences[stretch.sentence]
        if sentence.kind not in _NO_CLAIMS and _WORD.search(layout.text, stretch.start, stretch.end):
            marks |= {MarkPlace(source, sentence.start, sentence.end): None for source in stretch.cited}
    return [*marks]


def uncovered(marks: Iterable[MarkPlace], claims: Sequence[Claim]) -> list[MarkPlace]:
    """The marks from whose sentence no claim with their source was taken."""

    def covers(claim: Claim, mark: MarkPlace) -> bool:
        return _meets(claim, mark.start, mark.end) and mark.source in (*claim.sources, *claim.unresolved)

    return [mark for mark in marks if not any(covers(claim, mark) for claim in claims)]


def claims_on(value: ReadValue, report: str, claims: Iterable[Claim], *, in_quotes: bool) -> list[Claim]:
    """The claims that were taken from the value's sentence and hold its figure; ``in_quotes``, also in their quotes,
    which may go beyond what is claimed.
    """
    figures = {*_FIGURE.findall(report, value.start, value.end)}
    near = (claim for claim in claims if _meets(claim, value.start, value.end))
    return [claim for claim in near if figures <= {*_FIGURE.findall(f"{claim.claim} {claim.quote * in_quotes}")}]


def _meets(claim: Claim, start: int, end: int) -> bool:
    return claim.start is not None and claim.end is not None and claim.start < end and start < claim.end


def record_audit(judge_session: JudgeSession, layout: Layout, ledger: Ledger) -> None:
    """Records the audit of a report's judgement, unless nothing was judged since the last one."""
    if judge_session.existing(AUDIT, REPORT) is None or judge_session.has_new:
        counts = audit(judge_session.verdicts(), layout, ledger)
        if counts is not None:
            judge_session.record_if_changed(AUDIT, REPORT, CodeVerdict("scored", counts))


def audit(verdicts: Iterable[Verdict], layout: Layout, ledger: Ledger) -> dict[str, dict[str, Any]] | None:
    """The shares and the uncovered marks of one repeat's verdicts on a report; None if the extraction failed."""
    by_stage: dict[str, dict[str, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        by_stage[verdict.stage][verdict.item] = verdict
    extraction = by_stage[EXTRACT].get(REPORT)
    claims = None if extraction is None else claims_in(extraction)
    if extraction is None or claims is None:
        return None
    marks = marks_in(layout)
    left = uncovered(marks, claims)
    apart = [sentence for sentence in layout.sentences if sentence.kind in _NO_CLAIMS]
    values = read_by_form(layout, ledger).values
    figures = [each for each in values if not any(sentence.start <= each.start < sentence.end for sentence in apart)]
    uncited = [
        sentence
        for index, sentence in enumerate(layout.sentences)
        if sentence not in apart
        and not layout.cited.get(index)
        and _FIGURE.search(layout.text, sentence.start, sentence.end)
    ]
    taken = sum(any(_meets(claim, sentence.start, sentence.end) for claim in claims) for sentence in uncited)
    covered = sum(bool(claims_on(value, layout.report, claims, in_quotes=True)) for value in figures)
    dropped = extraction.notes.count(NOT_IN_REPORT)
    labels = by_stage[SUPPORT]
    judged = [verdict for verdict in labels.values() if verdict.state in ("scored", "failed")]
    supported = [each for each in judged if each.value or NO_QUOTE in each.notes]
    shares: dict[str, tuple[int, int]] = {
        audited.MARKS: (len(marks) - len(left), len(marks)),
        audited.FIGURES: (covered, len(figures)),
        audited.UNCITED: (taken, len(uncited)),
        audited.IN_REPORT: (len(claims), len(claims) + dropped),
        audited.IN_SOURCE: (sum(NO_QUOTE not in each.notes for each in supported), len(supported)),
        audited.LABELLED: (sum(each.state == "scored" for each in judged), len(judged)),
    }
    shares |= dict(_agreement(figures, layout.report, claims, labels | by_stage[f"{SUPPORT}{FIRST_ANSWER}"]))
    is_low = len(marks) - len(left) < LEAST * len(marks)
    by_type = Counter(source_type(mark.source) for mark in left) if is_low else {}
    return {
        "shares": {name: list(share) for name, share in shares.items()},
        "uncovered": dict(sorted(by_type.items())),
    }


def _agreement(
    figures: Iterable[ReadValue], report: str, claims: Sequence[Claim], labels: Mapping[str, Verdict]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """How many claims are labelled as a record says of their figures, of those whose figures form has read.

    ``labels`` are the first, given before the judge saw the record's line.
    """
    states: dict[str, set[str]] = defaultdict(set)
    for value in figures:
        for claim in claims_on(value, report, claims, in_quotes=False):
            if {*value.of} & {*claim.sources}:
                states[claim.claim_id].add(value.state)
    values = {item: float(each.value) for item, each in labels.items() if each.state == "scored"}
    right = [values[item] > 0 for item, known in states.items() if item in values and known == {"verified"}]
    wrong = [values[item] == 0 for item, known in states.items() if item in values and "contradicted" in known]
    yield audited.CONFIRMED, (sum(right), len(right))
    yield audited.CONTRADICTED, (sum(wrong), len(wrong))


def uncovered_in(verdict: Verdict | None, kinds: Sequence[str]) -> int:
    """The marks that count as unsupported claims of these types."""
    return 0 if verdict is None else sum(verdict.value["uncovered"].get(kind, 0) for kind in kinds)


def shares_of(verdicts: Sequence[Verdict]) -> Shares:
    """The figures of a judge on one run, over all its repeats; those by records of the first alone, since the same
    claims asked again are no further cases.
    """
    audits = [(verdict.value["shares"], verdict.judge_repeat > 1) for verdict in verdicts if verdict.stage == AUDIT]
    by_records = (audited.CONFIRMED, audited.CONTRADICTED)
    own = [
        {name: (got, of) for name, (got, of) in shares.items() if not (is_again and name in by_records)}
        for shares, is_again in audits
    ]
    return summed([*own, *_of_repeats(verdicts)])


def agreement_ends(shares: Shares) -> tuple[float, float]:
    """The 95 % interval of a judge's agreement with records: the means of the ends for right and for wrong figures."""
    kinds = [shares.get(name, (0, 0)) for name in (audited.CONFIRMED, audited.CONTRADICTED)]
    ends = [binomial_ends(got / of, of) if of else (0.0, 1.0) for got, of in kinds]
    return fmean(low for low, _ in ends), fmean(high for _, high in ends)


def _of_repeats(verdicts: Sequence[Verdict]) -> Iterator[Shares]:
    """How far repeats agree on the labels of one list of claims, and repeats' own lists with each other."""
    by_item: dict[str, list[tuple[object, bool]]] = defaultdict(list)
    lists: list[Counter[tuple[object, ...]]] = []
    for verdict in verdicts:
        if verdict.stage == SUPPORT and verdict.state == "scored":
            by_item[verdict.item].append((verdict.value, IS_CONTRADICTED in verdict.notes))
        elif verdict.stage == EXTRACT and verdict.item == REPORT:
            lists.append(Counter((claim.start, claim.sources) for claim in claims_in(verdict) or ()))
    if len(lists) < 2:
        return
    for labels in by_item.values():
        pairs = [*combinations(labels, 2)]
        yield {audited.SAME_LABEL: (sum(one == other for one, other in pairs), len(pairs))}
    for one, other in combinations(lists, 2):
        yield {audited.SAME_CLAIM: (2 * (one & other).total(), one.total() + other.total())}

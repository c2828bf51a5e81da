"""How a judge read a report: what its claims cover, whether its quotes are there, whether its labels fit the records.

Code settles no claim by it. The counts are a verdict of their own, from which scores and pages take them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from drretail.eval.claims.claims import AUDIT, EXTRACT, FIRST_ANSWER, REPORT, SUPPORT, Claim, source_type
from drretail.eval.claims.extraction import NOT_IN_REPORT, claims_in
from drretail.eval.claims.labels import CONTRADICTED as IS_CONTRADICTED
from drretail.eval.claims.labels import NO_QUOTE
from drretail.eval.claims.marks_covered import LEAST, claims_on, figures_in, marks_in, uncovered
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.layout import Layout
from drretail.grounding.verify.records import Ledger
from drretail.records import judge_audit as audited
from drretail.records.judge_audit import Shares, summed
from drretail.records.reading import ReadValue
from drretail.records.score import Verdict

UNCOVERED = "uncovered"
"""By type of source: the marks that count as unsupported claims."""


def record_audit(judge_session: JudgeSession, layout: Layout, ledger: Ledger) -> None:
    """Records the audit of a report's judgement, unless nothing was judged since the last one."""
    if judge_session.existing(AUDIT, REPORT) is None or judge_session.has_new:
        found = audit(judge_session.verdicts(), layout, ledger)
        if found is not None:
            judge_session.record_if_changed(AUDIT, REPORT, CodeVerdict("scored", found))


def audit(verdicts: Iterable[Verdict], layout: Layout, ledger: Ledger) -> dict[str, dict[str, list[int]]] | None:
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
    figures = figures_in(layout, read_by_form(layout, ledger).values)
    covered = sum(bool(claims_on(value, layout.report, claims, in_quotes=True)) for value in figures)
    dropped = extraction.notes.count(NOT_IN_REPORT)
    labels = by_stage[SUPPORT]
    asked = [verdict for verdict in labels.values() if verdict.state in ("scored", "failed")]
    supported = [each for each in asked if each.value or NO_QUOTE in each.notes]
    shares: dict[str, tuple[int, int]] = {
        audited.MARKS: (len(marks) - len(left), len(marks)),
        audited.FIGURES: (covered, len(figures)),
        audited.IN_REPORT: (len(claims), len(claims) + dropped),
        audited.IN_SOURCE: (sum(NO_QUOTE not in each.notes for each in supported), len(supported)),
        audited.LABELLED: (sum(each.state == "scored" for each in asked), len(asked)),
    }
    shares |= dict(_agreement(figures, layout.report, claims, labels | by_stage[f"{SUPPORT}{FIRST_ANSWER}"]))
    is_low = len(marks) - len(left) < LEAST * len(marks)
    by_type = Counter(source_type(mark.source) for mark in left) if is_low else {}
    return {
        "shares": {name: list(share) for name, share in shares.items()},
        UNCOVERED: {kind: [count] for kind, count in sorted(by_type.items())},
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
    given = {item: float(each.value) for item, each in labels.items() if each.state == "scored"}
    right = [given[item] > 0 for item, found in states.items() if item in given and found == {"verified"}]
    wrong = [given[item] == 0 for item, found in states.items() if item in given and "contradicted" in found]
    yield audited.CONFIRMED, (sum(right), len(right))
    yield audited.CONTRADICTED, (sum(wrong), len(wrong))


def uncovered_in(verdict: Verdict | None, kinds: Sequence[str]) -> int:
    """The marks that count as unsupported claims of these types."""
    found: Mapping[str, list[int]] = {} if verdict is None else verdict.value[UNCOVERED]
    return sum(found[kind][0] for kind in kinds if kind in found)


def shares_of(verdicts: Sequence[Verdict]) -> Shares:
    """The figures of a judge on one run, over all its repeats."""
    audits = [verdict.value["shares"] for verdict in verdicts if verdict.stage == AUDIT]
    own = [{name: (got, of) for name, (got, of) in shares.items()} for shares in audits]
    return summed([*own, *_of_repeats(verdicts)])


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

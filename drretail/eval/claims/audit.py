"""How a judge read a report: what its claims cover, whether its quotes are there, whether its labels fit the records.
Its verdicts, counted, are the input of every formula of faithfulness.

Code settles no claim by it. The counts are a verdict of their own, from which scores and pages take them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import product
from typing import Any

from drretail.eval.claims.claims import (
    EXTRACT,
    FIRST_ANSWER,
    HEADLINE,
    NOT_IN_REPORT,
    REPORT,
    SUPPORT,
    TYPES,
    Claim,
    SourceType,
    claims_in,
    listed_claims,
    source_type,
    stages_of,
)
from drretail.eval.claims.rulings import CONTRADICTED, NO_QUOTE, NOT_RATED
from drretail.records import reading as audited
from drretail.records.reading import ReadValue, Shares, summed
from drretail.records.score import Rules, Verdict, VerdictState
from drretail.remembered import remembered
from drretail.reports.layout import Layout
from drretail.reports.text.wording import split_words
from drretail.shopping.verify.form import read_by_form
from drretail.shopping.verify.parts import parts_by_marks
from drretail.shopping.verify.places import compare_value
from drretail.shopping.verify.records import Ledger

_WORD = re.compile(r"\w")
_LETTER = re.compile(r"[^\W\d_]")
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_NO_CLAIMS = ("heading", "table_head")
_FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """A source cited in ``report[start:end]``: a sentence, item or row, or the block above a line of sources."""

    source: str
    start: int
    end: int
    words: str
    """The words there, without marks: what a report says twice is one claim."""


def marks_in(layout: Layout) -> list[MarkPlace]:
    """The citation marks of a report that claims should cover, each source once per sentence.

    Marks in headings, heads of tables and lists of sources, and marks that own no words, are left out, and so are those
    of a line without a letter, and of a line or row of sources: it has no figure, and fewer than three words, such as
    "Source:" or "Sources: … and …".
    """
    marks: dict[MarkPlace, None] = {}
    for stretch in (*layout.stretches, *layout.notes):
        sentence = layout.sentences[stretch.sentence]
        start, end = stretch.block or (sentence.start, sentence.end)
        words = layout.text[start:end]
        is_long = _FIGURE.search(words) or sum(map(bool, map(_WORD.search, split_words(words)))) >= _FEWEST_WORDS
        is_claim = is_long and _LETTER.search(words) and _WORD.search(layout.text, stretch.start, stretch.end)
        if sentence.kind not in _NO_CLAIMS and is_claim and not stretch.is_rest:
            place = start, end, " ".join(words.casefold().split())
            marks |= {MarkPlace(source, *place): None for source in stretch.cited}
    return [*marks]


def uncovered(marks: Iterable[MarkPlace], claims: Sequence[Claim]) -> list[MarkPlace]:
    """The marks from whose sentence, or another with the same words, no claim with their source was taken."""
    places = [*marks]
    covered = {
        (mark.source, mark.words)
        for mark, claim in product(places, claims)
        if _meets(claim, mark.start, mark.end) and mark.source in (*claim.sources, *claim.unresolved)
    }
    return [mark for mark in places if (mark.source, mark.words) not in covered]


def left_out(marks: Sequence[MarkPlace], claims: Sequence[Claim]) -> list[MarkPlace]:
    """The uncovered marks, if they are more than a tenth: the report then counts as unread."""
    left = uncovered(marks, claims)
    return left if len(left) > audited.MOST_UNCOVERED * len(marks) else []


def claims_on(value: ReadValue, report: str, claims: Iterable[Claim], *, in_quotes: bool) -> list[Claim]:
    """The claims that were taken from the value's sentence and hold its figure; ``in_quotes``, also in their quotes,
    which may go beyond what is claimed.
    """
    figures = {*_FIGURE.findall(report, value.start, value.end)}
    near = (claim for claim in claims if _meets(claim, value.start, value.end))
    return [claim for claim in near if figures <= {*_FIGURE.findall(f"{claim.claim} {claim.quote * in_quotes}")}]


def _meets(claim: Claim, start: int, end: int) -> bool:
    return claim.start is not None and claim.end is not None and claim.start < end and start < claim.end


def audit(verdicts: Iterable[Verdict], layout: Layout, ledger: Ledger) -> dict[str, dict[str, Any]] | None:
    """The shares of one repeat's verdicts on a report; None if the judge gave no list of claims."""
    by_stage: dict[str, dict[str, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        by_stage[verdict.stage][verdict.item] = verdict
    extraction = by_stage[EXTRACT].get(REPORT)
    if extraction is None or extraction.value is None:
        return None
    claims, marks = listed_claims(extraction), marks_in(layout)
    left = uncovered(marks, claims)
    apart = [sentence for sentence in layout.sentences if sentence.kind in _NO_CLAIMS]
    values = read_by_form(layout, ledger, parts_by_marks(layout))
    figures = [value for value in values if not any(sentence.start <= value.start < sentence.end for sentence in apart)]
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
    quoted = [ruling for ruling in judged if ruling.value or not {NO_QUOTE, CONTRADICTED}.isdisjoint(ruling.notes)]
    held = sum(NO_QUOTE not in ruling.notes and bool(ruling.value or ruling.quote) for ruling in quoted)
    shares: dict[str, tuple[int, int]] = {
        audited.REPORTS: (int(bool(marks) and not left_out(marks, claims)), int(bool(marks))),
        audited.MARKS: (len(marks) - len(left), len(marks)),
        audited.FIGURES: (covered, len(figures)),
        audited.UNCITED: (taken, len(uncited)),
        audited.IN_REPORT: (len(claims), len(claims) + dropped),
        audited.IN_SOURCE: (held, len(quoted)),
        audited.TYPED: _in_keeping(claims, labels | by_stage[f"{SUPPORT}{FIRST_ANSWER}"], layout.report, ledger),
        audited.LABELLED: (sum(ruling.state == "scored" for ruling in judged), len(judged)),
    }
    shares |= dict(_agreement(figures, layout.report, claims, labels | by_stage[f"{SUPPORT}{FIRST_ANSWER}"]))
    return {"shares": {name: list(share) for name, share in shares.items()}}


def _in_keeping(claims: Iterable[Claim], labels: Mapping[str, Verdict], report: str, ledger: Ledger) -> tuple[int, int]:
    """How many typed values are in keeping with the text and with the first label of their claim, of those that a
    record decides or that have no figure at their place. Who supports a claim and types a figure that its record denies
    has mistyped it.
    """
    states: list[tuple[str, bool]] = []
    for claim in claims:
        label = labels.get(claim.claim_id)
        if label is not None and label.state == "scored":
            states += [(compare_value(value, report, ledger).state, bool(label.value)) for value in claim.values]
    decided = [(state, is_supported) for state, is_supported in states if state != "underivable"]
    figureless = sum(claim.figureless or 0 for claim in claims)
    right = sum(state == "verified" or not is_supported for state, is_supported in decided)
    return right, len(decided) + figureless


def _agreement(
    figures: Iterable[ReadValue], report: str, claims: Sequence[Claim], labels: Mapping[str, Verdict]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """How many claims are labelled as a record says of their figures, of those whose figures form has read.

    ``labels`` are the first, given before the judge saw the record's line.
    """
    states: dict[str, set[str]] = defaultdict(set)
    for value in figures:
        for claim in claims_on(value, report, claims, in_quotes=False):
            if value.of in claim.sources:
                states[claim.claim_id].add(value.state)
    values = {item: float(label.value) for item, label in labels.items() if label.state == "scored"}
    right = [values[item] > 0 for item, state in states.items() if item in values and state == {"verified"}]
    wrong = [values[item] == 0 for item, state in states.items() if item in values and "contradicted" in state]
    yield audited.CONFIRMED, (sum(right), len(right))
    yield audited.CONTRADICTED, (sum(wrong), len(wrong))


def steadiness(values: Iterable[ReadValue], report: str, verdicts: Sequence[Verdict]) -> dict[str, tuple[int, int]]:
    """How many of the claims that hold these values, which the judge calls false once it sees the record, it had not
    fully supported before; nothing if none does.
    """
    claims = [claim for verdict in verdicts if verdict.stage == EXTRACT for claim in listed_claims(verdict)]
    labels = {verdict.item: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    labels |= {verdict.item: verdict for verdict in verdicts if verdict.stage == f"{SUPPORT}{FIRST_ANSWER}"}
    met = {claim.claim_id for value in values for claim in claims_on(value, report, claims, in_quotes=False)}
    first = [labels[item].value for item in met if item in labels and labels[item].state == "scored"]
    return {audited.STEADY: (sum(value != 1 for value in first), len(first))} if first else {}


def shares_of(verdicts: Sequence[Verdict]) -> Shares:
    """The figures of a judge on one run, over all its repeats; those by records of the first alone, since a claim asked
    again is no further case.
    """
    valued = [verdict for verdict in verdicts if isinstance(verdict.value, dict) and "shares" in verdict.value]
    audits = [(verdict.value["shares"], verdict.judge_repeat > 1) for verdict in valued]
    by_records = (audited.CONFIRMED, audited.CONTRADICTED, audited.STEADY)
    of_runs = [
        {name: (got, of) for name, (got, of) in shares.items() if not (is_again and name in by_records)}
        for shares, is_again in audits
    ]
    return summed(of_runs)


@dataclass(frozen=True, slots=True)
class _Tally:
    """The claims of a report that cite one type of source, by what became of them."""

    scored: int = 0
    support: float = 0.0
    """The sum of their support."""
    unresolved: int = 0
    """The scored ones whose sources of this type do not exist: no such product or page."""
    unverifiable: int = 0
    unfetched: int = 0
    """Those that cite a page that was never fetched."""
    failed: int = 0
    """Failed by the judge, or never judged."""
    unasked: int = 0
    """The failed ones that no judge was asked about, as when judging was interrupted."""
    unrated: int = 0
    """Those of which a rule-based judge says nothing; not among the units."""

    @property
    def units(self) -> int:
        return self.scored + self.unverifiable + self.unfetched + self.failed

    @property
    def cited(self) -> int:
        """All claims that cite the type, judged or not."""
        return self.units + self.unrated

    @property
    def is_failed(self) -> bool:
        """True if the claims were not judged completely, since those that were judged first are no random sample, or if
        the judge failed on most of them.
        """
        return bool(self.unasked) or 2 * self.failed > self.units

    @property
    def state(self) -> VerdictState:
        """ "scored", or why there is no mean. A retry may still bring a value, so "failed" comes first."""
        if self.is_failed:
            return "failed"
        if self.scored:
            return "scored"
        return "failed" if self.failed else "unverifiable" if self.unverifiable else "na"

    @property
    def mean(self) -> float | None:
        """The mean support of the scored ones; None without any, or if the judge failed."""
        return self.support / self.scored if self.state == "scored" else None

    def items(self) -> dict[str, float]:
        """The counts for scores.json, which sums them over reports."""
        names = ("units", "scored", "support", "unresolved", "unverifiable", "failed", "unfetched")
        counts = {name: float(getattr(self, name)) for name in names}
        return counts | ({"unrated": float(self.unrated)} if self.unrated else {})


def summed_tallies(tallies: Iterable[_Tally]) -> _Tally:
    """Several types as one: a claim counts once for each that it cites."""
    return _Tally(*map(sum, zip(*map(astuple, tallies), strict=True)))


class ReportVerdicts:
    """One report's claims and what became of each, and what follows from these."""

    def __init__(self, verdicts: Iterable[Verdict], rules: Rules) -> None:
        every = list(verdicts)
        stages = stages_of(rules)
        extractions = {
            verdict.stage: claims_in(verdict) for verdict in every if verdict.stage in stages and verdict.item == REPORT
        }
        self._support = {verdict.item: verdict for verdict in every if verdict.stage == SUPPORT}
        self.judged = extractions.get(stages[0])
        """The claims of which those with a source are judged; None when the extraction failed or never was."""
        self.all = extractions.get(stages[-1])
        """All claims, for recall; of one extraction the same."""
        self.cited = [claim for claim in self.judged or () if claim.sources or claim.unresolved]

    def _leads_nowhere(self, claim: Claim, kind: SourceType) -> bool:
        """True if no source of the type exists among those that a claim cites."""
        verdict = self._support.get(claim.claim_id)
        return {*claim.sources_of(kind)} <= {*(() if verdict is None else verdict.absent)}

    def _outcome(self, claim: Claim, kind: SourceType) -> float | VerdictState | None:
        """What a claim counts for a type that it cites: its support, why it has none, or None if nobody was asked.

        It is unverifiable if no source of the type was read, whatever its other sources say.
        """
        if self._leads_nowhere(claim, kind):
            return 0.0
        verdict = self._support.get(claim.claim_id)
        if verdict is None or verdict.state != "scored":
            return None if verdict is None else verdict.state
        is_read = any(source_type(source.id) == kind for source in verdict.sources)
        return float(verdict.value) if is_read else "unverifiable"

    @remembered
    def tally(self, kind: SourceType) -> _Tally:
        """The claims that cite a type, each judged with all its sources."""
        claims = [claim for claim in self.cited if kind in claim.types]
        outcomes = [self._outcome(claim, kind) for claim in claims]
        scored = [outcome for outcome in outcomes if isinstance(outcome, float)]
        not_judged = [claim for claim, outcome in zip(claims, outcomes, strict=True) if outcome == "na"]
        unrated = sum(NOT_RATED in self._support[claim.claim_id].notes for claim in not_judged)
        return _Tally(
            scored=len(scored),
            support=sum(scored),
            unresolved=sum(self._leads_nowhere(claim, kind) for claim in claims),
            unverifiable=outcomes.count("unverifiable"),
            unfetched=len(not_judged) - unrated,
            failed=outcomes.count("failed") + outcomes.count(None),
            unasked=outcomes.count(None),
            unrated=unrated,
        )

    @property
    def whole(self) -> _Tally:
        """All that was judged: a claim counts once for each type that it cites."""
        return summed_tallies(map(self.tally, TYPES))

    def supports(self) -> list[float]:
        """The support of each claim that cites a page or a product, if any of these was read or does not exist."""
        of_claims = ([self._outcome(claim, kind) for kind in HEADLINE if kind in claim.types] for claim in self.cited)
        scored = ([outcome for outcome in of_claim if isinstance(outcome, float)] for of_claim in of_claims)
        return [max(supports) for supports in scored if supports]

    def weights(self) -> dict[str, float]:
        """By claim id, how much of FP the support of each judged claim is: FP = Σ weight · support.

        What is missing to 1 is the weight of claims whose sources don't exist.
        """
        kinds: list[SourceType] = [kind for kind in HEADLINE if self.tally(kind).scored]
        weights: defaultdict[str, float] = defaultdict(float)
        for claim, kind in product(self.cited, kinds):
            is_counted = kind in claim.types and isinstance(self._outcome(claim, kind), float)
            if is_counted and not self._leads_nowhere(claim, kind):
                weights[claim.claim_id] += 1 / (len(kinds) * self.tally(kind).scored)
        return dict(weights)

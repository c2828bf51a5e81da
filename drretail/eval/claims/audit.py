"""How a judge read a report: what its claims cover, whether its quotes are there, whether its labels fit the records.
Its verdicts, counted, are the input of every formula of faithfulness.

Code settles no claim by it. The counts are a verdict of their own, from which scores and pages take them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

from drretail.eval.claims.claims import (
    ALL_TYPES,
    AUDIT,
    EXTRACT,
    FAITHFULNESS,
    FIRST_ANSWER,
    FROZEN,
    NOT_IN_REPORT,
    REPORT,
    SUPPORT,
    SUPPORT_LIVE,
    SUPPORT_SHOWN,
    Claim,
    claims_in,
    source_type,
    stages_of,
    types_of,
    unit_of,
)
from drretail.eval.claims.rulings import CONTRADICTED, INVENTED, NO_QUOTE, NOT_RATED, NOTES
from drretail.eval.judging.session import JudgeSession
from drretail.eval.registry import load_metric
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.layout import Layout
from drretail.grounding.verify.records import Ledger
from drretail.records import reading as audited
from drretail.records.base import sha256_of
from drretail.records.reading import ReadValue, Shares, summed
from drretail.records.score import Rules, Verdict
from drretail.remembered import remembered
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
    # How far repeats agree on the labels of one list of claims, and repeats' own lists with each other.
    by_item: dict[str, list[tuple[object, bool]]] = defaultdict(list)
    lists: list[Counter[tuple[object, ...]]] = []
    for verdict in verdicts:
        if verdict.stage == SUPPORT and verdict.state == "scored":
            by_item[verdict.item].append((verdict.value, CONTRADICTED in verdict.notes))
        elif verdict.stage == EXTRACT and verdict.item == REPORT:
            lists.append(Counter((claim.start, claim.sources) for claim in claims_in(verdict) or ()))
    for labels in by_item.values() if len(lists) > 1 else ():
        pairs = [*combinations(labels, 2)]
        own.append({audited.SAME_LABEL: (sum(one == other for one, other in pairs), len(pairs))})
    for one, other in combinations(lists, 2):
        own.append({audited.SAME_CLAIM: (2 * (one & other).total(), one.total() + other.total())})
    return summed(own)


def agreement_ends(shares: Shares) -> tuple[float, float]:
    """The 95% interval of a judge's agreement with records: the means of the ends for right and for wrong figures."""
    kinds = [shares.get(name, (0, 0)) for name in (audited.CONFIRMED, audited.CONTRADICTED)]
    ends = [binomial_ends(got / of, of) if of else (0.0, 1.0) for got, of in kinds]
    return fmean(low for low, _ in ends), fmean(high for _, high in ends)


@dataclass(frozen=True, slots=True)
class Tally:
    """Claims, or pairs of claim and type: how many were scored, the sum of their support, and why others were not
    scored.
    """

    scored: int = 0
    support: float = 0.0
    unverifiable: int = 0
    failed: int = 0
    """Failed by the judge, or never judged."""
    unfetched: int = 0
    """Those that cite a page that was never fetched."""
    unresolved: int = 0
    """Claims with a source that does not resolve; not among the units."""
    invented: int = 0
    """Those without any other source: 0 in the mean, under the default rules."""
    unrated: int = 0
    """Those of which a rule-based judge says nothing; not among the units."""
    unasked: int = 0
    """The failed ones that no judge was asked about, as when judging was interrupted."""
    uncovered: int = 0
    """The scored ones that stand for citation marks which the judge left out, twice; their support is 0."""

    @property
    def units(self) -> int:
        return self.scored + self.unverifiable + self.unfetched + self.failed

    @property
    def mean(self) -> float | None:
        """The mean support of the scored units and of the claims with only invented sources; None without any, or if
        the judge failed on all that it was asked.
        """
        count = self.scored + (0 if self.failed and not self.scored else self.invented)
        return self.support / count if count else None

    @property
    def strict(self) -> float | None:
        """The mean support with unverifiable and unresolved ones as 0; None without any."""
        count = self.scored + self.unverifiable + self.unresolved
        return self.support / count if count else None

    def items(self) -> dict[str, float]:
        """The counts for scores.json, which sums them over reports."""
        return {
            "units": self.units,
            "scored": self.scored,
            "support": self.support,
            "unverifiable": self.unverifiable,
            "failed": self.failed,
            "unfetched": self.unfetched,
            "unresolved": self.unresolved,
            "counted": self.scored + self.invented,
        } | {name: count for name in ("unrated", "uncovered") if (count := getattr(self, name))}


def pooled(tallies: Iterable[Tally]) -> Tally:
    """Several types as one."""
    return Tally(*map(sum, zip(*map(astuple, tallies), strict=True)))


class ReportVerdicts:
    """One report's verdicts by stage, and what follows from them."""

    def __init__(self, verdicts: Iterable[Verdict], rules: Rules) -> None:
        own = list(verdicts)
        stages = stages_of(rules)
        extractions = {each.stage: claims_in(each) for each in own if each.stage in stages and each.item == REPORT}
        self._support = {verdict.item: verdict for verdict in own if verdict.stage == SUPPORT}
        self.live = {verdict.item: verdict for verdict in own if verdict.stage == SUPPORT_LIVE}
        """By cited pages as they were at judging time, where any was looked at again."""
        # A unit without such a verdict was shown to the agent in full.
        shown = {verdict.item: verdict for verdict in own if verdict.stage == SUPPORT_SHOWN}
        self._shown = self._support | shown
        # Every value of a report is made of the same claims and units.
        frozen = [claims_in(each) for each in own if each.stage == FROZEN]
        self.judged = frozen[0] if frozen else extractions.get(stages[0])
        """The claims of which those with a source are judged; None when the extraction failed or never was."""
        self.all = extractions.get(stages[-1])
        """All claims, for recall; of one extraction the same."""
        self.cited = [each for each in self.judged or () if each.sources or each.unresolved]
        self._audit = next((verdict for verdict in own if verdict.stage == AUDIT), None)
        self._units = [unit for claim in self.cited if (unit := unit_of(claim, rules)) is not None]
        self._invented = [claim for claim in self.cited if rules == "default" and not claim.sources]

    @remembered
    def tally(self, kinds: tuple[str, ...], by: Literal["sources", "shown", "live"] = "sources") -> Tally:
        """The claims that cite any of these types, each once: by their sources, by what the agent was shown of them, or
        by pages as they were at judging time.

        A claim without a readable source of these types is unverifiable for them, whatever its other sources say.
        """
        support = {"sources": self._support, "shown": self._shown, "live": self.live}[by]
        units = [unit for unit in self._units if any(kind in kinds for kind in unit.types)]
        ruled = [verdict for unit in units if (verdict := support.get(unit.item)) is not None]
        scored = [float(verdict.value) for verdict in ruled if _counts(verdict, kinds)]
        unread = sum(verdict.state == "scored" for verdict in ruled) - len(scored)
        unseen = sum(INVENTED in verdict.notes for verdict in ruled)
        unverifiable = unread + sum(verdict.state == "unverifiable" for verdict in ruled) - unseen
        unrated = sum(NOT_RATED in verdict.notes for verdict in ruled)
        unfetched = sum(verdict.state == "na" for verdict in ruled) - unrated
        left_out = {} if self._audit is None else self._audit.value["uncovered"]
        uncovered = sum(left_out.get(kind, 0) for kind in kinds)
        return Tally(
            scored=len(scored) + uncovered,
            support=sum(scored),
            unverifiable=unverifiable,
            failed=len(units) - len(scored) - unverifiable - unfetched - unrated - unseen,
            unfetched=unfetched,
            unresolved=_count_unresolved(self.cited, kinds) + unseen,
            invented=_count_unresolved(self._invented, kinds) + unseen,
            unrated=unrated,
            unasked=len(units) - len(ruled),
            uncovered=uncovered,
        )

    def supports(self, kinds: Sequence[str]) -> dict[str, float]:
        """The support of the claims that ``tally`` counts as scored, by claim id."""
        return {verdict.item: float(verdict.value) for verdict in self._scored(kinds)}

    def notes(self, kinds: Sequence[str]) -> dict[str, float]:
        """How many claims that cite these types have each note."""
        scored = self._scored(kinds)
        return {note: sum(note in verdict.notes for verdict in scored) for note in NOTES}

    def labels(self, kinds: Sequence[str]) -> dict[str, float]:
        """How many claims of these types are fully, partly or not supported, without the contradicted ones."""
        values = [verdict.value for verdict in self._scored(kinds) if CONTRADICTED not in verdict.notes]
        return {name: values.count(value) for name, value in (("full", 1), ("partial", 0.5), ("none", 0))}

    def _scored(self, kinds: Sequence[str]) -> list[Verdict]:
        support = [self._support.get(unit.item) for unit in self._units if any(kind in kinds for kind in unit.types)]
        return [verdict for verdict in support if verdict is not None and _counts(verdict, kinds)]


NOT_JUDGED = "this judge has not judged the claims of the report to the end: score faithfulness"


def followed(judge_session: JudgeSession) -> tuple[list[Verdict], ReportVerdicts, str]:
    """This judge's verdicts on the claims of the report, for a metric that follows from them; what they come to; and a
    reason that identifies them.
    """
    metric = load_metric(FAITHFULNESS)
    judged = judge_session.verdicts_in(metric.name, metric.version, metric.prompt_hashes())
    in_order = sorted(judged, key=lambda verdict: (verdict.stage, verdict.item))
    content = [[each.stage, each.item, each.state, each.value, each.quote, each.notes] for each in in_order]
    return judged, ReportVerdicts(judged, judge_session.rules), f"by the verdicts {sha256_of(content)[:16]}"


def _count_unresolved(claims: Iterable[Claim], kinds: Sequence[str]) -> int:
    return sum(any(kind in kinds for kind in types_of(claim.unresolved)) for claim in claims)


def _counts(verdict: Verdict, kinds: Sequence[str]) -> bool:
    """True for a judgement in which a source of these types was read."""
    return verdict.state == "scored" and (
        ALL_TYPES in kinds or any(source_type(source.id) in kinds for source in verdict.sources)
    )


def cites(claim: Claim) -> bool:
    """True if the report names a source of the claim that resolves."""
    return len(claim.sources) > len(claim.looked_up)


def has_url(claim: Claim) -> bool:
    """True if the claim's sources in the report include a web page or a product (paper Table 9)."""
    return any(source_type(source) != "internal" for source in claim.sources if source not in claim.looked_up)

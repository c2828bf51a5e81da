"""Fault place: where each wrong claim of a report went wrong, from the verdicts of faithfulness and the values that the
report shows. Without a value or quote to trace, the place is unknown.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from pydantic import ValidationError

from drretail.env.web.sandbox import read_corpus, shipped_corpora
from drretail.errors import NotFound
from drretail.eval.claims.audit import NOT_JUDGED, followed
from drretail.eval.claims.claims import ALL_TYPES, FAITHFULNESS, SUPPORT, TYPES, Claim
from drretail.eval.claims.rulings import CONTRADICTED, DISTORTED, ONLY_IN_SNIPPET
from drretail.eval.claims.typed_values import READING, confirmed_reading
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import (
    RULES,
    ClaimMark,
    Metric,
    Value,
    all_lacking,
    description_of,
    of_verdicts,
    pooled_share,
    share,
)
from drretail.experiment import read_results, run_folder
from drretail.grounding.report.evidence_ids import parse_evidence_id, web_evidence_id
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.amounts import find_amounts, find_dates
from drretail.grounding.text.layout import read_layout
from drretail.grounding.verify.checks import Case, read_report
from drretail.grounding.verify.records import Ledger, amount_of, fits, on_record, result_shown
from drretail.grounding.verify.values import plain
from drretail.parsing import parse_json
from drretail.records.base import Record
from drretail.records.evidence import Evidence, IntermediateReport
from drretail.records.reading import Reading, ReadValue
from drretail.records.run import Run
from drretail.records.score import Verdict

SYNTHESIS = "synthesis"
Says = Callable[[str], bool]
"""Whether a text states the true value."""


@dataclass(frozen=True, slots=True)
class ResearcherReports:
    """The intermediate reports that researchers handed to the writer, by the researcher's path."""

    reports: Mapping[str, IntermediateReport]

    def about(self, source: str) -> Mapping[str, str]:
        """By path, an intermediate report's statements on a source, each with its citations."""
        passages: dict[str, str] = {}
        for path, report in self.reports.items():
            # Each statement in a paragraph of its own, followed by its citations, as in a report.
            lines = [(each.statement, each.citations) for each in report.insights if source in each.citations]
            lines += [
                (f"{note.title}: {note.facts}", (note.evidence,)) for note in report.sources if note.evidence == source
            ]
            text = "\n\n".join(f"{words} {''.join(f'[{each}]' for each in cited)}" for words, cited in lines)
            passages |= {path: text} if text else {}
        return passages

    def with_another(self, value: ReadValue, evidence: Mapping[str, Evidence], ledger: Ledger) -> str | None:
        """The path of the first report with a wrong value of the same kind about the same sources, or None."""
        for path, text in {path: text for each in value.of for path, text in self.about(each).items()}.items():
            read = read_by_form(read_layout(text, tuple(evidence.values())), ledger).values
            alike = (each for each in read if each.kind == value.kind and {*each.of} & {*value.of})
            if any(each.state == "contradicted" for each in alike):
                return path
        return None


def researcher_reports(experiment: Path | None, run: Run) -> ResearcherReports | None:
    """A run's intermediate reports; None if its agent makes none, or they were not kept."""
    steps = [step for step in run.steps if step.kind == SYNTHESIS]
    if experiment is None or not steps:
        return None
    texts = read_results(run_folder(experiment, run.system, run.query_id, run.repeat))
    reports: dict[str, IntermediateReport] = {}
    for step in steps:
        # A researcher's last readable report is the one that was handed on; earlier ones were refused.
        with suppress(ValueError, ValidationError):
            reports[step.path] = IntermediateReport.model_validate(parse_json(texts.get(step.result_sha or "", "")))
    return ResearcherReports(reports)


Presence = Literal["present", "absent", "not known"]


def presence_of(source: str, subject: Subject) -> Presence:
    """Whether the shop, or the fixed corpus that the run searched, has what a report cites by this id or address.

    A calculation is never there. "not known" for pages of the open web, and of any corpus but the packaged ones.
    """
    kind = "web" if "://" in source else parse_evidence_id(source)
    store = subject.store
    if kind is None or store is None:
        return "not known"
    key = source.partition(":")[2]
    match kind:
        case "product":
            return "present" if key in store.products([key]) else "absent"
        case "order":
            with suppress(NotFound):
                store.order(key)
                return "present"
            return "absent"
        case "calculation":
            return "absent"
        case "web":
            pages = _shipped_pages(subject.system.web_corpus)
            if pages is None:
                return "not known"
            page = web_evidence_id(source) if "://" in source else source
            return "present" if page in pages else "absent"
        case _:
            return "not known"


@cache
def _shipped_pages(corpus: str | None) -> frozenset[str] | None:
    """The ids of the pages of a packaged corpus; None for another one."""
    path = shipped_corpora().get(corpus or "")
    return None if path is None else frozenset(web_evidence_id(page.url) for page in read_corpus(path))


@dataclass(frozen=True, slots=True)
class WrongClaim:
    """A claim with its verdict and its verified values."""

    claim: Claim
    verdict: Verdict | None
    """None for a claim whose sources the run never received: no judge is asked about it."""
    values: tuple[ReadValue, ...]

    @property
    def contradicted(self) -> tuple[ReadValue, ...]:
        return tuple(value for value in self.values if value.state == "contradicted")


def wrong_claims(
    claims: Sequence[Claim], verdicts: Sequence[Verdict], case: Case, reading: Reading
) -> list[WrongClaim]:
    """The wrong claims of a report, in their order, by the judge's verdicts and what it read.

    A claim is wrong if its sources do not support it, if they support it partly and a record contradicts it, or if the
    run never received any source that it names.
    """
    ruled = {verdict.item: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    values = read_report(case, reading).values

    def values_of(claim: Claim) -> tuple[ReadValue, ...]:
        """The values that the judge typed or, if it typed none, those in the claim's sentence."""
        typed = {(value.start, value.end, value.kind) for value in claim.values}
        if typed:
            return tuple(value for value in values if (value.start, value.end, value.kind) in typed)
        if claim.start is None or claim.end is None:
            return ()
        return tuple(value for value in values if claim.start <= value.start and value.end <= claim.end)

    def is_wrong(claim: WrongClaim) -> bool:
        if claim.verdict is None:
            return bool(claim.claim.unresolved) and not claim.claim.sources
        if claim.verdict.state != "scored":
            return False
        return claim.verdict.value == 0 or (claim.verdict.value < 1 and bool(claim.contradicted))

    return [*filter(is_wrong, (WrongClaim(claim, ruled.get(claim.claim_id), values_of(claim)) for claim in claims))]


Place = Literal["never_retrieved", "lost", "distorted", "invented", "unknown"]
PLACES: tuple[Place, ...] = get_args(Place)
TOP = "0"
"""The path of the report's writer: no researcher can have lost what the writer was shown."""


class PlacedClaim(Record):
    """A wrong claim with its place. A verdict holds a list of these."""

    claim_id: str
    place: Place
    reason: str


class FoundPlace(NamedTuple):
    place: Place
    reason: str


@dataclass(frozen=True)
class Placer:
    """Places the wrong claims of one report."""

    subject: Subject
    ledger: Ledger
    """The ledger, with the world's own records."""
    researcher_reports: ResearcherReports | None

    def placed(self, wrong: WrongClaim) -> PlacedClaim:
        unknown = FoundPlace("unknown", "the claim has no figure and no quote to trace through the run")
        place, reason = next(self._findings(wrong), unknown)
        return PlacedClaim(claim_id=wrong.claim.claim_id, place=place, reason=f"{reason[:1].upper()}{reason[1:]}.")

    def _findings(self, wrong: WrongClaim) -> Iterator[FoundPlace]:
        """The places that can be shown, the most certain first."""
        evidence, claim, verdict = self.subject.evidence, wrong.claim, wrong.verdict
        yield from (found for value in wrong.contradicted if (found := self._of_value(value)) is not None)
        # A true value whose source the ledger lacks, and a claim if the ledger lacks all its sources.
        for value in wrong.values:
            if value.state == "verified" and value.of and not any(each in evidence for each in value.of):
                yield FoundPlace("never_retrieved", f"it is true of {value.of[0]}, which the run was never handed")
        named = (*claim.sources, *claim.unresolved)
        if named and not any(source in evidence for source in claim.sources):
            states = {each: presence_of(each, self.subject) for each in named}
            if there := [name for name, state in states.items() if state == "present"]:
                yield FoundPlace("never_retrieved", f"the world has {there[0]}, and the run was never handed it")
            elif all(state == "absent" for state in states.values()):
                yield FoundPlace("invented", f"neither the run's ledger nor the world has {named[0]}")
        # A statement that the judge found in a source, or only in what the agent was shown of it.
        if verdict is not None and DISTORTED in verdict.notes:
            yield FoundPlace("distorted", "the summary of the page bears it out, and the page itself does not")
        elif verdict is not None and ONLY_IN_SNIPPET in verdict.notes:
            yield FoundPlace("distorted", "the search's snippet bears it out, and the page itself does not")
        elif verdict is not None and CONTRADICTED in verdict.notes and verdict.quote:
            quote = " ".join(verdict.quote.split())  # however white space is set
            texts = {each: evidence[each].texts for each in claim.sources if each in evidence}
            quoted = (name for name, own in texts.items() if any(quote in " ".join(t.text.split()) for t in own))
            source = None if verdict.quote in self.subject.query.text else next(quoted, None)
            if source is not None:
                yield self._of_handed(source, f"{source} says “{verdict.quote}”", None)
        yield from filter(None, map(self._invented, wrong.values))

    def _of_value(self, value: ReadValue) -> FoundPlace | None:
        """The place of a value that a record contradicts."""
        if not value.of:
            return self._invented(value)
        source = value.of[0]
        truth = f"{value.derivation or 'the record says otherwise'} ({source})"
        if source not in self.subject.evidence:
            return FoundPlace("never_retrieved", f"the run was never handed {source}: {value.derivation}")
        reports = self.researcher_reports
        another = None if reports is None else reports.with_another(value, self.subject.evidence, self.ledger)
        if another is not None:
            return FoundPlace("distorted", f"{truth}, and already the intermediate report of {another} says otherwise")
        return self._of_handed(source, truth, truth_of(value, self.ledger))

    def _of_handed(self, source: str, truth: str, says: Says | None) -> FoundPlace:
        """The place of a truth that is in the ledger: "lost" if no intermediate report has it, else "distorted"."""
        if self.researcher_reports is None:
            return FoundPlace("distorted", f"the run was handed the truth: {truth}")
        about = self.researcher_reports.about(source)
        path = next((path for path, text in about.items() if says is None or says(text)), None)
        if path is not None:
            return FoundPlace("distorted", f"{truth}, and so says the intermediate report of {path}")
        if any(text.shown and text.path == TOP for text in self.subject.evidence[source].texts):
            return FoundPlace("distorted", f"who wrote the report was handed the truth: {truth}")
        return FoundPlace("lost", f"{truth}, and no intermediate report says so")

    def _invented(self, value: ReadValue) -> FoundPlace | None:
        """The place of an exact figure that is in no record, calculation or text of the ledger, nor in the query."""
        amount = amount_of(value)
        if amount is None or amount.is_range or value.relation != "is" or value.state == "verified":
            return None
        if value.state == "underivable" and value.derivation:
            return None
        agreements = (amount.agreement(number) for number in self._figures)
        if self.ledger.names(amount.low) or any(each is not None for each in agreements):
            return None
        nowhere = f"no record, no calculation and no text that the run was handed has the {value.kind} {value.amount}"
        return FoundPlace("invented", nowhere)

    @cached_property
    def _figures(self) -> frozenset[Decimal]:
        """All numbers in the ledger's texts."""
        texts = {text.text for entry in self.subject.evidence.values() for text in entry.texts}
        return frozenset(
            number for text in texts for amount in find_amounts(text) for number in (amount.low, amount.high)
        )


def truth_of(value: ReadValue, ledger: Ledger) -> Says | None:
    """A function that tells whether a text states what the records have for a value; None if that can't be told."""
    match value.kind:
        case "price" | "rating" | "rating_count":
            ids = (ledger.ordered.get(each, each.removeprefix("P:")) for each in value.of)
            items = (ledger.products[id_] for id_ in ids if id_ in ledger.products)
            numbers = [number for item in items if (number := on_record(value.kind, item)) is not None]
            return lambda text: any(fits(amount, number) for amount in find_amounts(text) for number in numbers)
        case "date":
            days = [ledger.order_dates[each] for each in value.of if each in ledger.order_dates]
            return lambda text: any(date.fits(day) for date in find_dates(text) for day in days)
        case "brand":
            brands = [item.brand or "" for each in value.of if (item := ledger.products.get(each.removeprefix("P:")))]
            return lambda text: any(plain(brand) in plain(text) for brand in brands)
        case _:
            done = [ledger.calculations[each] for each in value.of if each in ledger.calculations]
            if not done:
                return None
            return lambda text: any(result_shown(find_amounts(text), calculation) for calculation in done)


NAME, VERSION = "fault_place", 1
STAGE = "place"
ITEM = "report"
"""The item of the one verdict on a report."""
NO_SHOP = "finding where an error arose takes the whole shop, and an import keeps only the products that reports name"
NO_RESEARCH = "an assistant's answer without a call of a tool: there is no research in which an error could arise"
NO_WORLD = "finding where an error arose takes the world, which is not at hand: score --world DIR names it"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Places wrong claims by this judge's own verdicts, and records them if they changed. The judge is asked only
    whether it confirms the values that records contradict.

    Without the world, existing places that follow from the same verdicts stay.
    """
    judged, claims, of = followed(judge_session)
    if subject.store is None or subject.run is None:
        existing = judge_session.existing(STAGE, ITEM)
        if existing is None or (existing.state, existing.reason) != ("scored", of):
            why = NO_SHOP if subject.system.is_imported else NO_WORLD
            judge_session.record_if_changed(STAGE, ITEM, CodeVerdict("na", None, why))
        return
    if subject.answers is not None and not any(step.kind == "tool" for step in subject.run.steps):
        verdict = CodeVerdict("na", None, NO_RESEARCH)
    elif not judged or claims.tally((*TYPES, ALL_TYPES)).unasked:
        verdict = CodeVerdict("na", None, NOT_JUDGED)
    elif claims.judged is None:
        verdict = CodeVerdict("failed", None, "the judge gave no claims")
    else:
        case = subject.case
        placer = Placer(subject, case.ledger(case.picks), researcher_reports(subject.folder, subject.run))
        wrong: Sequence[WrongClaim] = ()
        supported = {each.item for each in judged if each.stage == SUPPORT and each.value == 1}
        # If none is wrong, reading the report, the slowest step here, is skipped.
        if any(each.claim_id not in supported for each in claims.judged if each.sources or each.unresolved):
            reading = await confirmed_reading(case, judge_session, claims.judged)
            wrong = wrong_claims(claims.judged, judged, case, reading)
        placed = map(placer.placed, wrong)
        verdict = CodeVerdict("scored", [placed_claim.model_dump(mode="json") for placed_claim in placed], of)
    judge_session.record_if_changed(STAGE, ITEM, verdict)


def placed_in(verdict: Verdict) -> list[PlacedClaim]:
    """The placed claims that a verdict holds."""
    return [PlacedClaim.model_validate(each) for each in verdict.value or ()]


def marks(verdicts: Iterable[Verdict]) -> dict[str, ClaimMark]:
    """Each wrong claim's place and reason by the claim's id; of several repeats, the last."""
    return {
        claim.claim_id: ClaimMark(claim.place, claim.reason) for verdict in verdicts for claim in placed_in(verdict)
    }


COUNTS = ("n_wrong", "n_placed")
PART, WHOLE = "here", "wrong"


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """How many claims of a report are wrong and placed, and the share of its wrong claims at each place."""
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, (*COUNTS, *PLACES))
    places = [claim.place for claim in placed_in(verdict)]
    wrong = len(places)
    counts = zip(COUNTS, (wrong, wrong - places.count("unknown")), strict=True)
    return [
        *(Value(name, "scored", float(count), {WHOLE: wrong}) for name, count in counts),
        *(share(place, (PART, places.count(place)), (WHOLE, wrong)) for place in PLACES),
    ]


METRIC = Metric(
    NAME,
    VERSION,
    judge,
    of_verdicts(values),
    (*COUNTS, *PLACES),
    description_of(NAME),
    rules=RULES,
    after=(FAITHFULNESS, READING),
    pooled={place: pooled_share(place, PART, WHOLE) for place in PLACES},
    marks=marks,
)

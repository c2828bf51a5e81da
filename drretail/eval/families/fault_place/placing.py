"""One wrong claim: where it went wrong, with a sentence why. What no value and no quote shows is unknown."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import Literal, NamedTuple, get_args

from drretail.env.store.base import Store
from drretail.env.web.sandbox import default_corpus, read_corpus
from drretail.errors import NotFound
from drretail.eval.claims.claims import SUPPORT, Claim
from drretail.eval.claims.labels import CONTRADICTED, DISTORTED, ONLY_IN_SNIPPET
from drretail.eval.families.fault_place.handed_on import HandedOn, Says
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.evidence_ids import parse_evidence_id, web_evidence_id
from drretail.grounding.text.amounts import find_amounts, find_dates
from drretail.grounding.verify.checks import Case, read_report
from drretail.grounding.verify.derivation import fits, result_shown
from drretail.grounding.verify.records import Ledger, amount_of, on_record
from drretail.grounding.verify.values import plain
from drretail.records.base import Record
from drretail.records.reading import Reading, ReadValue
from drretail.records.score import Verdict

Held = Literal["held", "absent", "not known"]


def held_by_world(source: str, subject: Subject) -> Held:
    """Whether the shop, or the fixed corpus that the run searched, has what a report cites by this id or address.

    A calculation is no part of any world. Pages of the open web, and of a corpus that is not the shipped one, are not
    known.
    """
    kind = "web" if "://" in source else parse_evidence_id(source)
    store = subject.store
    if kind is None or store is None:
        return "not known"
    key = source.partition(":")[2]
    match kind:
        case "product":
            return _held(key in store.products([key]))
        case "order":
            return _held(_has_order(store, key))
        case "calculation":
            return "absent"
        case "web":
            pages = _shipped_pages()
            if subject.system.web_corpus != pages[0]:
                return "not known"
            return _held((web_evidence_id(source) if "://" in source else source) in pages[1])
        case _:
            return "not known"


def _held(there: bool) -> Held:
    return "held" if there else "absent"


def _has_order(store: Store, order_id: str) -> bool:
    try:
        store.order(order_id)
    except NotFound:
        return False
    return True


@cache
def _shipped_pages() -> tuple[str, frozenset[str]]:
    """The digest of the corpus that ships, and the ids of its pages."""
    path = default_corpus()
    ids = frozenset(web_evidence_id(page.url) for page in read_corpus(path))
    return hashlib.sha256(path.read_bytes()).hexdigest(), ids


@dataclass(frozen=True, slots=True)
class WrongClaim:
    """A claim with what was ruled on it and its values, verified."""

    claim: Claim
    verdict: Verdict | None
    """None of a claim whose sources the run was never handed: nobody is asked about it."""
    values: tuple[ReadValue, ...]

    @property
    def contradicted(self) -> tuple[ReadValue, ...]:
        return tuple(value for value in self.values if value.state == "contradicted")


def wrong_claims(claims: Sequence[Claim], verdicts: Sequence[Verdict], case: Case) -> list[WrongClaim]:
    """Those of a report's claims that are wrong, in their order.

    Wrong is what sources do not bear out or contradict, what they bear out in part and a record contradicts, and what
    names no other sources than such as the run was never handed.
    """
    ruled = {verdict.item: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    told = tuple(value for claim in claims for value in claim.values)
    values = read_report(case, Reading(reader="model:claims", values=told)).values
    found = [WrongClaim(claim, ruled.get(claim.claim_id), _values_of(claim, values)) for claim in claims]
    return [wrong_claim for wrong_claim in found if _is_wrong(wrong_claim)]


def _is_wrong(found: WrongClaim) -> bool:
    if found.verdict is None:
        return bool(found.claim.unresolved) and not found.claim.sources
    if found.verdict.state != "scored":
        return False
    return found.verdict.value == 0 or (found.verdict.value < 1 and bool(found.contradicted))


def _values_of(claim: Claim, values: Sequence[ReadValue]) -> tuple[ReadValue, ...]:
    """Those that the judge typed; where it typed none, those that stand in the claim's sentence."""
    typed = {(value.start, value.end, value.kind) for value in claim.values}
    if typed:
        return tuple(value for value in values if (value.start, value.end, value.kind) in typed)
    if claim.start is None or claim.end is None:
        return ()
    return tuple(value for value in values if claim.start <= value.start and value.end <= claim.end)


Place = Literal["never_retrieved", "lost", "distorted", "invented", "unknown"]
PLACES: tuple[Place, ...] = get_args(Place)
TOP = "0"
"""The path of who writes the report: what it was shown itself, no researcher can have lost."""


class PlacedClaim(Record):
    """A wrong claim with its place; verdicts hold a list of these."""

    claim_id: str
    place: Place
    reason: str


class Found(NamedTuple):
    place: Place
    reason: str


@dataclass(frozen=True)
class Placer:
    """Places the wrong claims of one report."""

    subject: Subject
    ledger: Ledger
    """With the world's own records."""
    handed_on: HandedOn | None

    def placed(self, wrong: WrongClaim) -> PlacedClaim:
        found = next(self._findings(wrong), Found("unknown", "no typed value and no quote shows where it went wrong"))
        return PlacedClaim(
            claim_id=wrong.claim.claim_id, place=found.place, reason=f"{found.reason[:1].upper()}{found.reason[1:]}."
        )

    def _findings(self, wrong: WrongClaim) -> Iterator[Found]:
        """What shows its place, the surest first."""
        yield from (found for value in wrong.contradicted if (found := self._of_value(value)) is not None)
        yield from self._of_what_was_never_handed(wrong)
        yield from self._of_quotes(wrong)
        yield from (
            Found("invented", self._nowhere(read_value))
            for read_value in wrong.values
            if self._stands_nowhere(read_value)
        )

    def _of_value(self, value: ReadValue) -> Found | None:
        """Of a value that a record contradicts."""
        if not value.of:
            return Found("invented", self._nowhere(value)) if self._stands_nowhere(value) else None
        source = value.of[0]
        truth = f"{value.derivation or 'the record says otherwise'} ({source})"
        if source not in self.subject.evidence:
            return Found("never_retrieved", f"the run was never handed {source}: {value.derivation}")
        if (another := self._handed_on_otherwise(value)) is not None:
            return Found("distorted", f"{truth}, and already the intermediate report of {another} says otherwise")
        return self._of_handed(source, truth, truth_of(value, self.ledger))

    def _of_handed(self, source: str, truth: str, says: Says | None) -> Found:
        """Of a truth that the ledger has: lost where no intermediate report hands it on, else distorted."""
        if self.handed_on is None:
            return Found("distorted", f"the run was handed the truth: {truth}")
        path = self.handed_on.with_truth(source, says or (lambda _: True))
        if path is not None:
            return Found("distorted", f"{truth}, and so says the intermediate report of {path}")
        if any(text.shown and text.path == TOP for text in self.subject.evidence[source].texts):
            return Found("distorted", f"who wrote the report was handed the truth: {truth}")
        return Found("lost", f"{truth}, and no intermediate report says so")

    def _handed_on_otherwise(self, value: ReadValue) -> str | None:
        if self.handed_on is None:
            return None
        return self.handed_on.with_another(value, self.subject.evidence, self.ledger)

    def _of_what_was_never_handed(self, wrong: WrongClaim) -> Iterator[Found]:
        """Of a true value whose source the ledger lacks, and of a claim all of whose sources it lacks."""
        evidence, claim = self.subject.evidence, wrong.claim
        for value in wrong.values:
            if value.state == "verified" and value.of and not any(each in evidence for each in value.of):
                yield Found("never_retrieved", f"it is true of {value.of[0]}, which the run was never handed")
        named = (*claim.sources, *claim.unresolved)
        if not named or any(source in evidence for source in claim.sources):
            return
        states = {each: held_by_world(each, self.subject) for each in named}
        if there := [it for it, state in states.items() if state == "held"]:
            yield Found("never_retrieved", f"the world has {there[0]}, and the run was never handed it")
        elif all(state == "absent" for state in states.values()):
            yield Found("invented", f"neither the run's ledger nor the world has {named[0]}")

    def _of_quotes(self, wrong: WrongClaim) -> Iterator[Found]:
        """Of what the judge found said in a source, or said in what the agent was shown of it alone."""
        verdict = wrong.verdict
        if verdict is None:
            return
        if DISTORTED in verdict.notes:
            yield Found("distorted", "the summary of the page bears it out, and the page itself does not")
        elif ONLY_IN_SNIPPET in verdict.notes:
            yield Found("distorted", "the search's snippet bears it out, and the page itself does not")
        elif CONTRADICTED in verdict.notes and verdict.quote and verdict.quote not in self.subject.query.text:
            source = self._source_of(verdict.quote, wrong)
            if source is not None:
                yield self._of_handed(source, f"{source} says “{verdict.quote}”", None)

    def _source_of(self, quote: str, wrong: WrongClaim) -> str | None:
        """The claim's source whose text has the quote, however white space is set."""
        wanted, evidence = " ".join(quote.split()), self.subject.evidence
        held = (source for source in wrong.claim.sources if source in evidence)
        return next(
            (each for each in held if any(wanted in " ".join(t.text.split()) for t in evidence[each].texts)), None
        )

    def _stands_nowhere(self, value: ReadValue) -> bool:
        """True of an exact figure that no record, calculation or text of the ledger has, nor the query."""
        amount = amount_of(value)
        if amount is None or amount.is_range or value.relation != "is" or value.state == "verified":
            return False
        if value.state == "underivable" and value.derivation:
            return False
        held = (amount.agreement(number) for number in self._figures)
        return not self.ledger.names(amount.low) and all(each is None for each in held)

    @staticmethod
    def _nowhere(value: ReadValue) -> str:
        return f"no record, no calculation and no text that the run was handed has the {value.kind} {value.amount}"

    @cached_property
    def _figures(self) -> frozenset[Decimal]:
        """All that stand in the ledger."""
        texts = {it.text for entry in self.subject.evidence.values() for it in entry.texts}
        return frozenset(
            number for text in texts for amount in find_amounts(text) for number in (amount.low, amount.high)
        )


def truth_of(value: ReadValue, ledger: Ledger) -> Says | None:
    """Tells whether a text says what the records have in place of a value; None where no text can be held to that."""
    match value.kind:
        case "price" | "rating" | "rating_count":
            ids = (ledger.ordered.get(each, each.removeprefix("P:")) for each in value.of)
            items = (ledger.products[id_] for id_ in ids if id_ in ledger.products)
            numbers = [it for item in items if (it := on_record(value.kind, item)) is not None]
            return lambda text: any(fits(amount, number) for amount in find_amounts(text) for number in numbers)
        case "date":
            days = [ledger.order_dates[each] for each in value.of if each in ledger.order_dates]
            return lambda text: any(date.fits(day) for date in find_dates(text) for day in days)
        case "brand":
            brands = [item.brand or "" for each in value.of if (item := ledger.products.get(each.removeprefix("P:")))]
            return lambda text: any(plain(brand) in plain(text) for brand in brands)
        case _:
            done = [ledger.calculations[each] for each in value.of if each in ledger.calculations]
            return (
                (lambda text: any(result_shown(find_amounts(text), calculation) for calculation in done))
                if done
                else None
            )

"""A report read and checked as a whole, the entry point of evaluation and of agents that verify drafts.

``read_report`` takes the declared picks, else a model's, and compares values with the records: those that a model
typed, and those that form makes certain where no model has read. ``check_report`` lists what is wrong with that
reading, with the sources, and with the run.

All of it is about what a reader is shown. Prose is not judged: a sentence without a figure neither helps nor harms.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from urllib.parse import urlsplit

from drretail.records.evidence import Citation, Evidence, Finding
from drretail.records.query import KeptReference, Query, Reference
from drretail.records.reading import DECLARED, FORM, OF_FORM, Outcome, Pick, Reading, ReadValue, Unread
from drretail.records.run import Run
from drretail.records.shop import VOID_STATUSES, Product, UserProfile, product_of
from drretail.records.wish import Wish
from drretail.remembered import remembered_by
from drretail.reports.citations import find_citations
from drretail.reports.layout import Layout, read_layout
from drretail.reports.picks import by_product
from drretail.reports.text.evidence_ids import product_evidence_id
from drretail.reports.text.numerals import find_numerals
from drretail.reports.text.wording import format_amount
from drretail.reports.text.words import content_stems
from drretail.shopping.verify.findings import (
    cited_products,
    known_profiles,
    misleading_links,
    personal_data_sent,
    pick_findings,
    profile_changes,
    refusable_wants,
    source_findings,
    value_findings,
)
from drretail.shopping.verify.form import read_by_form
from drretail.shopping.verify.parts import Part, ReadAnswers, numerals_in, parts_by_marks
from drretail.shopping.verify.places import compare_value, would_be_caught
from drretail.shopping.verify.records import CENTS, UNKNOWN, Ledger, is_explained, read_ledger, record_of
from drretail.shopping.vocabulary import NO_WORDS, Records

NO_PICKS = "the report declares no picks"


@dataclass(frozen=True)
class Case:
    """A report with everything that it is compared with."""

    report: str
    """Without its block of picks."""
    evidence: Mapping[str, Evidence]
    query: Query
    picks: tuple[Pick, ...] | None = None
    """As the agent declared them; None if it declared none."""
    run: Run | None = None
    """None for a draft: then what was sent and changed is not checked."""
    outcome: Outcome | None = None
    """As the agent declared it, besides its picks."""
    shop: Records | None = None
    """None without the world."""
    profiles: tuple[UserProfile, ...] = ()
    """The acting user's profiles, besides those that the run received."""
    owned: frozenset[str] = frozenset()
    """Products of the user's orders, besides those that the run received."""
    orders_shown: bool = True
    """False if the run could not see the user's orders."""
    order_ids: frozenset[str] = frozenset()
    read_answers: Callable[[], ReadAnswers | None] = lambda: None
    """What an assistant's answers say without marks; None for a report that cites by marks. Read only where needed:
    tables look at thousands of runs.
    """
    read_shown: Callable[[], Ledger] | None = None
    """What the run was shown, if others have read it."""
    is_imported: bool = False
    """True if the ledger holds only what the report itself names."""
    is_of_shop: bool = False
    """True if the products that an imported report names were looked up in its shop."""
    with_power: bool = True
    """False leaves out how many false figures would be found, which takes ten times as long as all else."""
    is_turn: bool = False
    """True for a turn of a conversation, whose picks are not held against its wish alone."""
    read_ends: Callable[[], Reference | KeptReference | None] = lambda: None
    """The baskets that satisfy the wish; None if they are not known, as while a draft is checked. Read only where
    needed, since to work them out takes long.
    """

    @property
    def wish(self) -> Wish | None:
        return self.query.wish

    @property
    def is_watched(self) -> bool:
        """True if what the run received is known."""
        return not self.is_imported or bool(self.run is not None and self.run.steps)

    @property
    def unknown_kinds(self) -> str:
        """The letters of those evidence ids of which nobody knows whether the run was handed them."""
        return "" if self.is_watched else "CFOSUW" if self.is_of_shop else "CFOPSUW"

    @cached_property
    def own_hosts(self) -> frozenset[str | None]:
        """Where the shop's own pages are, by those of its products."""
        pages = (entry.url for entry in self.evidence.values() if entry.kind == "product" and entry.url)
        return frozenset(urlsplit(page).hostname for page in pages)

    @cached_property
    def no_decision(self) -> str | None:
        """Why the agent, asked for picks where something is wanted, has made no decision; None if it has made one."""
        is_asked = self.wish is not None and bool(self.wish.wants)
        return NO_PICKS if is_asked and self.run is not None and self.run.is_undecided else None

    @property
    def refused_wrongly(self) -> str | None:
        """What would have satisfied the wish, if the run buys nothing, for whatever reason; None if it is right."""
        ends = self.read_ends() if self.run is not None and self.run.picks == () else None
        basket = None if ends is None else ends.cheapest
        if basket is None or not basket.items:
            return None
        items = ", ".join(f"P:{item.offer_id} x {item.quantity}" for item in basket.items)
        return f"for {format_amount(basket.total)} the shop has what meets every limit: {items}"

    @cached_property
    def citations(self) -> Sequence[Citation]:
        return find_citations(self.report, self.evidence)

    @cached_property
    def layout(self) -> Layout:
        return read_layout(self.report, self.evidence)

    @cached_property
    def cited(self) -> frozenset[str]:
        """The ids that the report cites, whether or not the run received them."""
        products = (map(product_evidence_id, cited_products(citation)) for citation in self.citations)
        ids_cited = (citation.evidence_id or citation.marker.strip("[]") for citation in self.citations)
        return frozenset(chain(ids_cited, *products))

    @cached_property
    def all_owned(self) -> frozenset[str]:
        """Products that the user has, by the query, the run's records and the world."""
        orders = (text.text for entry in self.evidence.values() if entry.kind == "order" for text in entry.sources)
        ordered = (
            str(record["product_id"])
            for record in map(record_of, orders)
            if record and record.get("user_id") == self.query.user_id
            if record.get("order_status") not in VOID_STATUSES
        )
        return self.owned.union(self.wish.owned if self.wish else (), ordered)

    @cached_property
    def all_profiles(self) -> tuple[UserProfile, ...]:
        by_user = {profile.user_id: profile for profile in (*known_profiles(self.evidence), *self.profiles)}
        return tuple(by_user.values())

    @remembered_by(lambda picks=None: tuple(picks or ()))
    def products(self, picks: Sequence[Pick] | None = None) -> Mapping[str, Product]:
        """The world's records of the products that the run was shown, the report cites, or these picks name."""
        if self.shop is None:
            return {}
        picked = [product_of(name) for pick in picks or () for name in (pick.product, *pick.alternatives)]
        products = {source.removeprefix("P:") for source in (*self.evidence, *self.cited) if source[:2] == "P:"}
        return self.shop.products(sorted({*products, *picked}))

    @remembered_by(lambda picks=None: () if picks is None else (tuple(picks),))
    def ledger(self, picks: Sequence[Pick] | None = None) -> Ledger:
        """What values and picks are compared with; ``picks`` are those whose sum the report may name."""
        shown = read_ledger(self.evidence, self.query) if self.read_shown is None else self.read_shown()
        products = {**shown.products, **self.products(picks)}  # the world's own records win
        vocabulary = NO_WORDS if self.shop is None else self.shop.vocabulary
        picked = None if picks is None else tuple(picks)
        return replace(shown, products=products, picks=picked, vocabulary=vocabulary)

    def held(self, picks: Sequence[Pick] | None) -> tuple[Layout, Ledger]:
        """The report, or an assistant's answers, and what they are held against."""
        answers = self.read_answers()
        return (self.layout, self.ledger(picks)) if answers is None else (answers.layout, answers.ledger)

    @cached_property
    def parts(self) -> Sequence[Part]:
        """What citations own, or the parts of an assistant's answers, with what they are about."""
        answers = self.read_answers()
        return parts_by_marks(self.layout) if answers is None else answers.parts

    @cached_property
    def by_form(self) -> Sequence[ReadValue]:
        """The values that form makes certain: several metrics ask for the same."""
        return read_by_form(*self.held(self.picks), self.parts, with_power=self.with_power)

    @cached_property
    def numerals(self) -> Sequence[Unread]:
        """All numbers of the report, or of an assistant's answers."""
        return numerals_in(self.held(self.picks)[0], self.parts)


def read_picks(case: Case, by_model: Reading | None = None) -> tuple[tuple[Pick, ...] | None, str]:
    """The picks of a report, and who read them: without its values, which take long to read."""
    if case.picks is not None:
        return case.picks, DECLARED
    picks = None if by_model is None or by_model.picks is None else tuple(_by_id(pick, case) for pick in by_model.picks)
    if picks is None and case.wish is None and case.read_answers() is not None:
        picks = ()  # nothing is to be bought
    return picks, FORM if by_model is None else by_model.reader


def read_report(case: Case, by_model: Reading | None = None) -> Reading:
    """The picks and values of a report, with how many of its figures were decided, and how many of these would be found
    if they were wrong.

    Where a model has read, form is silent but for sums, results of calculations and quoted words, of which models type
    the fewest, and for what a record contradicts: a model takes that away only by typing the place so that a record
    decides it, or by saying, with a quote, why it is not meant. What else a model did not confirm is left open.
    """
    picks, reader = read_picks(case, by_model)
    _, ledger = case.held(picks)
    typed = [compare_value(value, case.report, ledger) for value in (by_model.values if by_model else ())]
    typed = [would_be_caught(value, case.report, ledger) for value in typed]
    if by_model is not None and by_model.confirmed is not None:
        typed = [_as_confirmed(value, by_model) for value in typed]
    places = [(value.start, value.end) for value in typed]
    by_form, read = _covered(places), _covered([*places, *(by_model.spans if by_model else ())])
    # A total that no model types, since it is what is left of a budget, is read by form.
    silent = ((value, by_form if value.kind == "total" else read) for value in case.by_form)
    declined = () if by_model is None else by_model.declined
    answered = _covered(
        (value.start, value.end) for value in typed if value.state != "underivable" or value.denial in declined
    )
    certain = [
        value
        for value, mask in silent
        if value.kind in OF_FORM
        or not any((answered if value.state == "contradicted" else mask)[value.start : value.end])
    ]
    numerals = case.numerals
    values = sorted([*typed, *certain], key=lambda value: (value.start, value.kind))
    decided = _covered((value.start, value.end) for value in values if value.state != "underivable")
    values_by = FORM if by_model is None else by_model.reader
    return Reading(
        reader=reader,
        values_by=None if values_by == reader else values_by,
        picks=picks,
        values=tuple(values),
        unread=tuple(numeral for numeral in numerals if not any(decided[numeral.start : numeral.end])),
        numerals=len(numerals),
    )


def _covered(spans: Iterable[tuple[int, int]]) -> bytearray:
    """1 for each character that is in a span: reports of a thousand sentences have as many values."""
    parts = [*spans]
    covered = bytearray(max((end for _, end in parts), default=0))
    for start, end in parts:
        covered[start:end] = b"\1" * (end - start)
    return covered


def _as_confirmed(value: ReadValue, by_model: Reading) -> ReadValue:
    """The value; contested if a record contradicts it, until the model confirms that this is what is said, or says with
    a quote why it is not.
    """
    if not (value.state == "contradicted" or value.is_contested) or value.denial in (by_model.confirmed or ()):
        return value
    return value.model_copy(update={"state": "underivable", "is_contested": value.denial not in by_model.declined})


def check_report(case: Case, reading: Reading) -> list[Finding]:
    """All findings in text order; those without a place come last. Pure."""
    return _in_text_order([*check_statements(case, reading), *_check_picks(case, reading)])


def check_statements(case: Case, reading: Reading) -> list[Finding]:
    """What is wrong with a report's statements and sources, and with what its run sent and changed, in text order."""
    citable = None if case.shop is None else case.products(reading.picks).keys()
    if case.is_of_shop:  # all that its report names was looked up; what is gone, or a tool's, may be named rightly
        known = {entry.key for entry in case.evidence.values() if entry.problem != UNKNOWN}
        citable = known.union(case.products(reading.picks))
    findings = [
        *value_findings(case.report, reading.values),
        *source_findings(case.citations, citable, unknown_kinds=case.unknown_kinds, own_hosts=case.own_hosts),
    ]
    if (answers := case.read_answers()) is not None:
        findings += misleading_links(case.citations, answers.ledger.titles)
    if case.run is not None:
        acting = filter(None, (case.query.user_id, case.run.user_id))
        users = {*acting, *(profile.user_id for profile in case.all_profiles)}
        orders = {entry.key for entry in case.evidence.values() if entry.kind == "order"} | case.order_ids
        findings += personal_data_sent(case.run, case.all_profiles, users, orders)
        findings += profile_changes(case.run.state_diff, case.query.text)
    return _in_text_order(findings)


def _check_picks(case: Case, reading: Reading) -> Iterator[Finding]:
    if case.no_decision is not None:
        yield Finding(code="no_decision", severity="error", text="no picks", found=case.no_decision)
    elif (missed := case.refused_wrongly) is not None:
        yield Finding(code="refused_wrongly", severity="error", text="nothing is bought", found=missed)
    elif reading.picks is not None:
        outcome = case.outcome if case.run is None else case.run.outcome
        of_picks = pick_findings(
            reading.picks,
            report=case.report,
            cited=case.cited,
            wish=None if case.is_turn else case.wish,
            owned=case.all_owned,
            ledger=case.ledger(reading.picks),
            catalog=None if case.shop is None else case.products(reading.picks).keys(),
            refusable={} if case.wish is None else refusable_wants(case.wish, outcome, case.read_ends()),
        )
        # A citation of an unknown product has a finding of its own, at its place.
        yield from (one for one in of_picks if one.code != "not_in_catalog" or one.evidence_id not in case.cited)


def _in_text_order(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.start is None, finding.start or 0, finding.code))


def unfounded_amounts(case: Case, reading: Reading) -> Iterator[Finding]:
    """A warning for each amount of money with cents that nobody decided, that no source has, and that follows from
    nothing: a total in words, or a price from nowhere. What it is about is not read, so that it is no error. None where
    nobody knows what the system read.

    ``check_report`` leaves them out: it is asked of every draft and rollout, and they take as long as all the rest.
    """
    (layout, ledger), unread = case.held(reading.picks), {numeral.start for numeral in reading.unread}
    cited = [source[2:] for source in case.cited if source[:2] == "P:"]
    unexplained = [
        amount
        for amount in (layout.amounts if case.is_watched else ())
        if (amount.kind, amount.relation, amount.places) == ("money", "is", CENTS)
        and not unread.isdisjoint(range(amount.start, amount.end))
        and not is_explained(amount, ledger, ledger.products, cited)
    ]
    texts = [text.text for entry in case.evidence.values() for text in entry.texts] if unexplained else []
    numbers = {numeral.number for text in texts for numeral in find_numerals(text)}
    for amount in unexplained:
        if amount.low not in numbers:
            place = {"start": amount.start, "end": amount.end, "text": layout.text[amount.start : amount.end]}
            about = {"code": "amount_unfounded", "severity": "warning", "found": "no source or sum gives it"}
            yield Finding.model_validate(place | about)


def _by_id(pick: Pick, case: Case) -> Pick:
    """A pick without a mark, by the id of the one product whose record has all words of its name."""
    products, pick = case.products([pick]), by_product(pick, case.products([pick]))
    if pick.product in products or f"P:{pick.product}" in case.cited:
        return pick
    words = {*content_stems(pick.product)}
    meant = [
        key for key, item in products.items() if words <= {*content_stems(f"{item.brand} {item.store} {item.title}")}
    ]
    return pick.model_copy(update={"product": meant[0]}) if len(meant) == 1 else pick

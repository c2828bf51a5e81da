"""An experiment's answers of two systems, query by query: what both say, what one alone says, what each picks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from drretail.errors import UserError
from drretail.eval.judging.pairs import resolve_name
from drretail.experiment import Definition, prompts_path, read_definition
from drretail.grounding.report.citations import citing_marks
from drretail.grounding.text.sentences import find_sentences
from drretail.records.query import Query
from drretail.viewer.cart import Cart, CartLine, cart_of
from drretail.viewer.claims import Claim
from drretail.viewer.diff.matching import KINDS, Change, Kind, Statement, changes
from drretail.viewer.experiment import ClaimsView, RunView, read_runs_of

Pair = tuple[RunView, RunView]
"""A's and B's run of one query and repeat."""


@dataclass(frozen=True, slots=True)
class CartChange:
    """One product that is not picked alike: its line in A's cart and in B's."""

    a: CartLine | None
    b: CartLine | None


@dataclass(frozen=True)
class AnswerPair:
    """What two systems said to one query."""

    query: Query
    repeat: int
    a: RunView
    b: RunView

    @property
    def anchor(self) -> str:
        return f"q{self.a.number}"

    @property
    def title(self) -> str:
        return self.query.query_id if self.repeat == 1 else f"{self.query.query_id}, repeat {self.repeat}"

    @cached_property
    def claims(self) -> tuple[ClaimsView, ClaimsView] | None:
        """Of the first judge that extracted from both reports; None where nobody did."""
        for a in self.a.claims:
            for b in self.b.claims:
                if (a.judged.judge, a.judged.rules) == (b.judged.judge, b.judged.rules):
                    return a, b
        return None

    @property
    def by(self) -> str:
        """Who took the reports apart."""
        return "sentences, by code" if self.claims is None else f"claims, judged by {self.claims[0].judged.by}"

    @cached_property
    def changes(self) -> list[Change]:
        if self.claims is None:
            return changes(sentences(self.a), sentences(self.b))
        a, b = ([_claim(claim) for claim in view.claims] for view in self.claims)
        return changes(a, b)

    @property
    def counts(self) -> dict[Kind, int]:
        kinds = [change.kind for change in self.changes]
        return {kind: kinds.count(kind) for kind in KINDS}

    @cached_property
    def carts(self) -> tuple[Cart | None, Cart | None]:
        """None where the picks are not known."""
        a, b = (None if run.run is None else cart_of(run.run, run.subject.evidence) for run in (self.a, self.b))
        return a, b

    @property
    def cart_changes(self) -> list[CartChange]:
        """Products that only one of both picks, or another number of; nothing where the picks of one are not known."""
        a, b = ({} if cart is None else {line.product: line for line in cart.lines} for cart in self.carts)
        if None in self.carts:
            return []
        products = [
            each for each in {**a, **b} if each not in a or each not in b or a[each].quantity != b[each].quantity
        ]
        return [CartChange(a.get(product), b.get(product)) for product in products]


@dataclass(frozen=True, slots=True)
class AnswersDiff:
    """Two systems of an experiment, side by side."""

    name: str
    a: str
    b: str
    pairs: tuple[AnswerPair, ...]
    apart: tuple[str, ...]
    """In a sentence each: queries that only one of both was asked."""
    prompts: tuple[str, ...]
    """In a sentence each: what a system is prompted with instead of the package's prompts."""


def read_diff(experiment: Path, a: str, b: str) -> AnswersDiff:
    """The answers of the systems whose labels are, or begin with, ``a`` and ``b``.

    Raises UserError for a folder without an experiment, and for two names of one system; UnknownName for a wrong one.
    """
    definition = read_definition(experiment)
    a, b = (resolve_name("system", each, definition.systems) for each in (a, b))
    if a == b:
        raise UserError(f"{a} can't be set beside itself: name two systems of {experiment}.")
    runs = read_runs_of(experiment, [a, b])
    by_place = {(run.subject.label, run.subject.query.query_id, run.subject.repeat): run for run in runs}
    pairs = [
        AnswerPair(run.subject.query, run.subject.repeat, run, other)
        for run in runs
        if run.subject.label == a
        and (other := by_place.get((b, run.subject.query.query_id, run.subject.repeat))) is not None
    ]
    apart, prompts = _apart(definition, a, b), _own_prompts(experiment, definition, a, b)
    return AnswersDiff(experiment.resolve().name, a, b, tuple(pairs), tuple(apart), tuple(prompts))


def sentences(view: RunView) -> list[Statement]:
    """The sentences of a report, each with the sources that it cites."""
    report = view.subject.report or ""
    evidence = view.subject.evidence
    marks = list(citing_marks(report, evidence))
    found = [sentence for sentence in find_sentences(report) if sentence.kind != "heading"]
    return [
        Statement(
            number,
            report[each.start : each.end],
            tuple(
                sorted(
                    {
                        cited.evidence_id or cited.name
                        for mark in marks
                        if each.start <= mark.start < each.end
                        for cited in mark.cited
                    }
                )
            ),
            span=(each.start, each.end),
        )
        for number, each in enumerate(found, 1)
    ]


def _claim(claim: Claim) -> Statement:
    reasons = [
        verdict.verdict.reason or verdict.verdict.error or ""
        for verdict in claim.claim_verdicts
        if verdict.support != "full"
    ]
    return Statement(claim.number, claim.text, claim.sources, claim.support, " ".join(reasons), claim.span)


def _apart(definition: Definition, a: str, b: str) -> Iterator[str]:
    queries = {label: {query.query_id for query in definition.queries_of(label)} for label in (a, b)}
    for label, other in ((a, b), (b, a)):
        alone = queries[label] - queries[other]
        if alone:
            yield f"{len(alone):,} of the queries {'was' if len(alone) == 1 else 'were'} asked of {label} alone."


def _own_prompts(experiment: Path, definition: Definition, a: str, b: str) -> Iterator[str]:
    for side, label in (("A", a), ("B", b)):
        prompts = definition.systems[label].prompts
        if prompts is not None:
            where = prompts_path(experiment, label, prompts.name)
            yield f"{side} is told otherwise than the package has it: {', '.join(prompts.hashes)} (in {where})."

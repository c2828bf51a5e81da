"""Two systems' answers of an experiment, query by query: what both state and pick, and what only one does."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from drretail.errors import UserError
from drretail.eval.compare.differences import SIDE_BY_SIDE
from drretail.eval.compare.wording import listed
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.pairs import Labels, resolve_name
from drretail.eval.scores.file import read_scores
from drretail.experiment import prompts_path, read_definition
from drretail.grounding.report.citations import citing_marks
from drretail.grounding.report.marks import find_marks
from drretail.grounding.report.markup import blanked
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.words import content_stems
from drretail.records.query import Query
from drretail.tables.figures import counted
from drretail.viewer.cart import Cart, CartLine, cart_of
from drretail.viewer.claims import Support
from drretail.viewer.experiment import ClaimsView, RunView, read_runs_of
from drretail.viewer.judged import pairs_with_verdicts, read_pair_judgements

RULE = "Two statements count as the same if their figures and at least half of their words and sources are the same."
LEAST = 0.5
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
Side = Literal["A", "B"]
Kind = Literal["verdict", "only_a", "only_b", "same"]
KINDS: dict[Kind, str] = {
    "verdict": "with another verdict",
    "only_a": "only in A",
    "only_b": "only in B",
    "same": "in both",
}


@dataclass(frozen=True)
class Statement:
    """A claim that a judge extracted, or a sentence; ``span`` is its place in the report, if known."""

    number: int
    text: str
    sources: tuple[str, ...]
    support: Support | None = None
    """The judge's verdict; None for a sentence."""
    reason: str = ""
    span: tuple[int, int] | None = None

    @cached_property
    def plain(self) -> str:
        """Its text on one line, without citation marks."""
        return " ".join(blanked(self.text, [(mark.start, mark.end) for mark in find_marks(self.text)]).split())

    @cached_property
    def figures(self) -> frozenset[str]:
        return frozenset(found.replace(",", "") for found in _FIGURE.findall(self.plain))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Stems of its words, and its sources."""
        return frozenset((*content_stems(self.plain), *self.sources))


@dataclass(frozen=True, slots=True)
class Change:
    """A statement of A alone, of B alone, or of both."""

    kind: Kind
    a: Statement | None
    b: Statement | None

    @property
    def statement(self) -> Statement:
        """B's statement, or A's if B does not have it."""
        found = self.b or self.a
        assert found is not None
        return found


def changes(a: Sequence[Statement], b: Sequence[Statement]) -> list[Change]:
    """Each statement once: changed verdicts, then statements of one side, then equal ones.

    The most similar statements are matched first, each with at most one other. Within a kind, the order is the
    reports'.
    """
    likeness = [(likeness_of(each, other), each, other) for each in a for other in b]
    likeness.sort(key=lambda found: (-found[0], found[1].number, found[2].number))
    partners: dict[int, Statement] = {}
    taken: set[int] = set()
    for share, statement, other in likeness:
        if share >= LEAST and statement.number not in partners and other.number not in taken:
            partners[statement.number] = other
            taken.add(other.number)
    found: list[Change] = []
    for each in a:
        other = partners.get(each.number)
        kind: Kind = "only_a" if other is None else "same" if each.support == other.support else "verdict"
        found.append(Change(kind, each, other))
    found += [Change("only_b", None, other) for other in b if other.number not in taken]
    return sorted(found, key=lambda change: list(KINDS).index(change.kind))


def likeness_of(a: Statement, b: Statement) -> float:
    """The share of the words and sources of either that both have (Jaccard); 0 if their figures differ."""
    if a.figures != b.figures:
        return 0.0
    together = a.terms | b.terms
    return len(a.terms & b.terms) / len(together) if together else float(a.plain == b.plain)


@dataclass(frozen=True, slots=True)
class CartChange:
    """A product that the two do not pick equally: its line in A's cart and in B's, None if missing."""

    a: CartLine | None
    b: CartLine | None


@dataclass(frozen=True)
class AnswerPair:
    """Two systems' answers to one query."""

    query: Query
    repeat: int
    a: RunView
    b: RunView
    won: Mapping[str, Side]
    """The side with the higher value here, by measure; measures in which both are equal are left out."""

    @property
    def won_words(self) -> str:
        """For example "A in quality, B in clean"; empty if both are equal."""
        sides = {side: [name for name, winner in self.won.items() if winner == side] for side in ("A", "B")}
        return ", ".join(f"{side} in {listed(names)}" for side, names in sides.items() if names)

    @property
    def anchor(self) -> str:
        return f"q{self.a.number}"

    @property
    def title(self) -> str:
        return self.query.query_id if self.repeat == 1 else f"{self.query.query_id}, repeat {self.repeat}"

    @cached_property
    def claims(self) -> tuple[ClaimsView, ClaimsView] | None:
        """The claims of the first judge that extracted from both reports; None if there is none."""
        for a in self.a.claims:
            for b in self.b.claims:
                if (a.judged.judge, a.judged.rules) == (b.judged.judge, b.judged.rules):
                    return a, b
        return None

    @property
    def by(self) -> str:
        """How the reports were split into statements."""
        return "sentences, by code" if self.claims is None else f"claims, judged by {self.claims[0].judged.by}"

    @cached_property
    def changes(self) -> list[Change]:
        if self.claims is None:
            return changes(sentences(self.a), sentences(self.b))
        a, b = (
            [
                Statement(
                    claim.number,
                    claim.text,
                    claim.sources,
                    claim.support,
                    claim.reason if claim.support != "full" else "",
                    claim.span,
                )
                for claim in view.claims
            ]
            for view in self.claims
        )
        return changes(a, b)

    @cached_property
    def by_kind(self) -> dict[Kind, list[tuple[str, Change]]]:
        """The changes with their anchors, by kind."""
        named = [(f"{self.anchor}c{number}", change) for number, change in enumerate(self.changes, 1)]
        return {kind: [each for each in named if each[1].kind == kind] for kind in KINDS}

    @property
    def counts(self) -> dict[Kind, int]:
        return {kind: len(found) for kind, found in self.by_kind.items()}

    @cached_property
    def carts(self) -> tuple[Cart | None, Cart | None]:
        """A's cart and B's; None if the picks are unknown."""
        a, b = (None if run.run is None else cart_of(run.run, run.subject.evidence) for run in (self.a, self.b))
        return a, b

    @property
    def cart_changes(self) -> list[CartChange]:
        """Products that only one side picks, or picks in another number; empty if the picks of a side are unknown."""
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
    """A sentence for each side with queries that only it was asked."""
    prompts: tuple[str, ...]
    """A sentence for each side with prompts of its own instead of the package's."""

    @property
    def won(self) -> list[str]:
        """A sentence for each measure on how many questions each side won; none for a measure that no side won."""
        measures = dict.fromkeys(name for pair in self.pairs for name in pair.won)
        counts = {name: Counter(pair.won.get(name) for pair in self.pairs) for name in measures}
        whole = counted(len(self.pairs), "question")
        lead = {SIDE_BY_SIDE: f"Preferred {SIDE_BY_SIDE}"}
        return [
            f"{lead.get(name, f'Higher in {name}')}: A on {won['A']:,}, B on {won['B']:,} of {whole}."
            for name, won in counts.items()
        ]


def read_diff(experiment: Path, a: str, b: str) -> AnswersDiff:
    """The answers of the systems whose labels are, or begin with, ``a`` and ``b``.

    Raises UserError for a folder without an experiment, and if both names mean one system; UnknownName for a wrong
    name.
    """
    definition = read_definition(experiment)
    a, b = (resolve_name("system", each, definition.systems) for each in (a, b))
    if a == b:
        raise UserError(f"{a} can't be set beside itself: name two systems of {experiment}.")
    scores = read_scores(experiment)
    board = None if scores is None else scores.scoreboard
    measures = [] if board is None else [measure.measure for measure in board.compared]
    judged = pairs_with_verdicts(experiment)
    runs = read_runs_of(experiment, [a, b], board)
    by_place = {(run.subject.label, run.subject.query.query_id, run.subject.repeat): run for run in runs}
    pairs = [
        AnswerPair(run.subject.query, run.subject.repeat, run, other, _won(experiment, run, other, measures, judged))
        for run in runs
        if run.subject.label == a
        and (other := by_place.get((b, run.subject.query.query_id, run.subject.repeat))) is not None
    ]
    asked = {label: {query.query_id for query in definition.queries_of(label)} for label in (a, b)}
    apart: list[str] = []
    own_prompts: list[str] = []
    for side, label, other in (("A", a, b), ("B", b, a)):
        if alone := asked[label] - asked[other]:
            were = "was" if len(alone) == 1 else "were"
            apart.append(f"{len(alone):,} of the queries {were} asked of {label} alone.")
        if prompts := definition.systems[label].prompts:
            where = prompts_path(experiment, label, prompts.name)
            names = ", ".join(prompts.hashes)
            own_prompts.append(f"{side} has other prompts than the package: {names} (in {where}).")
    return AnswersDiff(experiment.resolve().name, a, b, tuple(pairs), tuple(apart), tuple(own_prompts))


def _won(
    experiment: Path, a: RunView, b: RunView, measures: Sequence[str], judged: Mapping[str, Sequence[Labels]]
) -> dict[str, Side]:
    """The winners by measures of single reports, then side by side by the first judge that compared the two."""
    won: dict[str, Side] = {}
    for name in measures:
        values = [run.values.get(name) for run in (a, b)]
        if values[0] != values[1] and values[0] is not None and values[1] is not None:
            won[name] = "A" if values[0] > values[1] else "B"
    reports = {run.subject.label: run.subject.report_sha for run in (a, b)}
    query_id, repeat = a.subject.query.query_id, a.subject.repeat
    for judgement in read_pair_judgements(experiment, judged, query_id, repeat, reports):
        choice = next((each.choice for each in judgement.dimensions if each.dimension == PRIMARY), None)
        if choice in ("a", "b"):
            winner = judgement.labels["ab".index(choice)]
            won.setdefault(SIDE_BY_SIDE, "A" if winner == a.subject.label else "B")
    return won


def sentences(view: RunView) -> list[Statement]:
    """The sentences of a report without headings, each with the sources that it cites."""
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

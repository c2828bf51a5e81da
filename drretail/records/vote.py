"""What people say about reports, one line each in ``votes/<annotator>.jsonl``, and the plan of what they are asked."""

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from pydantic import AwareDatetime, Field

from drretail.records.base import Document, Record, sha256_of

Choice = Literal["a", "b", "tie"]
ClaimSupport = Literal["full", "partial", "none", "contradicted"]
Side = Literal["a", "b"]
_OTHER: dict[Choice, Choice] = {"a": "b", "b": "a"}
SUPPORT = "support"
"""The question about a claim: what its sources say about it."""


def about_pair(pair_id: str, a: str, b: str) -> str:
    """The key by which ballots and items name two reports. Files may name the systems in either order."""
    return f"pair {pair_id} {' '.join(sorted((a, b)))}"


def about_report(run_id: str, report_sha: str) -> str:
    return f"report {run_id} {report_sha}"


def about_claim(run_id: str, report_sha: str, extracted_by: str, claim_id: str) -> str:
    return f"claim {run_id} {report_sha} {extracted_by} {claim_id}"


class _Line(Document):
    annotator: str
    at: AwareDatetime
    note: str | None = None

    @property
    def ballot_id(self) -> str:
        """The hash by which later lines name this one."""
        return sha256_of(self.as_line())[:16]


class _Ballot(_Line):
    replaces: str | None = None
    """The ``ballot_id`` of the person's earlier line on the same question."""


class Vote(_Ballot):
    """One person's choice between two reports on one dimension; the last about one pair and dimension holds."""

    kind: Literal["vote"] = "vote"
    pair_id: str
    query_id: str
    a: str
    """The systems' labels."""
    b: str
    shown_left: Side
    dimension: str
    choice: Choice

    @property
    def about(self) -> str:
        return about_pair(self.pair_id, self.a, self.b)

    @property
    def asked(self) -> str:
        return self.dimension

    @property
    def answer(self) -> str:
        """The choice as the person saw it: "left", "right" or "tie"."""
        return "tie" if self.choice == "tie" else "left" if self.choice == self.shown_left else "right"

    @property
    def place(self) -> Choice:
        """The choice with the two systems in the order of their labels, so that votes on one pair can be compared."""
        return self.choice if self.choice == "tie" or self.a < self.b else _OTHER[self.choice]

    def seen_as(self, first: "Vote") -> str:
        """The choice by the sides that ``first`` was shown of this pair: "left", "right" or "tie".

        κ is measured on it. By names, agreement by chance would rise with the share of one system, or seem rarer than
        it is with several: each pair leaves two choices, and a side is drawn.
        """
        same = self.place if self.choice == "tie" or first.is_first_left else _OTHER[self.place]
        return {"a": "left", "b": "right", "tie": "tie"}[same]

    @property
    def is_first_left(self) -> bool:
        """True if the first system by label was shown left."""
        return (self.a < self.b) == (self.shown_left == "a")


class _OfReport(_Ballot):
    run_id: str
    report_sha: str
    query_id: str

    @property
    def about(self) -> str:
        return about_report(self.run_id, self.report_sha)


class Rating(_OfReport):
    """One person's rating of one report on one dimension, 0 to 10."""

    kind: Literal["rating"] = "rating"
    dimension: str
    value: int = Field(ge=0, le=10)

    @property
    def asked(self) -> str:
        return self.dimension

    @property
    def answer(self) -> str:
        return str(self.value)


class ClaimLabel(_OfReport):
    """One person's label of a claim: what its sources say about it."""

    asked: ClassVar[str] = SUPPORT
    kind: Literal["label"] = "label"
    label: ClaimSupport
    claim_id: str
    claim: str
    extracted_by: str
    """The judge that extracted the claim. Claims' ids are that judge's own."""

    @property
    def about(self) -> str:
        return about_claim(self.run_id, self.report_sha, self.extracted_by, self.claim_id)

    @property
    def answer(self) -> str:
        return self.label


Ballot = Vote | Rating | ClaimLabel


class Withdrawal(_Line):
    """Takes back an earlier line, so that the line which that one had replaced counts again."""

    kind: Literal["withdrawal"] = "withdrawal"
    replaces: str


Line = Ballot | Withdrawal


def line_of(value: dict[str, Any]) -> Line:
    """The record on a line of a votes file; a line without a kind is a vote. Raises ValidationError."""
    types: dict[str, type[Line]] = {"rating": Rating, "label": ClaimLabel}
    kinds = types | {"withdrawal": Withdrawal}
    return kinds.get(str(value.get("kind")), Vote).model_validate(value)


def current_ballots(lines: Iterable[Line]) -> list[Ballot]:
    """One person's ballots that count, by time: the last on each question that was not withdrawn."""
    ballots: dict[str, Ballot] = {}
    for line in lines:
        if isinstance(line, Withdrawal):
            ballots.pop(line.replaces, None)
        else:
            ballots.pop(line.ballot_id, None)
            ballots[line.ballot_id] = line
    last = {(ballot.about, ballot.asked): ballot for ballot in ballots.values()}
    return [ballot for ballot in ballots.values() if last[ballot.about, ballot.asked] is ballot]


class PairItem(Record):
    """Two reports on one query, to be compared."""

    pair_id: str
    """Says nothing about the systems, and changes if a report changes."""
    query_id: str
    repeat: int = 1
    a: str
    b: str

    @property
    def about(self) -> str:
        return about_pair(self.pair_id, self.a, self.b)

    def left_for(self, annotator: str) -> Side:
        """Whose report this person sees as A: drawn from a hash, so that it is the same each time."""
        return "a" if int(sha256_of([self.pair_id, annotator])[:8], 16) % 2 else "b"

    def ballot(self, asked: str, value: str, annotator: str, **signed: Any) -> Vote:
        """The vote for "left", "right" or "tie"."""
        left = self.left_for(annotator)
        sides = {"left": left, "right": "b" if left == "a" else "a", "tie": "tie"}
        about = {**self.model_dump(exclude={"repeat"}), "annotator": annotator, "shown_left": left}
        return Vote.model_validate({**about, **signed, "dimension": asked, "choice": sides[value]})


class ReportItem(Record):
    """One report to be rated."""

    run_id: str
    report_sha: str
    query_id: str
    system: str
    repeat: int = 1

    @property
    def about(self) -> str:
        return about_report(self.run_id, self.report_sha)

    def ballot(self, asked: str, value: str, annotator: str, **signed: Any) -> Ballot:
        """The rating by a number from 0 to 10."""
        about = {"run_id": self.run_id, "report_sha": self.report_sha, "query_id": self.query_id}
        return Rating(**about, annotator=annotator, **signed, dimension=asked, value=int(value))


class ClaimItem(ReportItem):
    """One claim to be labelled."""

    claim_id: str
    extracted_by: str
    stratum: str
    """The system and its judge's ruling. Claims are drawn at random within it, the most from large ones."""

    @property
    def about(self) -> str:
        return about_claim(self.run_id, self.report_sha, self.extracted_by, self.claim_id)

    def ballot(self, asked: str, value: str, annotator: str, **signed: Any) -> Ballot:
        """The label; ``signed`` holds the claim's text."""
        of_report = self.model_dump(include={"run_id", "report_sha", "query_id", "claim_id", "extracted_by"})
        fields = {**of_report, "annotator": annotator, **signed}
        return ClaimLabel.model_validate({**fields, "label": value})


Item = PairItem | ReportItem | ClaimItem


class VotingPlan(Document):
    """votes/plan.json: what everybody is asked, in this order; it only ever grows at its end."""

    seed: str
    pairs: tuple[PairItem, ...] = ()
    reports: tuple[ReportItem, ...] = ()
    claims: tuple[ClaimItem, ...] = ()
    strata: dict[str, int] = Field(default_factory=dict[str, int])
    """By stratum: how many claims it held when the plan's last ones were drawn, for which its labels stand."""

    def items(self, path: str) -> tuple[Item, ...]:
        """Those that the pages of this path ask about."""
        return {"vote": self.pairs, "rate": self.reports, "label": self.claims}[path]

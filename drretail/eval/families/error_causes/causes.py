"""One missed insight or wrong claim of a report: its cause, with a sentence why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from drretail.eval.claims.claims import Claim
from drretail.grounding.report.evidence_ids import file_evidence_id, normalise_url, web_evidence_id
from drretail.grounding.text.amounts import find_amounts
from drretail.records.base import Record
from drretail.records.criteria import Gold, GoldInsight, GoldPart, PagesByLabel
from drretail.records.evidence import Evidence
from drretail.records.run import Run

Cause = Literal[
    "not_retrieved", "file_not_read", "not_used", "misled", "hallucinated", "ended_early", "unknown"
]  # fmt: skip
CAUSES: tuple[Cause, ...] = get_args(Cause)
CUT = ("turn_limit", "token_budget", "dollar_budget", "context_limit")
"""Ways to stop that leave no time for what was still to be found."""


class FoundError(Record):
    """An error of a report with its cause; verdicts hold a list of these."""

    kind: Literal["insight", "claim"]
    item: str
    """The insight's or the claim's id."""
    cause: Cause
    reason: str


class JudgedClaim(NamedTuple):
    claim: Claim
    support: Mapping[str, float]
    """By source, of those that could be judged: 1, ½ or 0."""


@dataclass(frozen=True)
class Causes:
    """Tells the causes of one report's errors."""

    run: Run
    evidence: Mapping[str, Evidence]
    gold: Gold
    labels: PagesByLabel
    asked: str
    """The query's words."""

    def of_insight(self, part: GoldPart, insight: GoldInsight) -> FoundError:
        """Why an insight is not told in full."""
        cause, reason = self._missed(part, insight.stands_in)
        return FoundError(kind="insight", item=insight.id, cause=cause, reason=reason)

    def of_claim(self, judged: JudgedClaim) -> FoundError | None:
        """Why a claim is wrong; None of one that is not known to be."""
        claim = judged.claim
        if not self._is_wrong(judged):
            return None
        cause, reason = next(self._findings(claim))
        return FoundError(kind="claim", item=claim.claim_id, cause=cause, reason=reason)

    def _missed(self, part: GoldPart, place: str) -> tuple[Cause, str]:
        if not place:
            return "unknown", "The gold does not say where it stands."
        if self._was_handed(part, place):
            return "not_used", f"The run was handed {place}, and its report does not tell this in full."
        if self.run.stop in CUT or self.run.failed_branches:
            how = "a part of its research failed" if self.run.stop not in CUT else f"it ended early ({self.run.stop})"
            return "ended_early", f"The run was never handed {place}: {how}."
        if part == "files":
            return "file_not_read", f"The run did not read {place}."
        return "not_retrieved", f"{place} never came up in the run's searches."

    def _was_handed(self, part: GoldPart, place: str) -> bool:
        if part == "files":
            held = [each for each in self.evidence.values() if each.kind == "file" and place in (each.key, each.title)]
        else:
            held = [each for each in self.evidence.values() if _addresses(each) & {_address(place)}]
        return any(_shown(each) for each in held)

    def _is_wrong(self, judged: JudgedClaim) -> bool:
        """Not borne out in full by a source, of no source that the run was handed, or resting on distractors alone."""
        if not judged.claim.sources:
            return bool(judged.claim.unresolved)
        if any(s < 1 for s in judged.support.values()):
            return True
        return bool(judged.support) and {*judged.claim.sources} <= self._distractors.keys()

    def _findings(self, claim: Claim) -> Iterator[tuple[Cause, str]]:
        if cited := [source for source in claim.sources if source in self._distractors]:
            yield "misled", f"It cites {self._distractors[cited[0]].url}, a distractor."
        if (taken := self._taken_from(claim)) is not None:
            yield "misled", f"It has a figure that stands in {taken.url} alone, a distractor that the run was handed."
        if claim.sources:
            yield "hallucinated", "What it cites does not say it."
        for named in claim.unresolved:
            if self._is_supportive(named):
                yield "not_retrieved", f"It cites {named}, which the run was never handed."
            if named in {file_evidence_id(document.title) for document in self.gold.files.documents}:
                yield "file_not_read", f"It cites {named}, which the run did not read."
        yield "hallucinated", "It has no source that there is."

    def _is_supportive(self, named: str) -> bool:
        pages = self.labels.supportive
        return named in {web_evidence_id(page) for page in pages} or _address(named) in {
            _address(page) for page in pages
        }

    def _taken_from(self, claim: Claim) -> Evidence | None:
        """The distractor that has a figure of the claim which neither other evidence nor the query has."""
        for figure in sorted(_figures(claim.claim) - self._figures_elsewhere):
            found = (
                distractor
                for distractor in self._distractors.values()
                if any(figure in _figures(text) for text in _shown(distractor))
            )
            if (page := next(found, None)) is not None:
                return page
        return None

    @cached_property
    def _distractors(self) -> Mapping[str, Evidence]:
        """Those that the run was handed, by evidence id."""
        pages = {_address(distractor) for distractor in self.labels.distractors}
        return {name: it for name, it in self.evidence.items() if _addresses(it) & pages}

    @cached_property
    def _figures_elsewhere(self) -> frozenset[Decimal]:
        others = (it for name, it in self.evidence.items() if name not in self._distractors)
        texts = (text for other in others for text in _shown(other))
        return _figures(self.asked).union(*map(_figures, texts))


def _figures(text: str) -> frozenset[Decimal]:
    return frozenset(number for amount in find_amounts(text) for number in (amount.low, amount.high))


def _shown(entry: Evidence) -> list[str]:
    """What an agent read of it."""
    return [text.text for text in entry.texts if text.shown]


def _address(url: str) -> str:
    return normalise_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def _addresses(entry: Evidence) -> set[str]:
    return {_address(each) for each in (entry.url or "", entry.key) if each} if entry.kind == "web" else set()

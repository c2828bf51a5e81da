"""The verdicts of one report, counted: the input of every formula of faithfulness."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Literal

from drretail.eval.claims.audit import uncovered_in
from drretail.eval.claims.claims import (
    ALL_TYPES,
    AUDIT,
    FAITHFULNESS,
    FROZEN,
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
from drretail.eval.claims.labels import CONTRADICTED, INVENTED, NOT_RATED, NOTES
from drretail.eval.judging.session import JudgeSession
from drretail.eval.registry import load_metric
from drretail.records.base import sha256_of
from drretail.records.score import Rules, Verdict


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

    def tally(self, kinds: Sequence[str], by: Literal["sources", "shown", "live"] = "sources") -> Tally:
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
        uncovered = uncovered_in(self._audit, kinds)
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
    read = {source_type(source.id) for source in verdict.sources}
    return verdict.state == "scored" and (ALL_TYPES in kinds or any(kind in kinds for kind in read))


def cites(claim: Claim) -> bool:
    """True if the report names a source of the claim that resolves."""
    return len(claim.sources) > len(claim.looked_up)


def has_url(claim: Claim) -> bool:
    """True if the claim's sources in the report include a web page or a product (paper Table 9)."""
    return any(source_type(source) != "internal" for source in claim.sources if source not in claim.looked_up)

"""The claims that judges extracted from reports, with verdicts on those that cite something, for drawing labels."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from drretail.addons.people.prediction_powered import next_stratum
from drretail.eval.claims.audit import ReportVerdicts
from drretail.eval.claims.claims import FAITHFULNESS, SUPPORT, Claim
from drretail.eval.claims.rulings import CONTRADICTED
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.numbers.judges import judge_spec
from drretail.records.base import sha256_of
from drretail.records.vote import ClaimItem
from drretail.viewer.judged import read_judgements

WORDS = {1.0: "full", 0.5: "partial"}
"""The strata of supported claims, in the words of labelling plans."""


class JudgedClaim(ClaimItem):
    """A claim that a judge extracted from a report, with its verdict if it has one."""

    judge: str
    has_verdict: bool = True
    """False for a claim without a source that could be judged."""
    support: float | None = None
    """None without a verdict."""
    weight: float = 0.0
    """How much of its report's FP its support is; 0 for claims that FP leaves out, as those of internal sources."""
    claim: Claim = Claim(claim_id="", claim="")
    """As the judge extracted it."""
    read: frozenset[str] = frozenset()
    """The sha256 of each text that the judge read for its verdict."""


C = TypeVar("C", bound=ClaimItem)


def draw_claims(planned: Iterable[C], claims: Iterable[C], size: int, seed: str) -> list[C]:
    """The planned claims and further ones, up to ``size`` in all, drawn by lot within strata.

    Systems take turns, so that all get equally many labels. Within a system, labels are allocated in proportion to its
    strata, after each has a few (``next_stratum``). Every prefix is allocated like the whole.
    """
    chosen = list(planned)
    claim_ids = {claim.about for claim in chosen}
    lots: dict[str, list[C]] = defaultdict(list)
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    drawn: dict[str, Counter[str]] = defaultdict(Counter)
    for claim in sorted(claims, key=lambda claim: sha256_of([seed, claim.about]), reverse=True):
        sizes[claim.system][claim.stratum] += 1
        if claim.about in claim_ids:
            drawn[claim.system][claim.stratum] += 1
        else:
            lots[claim.stratum].append(claim)
    left = sorted(sizes)
    while left and len(chosen) < size:
        system = min(left, key=lambda name: drawn[name].total())
        stratum = next_stratum(sizes[system], drawn[system])
        if stratum is None:
            left.remove(system)
        else:
            chosen.append(lots[stratum].pop())
            drawn[system][stratum] += 1
    return chosen


def item_of(claim: JudgedClaim) -> ClaimItem:
    """The claim as plans keep it, without verdict and text."""
    return ClaimItem.model_validate(claim.model_dump(include={*ClaimItem.model_fields}))


def sheet_name(about: str) -> str:
    """A claim's name in sheets for labellers, which hides the system and the judge."""
    return sha256_of(about)[:16]


def judged_claims(experiment: Path) -> list[JudgedClaim]:
    """All claims of every judge, from verdicts that are not stale, under the default rules and in the first repeat."""
    return [claim for subject in read_subjects(experiment, None) for claim in judged_claims_of(experiment, subject)]


def judged_claims_of(experiment: Path, subject: Subject) -> list[JudgedClaim]:
    """The claims of one report by judge, those of rule-based judges last."""
    if subject.run is None or subject.run.report is None:
        return []
    claims: list[JudgedClaim] = []
    for judged in read_judgements(experiment, FAITHFULNESS, subject.run).by_judge:
        verdicts = [verdict for verdict in judged.verdicts if (judged.rules, verdict.judge_repeat) == ("default", 1)]
        # What cites nothing that exists counts 0, and there is nothing to read.
        read_ones = [v for v in verdicts if (v.stage, v.state) == (SUPPORT, "scored") and v.sources]
        ruled = {verdict.item: verdict for verdict in read_ones}
        report = ReportVerdicts(verdicts, "default")
        weights = report.weights()
        for claim in report.all or ():
            verdict = ruled.get(claim.claim_id)
            word, support, read = "unverified" if claim.sources else "uncited", None, frozenset[str]()
            if verdict is not None:
                support, read = float(verdict.value), frozenset(source.sha256 for source in verdict.sources)
                word = "contradicted" if CONTRADICTED in verdict.notes else WORDS.get(support, "none")
            judged_claim = JudgedClaim(
                run_id=subject.run_id,
                report_sha=str(subject.report_sha),
                query_id=subject.query.query_id,
                system=subject.label,
                repeat=subject.repeat,
                claim_id=claim.claim_id,
                extracted_by=judge_spec(judged.judge),
                stratum=f"{subject.label} {word}",
                has_verdict=verdict is not None,
                judge=judged.judge.spec,
                support=support,
                weight=weights.get(claim.claim_id, 0.0),
                claim=claim,
                read=read,
            )
            claims.append(judged_claim)
    return claims

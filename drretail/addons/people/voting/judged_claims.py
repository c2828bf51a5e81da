"""The claims that judges extracted from reports, with verdicts on those that cite something, for drawing labels."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from drretail.eval.claims.claims import FAITHFULNESS, HEADLINE, SUPPORT
from drretail.eval.claims.labels import CONTRADICTED
from drretail.eval.claims.tally import ReportVerdicts, cites
from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.judging.verdicts import VerdictFile, judges_in, verdict_path
from drretail.eval.registry import load_metric
from drretail.eval.scores.panel import name_of
from drretail.records.base import sha256_of
from drretail.records.score import Verdict
from drretail.records.vote import ClaimItem
from drretail.stats.prediction_powered import next_stratum


class ExtractedClaim(ClaimItem):
    """A claim that a judge extracted from a report, with its verdict if it has one."""

    judge: str
    support: float | None = None
    """None without a verdict."""
    in_fp: bool = False
    """False for claims that cite only internal sources, which FP leaves out."""
    cited: bool = False
    """As FR counts it: the report names a source of the claim that the run was shown."""
    text: str = ""
    span: tuple[int, int] | None = None
    """Its place in the report."""


Claim = TypeVar("Claim", bound=ClaimItem)


def draw_claims(kept: Iterable[Claim], found: Iterable[Claim], size: int, seed: str) -> list[Claim]:
    """``kept`` and further claims from ``found``, up to ``size`` in all, drawn by lot within strata.

    Systems take turns, so that all get equally many labels. Within a system, labels are allocated in proportion to its
    strata, after each has a few (``next_stratum``). Every prefix is allocated like the whole.
    """
    chosen = list(kept)
    known = {claim.about for claim in chosen}
    lots: dict[str, list[Claim]] = defaultdict(list)
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    drawn: dict[str, Counter[str]] = defaultdict(Counter)
    for claim in sorted(found, key=lambda claim: sha256_of([seed, claim.about]), reverse=True):
        sizes[claim.system][claim.stratum] += 1
        if claim.about in known:
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


def sheet_name(about: str) -> str:
    """A claim's name in sheets for labellers, which hides the system and the judge."""
    return sha256_of(about)[:16]


def extracted_claims(experiment: Path) -> list[ExtractedClaim]:
    """All claims of every judge, from verdicts that are not stale, under the default rules and in the first repeat."""
    return [claim for subject in read_subjects(experiment, None) for claim in extracted_from(experiment, subject)]


def extracted_from(experiment: Path, subject: Subject) -> list[ExtractedClaim]:
    """The claims of one report."""
    metric, run = load_metric(FAITHFULNESS), f"{subject.query.query_id}-r{subject.repeat}"
    if subject.report_sha is None:
        return []
    prompts = in_all_wordings(experiment, metric.prompt_hashes)
    claims: list[ExtractedClaim] = []
    for judge in judges_in(experiment, FAITHFULNESS):
        file = VerdictFile(verdict_path(experiment, FAITHFULNESS, judge, subject.label, run))
        verdicts = [
            verdict
            for verdict in file.living(subject.report_sha, prompts)
            if (verdict.rules, verdict.judge_repeat, verdict.version) == ("default", 1, metric.version)
        ]
        claims += _extracted(subject, verdicts)
    return claims


def _extracted(subject: Subject, verdicts: Sequence[Verdict]) -> Iterator[ExtractedClaim]:
    report = ReportVerdicts(verdicts, "default")
    counted = report.supports(HEADLINE)
    ruled = {verdict.item: verdict for verdict in verdicts if verdict.stage == SUPPORT and verdict.state == "scored"}
    for claim in report.all or ():
        judge, verdict = verdicts[0].judge, ruled.get(claim.claim_id)
        # The same words as in labelling plans.
        word = "unverified" if claim.sources else "uncited"
        if verdict is not None:
            word = {1.0: "full", 0.5: "partial"}.get(float(verdict.value), "none")
            word = "contradicted" if CONTRADICTED in verdict.notes else word
        yield ExtractedClaim(
            run_id=subject.run_id,
            report_sha=str(subject.report_sha),
            query_id=subject.query.query_id,
            system=subject.label,
            repeat=subject.repeat,
            claim_id=claim.claim_id,
            extracted_by=name_of(judge),
            stratum=f"{subject.label} {word}",
            has_verdict=verdict is not None,
            judge=judge.spec,
            support=None if verdict is None else float(verdict.value),
            in_fp=claim.claim_id in counted,
            cited=cites(claim),
            text=claim.claim,
            span=None if claim.start is None or claim.end is None else (claim.start, claim.end),
        )

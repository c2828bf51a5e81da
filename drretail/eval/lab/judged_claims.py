"""The cited claims of an experiment on which a judge ruled: what labels are drawn from, and stand for."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drretail.eval.faithfulness.claims import FAMILY, SUPPORT
from drretail.eval.faithfulness.rulings import CONTRADICTED
from drretail.eval.faithfulness.score import HEADLINE
from drretail.eval.faithfulness.tally import ReportVerdicts
from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.registry import load_metric
from drretail.eval.scores.panel import name_of
from drretail.records.base import sha256_of
from drretail.records.score import Verdict
from drretail.records.vote import about_claim


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with what a judge ruled on it."""

    about: str
    """As ballots and plans name it."""
    judge: str
    system: str
    query_id: str
    run_id: str
    support: float
    stratum: str
    """System and verdict, of which labels are drawn evenly."""
    in_fp: bool
    """False of claims that cite internal sources alone: FP leaves them out."""


def sheet_name(about: str) -> str:
    """As sheets name a claim to whoever labels it: not by the system and the judge whose it is."""
    return sha256_of(about)[:16]


def judged_claims(experiment: Path) -> list[JudgedClaim]:
    """All of every judge, under the default rules and in its first repeat, from verdicts that live."""
    return [it for subject in read_subjects(experiment, None) for it in _of(experiment, subject)]


def _of(experiment: Path, subject: Subject) -> Iterator[JudgedClaim]:
    metric, run = load_metric(FAMILY), f"{subject.query.query_id}-r{subject.repeat}"
    if subject.report_sha is None:
        return
    prompts = in_all_wordings(experiment, metric.prompt_hashes)
    for folder in sorted((experiment / "verdicts" / FAMILY).glob("*/")):
        path = verdict_path(experiment, FAMILY, folder.name, subject.label, run)
        living = VerdictFile(path).living(subject.report_sha, prompts) if path.exists() else []
        verdicts = [it for it in living if (it.rules, it.judge_repeat, it.version) == ("default", 1, metric.version)]
        counted = ReportVerdicts(verdicts, "default").supports(HEADLINE)
        for verdict in verdicts:
            if verdict.stage == SUPPORT and verdict.state == "scored":
                yield JudgedClaim(
                    about=about_claim(subject.run_id, subject.report_sha, name_of(verdict.judge), verdict.item),
                    judge=verdict.judge.spec,
                    system=subject.label,
                    query_id=subject.query.query_id,
                    run_id=subject.run_id,
                    support=float(verdict.value),
                    stratum=f"{subject.label} {_word(verdict)}",
                    in_fp=verdict.item in counted,
                )


def _word(verdict: Verdict) -> str:
    """As plans of labelling have it."""
    if CONTRADICTED in verdict.notes:
        return "contradicted"
    return {1.0: "full", 0.5: "partial"}.get(float(verdict.value), "none")

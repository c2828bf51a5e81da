"""One verdict for all errors of a report: code's, beside the verdicts of the judge that it follows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from drretail.env.web.sealed import LABELS_FILE, PAGES_FILE, labels_by_url, read_pages, task_folder
from drretail.eval.claims.claims import SUPPORT
from drretail.eval.claims.extraction import claims_in
from drretail.eval.families.dr3 import accuracy, insights
from drretail.eval.families.dr3.judge import REPORT, gold_of
from drretail.eval.families.dr3.parts import NO_GOLD, Judged
from drretail.eval.families.error_causes.causes import Causes, FoundError, JudgedClaim
from drretail.eval.judging.criteria import freeze
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.experiment import Definition, labels_path, read_labels_of
from drretail.records.base import Record
from drretail.records.criteria import GOLD_PARTS, PagesByLabel
from drretail.records.score import Verdict


def take_labels(experiment: Path, definition: Definition, given: str) -> int:
    """Copies the labels of the experiment's queries out of a sandbox, and gives their number; of anything else, none.

    Raises UserError for labels that can't be read, and where the experiment holds others.
    """
    source = Path(given)
    folders = {query.query_id: task_folder(source, query.query_id) for query in definition.queries}
    found = [_labels(name, folder) for name, folder in folders.items() if (folder / LABELS_FILE).is_file()]
    freeze("gold", source, {labels_path(experiment, label.query_id): label.model_dump(mode="json") for label in found})
    return len(found)


def _labels(query_id: str, folder: Path) -> PagesByLabel:
    pages = read_pages(folder) if (folder / PAGES_FILE).is_file() else []  # a judge may be given labels alone
    labels = labels_by_url(folder, pages)
    return PagesByLabel(
        query_id=query_id,
        supportive=tuple(url for url, label in labels.items() if label == "supportive"),
        distractors=tuple(url for url, label in labels.items() if label == "distractor"),
    )


FAMILY, VERSION = "error_causes", 1
FOLLOWS = "dr3"
"""The family whose verdicts it reads."""
STAGE = "causes"
NO_LABELS = "nobody knows what its pages are there for: score with --gold and the sandbox's folder"
NOT_JUDGED = "this judge has not judged the report by dr3: score dr3"


class ReportErrors(Record):
    """What is wrong in one report."""

    errors: tuple[FoundError, ...]
    insights_judged: bool
    """False before a judge that follows rules: then errors are of claims alone."""


def sort_errors(subject: Subject, judge_session: JudgeSession, verdicts: Sequence[Verdict]) -> CodeVerdict:
    """The causes of the report's errors."""
    gold = gold_of(subject)
    labels = None if subject.folder is None else read_labels_of(subject.folder, subject.query.query_id)
    if gold is None or labels is None or subject.run is None:
        return CodeVerdict("na", None, NO_GOLD if gold is None else NO_LABELS)
    judged = Judged(verdicts, judge_session.rules, gold, None)
    if judged.of(accuracy.extraction_of(judge_session.rules), REPORT) is None:
        return CodeVerdict("na", None, NOT_JUDGED)
    causes = Causes(subject.run, subject.evidence, gold, labels, subject.query.text)
    claims = _claims(judged)
    if claims is None:
        return CodeVerdict("failed", None, "the judge gave no claims")
    missed = _missed(judged, causes)
    if missed is None:
        return CodeVerdict("failed", None, "an insight was left without a label")
    wrong = [found for claim in claims if (found := causes.of_claim(claim)) is not None]
    found = ReportErrors(errors=(*missed, *wrong), insights_judged=not judged.is_unasked(insights.STAGE))
    return CodeVerdict("scored", found.model_dump(mode="json"))


def _claims(judged: Judged) -> list[JudgedClaim] | None:
    """The report's claims with what was said of each by its sources; None where the extraction failed."""
    extracted: Verdict | None = judged.of(accuracy.extraction_of(judged.rules), REPORT)
    claims = None if extracted is None else claims_in(extracted)
    if claims is None:
        return None
    return [
        JudgedClaim(
            claim,
            {
                source: float(verdict.value)
                for source in claim.sources
                if (verdict := judged.of(SUPPORT, accuracy.pair_item(claim, source))) is not None
                and verdict.state == "scored"
            },
        )
        for claim in claims
    ]


def _missed(judged: Judged, causes: Causes) -> Sequence[FoundError] | None:
    """The insights that are not told in full, as recall counts them; None where one has no label."""
    if judged.is_unasked(insights.STAGE):
        return ()
    found = [*_labelled(judged, causes)]
    return None if None in found else [error for error, value in filter(None, found) if value < 1]


def _labelled(judged: Judged, causes: Causes) -> Iterator[tuple[FoundError, float] | None]:
    for part in GOLD_PARTS:
        for insight in causes.gold.part(part).insights:
            verdict = judged.of(insights.STAGE, insights.insight_item(part, insight))
            has_label = verdict is not None and verdict.state == "scored"
            yield (causes.of_insight(part, insight), float(verdict.value)) if verdict and has_label else None

"""Why reports on a sandbox miss what is known beforehand, and claim what they cannot show.

It asks nothing: the causes follow from verdicts of dr3 (docs/publications.md; 003, Figure 8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from drretail.env.web.sealed import LABELS_FILE, PAGES_FILE, labels_by_url, read_pages, task_folder
from drretail.eval.breakdown import breakdown
from drretail.eval.claims.claims import SUPPORT, Claim
from drretail.eval.claims.extraction import claims_in
from drretail.eval.families.dr3 import accuracy, insights
from drretail.eval.families.dr3.judge import REPORT, gold_of
from drretail.eval.families.dr3.parts import NO_GOLD, Judged
from drretail.eval.family import BY_RULES
from drretail.eval.judging.criteria import freeze
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.values import Value, lacking
from drretail.experiment import Definition, labels_path, read_labels_of
from drretail.grounding.report.evidence_ids import file_evidence_id, normalise_url, web_evidence_id
from drretail.grounding.text.amounts import find_amounts
from drretail.records.base import Record
from drretail.records.criteria import GOLD_PARTS, Gold, GoldInsight, GoldPart, PagesByLabel
from drretail.records.evidence import Evidence
from drretail.records.run import Run
from drretail.records.score import MetricDescription, Verdict

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
        place = insight.stands_in
        if part == "files":
            files = [each for each in self.evidence.values() if each.kind == "file" and place in (each.key, each.title)]
        else:
            files = [each for each in self.evidence.values() if _addresses(each) & {_address(place)}]
        cause: Cause
        if not place:
            cause, reason = "unknown", "The gold does not say where it stands."
        elif any(map(_shown, files)):
            cause, reason = "not_used", f"The run was handed {place}, and its report does not tell this in full."
        elif self.run.stop in CUT or self.run.failed_branches:
            how = "a part of its research failed" if self.run.stop not in CUT else f"it ended early ({self.run.stop})"
            cause, reason = "ended_early", f"The run was never handed {place}: {how}."
        elif part == "files":
            cause, reason = "file_not_read", f"The run did not read {place}."
        else:
            cause, reason = "not_retrieved", f"{place} never came up in the run's searches."
        return FoundError(kind="insight", item=insight.id, cause=cause, reason=reason)

    def of_claim(self, judged: JudgedClaim) -> FoundError | None:
        """Why a claim is wrong; None of one that is not known to be.

        Wrong is what a source does not bear out in full, what names no source that the run was handed, and what rests
        on distractors alone.
        """
        claim, support = judged.claim, judged.support
        on_distractors = bool(support) and {*claim.sources} <= self._distractors.keys()
        is_wrong = any(s < 1 for s in support.values()) or on_distractors if claim.sources else claim.unresolved
        if not is_wrong:
            return None
        cause, reason = next(self._findings(claim))
        return FoundError(kind="claim", item=claim.claim_id, cause=cause, reason=reason)

    def _findings(self, claim: Claim) -> Iterator[tuple[Cause, str]]:
        if cited := [source for source in claim.sources if source in self._distractors]:
            yield "misled", f"It cites {self._distractors[cited[0]].url}, a distractor."
        if (taken := self._taken_from(claim)) is not None:
            yield "misled", f"It has a figure that stands in {taken.url} alone, a distractor that the run was handed."
        if claim.sources:
            yield "hallucinated", "What it cites does not say it."
        ids = {web_evidence_id(page) for page in self.labels.supportive}
        addresses = {_address(page) for page in self.labels.supportive}
        for named in claim.unresolved:
            if named in ids or _address(named) in addresses:
                yield "not_retrieved", f"It cites {named}, which the run was never handed."
            if named in {file_evidence_id(document.title) for document in self.gold.files.documents}:
                yield "file_not_read", f"It cites {named}, which the run did not read."
        yield "hallucinated", "It has no source that there is."

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
        return {name: entry for name, entry in self.evidence.items() if _addresses(entry) & pages}

    @cached_property
    def _figures_elsewhere(self) -> frozenset[Decimal]:
        others = (entry for name, entry in self.evidence.items() if name not in self._distractors)
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
    missed: list[FoundError] = []
    has_labels = not judged.is_unasked(insights.STAGE)
    for part in GOLD_PARTS if has_labels else ():
        for insight in gold.part(part).insights:
            label = judged.of(insights.STAGE, insights.insight_item(part, insight))
            if label is None or label.state != "scored":
                return CodeVerdict("failed", None, "an insight was left without a label")
            missed += [causes.of_insight(part, insight)] if float(label.value) < 1 else []
    wrong = [found for claim in claims if (found := causes.of_claim(claim)) is not None]
    found = ReportErrors(errors=(*missed, *wrong), insights_judged=has_labels)
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


N_MISSED, N_WRONG = "n_missed", "n_wrong_claims"
COUNTS = (N_MISSED, N_WRONG)
PART, WHOLE = "of this cause", "errors"


def counts(verdict: Verdict) -> list[Value]:
    """How many insights a report misses, where its judge was asked for them, and how many of its claims are wrong."""
    found = ReportErrors.model_validate(verdict.value)
    kinds = [error.kind for error in found.errors]
    missed = Value(N_MISSED, "scored", float(kinds.count("insight")))
    return [
        missed if found.insights_judged else lacking(N_MISSED, "na", BY_RULES),
        Value(N_WRONG, "scored", float(kinds.count("claim"))),
    ]


DESCRIPTION = MetricDescription(
    title="Error causes",
    meaning="Why insights are missed and claims are wrong: shares of all errors of a system, which add up to 1; "
    "runs without a report are in none (docs/publications.md).",
    meanings={
        N_MISSED: "known insights that a report does not tell in full",
        N_WRONG: "claims of a report that a source does not bear out in full, or that rest on distractors alone",
        "not_retrieved": "the supportive page never came up in what the run was handed",
        "file_not_read": "the user's file was not read",
        "not_used": "the run read the page or file, but its report does not tell all of it",
        "misled": "the claim cites a distractor, or has a figure that only a distractor has",
        "hallucinated": "what the claim cites does not say it, or there is no such source",
        "ended_early": "a limit cut the run, or a part of its research failed, before the page or file came up",
        "unknown": "the gold does not say where the insight stands",
    },
    headlines=COUNTS,
    counts=COUNTS,
    wholes={"Error causes": CAUSES},
    higher_is_better=False,
)


METRIC = breakdown(
    FAMILY,
    VERSION,
    DESCRIPTION,
    follows=FOLLOWS,
    stage=STAGE,
    sort=sort_errors,
    counts=counts,
    counted=COUNTS,
    kinds=CAUSES,
    kinds_in=lambda verdict: [error.cause for error in ReportErrors.model_validate(verdict.value).errors],
    items=(PART, WHOLE),
    rules=("default", "dr3"),
    inputs={"gold": take_labels},
)

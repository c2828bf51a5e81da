"""What a page says of each run in one line; small enough that thousands of them fit into memory."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from drretail.experiment import read_reference
from drretail.records.score import Verdict
from drretail.viewer.arithmetic import Arithmetic, arithmetic_of
from drretail.viewer.claims import Support, counts_of
from drretail.viewer.experiment import Question, RunView

Outcome = Literal[
    "limit broken",
    "wrong thing",
    "refused wrongly",
    "claim not supported",
    "claim contradicted",
    "failed",
    "gave up",
    "judge failed",
]
OUTCOMES: Mapping[Outcome, str] = {
    "limit broken": "picks something that breaks a limit of the question",
    "wrong thing": "picks a wrong product, or leaves one out",
    "refused wrongly": "buys nothing, although a product meets every limit",
    "claim not supported": "makes a claim that its sources do not support",
    "claim contradicted": "makes a claim that its sources contradict",
    "failed": "left no report",
    "gave up": "stopped at a limit, or did not say what to buy",
    "judge failed": "a judge gave no usable answer",
}
LIMITS = frozenset(
    (
        "over_budget",
        "below_rating",
        "recommended_although_owned",
        "unwanted_brand",
        "demand_broken",
        "not_wanted",
        "quantity_wrong",
        "want_left_out",
        "price_unknown",
        "unavailable",
        "not_in_catalog",
        "no_decision",
    )
)
"""Codes of findings that say that picks break what the question asks for, or may."""
WRONG_THINGS = frozenset(("not_wanted", "want_left_out", "quantity_wrong"))
"""Those of them that say that the picks are not what is asked for."""
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
"""As run_search.js splits what is typed."""


@dataclass(frozen=True, slots=True)
class FailedVerdict:
    """A judgement that came to nothing, with what went wrong."""

    family: str
    item: str
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """One planned run as the tables of a page show it."""

    number: int
    anchor: str
    question: Question
    label: str
    repeat: int
    state: str
    kind: str
    """Of what went wrong: "no research", "stopped at a limit"; empty where all is well."""
    why: str
    """Why it left no report, or where its research stopped; empty where all is well."""
    counts: dict[Support, int]
    """Claims by what came of them, as the first judge sees them."""
    lacks_claims: str
    """Why there are none: "not judged", "judge failed" or "no claims"; empty where there are some."""
    added: tuple[Arithmetic, ...]
    """By judge; the first one's marks stand in the report."""
    findings: int | None
    """None where no check was made."""
    stale: int
    failed: tuple[FailedVerdict, ...]
    tools: dict[str, int]
    """Calls of each, failed ones included."""
    run_id: str
    outcomes: tuple[Outcome, ...]
    """What a reader may look for among many runs."""
    values: Mapping[str, float]
    """By the scoreboard's columns."""
    words: frozenset[str]
    """Of its question, its report and its claims, folded."""

    @property
    def is_judged(self) -> bool:
        return bool(self.added)


def run_line(view: RunView, question: Question) -> RunLine:
    """The line of a run that was read."""
    steps = view.run.steps if view.run else ()
    texts = [question.query.text, view.subject.report or ""]
    texts += [claim.text for one in view.claims for claim in one.claims]
    return RunLine(
        number=view.number,
        anchor=view.anchor,
        question=question,
        label=view.subject.label,
        repeat=view.subject.repeat,
        state=view.state,
        kind=_kind(view),
        why=_why(view),
        counts=counts_of(view.claims[0].claims) if view.claims else {},
        lacks_claims=_lacks_claims(view),
        added=tuple(arithmetic_of(one.judged, view.subject) for one in view.claims),
        findings=len(view.checks.findings) if view.checks.made else None,
        stale=view.stale,
        failed=tuple(_failed(view)),
        tools=dict(Counter(step.name for step in steps if step.kind == "tool" and step.name)),
        run_id=view.subject.run_id,
        outcomes=tuple(_outcomes(view)),
        values=view.values,
        words=frozenset(sys.intern(word) for text in texts for word in _WORD.findall(text.lower())),
    )


def _outcomes(view: RunView) -> Iterator[Outcome]:
    supports = {claim.support for one in view.claims for claim in one.claims}
    findings = view.checks.findings
    if any(finding.code in LIMITS - WRONG_THINGS - {"no_decision"} for finding in findings):
        yield "limit broken"
    if any(finding.code in WRONG_THINGS and finding.severity == "error" for finding in findings):
        yield "wrong thing"
    if _refuses_wrongly(view):
        yield "refused wrongly"
    if "none" in supports:
        yield "claim not supported"
    if "contradicted" in supports:
        yield "claim contradicted"
    if view.run is not None and view.run.report is None:
        yield "failed"
    elif view.run is not None and (view.run.stop != "finished" or view.run.is_undecided):
        yield "gave up"
    if any(_failed(view)):
        yield "judge failed"


def _refuses_wrongly(view: RunView) -> bool:
    """Whether nothing is picked where a look at every product has found what keeps all limits."""
    run, folder = view.run, view.subject.folder
    if run is None or not run.report or run.picks is None or run.picks or folder is None:
        return False
    reference = read_reference(folder, run.query_id)
    return reference is not None and reference.proof is not None and reference.proof.state == "refuted"


def _lacks_claims(view: RunView) -> str:
    if not view.claims:
        return "not judged"
    first = view.claims[0]
    return "" if first.claims else "judge failed" if first.failures else "no claims"


def _kind(view: RunView) -> str:
    if view.run is None:
        return view.state
    if view.run.error is not None:
        return view.run.error.kind.replace("_", " ")
    return "" if view.run.stop == "finished" else "stopped at a limit"


def _why(view: RunView) -> str:
    if view.run is None:
        return "it was cut before it ended" if view.state == "interrupted" else "it was never made"
    error = view.run.error
    if error is not None:
        return f"{error.kind.replace('_', ' ')}, in {error.where}: {error.message}"
    return "" if view.run.stop == "finished" else f"its research stopped at a limit: {view.run.stop.replace('_', ' ')}"


def _failed(view: RunView) -> Iterator[FailedVerdict]:
    judged = [one.judged for one in (*view.claims, *view.ratings)]
    for one in judged:
        yield from (_failure(verdict) for verdict in one.verdicts if verdict.state == "failed")
    yield from (_failure(verdict) for verdict in view.checks.not_made if verdict.state == "failed")


def _failure(verdict: Verdict) -> FailedVerdict:
    item = f"{verdict.stage} of {verdict.item}".replace("_", " ")
    return FailedVerdict(verdict.metric, item, verdict.judge.spec, verdict.error or verdict.reason or "no reason given")

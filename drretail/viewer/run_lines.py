"""What a page says of each run in one line, small enough that thousands fit into memory."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from drretail.eval.references import is_decided
from drretail.records.run import Run
from drretail.records.score import Verdict
from drretail.records.tables.figures import counted, counted_each
from drretail.viewer.arithmetic import Arithmetic, arithmetic_of
from drretail.viewer.claims import Support, counts_of
from drretail.viewer.experiment import Question, RunView
from drretail.viewer.tables.false_statements import checked_in

Outcome = Literal[
    "limit broken",
    "wrong thing",
    "refused wrongly",
    "claim not supported",
    "false statement",
    "failed",
    "gave up",
    "judge failed",
]
OUTCOMES: Mapping[Outcome, str] = {
    "limit broken": "picks something that breaks a limit of the question",
    "wrong thing": "picks a wrong product, or leaves one out",
    "refused wrongly": "buys nothing, although a product meets every limit",
    "claim not supported": "makes a claim that its sources do not support",
    "false statement": "says what its sources, a record or its own cart contradicts",
    "failed": "left no report",
    "gave up": "stopped at a limit, or did not say what to buy",
    "judge failed": "a judge gave no usable answer",
}
Decision = Literal["failed", "refused", "wrong", "limit", "open", "right"]
DECISIONS: Mapping[Decision, tuple[str, str]] = {
    "failed": ("!", "failed"),
    "refused": ("∅", "refused wrongly"),
    "wrong": ("✗", "wrong thing"),
    "limit": ("▲", "breaking a limit"),
    "open": ("?", "not decided"),
    "right": ("✓", "right"),
}
"""What became of an answer, with its sign and in words: faults first, as bars draw them."""
WRONG_PICKS = frozenset[Decision](("refused", "wrong", "limit"))
LIMITS = frozenset(
    (
        "over_budget",
        "below_rating",
        "recommended_although_owned",
        "unwanted_brand",
        "demand_broken",
        "not_borne_out",
        "unsafe_pick",
        "not_wanted",
        "quantity_wrong",
        "want_left_out",
        "price_unknown",
        "unavailable",
        "not_in_catalog",
        "no_decision",
    )
)
"""Codes of findings that picks break, or may break, what the question asks for."""
WRONG_THINGS = frozenset(("not_wanted", "want_left_out", "quantity_wrong"))
"""Those of ``LIMITS`` that say that the picks are not what is asked for."""
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
"""Splits text as run_search.js splits what is typed."""


@dataclass(frozen=True, slots=True)
class FailedVerdict:
    """A judgement without a result, with the reason."""

    metric: str
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
    """What went wrong: "no research", "stopped at a limit"; empty if nothing did."""
    why: str
    """Why it left no report, or why its research stopped; empty if nothing went wrong."""
    counts: dict[Support, int]
    """The number of claims by support, by the first judge."""
    lacks_claims: str
    """Why there are no claims: "not judged", "judge failed" or "no claims"; empty if there are some."""
    added: tuple[Arithmetic, ...]
    """Sums by judge; the report shows the first judge's marks."""
    findings: int | None
    """None if no check was made."""
    checked: int
    """How many of its statements were judged, or denied by code; ``false`` of them are false."""
    false: int
    stale: int
    failed: tuple[FailedVerdict, ...]
    tools: dict[str, int]
    """Calls of each tool, failed ones included."""
    run_id: str
    outcomes: tuple[Outcome, ...]
    """What a reader may search many runs for."""
    values: Mapping[str, float]
    """By column of the scoreboard."""
    words: frozenset[str]
    """Lower-case words of its question, report and claims."""
    decision: Decision = "open"
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is wrong with the answer, in words, by the chip that shows it: wrong, false, failed."""


def run_line(view: RunView, question: Question) -> RunLine:
    steps = view.run.steps if view.run else ()
    texts = [question.query.text, view.subject.report or ""]
    texts += [claim.text for one in view.claims for claim in one.claims]
    kind, why = _ending(view)
    lacks_claims = "" if view.claims else "not judged"
    if view.claims and not view.claims[0].claims:
        lacks_claims = "judge failed" if view.claims[0].failures else "no claims"
    return RunLine(
        number=view.number,
        anchor=view.anchor,
        question=question,
        label=view.subject.label,
        repeat=view.subject.repeat,
        state=view.state,
        kind=kind,
        why=why,
        counts=counts_of(view.claims[0].claims) if view.claims else {},
        lacks_claims=lacks_claims,
        added=tuple(arithmetic_of(one.judged, view.subject) for one in view.claims),
        findings=len(view.checks.findings) if view.checks.made else None,
        checked=checked_in(view),
        false=len(view.false),
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
    run = view.run
    if run is not None and run.report and view.subject.case.refused_wrongly is not None:
        yield "refused wrongly"
    if "none" in supports:
        yield "claim not supported"
    if view.false:
        yield "false statement"
    if view.run is not None and view.run.report is None:
        yield "failed"
    elif run is not None and (run.stop != "finished" or not is_decided(view.subject)):
        yield "gave up"
    if any(_failed(view)):
        yield "judge failed"


def proof_of(view: RunView) -> str | None:
    """Whether checking every product "proved" that nothing meets the limits, or "refuted" it; None if unchecked.

    It is of the run's own experiment: another may have asked the same query in another shop.
    """
    ends = view.subject.ends
    return None if ends is None or ends.proof is None else ends.proof.state


def _ending(view: RunView) -> tuple[str, str]:
    """The kind of what went wrong, and why in a few words; both empty if nothing did."""
    if view.run is None:
        return view.state, "it was cut before it ended" if view.state == "interrupted" else "it was never made"
    if error := view.run.error:
        kind = error.kind.replace("_", " ")
        return kind, f"{kind}, in {error.where}: {error.message}"
    if view.run.stop == "finished":
        return "", ""
    return "stopped at a limit", f"its research stopped at a limit: {view.run.stop.replace('_', ' ')}"


def _failed(view: RunView) -> Iterator[FailedVerdict]:
    judged = [*(claims.judged for claims in view.claims), *view.ratings]
    for one in judged:
        yield from (_failure(verdict) for verdict in one.verdicts if verdict.state == "failed")
    yield from (_failure(verdict) for verdict in view.checks.not_made if verdict.state == "failed")


def _failure(verdict: Verdict) -> FailedVerdict:
    item = f"{verdict.stage} of {verdict.item}".replace("_", " ")
    return FailedVerdict(verdict.metric, item, verdict.judge.spec, verdict.error or verdict.reason or "no reason given")


def setback_sentences(run: Run) -> Iterator[str]:
    """A sentence for each kind of setback: lost answers, second attempts, repairs, announced calls.

    Struck evidence ids are in the run's notes, by name.
    """
    if run.losses:
        lost = counted_each(run.losses)
        yield f"A provider gave no answer for {lost}. `drretail run … --retry spoiled` makes the run again."
    if run.unanswered_calls:
        yield f"{counted(run.unanswered_calls, 'tool call')} got no answer from a server or the web."
    setbacks = run.setbacks
    if setbacks is None:
        return
    if setbacks.second_attempts:
        again = counted(setbacks.second_attempts, "second attempt")
        yield f"{again} at model calls: the provider had failed, or the answer was empty or cut."
    if setbacks.repairs:
        by_role = ", ".join(f"{role} {count}" for role, count in setbacks.repairs.items())
        repairs = counted(sum(setbacks.repairs.values()), "repair")
        yield f"{repairs} of answers that did not fit the form asked for ({by_role})."
    if setbacks.calls_from_text:
        made = sum(step.kind == "tool" for step in run.steps)
        yield f"Calls read from text: {setbacks.calls_from_text} of {made}."
    if setbacks.announcements:
        yield f"{counted(setbacks.announcements, 'turn')} announced calls and made none."

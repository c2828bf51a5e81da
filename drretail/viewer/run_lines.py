"""What a page says of each run in one line, small enough that thousands fit into memory.
Also the sums behind a run's FP and FR.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Literal, Self

from drretail.eval.claims.claims import FAITHFULNESS, HEADLINE, TYPES
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.registry import load_metric
from drretail.eval.scores.gathering import judged_run
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.records.score import Verdict, VerdictState
from drretail.records.tables.figures import counted, counted_each, number
from drretail.viewer.experiment import Question, RunView
from drretail.viewer.judged import Judged, Support, counts_of
from drretail.viewer.tables.false_statements import checked_in

_WHY: Mapping[VerdictState, str] = {
    "na": "it cites neither web pages nor products",
    "unverifiable": "no cited source could be read",
    "failed": "judging failed",
}


def arithmetic(judged: Judged, subject: Subject) -> str:
    """The sums behind FP and FR of one judge on a report, computed as for scores.json; means of several judgings.

    For example "FP 0.86 (mean of web 9.5 of 12 and product 22 of 24); FR 0.76 (cited 34 of 45)", or why there is no FP.
    Full support counts 1, partial support ½.
    """
    values = judged_run(subject, load_metric(FAITHFULNESS), judged.verdicts, judged.rules).values
    precision, recall = values["FP"], values["FR"]
    sums = {kind: f"{kind} {_of(*its)}" for kind in TYPES if (its := _sum(values[f"FP_{kind}"]))[1]}
    added = " and ".join(sums[kind] for kind in HEADLINE if kind in sums)
    if precision.value is None:
        parts = [f"no FP: {_WHY.get(precision.state, precision.state)}"]
    else:
        parts = [f"FP {number(precision.value)} ({'mean of ' * (' and ' in added)}{added})"]
    if recall.value is not None:  # None if nothing was claimed
        parts.append(
            f"FR {number(recall.value)} (cited {_of(recall.items.get('cited', 0), recall.items.get('total', 0))})"
        )
    parts += [f"not counted in FP: {words}" for kind, words in sums.items() if kind not in HEADLINE]
    return "; ".join(parts)


def _sum(value: Value) -> tuple[float, float]:
    """The support of judged claims, and their number."""
    return value.items.get("support", 0.0), value.items.get("scored", 0.0)


def _of(*numbers: float) -> str:
    """Numbers without trailing zeros: "9.5 of 12"."""
    return " of ".join(f"{each:.2f}".rstrip("0").rstrip(".") for each in numbers)


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
WRONG_THINGS = frozenset(("not_wanted", "want_left_out", "quantity_wrong", "not_in_catalog"))
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

    @classmethod
    def of(cls, verdict: Verdict, item: str) -> Self:
        why = verdict.error or verdict.reason or "no reason given"
        return cls(verdict.metric, item.replace("_", " "), verdict.judge.spec, why)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an answer: in a word or two, as it is quoted, and the anchor of what shows it."""

    kind: str
    """"over budget", "false", "failed"."""
    quote: str
    anchor: str


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
    added: Mapping[str, str]
    """The sums behind its scores by the judge's name; the report shows the first judge's marks."""
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
    faults: tuple["Fault", ...] = ()


def run_line(view: RunView, question: Question) -> RunLine:
    texts = [question.query.text, view.subject.report or ""]
    texts += [claim.text for one in view.claims for claim in one.claims]
    # What went wrong, and why in a few words; both empty if nothing did.
    kind, why, run = "", "", view.run
    if run is None:
        kind, why = view.state, "it was cut before it ended" if view.state == "interrupted" else "it was never made"
    elif run.error:
        kind = run.error.kind.replace("_", " ")
        why = f"{kind}, in {run.error.where}: {run.error.message}"
    elif run.stop != "finished":
        kind, why = "stopped at a limit", f"its research stopped at a limit: {run.stop.replace('_', ' ')}"
    failed = tuple(_failed(view))
    codes = {finding.code for finding in view.checks.findings}
    errors = {finding.code for finding in view.checks.findings if finding.severity == "error"}
    is_reported = run is not None and run.report is not None
    holding: dict[Outcome, bool] = {
        "limit broken": not codes.isdisjoint(LIMITS - WRONG_THINGS - {"no_decision"}),
        "wrong thing": not errors.isdisjoint(WRONG_THINGS),
        "refused wrongly": run is not None and bool(run.report) and view.subject.case.refused_wrongly is not None,
        "claim not supported": any(claim.support == "none" for one in view.claims for claim in one.claims),
        "false statement": bool(view.false),
        "failed": run is not None and not is_reported,
        "gave up": run is not None
        and is_reported
        and (run.stop != "finished" or view.subject.case.no_decision is not None),
        "judge failed": bool(failed),
    }
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
        added={one.judged.by: arithmetic(one.judged, view.subject) for one in view.claims},
        findings=len(view.checks.findings) if view.checks.made else None,
        checked=checked_in(view),
        false=len(view.false),
        stale=view.stale,
        failed=failed,
        tools=dict(Counter(step.name for step in (run.steps if run else ()) if step.kind == "tool" and step.name)),
        run_id=view.subject.run_id,
        outcomes=tuple(outcome for outcome, holds in holding.items() if holds),
        values=view.values,
        words=frozenset(sys.intern(word) for text in texts for word in _WORD.findall(text.lower())),
    )


def first_faults(lines: Iterable[RunLine], most: int) -> list[tuple[RunLine, Fault]]:
    """Faults to look at first: of each answer the first one, of as many kinds, systems and questions as there are."""
    waiting = [(line, line.faults[0]) for line in lines if line.faults]
    seen, chosen = Counter[str](), list[tuple[RunLine, Fault]]()
    while waiting and len(chosen) < most:
        line, fault = min(waiting, key=lambda each: (seen[each[1].kind], seen[each[0].label], each[0].number))
        waiting.remove((line, fault))
        seen.update((fault.kind, line.label))
        chosen.append((line, fault))
    return chosen


def topic_of(query: Query, most: int = 40) -> str:
    """What a question is about in a few words: what is wanted, or its beginning."""
    named = query.wish.wants[0].name if query.wish is not None and query.wish.wants else ""
    return shorten(named or query.text, most, placeholder=" …")


def proof_of(view: RunView) -> str | None:
    """What checking every product of the run's own shop "proved" or "refuted": that nothing meets the limits."""
    ends = view.subject.ends
    return None if ends is None or ends.proof is None else ends.proof.state


def _failed(view: RunView) -> Iterator[FailedVerdict]:
    judged = [*(claims.judged for claims in view.claims), *view.ratings]
    for verdict in (*(verdict for one in judged for verdict in one.verdicts), *view.checks.not_made):
        if verdict.state == "failed":
            yield FailedVerdict.of(verdict, f"{verdict.stage} of {verdict.item}")


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

"""What a page says of each run in one line; small enough that thousands of them fit into memory."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from drretail.records.score import Verdict
from drretail.viewer.arithmetic import Arithmetic, arithmetic_of
from drretail.viewer.claims import Support, counts_of
from drretail.viewer.experiment import Question, RunView


@dataclass(frozen=True, slots=True)
class FailedVerdict:
    """A judgement that came to nothing, with what went wrong."""

    family: str
    item: str
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Added:
    """What one judge's verdicts on the run add up to."""

    by: str
    arithmetic: Arithmetic


@dataclass(frozen=True, slots=True)
class RunLine:
    """One planned run as the tables of a page show it."""

    number: int
    anchor: str
    question: Question
    label: str
    repeat: int
    state: str
    why: str
    """Why it left no report, or where its research stopped; empty where all is well."""
    counts: dict[Support, int]
    """Claims by what came of them, as the first judge sees them."""
    added: tuple[Added, ...]
    """By judge; the first one's marks stand in the report."""
    findings: int | None
    """None where no check was made."""
    stale: int
    failed: tuple[FailedVerdict, ...]
    tools: dict[str, int]
    """Calls of each, failed ones included."""

    @property
    def is_judged(self) -> bool:
        return bool(self.added)


def run_line(view: RunView, question: Question) -> RunLine:
    """The line of a run that was read."""
    steps = view.run.steps if view.run else ()
    return RunLine(
        number=view.number,
        anchor=view.anchor,
        question=question,
        label=view.subject.label,
        repeat=view.subject.repeat,
        state=view.state,
        why=_why(view),
        counts=counts_of(view.claims[0].claims) if view.claims else {},
        added=tuple(Added(one.judged.by, arithmetic_of(one.judged, view.subject)) for one in view.claims),
        findings=len(view.checks.findings) if view.checks.made else None,
        stale=view.stale,
        failed=tuple(_failed(view)),
        tools=dict(Counter(step.name for step in steps if step.kind == "tool" and step.name)),
    )


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

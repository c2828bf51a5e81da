"""How a run came to its report: what it called, read and cited, from the run and its ledger alone.

docs/scores.md defines every measure.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from urllib.parse import urlsplit

from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, by_code, description_of, of_verdicts
from drretail.records.base import canonical_json
from drretail.records.evidence import Evidence
from drretail.records.run import ERRANDS, NINE, Run, Step
from drretail.records.score import Verdict
from drretail.reports.render import count_words
from drretail.reports.text.evidence_ids import normalise_url
from drretail.tools.registry import tools_of

LAUNCH = "LaunchResearcher"
"""The action with which a supervisor starts a researcher (paper section 4)."""
SUMMARISER = "summariser"
_NOT_LAUNCHED = frozenset({"limit", "invalid_argument", "unknown_tool"})
"""Errors of launches that started no branch. With any other error, the branch ran and brought nothing."""


def turns(steps: Sequence[Step]) -> int:
    """The number of turns of all branches together."""
    # Summarising a page for another model is not a turn, nor is a failed answer.
    return sum(step.kind != "tool" and step.role != SUMMARISER and step.error is None for step in steps)


def turns_to_evidence(steps: Sequence[Step]) -> int | None:
    """Consecutive turns before a tool first returned evidence; None if none did.

    A researcher's turns come after its supervisor's turns up to its launch; parallel branches do not count. The result
    is the minimum over all branches, whichever was first by the clock, and 0 if evidence came before any turn.
    """
    turns_by_branch: list[int] = []
    for path in dict.fromkeys(step.path for step in steps):
        of_branch = [step for step in steps if step.path == path]
        first = next(
            (at for at, step in enumerate(of_branch) if step.kind == "tool" and step.evidence and step.error is None),
            None,
        )
        if first is not None:
            turns_by_branch.append(turns(of_branch[:first]) + _before_launch(steps, path))
    return min(turns_by_branch, default=None)


def _before_launch(steps: Sequence[Step], path: str) -> int:
    """The turns of the branches above before this one was launched; 0 for a path without a known launch."""
    above, _, number = path.rpartition(".")
    launching = [step for step in steps if step.path == above]
    names = {LAUNCH, *ERRANDS}
    places = [
        index
        for index, step in enumerate(launching)
        if step.kind == "tool" and step.name in names and error_of(step) not in _NOT_LAUNCHED
    ]
    if not above or int(number) > len(places):
        return 0
    return turns(launching[: places[int(number) - 1]]) + _before_launch(steps, above)


NO_STEPS = "the run has no steps"
NO_CALLS = "no tool was called"
NO_EXPECTED = "the query names no expected tools"
NO_EVIDENCE = "no evidence was handed out"
UNKNOWN_TOOL = "unknown_tool"
INVALID = frozenset({"invalid_argument", "not_found", UNKNOWN_TOOL})
"""Errors of a tool call that are the caller's: a wrong argument, id or name."""
NO_MORE: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Count:
    """One measure of one run. Without ``value`` there was nothing to count, and ``reason`` says why."""

    value: float | None
    reason: str = ""
    items: Mapping[str, int] | None = None
    """The counts behind a share."""


@dataclass(frozen=True)
class Course:
    """A run, read from its steps."""

    run: Run
    evidence: Mapping[str, Evidence]
    expected: frozenset[str]
    """The tools that the query is expected to need."""

    @cached_property
    def calls(self) -> Sequence[Step]:
        """The calls of the nine tools and the agent's own, failed ones included; actions such as
        Reason do not count.
        """
        return [step for step in self.run.steps if step.kind == "tool" and step.name in self.tools]

    @cached_property
    def tools(self) -> frozenset[str | None]:
        return frozenset({*NINE, *self.run.tools})

    @cached_property
    def shown(self) -> frozenset[str]:
        """The ids of the evidence of which an agent read any text."""
        return frozenset(entry.id for entry in self.evidence.values() if any(text.shown for text in entry.texts))

    @cached_property
    def cited(self) -> frozenset[str]:
        return frozenset(citation.evidence_id for citation in self.run.citations if citation.evidence_id)

    @cached_property
    def pages_cited(self) -> frozenset[str]:
        """The normalised addresses of the web pages that the report cites."""
        web = (citation for citation in self.run.citations if citation.type == "web")
        pairs = ((self.evidence.get(citation.evidence_id or ""), citation.url) for citation in web)
        urls = ((None if entry is None else entry.url) or url for entry, url in pairs)
        return frozenset(normalise_url(url) for url in urls if url)


def error_of(step: Step) -> str:
    """The kind of a step's error; blank without one."""
    return (step.error or "").partition(":")[0]


def domain_of(url: str) -> str:
    """The host of an address without "www."; blank without a host. news.example.com and example.com are different."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def run_measures(course: Course) -> dict[str, Count]:
    """Every measure of one run by name, in the order of tables: shares from 0 to 1, or whole numbers."""
    steps, calls, expected = course.run.steps, course.calls, course.expected
    unknown = [
        step
        for step in steps
        if step.kind == "tool" and step.name not in course.tools and error_of(step) == UNKNOWN_TOOL
    ]
    attempts = [*calls, *unknown]
    kinds = Counter(error for step in attempts if (error := error_of(step)) in INVALID)
    # Calls whose arguments are not an object do not count as repeated.
    read = [(step, canonical_json(step.args)) for step in calls if step.args is not None]
    again = len(read) - len({(step.name, args) for step, args in read})
    called = {step.name for step in calls if error_of(step) != UNKNOWN_TOOL}
    uncited = len(course.shown - course.cited)
    first = turns_to_evidence(steps)
    words, words_of_body = count_words(course.run.report, course.evidence)

    def share(part: tuple[str, int], whole: tuple[str, int], without: str, more: Mapping[str, int] = NO_MORE) -> Count:
        if not whole[1]:
            return Count(None, without, more or None)
        return Count(part[1] / whole[1], items={part[0]: part[1], whole[0]: whole[1], **more})

    def scored(number: int, items: Mapping[str, int] | None = None) -> Count:
        return Count(number, items=items) if steps else Count(None, NO_STEPS)

    coverage = share(("covered", len(expected & called)), ("expected", len(expected)), NO_EXPECTED)
    unneeded = ("unneeded", sum(step.name not in expected for step in calls))
    return {
        "tool_coverage": coverage if steps or not expected else Count(None, NO_STEPS),
        "unneeded": share(unneeded, ("calls", len(calls)), NO_CALLS) if expected else Count(None, NO_EXPECTED),
        "repeated": share(("repeated", again), ("calls", len(calls)), NO_CALLS),
        "invalid": share(("invalid", kinds.total()), ("calls", len(attempts)), NO_CALLS, kinds),
        "retrieved_uncited": share(("uncited", uncited), ("handed_out", len(course.shown)), NO_EVIDENCE),
        "pages": Count(len(course.pages_cited)),
        "domains": Count(len(set(map(domain_of, course.pages_cited)))),
        "turns": scored(turns(steps), {"branches": len({step.path for step in steps})}),
        "turns_to_evidence": Count(first, "" if first is not None else NO_EVIDENCE if steps else NO_STEPS),
        "tool_calls": scored(len(calls)),
        "words": Count(words),
        "words_body": Count(words_of_body),
        **_setbacks(course.run),
    }


def _setbacks(run: Run) -> dict[str, Count]:
    """What went wrong; empty for runs that don't say."""
    setbacks = run.setbacks
    if setbacks is None:
        return {}
    repairs = {**setbacks.repairs, **({"drafts": len(run.repairs)} if run.repairs else {})}
    return {
        "unanswered": Count(sum(setbacks.lost.values()), items=setbacks.lost),
        "second_attempts": Count(setbacks.second_attempts),
        "repairs": Count(sum(repairs.values()), items=repairs),
        "announcements": Count(setbacks.announcements),
        "struck_ids": Count(setbacks.struck_ids),
    }


def expected_tools(subject: Subject) -> frozenset[str]:
    """The query's expected tools that the run had: it could not call those that were taken away."""
    return frozenset(subject.query.expected_tools) - tools_of(subject.system.options.get("without", ()))


def measure(subject: Subject) -> Iterator[tuple[str, CodeVerdict]]:
    """The counts of a run. They are not cached by the report, since a run made again may end in the same report."""
    assert subject.run is not None
    for name, counted in run_measures(Course(subject.run, subject.evidence, expected_tools(subject))).items():
        value = None if counted.value is None else {"value": counted.value, "items": dict(counted.items or {})}
        yield name, CodeVerdict.measured(value, counted.reason)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """One value for each measure; a measure without a verdict is failed, or na if the run did not count it."""
    by_item = {verdict.item: verdict for verdict in verdicts}
    is_counted = any(verdict.state in ("scored", "na") for verdict in verdicts)
    values: list[Value] = []
    for name in VARIANTS:
        verdict = by_item.get(name)
        if verdict is None or verdict.state != "scored":
            lacks = "na" if name in SETBACKS and is_counted else "failed"
            values.append(Value(name, lacks if verdict is None else verdict.state))
        else:
            values.append(Value(name, "scored", float(verdict.value["value"]), verdict.value["items"]))
    return values


SETBACKS = ("unanswered", "second_attempts", "repairs", "announcements", "struck_ids")
"""The measures of what went wrong, which runs from before it was counted don't have."""

DESCRIPTION = description_of("process")
VARIANTS = tuple(DESCRIPTION.meanings)
METRIC = Metric("process", 3, by_code("count", measure), of_verdicts(values), VARIANTS, DESCRIPTION, needs_judge=False)

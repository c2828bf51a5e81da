"""What is counted of a run, from run.json and its ledger alone; docs/process.md defines every measure."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from urllib.parse import urlsplit

from drretail.grounding.report.evidence_ids import normalise_url
from drretail.grounding.text.wording import words_of
from drretail.records.base import canonical_json
from drretail.records.evidence import Evidence
from drretail.records.run import ERRANDS, NINE, Run, Step

LAUNCH = "LaunchResearcher"
"""The move by which a supervisor opens a branch (paper section 4)."""
SUMMARISER = "summariser"
_NOT_LAUNCHED = frozenset({"limit", "invalid_argument", "unknown_tool"})
"""Errors of a launch that opened no branch; any other is that of a branch that came back with nothing."""


def is_turn(step: Step) -> bool:
    """True for an answer of a model that acts or writes; to sum up a page for another model is no turn."""
    return step.kind != "tool" and step.role != SUMMARISER and step.error is None


def turns(steps: Sequence[Step]) -> int:
    """All turns of all branches together."""
    return sum(map(is_turn, steps))


def turns_to_evidence(steps: Sequence[Step]) -> int | None:
    """Turns that had to be taken one after the other until a tool first handed out evidence; None when none did.

    Turns of a researcher follow those of its supervisor up to its launch; other branches go on beside it and don't
    count. The least over all branches, whichever was the first by the clock. 0 where evidence came before any turn.
    """
    paths = dict.fromkeys(step.path for step in steps)
    ways = [_way(steps, path) for path in paths]
    return min((way for way in ways if way is not None), default=None)


def _way(steps: Sequence[Step], path: str) -> int | None:
    """The turns to the first evidence of one branch, from the beginning of the run."""
    own = [step for step in steps if step.path == path]
    before = list(takewhile(lambda step: not (step.kind == "tool" and bool(step.evidence) and step.error is None), own))
    return None if len(before) == len(own) else turns(before) + _before_launch(steps, path)


def _before_launch(steps: Sequence[Step], path: str) -> int:
    """The turns above a branch before it was opened; 0 for a path that nothing is known to have launched."""
    above, _, number = path.rpartition(".")
    launching = [step for step in steps if step.path == above]
    places = [index for index, step in enumerate(launching) if _launches(step)]
    if not above or int(number) > len(places):
        return 0
    return turns(launching[: places[int(number) - 1]]) + _before_launch(steps, above)


def _launches(step: Step) -> bool:
    kind = (step.error or "").partition(":")[0]
    return step.kind == "tool" and (step.name == LAUNCH or step.name in ERRANDS) and kind not in _NOT_LAUNCHED


NO_STEPS = "the run has no steps"
NO_CALLS = "no tool was called"
NO_EXPECTED = "the query names no expected tools"
NO_EVIDENCE = "no evidence was handed out"
UNKNOWN_TOOL = "unknown_tool"
INVALID = frozenset({"invalid_argument", "not_found", UNKNOWN_TOOL})
"""Errors of a tool that are the caller's: an argument, an id or a name that there isn't."""


@dataclass(frozen=True, slots=True)
class Count:
    """What one measure comes to in one run; without ``value`` nothing was there to count, and ``reason`` says what."""

    value: float | None
    reason: str = ""
    items: Mapping[str, int] | None = None
    """The counts behind a share."""


@dataclass(frozen=True)
class Course:
    """A run as its steps tell it."""

    run: Run
    evidence: Mapping[str, Evidence]
    expected: frozenset[str]
    """The tools that the query is expected to need."""

    @cached_property
    def calls(self) -> Sequence[Step]:
        """The calls of the nine tools and the agent's own, failed ones among them; moves such as Reason are none."""
        return [step for step in self.run.steps if step.kind == "tool" and step.name in self.tools]

    @cached_property
    def tools(self) -> frozenset[str | None]:
        return frozenset({*NINE, *self.run.tools})

    @cached_property
    def misnamed(self) -> Sequence[Step]:
        """Calls of tools that there aren't."""
        return [
            s for s in self.run.steps if s.kind == "tool" and s.name not in self.tools and error_of(s) == UNKNOWN_TOOL
        ]

    @cached_property
    def handed(self) -> frozenset[str]:
        """The evidence that an agent read anything of."""
        return frozenset(entry.id for entry in self.evidence.values() if any(text.shown for text in entry.texts))

    @cached_property
    def cited(self) -> frozenset[str]:
        return frozenset(citation.evidence_id for citation in self.run.citations if citation.evidence_id)

    @cached_property
    def pages_cited(self) -> frozenset[str]:
        """The addresses of the web pages that the report cites, each in one spelling."""
        web = (citation for citation in self.run.citations if citation.type == "web")
        return frozenset(normalise_url(url) for each in web if (url := self._url(each.evidence_id) or each.url))

    @cached_property
    def pages_seen(self) -> frozenset[str]:
        """The addresses of the web pages of which the run read a snippet, a summary or all."""
        web = (self.evidence[source] for source in self.handed if self.evidence[source].kind == "web")
        return frozenset(normalise_url(entry.url) for entry in web if entry.url)

    def _url(self, evidence_id: str | None) -> str | None:
        entry = self.evidence.get(evidence_id or "")
        return None if entry is None else entry.url


def error_of(step: Step) -> str:
    """The kind of a step's error, blank without one."""
    return (step.error or "").partition(":")[0]


def domain_of(url: str) -> str:
    """The host of an address without "www.", blank where it has none: news.example.com and example.com are two."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def count(course: Course) -> dict[str, Count]:
    """Every measure of one run by name, in the order of tables."""
    return {name: measure(course) for name, measure in MEASURES.items()}


def _coverage(course: Course) -> Count:
    if not course.expected:
        return Count(None, NO_EXPECTED)
    if not course.run.steps:
        return Count(None, NO_STEPS)
    called = {step.name for step in course.calls if error_of(step) != UNKNOWN_TOOL}
    return _share(len(course.expected & called), len(course.expected), "covered", "expected", NO_EXPECTED)


def _unneeded(course: Course) -> Count:
    if not course.expected:
        return Count(None, NO_EXPECTED)
    unneeded = sum(step.name not in course.expected for step in course.calls)
    return _share(unneeded, len(course.calls), "unneeded", "calls", NO_CALLS)


def _repeated(course: Course) -> Count:
    """Calls whose arguments could not be read as an object equal no other."""
    asked = [(step, canonical_json(step.args)) for step in course.calls if step.args is not None]
    again = len(asked) - len({(step.name, args) for step, args in asked})
    in_branch = len(asked) - len({(step.path, step.name, args) for step, args in asked})
    shared = _share(again, len(course.calls), "repeated", "calls", NO_CALLS)
    return Count(shared.value, shared.reason, {**(shared.items or {}), "repeated_in_branch": in_branch})


def _invalid(course: Course) -> Count:
    calls = [*course.calls, *course.misnamed]
    kinds = Counter(error for step in calls if (error := error_of(step)) in INVALID)
    shared = _share(kinds.total(), len(calls), "invalid", "calls", NO_CALLS)
    return Count(shared.value, shared.reason, {**(shared.items or {}), **kinds})


def _uncited(course: Course) -> Count:
    return _share(len(course.handed - course.cited), len(course.handed), "uncited", "handed_out", NO_EVIDENCE)


def _pages_seen(course: Course) -> Count:
    return Count(len(course.pages_seen)) if _looked(course) else Count(None, NO_STEPS)


def _domains_seen(course: Course) -> Count:
    return Count(len(set(map(domain_of, course.pages_seen)))) if _looked(course) else Count(None, NO_STEPS)


def _looked(course: Course) -> bool:
    """False where nobody knows what the run looked at."""
    return bool(course.run.steps or course.handed)


def _tool_calls(course: Course) -> Count:
    return Count(len(course.calls)) if course.run.steps else Count(None, NO_STEPS)


def _turns(course: Course) -> Count:
    if not course.run.steps:
        return Count(None, NO_STEPS)
    return Count(turns(course.run.steps), items={"branches": len({step.path for step in course.run.steps})})


def _turns_to_evidence(course: Course) -> Count:
    found = turns_to_evidence(course.run.steps)
    return Count(None, NO_STEPS if not course.run.steps else NO_EVIDENCE) if found is None else Count(found)


def _share(part: int, whole: int, part_name: str, whole_name: str, without: str) -> Count:
    return Count(part / whole, items={part_name: part, whole_name: whole}) if whole else Count(None, without)


MEASURES: Mapping[str, Callable[[Course], Count]] = {
    "tool_coverage": _coverage,
    "unneeded": _unneeded,
    "repeated": _repeated,
    "invalid": _invalid,
    "retrieved_uncited": _uncited,
    "pages": lambda course: Count(len(course.pages_cited)),
    "domains": lambda course: Count(len(set(map(domain_of, course.pages_cited)))),
    "pages_seen": _pages_seen,
    "domains_seen": _domains_seen,
    "turns": _turns,
    "turns_to_evidence": _turns_to_evidence,
    "tool_calls": _tool_calls,
    "words": lambda course: Count(words_of(course.run.report or "", course.run.citations)),
}
"""By name, in the order of tables: shares from 0 to 1, the others whole numbers."""

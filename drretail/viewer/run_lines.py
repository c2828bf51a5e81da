"""What a page says of each run in one line, small enough that thousands fit into memory, and its faults."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Literal

from drretail.records.account import Account
from drretail.records.figures import counted, counted_each
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.viewer.experiment import QueryRuns, RunView
from drretail.viewer.judged import Support, support_counts
from drretail.viewer.tables.false_statements import (
    CHECKED,
    checked_in,
    contested_in,
    count_answer,
    no_answers,
    unchecked_in,
)

Decision = Literal["failed", "refused", "wrong", "limit", "open", "right"]
DECISIONS: Mapping[Decision, tuple[str, str]] = {
    "failed": ("!", "failed"),
    "refused": ("∅", "refused wrongly"),
    "wrong": ("✗", "wrong thing"),
    "limit": ("▲", "limit not met"),
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
        "variant_unknown",
    )
)
"""Codes of findings that picks break, or may break, what the question asks for."""
WRONG_THINGS = frozenset(("not_wanted", "want_left_out", "quantity_wrong", "not_in_catalog"))
"""Those of ``LIMITS`` that say that the picks are not what is asked for."""


FAILED = "failed"
"""The kind of fault of a run that left no report."""


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
    question: QueryRuns
    label: str
    repeat: int
    state: str
    why: str
    """Why it left no report, or why its research stopped; empty if nothing went wrong."""
    counts: dict[Support, int]
    """The number of claims by support, by the first judge."""
    lacks_claims: str
    """Why there are no claims: "not judged", "judge failed" or "no claims"; empty if there are some."""
    failed: str
    """Why its judge failed on it; empty if it did not."""
    checked: int
    """How many of its statements were judged, or denied by code; ``false`` of them are false."""
    false: int
    contested: tuple[str, ...]
    """Its statements that differ from a record, if nobody has confirmed that it says so, each with the record."""
    unchecked: tuple[str, ...]
    """An assistant's statements that nobody checked."""
    stale: int
    tools: dict[str, int]
    """Calls of each tool, failed ones included."""
    run_id: str
    decision: Decision = "open"
    faults: tuple["Fault", ...] = ()


def run_line(view: RunView, question: QueryRuns) -> RunLine:
    why, run = "", view.run
    if run is None:
        why = "it was cut before it ended" if view.state == "interrupted" else "it was never made"
    elif run.error:
        why = f"{run.error.kind.replace('_', ' ')}, in {run.error.where}: {run.error.message}"
    elif run.stop != "finished":
        why = f"its research stopped at a limit: {run.stop.replace('_', ' ')}"
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
        why=why,
        counts=support_counts(view.claims[0].claims) if view.claims else {},
        lacks_claims=lacks_claims,
        failed=view.failed,
        checked=checked_in(view),
        false=len(view.false),
        contested=tuple(contested_in(view)),
        unchecked=tuple(unchecked_in(view)),
        stale=view.stale,
        tools=dict(Counter(step.name for step in (run.steps if run else ()) if step.kind == "tool" and step.name)),
        run_id=view.subject.run_id,
    )


def looked_at(lines: Iterable[RunLine]) -> Account:
    """Which answers were looked at: those of which it is known whether a statement, a claim or what is bought is right,
    if no judge failed on them.
    """
    account = no_answers()
    for line in lines:
        is_judged = line.checked or any(map(line.counts.get, CHECKED)) or line.decision not in ("open", "failed")
        count_answer(account, line.run_id, line.state, line.failed, is_judged=bool(is_judged))
    return account


Look = tuple[RunLine, Fault, str]
"""A fault to look at, the first answer that has it, and whose it is: "react", "2 of 6 systems"."""


def first_faults(lines: Iterable[RunLine], most: int, names: Mapping[str, str]) -> list[Look]:
    """Faults to look at first, each once: the failed runs of each system, then of as many kinds, systems and questions
    as there are, and last what all systems do on a question.
    """
    lines = [*lines]
    chosen, seen = [*_failures(lines, names)], Counter[str]()
    asked: defaultdict[int, set[str]] = defaultdict(set)
    having: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for line in lines:
        asked[line.question.number].add(line.label)
        for fault in line.faults:
            having[line.question.number, fault.kind].add(line.label)
    # What all do is one fault, whatever its words.
    groups: defaultdict[tuple[int, str, str], list[tuple[RunLine, Fault]]] = defaultdict(list)
    for line in lines:
        for fault in line.faults:
            at = line.question.number
            is_of_all = len(asked[at]) > 1 and having[at, fault.kind] == asked[at]
            if fault.kind != FAILED:
                groups[at, fault.kind, "" if is_of_all else fault.quote].append((line, fault))
    waiting = [*groups.values()]

    def rank(group: Sequence[tuple[RunLine, Fault]]) -> tuple[int, ...]:
        (line, fault), having_it = group[0], {line.label for line, _ in group}
        is_of_all = len(having_it) > 1 and having_it == asked[line.question.number]
        return is_of_all, seen[fault.kind], seen[line.label], line.faults.index(fault), line.number

    while waiting and len(chosen) < most:
        group = min(waiting, key=rank)
        waiting.remove(group)
        line, fault = group[0]
        labels = {line.label for line, _ in group}
        seen.update((fault.kind, line.label))
        whose = names[line.label]
        if len(labels) > 1:
            several = f"{len(labels)} of {len(asked[line.question.number])} systems"
            whose = several if len({fault.quote for _, fault in group}) == 1 else f"{several}, such as {whose}"
        chosen.append((line, fault, whose))
    return chosen[:most]


def _failures(lines: Sequence[RunLine], names: Mapping[str, str]) -> Iterator[Look]:
    """The failed runs of each system as one fault, with the reason of the first."""
    answers = Counter(line.label for line in lines)
    failed: defaultdict[str, list[tuple[RunLine, Fault]]] = defaultdict(list)
    for line in lines:
        failed[line.label] += [(line, fault) for fault in line.faults if fault.kind == FAILED]
    for label, its in sorted(failed.items(), key=lambda pair: -len(pair[1])):
        for line, fault in its[:1]:
            quote = f"{len(its):,} of {counted(answers[label], 'answer')}: {fault.quote}"
            yield line, Fault(fault.kind, quote, fault.anchor), names[label]


def topic_of(query: Query, most: int = 40) -> str:
    """What a question is about in a few words: what is wanted, or its beginning."""
    want = query.wish.wants[0].name if query.wish is not None and query.wish.wants else ""
    return shorten(want or query.text, most, placeholder=" …")


def proof_of(view: RunView) -> str | None:
    """What checking every product of the run's own shop "proved" or "refuted": that nothing meets the limits."""
    ends = view.subject.ends
    return None if ends is None or ends.proof is None else ends.proof.state


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
    if setbacks.announcements:
        yield f"{counted(setbacks.announcements, 'turn')} announced calls and made none."

"""Whether a text has the length of a question that takes research, and no other query of its file asks the same."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from drretail.grounding.constraints.demand_words import OF_ANY_QUESTION
from drretail.querygen.checks.case import Case, found
from drretail.querygen.rules.phrases import folded_words
from drretail.records.base import canonical_json
from drretail.records.evidence import Finding
from drretail.records.query import Query

CODES = {
    "too_short": "fewer than 20 words",
    "too_long": "more than 180 words",
    "near_duplicate": "most of the text stands in an earlier query of the file",
    "same_task": "an earlier query of the same user wants the same things under the same constraints",
}

LEAST_WORDS, MOST_WORDS = 20, 180
# Words that follow each other; of the shorter text's, the share that stand in the other one.
SHINGLE, ALIKE = 4, 0.6
Run = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def check(case: Case) -> Iterator[Finding]:
    words = len(case.query.text.split())
    if words < LEAST_WORDS:
        yield found("too_short", case.query.text, f"{words} words")
    if words > MOST_WORDS:
        yield found("too_long", case.query.text[:80], f"{words} words")


class Texts:
    """Texts by their shingles: finds the one that another is most like without comparing it with all."""

    def __init__(self, queries: Iterable[Query] = ()) -> None:
        self._runs: dict[str, frozenset[Run]] = {}
        self._holders: dict[Run, set[str]] = {}
        for query in queries:
            self.add(query)

    def add(self, query: Query) -> None:
        self._runs[query.query_id] = shingles(query.text)
        for run in self._runs[query.query_id]:
            self._holders.setdefault(run, set()).add(query.query_id)

    def remove(self, query: Query) -> None:
        for run in self._runs.pop(query.query_id, ()):
            self._holders[run].discard(query.query_id)

    def near_duplicate(self, query: Query) -> Finding | None:
        """The finding for a query that is too much like a text in here, with the one that it is most like."""
        runs = shingles(query.text)
        shared = Counter(other for run in runs for other in self._holders.get(run, ()))
        likeness = {other: count / min(len(runs), len(self._runs[other])) for other, count in shared.items()}
        likeness.pop(query.query_id, None)
        if not likeness or max(likeness.values()) < ALIKE:
            return None
        nearest = min(likeness, key=lambda other: (-likeness[other], other))
        evidence = f"{likeness[nearest]:.0%} of the runs of {SHINGLE} words stand in {nearest}"
        return found("near_duplicate", query.text[:80], evidence)


def near_duplicates(queries: Sequence[Query]) -> dict[str, Finding]:
    """The later one of every two near-duplicates, by query id."""
    texts, findings = Texts(), dict[str, Finding]()
    for query in queries:
        finding = texts.near_duplicate(query)
        if finding is not None:
            findings[query.query_id] = finding
        texts.add(query)
    return findings


def shingles(text: str) -> frozenset[Run]:
    """The runs of four words; numbers count as the same, so that another budget makes no other query."""
    words = ["#" if word.isdecimal() else word for word in _WORD.findall(text.casefold())]
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))


RETOLD = 0.85
"""Of one thing alone a user may ask twice, for another reason each time; so many sentences must tell the same."""
_SAME = 0.2
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")


def task_of(case: Case) -> Hashable | None:
    """What a query comes down to: for whom, which things, which typed constraints; None where no thing is recognised.

    What is owned makes no other task of it; another kind of need does.
    """
    query = case.query
    things = frozenset(thing.name for thing in case.asked.things)
    if not things or query.mode == "task":
        return None
    demanded = query.constraints.model_dump(mode="json", exclude={"owned"}, exclude_none=True)
    sets = {
        name: sorted(value, key=canonical_json) if isinstance(value, list) else value
        for name, value in demanded.items()
    }
    return query.user_id, query.mode, query.kind, things, canonical_json(sets)


def same_task(case: Case, others: Iterable[Case]) -> Finding | None:
    """The finding for a query that comes down to the same as one of the others, which is named."""
    task, things = task_of(case), case.asked.things
    for other in others:
        if task is None or other.query.query_id == case.query.query_id or task_of(other) != task:
            continue
        if len(things) > 1 or retold(case.query.text, other.query.text) >= RETOLD:
            evidence = f"{other.query.query_id} wants the same: {', '.join(thing.name for thing in things)}"
            return found("same_task", case.query.text[:80], evidence, severity="warning")
    return None


def retold(text: str, other: str) -> float:
    """The share of sentences that have a counterpart in the other text, in the same order; of the longer one."""
    first, second = _told(text), _told(other)
    row = [0] * (len(second) + 1)
    for words in first:
        above = row
        row = [0]
        for place, others in enumerate(second):
            shared = len(words & others) / max(1, min(len(words), len(others)))
            row.append(max(above[place + 1], row[place], above[place] + (shared >= _SAME)))
    return row[-1] / max(len(first), len(second), 1)


def _told(text: str) -> list[frozenset[str]]:
    """What each sentence is about, of those that are about anything."""
    sentences = _SENTENCE.split(text.replace("’", "'"))
    told = (frozenset(folded_words(sentence)) - OF_ANY_QUESTION for sentence in sentences)
    return [words for words in told if words]

"""Whether no other query of a file asks the same."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from drretail.grounding.text.words import content_stems
from drretail.querygen.checks.case import found
from drretail.records.evidence import Finding
from drretail.records.query import Query

CODES = {"near_duplicate": "most of the text stands in an earlier query of the file"}

# Words that follow each other; of the shorter text's, the share that stand in the other one.
SHINGLE, ALIKE = 4, 0.6
# Of the words with content of the shorter of two texts of one user, in whatever order and form; and how many it has.
SAME_WORDS, LEAST_WORDS = 0.8, 7
Run = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Texts:
    """Texts by their shingles: finds the one that another is most like without comparing it with all."""

    def __init__(self, queries: Iterable[Query] = ()) -> None:
        self._runs: dict[str, frozenset[Run]] = {}
        self._holders: dict[Run, set[str]] = {}
        self._words: dict[str | None, dict[str, frozenset[str]]] = {}
        self._tasks: dict[str, str | None] = {}
        for query in queries:
            self.add(query)

    def add(self, query: Query) -> None:
        self._runs[query.query_id] = shingles(query.text)
        self._tasks[query.query_id] = query.task_id
        for run in self._runs[query.query_id]:
            self._holders.setdefault(run, set()).add(query.query_id)
        self._words.setdefault(query.user_id, {})[query.query_id] = frozenset(content_stems(query.text))

    def remove(self, query: Query) -> None:
        self._tasks.pop(query.query_id, None)
        for run in self._runs.pop(query.query_id, ()):
            self._holders[run].discard(query.query_id)
        self._words.get(query.user_id, {}).pop(query.query_id, None)

    def near_duplicate(self, query: Query) -> Finding | None:
        """The finding for a query that is too much like a text in here, with the one that it is most like.

        One task is asked by several users in the same words: that is no repetition.
        """
        likeness = self._by_runs(query)
        if not likeness or max(likeness.values()) < ALIKE:
            likeness = {it: share for it, share in self._by_words(query).items() if share >= SAME_WORDS}
        if not likeness:
            return None
        nearest = min(likeness, key=lambda other: (-likeness[other], other))
        return found("near_duplicate", query.text[:80], f"{likeness[nearest]:.0%} of it stands in {nearest}")

    def _by_runs(self, query: Query) -> dict[str, float]:
        runs = shingles(query.text)
        shared = Counter(other for run in runs for other in self._holders.get(run, ()))
        others = {it: count for it, count in shared.items() if not self._is_same(query, it)}
        return {other: count / min(len(runs), len(self._runs[other])) for other, count in others.items()}

    def _by_words(self, query: Query) -> dict[str, float]:
        words = frozenset(content_stems(query.text))
        others = self._words.get(query.user_id, {}).items()
        least = {it: min(len(words), len(its)) for it, its in others if not self._is_same(query, it)}
        return {it: len(words & its) / least[it] for it, its in others if least.get(it, 0) >= LEAST_WORDS}

    def _is_same(self, query: Query, other: str) -> bool:
        """True of the query itself, and of its task as another user's."""
        return other == query.query_id or (query.task_id is not None and self._tasks[other] == query.task_id)


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

"""Whether another query of a file asks the same of the same user in other words."""

import re
from collections.abc import Hashable, Iterable

from drretail.grounding.vocabulary import OF_ANY_QUESTION
from drretail.querygen.checks.case import Case, found
from drretail.querygen.things import folded_words
from drretail.records.base import canonical_json
from drretail.records.evidence import Finding

CODES = {"same_task": "an earlier query of the same user wants the same things under the same constraints"}

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
    sets = {name: sorted(value) if isinstance(value, list) else value for name, value in demanded.items()}
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

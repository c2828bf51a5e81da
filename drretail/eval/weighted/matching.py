"""Scores that a judge gave by the words of criteria, found again in these."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from drretail.prompts import tagged
from drretail.records.criteria import Criterion

T = TypeVar("T")


def matched(criteria: Sequence[Criterion], said: Sequence[tuple[str, T]]) -> dict[str, T] | str:
    """What was said by criterion, or what is wrong: one is missing, is there twice, or stands for none.

    Words are compared exactly, then without regard to case. Nothing is guessed: a score under other words is no score
    of a criterion.
    """
    exact = {it.text: it.text for it in criteria}
    folded = {it.text.strip().casefold(): it.text for it in criteria}
    found: dict[str, T] = {}
    for words, value in said:
        text = exact.get(words) or folded.get(words.strip().casefold())
        if text is None:
            return f"{words!r} is no criterion: copy the criteria word for word"
        if text in found:
            return f"{text!r} is there twice"
        found[text] = value
    missing = [it.text for it in criteria if it.text not in found]
    return f"{missing[0]!r} is missing" if missing else found


def problems(found: Mapping[str, object]) -> str | None:
    """What to tell a judge of dimensions that could not be matched; None without any."""
    told = [f"{key}: {it}" for key, it in found.items() if isinstance(it, str)]
    return "; ".join(told) or None


def criterion_tags(dimension: str, criteria: Sequence[Criterion]) -> str:
    """The criteria of a dimension for a prompt, each in a tag; their weights are not told to who scores."""
    return "\n".join(tagged("criterion", _told(it), dimension=dimension) for it in criteria)


def _told(criterion: Criterion) -> str:
    return f"{criterion.text}\n({criterion.explanation})" if criterion.explanation else criterion.text

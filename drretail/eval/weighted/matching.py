"""Scores that a judge gave by the words of criteria, found again in these."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from drretail.eval.weighted.axis import Axis
from drretail.prompts import tagged
from drretail.records.criteria import Criteria, Criterion

T = TypeVar("T")


def matched(criteria: Sequence[Criterion], scored: Sequence[tuple[str, T]]) -> dict[str, T] | str:
    """What was said by criterion, or what is wrong: one is missing, is there twice, or stands for none.

    Words are compared exactly, then without regard to case. Nothing is guessed: a score under other words is no score
    of a criterion.
    """
    exact = {criterion.text: criterion.text for criterion in criteria}
    folded = {criterion.text.strip().casefold(): criterion.text for criterion in criteria}
    found: dict[str, T] = {}
    for words, value in scored:
        text = exact.get(words) or folded.get(words.strip().casefold())
        if text is None:
            return f"{words!r} is no criterion: copy the criteria word for word"
        if text in found:
            return f"{text!r} is there twice"
        found[text] = value
    missing = [criterion.text for criterion in criteria if criterion.text not in found]
    return f"{missing[0]!r} is missing" if missing else found


class _Score(Protocol):
    criterion: str


S = TypeVar("S", bound=_Score)


def by_dimension(
    axis: Axis, criteria: Criteria, answered: Callable[[str], Sequence[S]]
) -> dict[str, dict[str, S] | str]:
    """By dimension the scores that were answered for it, by criterion, or what is wrong with them."""
    groups = {key: criteria.group(key) for key in axis.keys}
    return {
        key: matched(() if group is None else group.criteria, [(score.criterion, score) for score in answered(key)])
        for key, group in groups.items()
    }


def problems(found: Mapping[str, object]) -> str | None:
    """What to tell a judge of dimensions that could not be matched; None without any."""
    found_wrong = [f"{key}: {it}" for key, it in found.items() if isinstance(it, str)]
    return "; ".join(found_wrong) or None


def criterion_tags(axis: Axis, criteria: Criteria) -> str:
    """The criteria of an axis for a prompt, each in a tag; their weights are not told to who scores."""
    groups = [group for key in axis.keys if (group := criteria.group(key)) is not None]
    return "\n".join(
        tagged(
            "criterion",
            f"{criterion.text}\n({criterion.explanation})" if criterion.explanation else criterion.text,
            dimension=group.name,
        )
        for group in groups
        for criterion in group.criteria
    )

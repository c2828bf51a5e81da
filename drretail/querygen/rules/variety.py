"""One user's queries, one after the other: about different things, of different kinds, and none against another."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple

from drretail.querygen.rules.choosing import Case
from drretail.querygen.rules.drafting import LEAST_WORDS, MOST_WORDS, Draft, draft
from drretail.querygen.rules.history import History
from drretail.querygen.rules.needs import Need, Shape, needs
from drretail.querygen.rules.offers import Assortment

# Of the runs of three words in the shorter of two texts, the share that may stand in the other.
_ALIKE = 0.4

Faultless = Callable[[Draft], bool]


class Step(NamedTuple):
    """How different a query must be from the others of its user."""

    new_start: bool
    """It starts from a thing that no other names,"""
    new_things: bool
    """asks for none that another names; else for none that another of its shape names,"""
    new_shape: bool
    """and is of another shape."""


# As different as can be first. A history of one thing gives a query or two of each shape, and no more.
STEPS = (
    Step(new_start=True, new_things=True, new_shape=True),
    Step(new_start=True, new_things=True, new_shape=False),
    Step(new_start=False, new_things=True, new_shape=True),
    Step(new_start=False, new_things=True, new_shape=False),
    Step(new_start=False, new_things=False, new_shape=True),
)


@dataclass(slots=True)
class Asked:
    """What has been asked for a user so far."""

    drafts: list[tuple[Shape, Draft]] = field(default_factory=list[tuple[Shape, Draft]])
    starts: frozenset[str] = frozenset()
    heard: frozenset[str] = frozenset()
    _about: frozenset[str] = frozenset()

    def add(self, shape: Shape, made: Draft) -> None:
        self.drafts.append((shape, made))
        self.starts |= {made.mine}
        self.heard |= made.words
        self._about |= made.about

    def about(self, shape: Shape | None = None) -> frozenset[str]:
        """Names of the things asked for, by queries of one shape or of all."""
        if shape is None:
            return self._about
        return frozenset[str]().union(*(made.about for of, made in self.drafts if of == shape))

    def has(self, need: Need, *, shape: bool) -> bool:
        return any(made.need == need.name or (shape and of == need.shape) for of, made in self.drafts)


def varied(history: History, assortment: Assortment, level: float, seed: str, faultless: Faultless) -> Iterator[Draft]:
    """The drafts that stand the test, in the order in which they are to be used; more of them never change the first.

    Each need comes once at most.
    """
    asked = Asked()
    owned = frozenset(it.thing.name for it in history.purchases)
    for number, step in enumerate(STEPS):
        pending = list(needs())
        Random(f"{seed}|{history.user_id}|{number}").shuffle(pending)
        for need in pending:
            taken = asked.about() | asked.starts if step.new_start else frozenset[str]()
            if owned <= taken:
                break  # no need can start from anything
            if asked.has(need, shape=step.new_shape):
                continue
            rng = Random(f"{seed}|{number}|{history.user_id}|{need.name}")
            made = draft(_case(Case(history, assortment, rng, level), asked, need, step), need)
            if made is not None and _stands(made, asked) and faultless(made):
                asked.add(need.shape, made)
                yield made


def _case(case: Case, asked: Asked, need: Need, step: Step) -> Case:
    """The attempt, kept from what a step rules out."""
    everything = asked.about() | asked.starts
    return replace(
        case,
        avoid=(everything if step.new_start else asked.about()) if step.new_things else asked.about(need.shape),
        spoken_of=everything if step.new_start else frozenset(),
        heard=asked.heard,
    )


def _stands(made: Draft, asked: Asked) -> bool:
    of_length = LEAST_WORDS <= len(made.text.split()) <= MOST_WORDS
    return of_length and not any(alike(made.text, other.text) for _, other in asked.drafts)


def alike(text: str, other: str) -> bool:
    """True when two texts share so many runs of three words that they read as one question."""
    runs, others = _runs(text), _runs(other)
    return len(runs & others) > _ALIKE * min(len(runs), len(others))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    return set(zip(words, words[1:], words[2:], strict=False))

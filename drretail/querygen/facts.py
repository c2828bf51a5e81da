"""What a shopper says of their own life, and what the record shows of it; knowledge/facts.toml says how it reads.

A fact is a subject with a value, such as "yard" and "new". Nobody has two values of a subject: a sentence that claims
one is not said by a shopper of whom the record shows another, or who has said another in an earlier query.
"""

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib import resources

from drretail.querygen.history import History, Purchase
from drretail.records.base import Record

Facts = Mapping[str, str]
"""Values by subject."""


class Shown(Record):
    """A fact that the record shows, by orders or by any of these kinds.

    They were first bought at least, and last at most, so many days ago.
    """

    subject: str
    value: str
    kinds: tuple[str, ...] = ()
    days: int = 0
    within: int = 100_000
    orders: int = 0
    """At least so many orders show it."""

    def holds(self, history: History) -> bool:
        if self.orders:
            return history.orders >= self.orders
        return any(self._by(it, history.today) for it in history.purchases)

    def _by(self, purchase: Purchase, today: date) -> bool:
        since, last = (today - (purchase.first or purchase.day)).days, (today - purchase.day).days
        return purchase.thing.name in self.kinds and self.days <= since and last <= self.within


class Relative(Record):
    """A fact that goes with having some persons: who buys for a grandmother is not sixty."""

    who: tuple[str, ...]
    subject: str
    value: str


class KnownFacts(Record):
    subjects: dict[str, tuple[str, ...]]
    """The values of each subject."""
    shown: tuple[Shown, ...]
    relatives: tuple[Relative, ...]


@cache
def known_facts() -> KnownFacts:
    file = resources.files("drretail.querygen").joinpath("knowledge", "facts.toml")
    return KnownFacts.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))


def shown_by(history: History) -> dict[str, str]:
    """What a record shows; the first of two values of a subject, in the order of the file."""
    found: dict[str, str] = {}
    for fact in known_facts().shown:
        if fact.subject not in found and fact.holds(history):
            found[fact.subject] = fact.value
    return found


def implied_by(who: str) -> dict[str, str]:
    """What it tells of a shopper to speak of this person."""
    return {it.subject: it.value for it in known_facts().relatives if who in it.who}


def agree(facts: Facts, claims: Facts) -> bool:
    """False where a claim gives a subject another value than it has."""
    return all(facts.get(subject, value) == value for subject, value in claims.items())

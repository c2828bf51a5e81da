"""What every check of a query starts from, and how it says what it found."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from drretail.grounding.basket.cheapest import Basket, Slot, cheapest_basket
from drretail.grounding.constraints.asked import Phrase, read_asked
from drretail.grounding.constraints.query import asks_again
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.naming import Thing, thing_named, thing_of
from drretail.records.evidence import Finding
from drretail.records.query import Constraints, Query

_OR = re.compile(r"\bor\b")
_EITHER = re.compile(r"\b(?:between|either|decide|which of)\b")
_INDEFINITE = re.compile(r"\ban?\s+$", re.IGNORECASE)
_LONGEST = 4
Role = Literal["asked", "had", "named"]
_ROLES: dict[str, Role] = {"asked": "asked", "owned": "had"}


@dataclass(frozen=True, slots=True)
class Named:
    """A thing at its place in the text; "had" is what the user is said to have."""

    thing: Thing
    start: int
    end: int
    role: Role
    is_clear: bool = True
    """False for a single word that no verb of wanting governs: "which maker would you go with"."""
    is_new: bool = False
    """It is introduced with "a" or "an"."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a text asks for: of the things in one group, any will do."""

    groups: tuple[tuple[Thing, ...], ...]
    had: tuple[Thing, ...]
    again: bool
    """True when only what is had is named: it is to be replaced, or bought again."""

    @property
    def things(self) -> tuple[Thing, ...]:
        return tuple(thing for group in self.groups for thing in group)


@dataclass(frozen=True)
class Case:
    """One query in its world; ``shopper`` is None where the query names no user, or one that the world lacks."""

    query: Query
    shopper: Shopper | None
    stock: Stock
    now: datetime

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The things that the text names; phrases that no product of the shop goes by are none."""
        return tuple(it for phrase in self._phrases if (it := self._sold(phrase)) is not None)

    @cached_property
    def asked(self) -> Asked:
        had = tuple({it.thing.words: it.thing for it in self.named if it.role == "had"}.values())
        asked = [it for it in self.named if it.role == "asked" and it.is_clear]
        asked = asked or [it for it in self.named if it.role == "named" and it.is_new and it.thing not in had]
        if asked:
            groups = tuple(_groups(self.query.text, asked))
            return Asked(groups, had, again=all(it.thing in had for it in asked))
        # "It's time to replace my planner"; what nobody sells counts only where nothing else is named.
        unsold = [Thing(it.words) for it in self._phrases if it.role == "asked" and it.firm]
        only = [*had, *unsold, *(it.thing for it in self.named)][:1]
        return Asked(tuple((thing,) for thing in only), had, again=bool(had))

    @cached_property
    def _phrases(self) -> tuple[Phrase, ...]:
        return read_asked(self.query.text).phrases

    def _sold(self, phrase: Phrase) -> Named | None:
        """The longest end of a phrase, or of all but its last word, that is a name of something in the shop."""
        words = phrase.words.split()
        clear, new = phrase.firm or phrase.role == "owned", bool(_INDEFINITE.search(self.query.text[: phrase.start]))
        for last in range(len(words), max(0, len(words) - 2), -1):  # "a desk organizer solve that"
            for first in range(max(0, last - _LONGEST), last):
                thing = thing_named(" ".join(words[first:last]))
                if self.stock.offers(thing) and not (words[first][0].isupper() and self.stock.has_brand(words[first])):
                    end = phrase.end - len(" ".join(["", *words[last:]]))
                    role = _ROLES.get(phrase.role, "named")
                    whole = last == len(words) and self._is_a_name(thing)
                    is_clear = clear or last - first > 1 or whole
                    return Named(thing, end - len(thing.name), end, role, is_clear=is_clear, is_new=new)
        return None

    def _is_a_name(self, thing: Thing) -> bool:
        """True when some product is called just so: a shop of label makers has no "maker"."""
        own = (thing_of(it.product) for it in self.stock.offers(thing))
        return any(it is not None and it.words == thing.words for it in own)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """What the query wants to buy with the shop's offers of it: its things, else its categories."""
        if any(slot.offers for slot in self.thing_slots):
            return self.thing_slots
        return tuple(Slot(name, self.stock.cheapest_in(name)) for name in self.query.constraints.categories)

    @cached_property
    def thing_slots(self) -> tuple[Slot, ...]:
        """The things that the query's words ask for, each with all that the shop has of it."""
        return tuple(
            Slot(
                " or ".join(thing.name for thing in group),
                tuple({it.product.product_id: it for thing in group for it in self.stock.offers(thing)}.values()),
                max(self._quantity(thing.name) for thing in group),
            )
            for group in self.asked.groups
        )

    @cached_property
    def constraints(self) -> Constraints:
        """Those of the query; what its user has bought is owned, too, unless the query wants it again."""
        stated = self.query.constraints
        if self.shopper is None or asks_again(self.query.text):
            return stated
        return stated.model_copy(update={"owned": tuple(sorted({*stated.owned, *self.shopper.bought}))})

    @cached_property
    def basket(self) -> Basket | None:
        """The cheapest basket that keeps to the query, of products that are wanted; None where there is none."""
        return cheapest_basket(self.slots, self.constraints)

    def _quantity(self, name: str) -> int:
        """How many of a thing are wanted: quantities name it in the singular, or by its last word."""
        for wanted, count in self.query.constraints.quantities.items():
            if wanted in (name, name.rsplit(" ", 1)[-1]) or name.removesuffix("s") in (
                wanted,
                wanted.removesuffix("s"),
            ):
                return count
        return 1


def _groups(text: str, asked: Sequence[Named]) -> Iterator[tuple[Thing, ...]]:
    """Neighbours that "or" joins within a sentence are one group; so are the two of "between a and b"."""
    group: list[Named] = []
    seen: set[tuple[str, ...]] = set()
    for named in asked:
        # "white bath towels … what does a single towel come to": the same thing again.
        if any(words[-len(named.thing.words) :] == named.thing.words for words in seen):
            continue
        seen.add(named.thing.words)
        if group and not _are_alternatives(text.casefold(), group[-1], named):
            yield tuple(it.thing for it in group)
            group = []
        group.append(named)
    if group:
        yield tuple(it.thing for it in group)


def _are_alternatives(text: str, first: Named, second: Named) -> bool:
    between = text[first.end : second.start]
    if re.search(r"[.!?;\n]", between):
        return False
    return bool(_OR.search(between) or _EITHER.search(text[max(0, first.start - 40) : first.start]))


def found(
    code: str,
    said: str,
    evidence: str | None = None,
    *,
    severity: Literal["error", "warning"] = "error",
    span: tuple[int, int] | None = None,
    evidence_id: str | None = None,
) -> Finding:
    """A finding; ``span`` is the place in the query's text that ``said`` quotes."""
    start, end = span or (None, None)
    return Finding(
        code=code, severity=severity, start=start, end=end, said=said, found=evidence, evidence_id=evidence_id
    )

"""One thing to buy, and by what names a title or a query has it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from drretail.llm.offline.shopper.everyday import ALL_KINDS
from drretail.llm.offline.shopper.kinds import CONSUMABLE_WORDS, EVERY_CUE, Kind
from drretail.llm.offline.shopper.phrases import describes
from drretail.llm.offline.shopper.words import contains_phrase, number_text, plural, stems_of, with_article

LONGEST_NAME = 4
"""Words of a kind's name, at most."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to buy. ``names`` are its names as stems, the plainest first; ``wishes`` the words that qualify it."""

    name: str
    names: tuple[tuple[str, ...], ...]
    wishes: tuple[str, ...] = ()
    quantity: int = 1
    consumable: bool = False
    theme: str | None = None
    ask: str = ""
    """What to look up on the web about it."""
    again: bool = False
    """True when the shopper wants what they had before."""
    other: bool = False
    """True when the shopper wants anything but what they had before."""
    guessed: bool = False
    """True when nothing in the query says that this is to be bought."""

    @property
    def search(self) -> str:
        return " ".join([*self.wishes[:2], self.name])

    @property
    def thing(self) -> str:
        """The noun for one such product in a sentence."""
        return "match" if self.guessed or plural(self.name) == self.name else self.name

    @property
    def counted(self) -> str:
        """ "three bird feeders", "a birdhouse", "wildflower seeds"."""
        if self.quantity == 1:
            return with_article(self.name)
        return f"{number_text(self.quantity)} {plural(self.name)}"

    @property
    def definite(self) -> str:
        """ "the bird feeder"."""
        return f"the {self.name}"


def need_of(kind: Kind) -> Need:
    return Need(
        name=kind.name,
        names=tuple(tuple(stems_of(name)) for name in (kind.name, *kind.also)),
        consumable=kind.consumable,
        theme=kind.theme,
        ask=kind.ask,
    )


def asked_need(phrase: tuple[str, ...], wishes: tuple[str, ...] = ()) -> Need:
    """A need in the query's own words; qualities in front of the thing become wishes."""
    front = max((place for place in range(1, len(phrase)) if describes(phrase[:place])), default=0)
    thing = phrase[front:]
    stems = tuple(stems_of(" ".join(thing)))
    names = (stems,) if len(stems) < 3 else (stems, stems[-2:])
    consumable = bool(set(stems) & CONSUMABLE_WORDS)
    return Need(name=" ".join(thing), names=names, wishes=(*phrase[:front], *wishes), consumable=consumable)


def as_titled(need: Need, titles: Sequence[str]) -> Need:
    """A guess cut down to the longest run of its words that a title holds: what no shelf knows is hardly a thing.

    Other needs, and a guess of which no title holds a word, as they are.
    """
    if not need.guessed:
        return need
    words, shown = need.name.split(), [stems_of(title) for title in titles]
    for size in range(len(words), 0, -1):
        for start in range(len(words) - size + 1):
            part = tuple(words[start : start + size])
            stems = tuple(stems_of(" ".join(part)))
            # "Puppy" says for whom, and not what.
            is_thing = not describes(part) and not EVERY_CUE.issuperset(part)
            if is_thing and any(contains_phrase(title, stems) for title in shown):
                return replace(asked_need(part), guessed=True, quantity=need.quantity, other=need.other)
    return need


def names_thing(need: Need, title: str) -> bool:
    """True when a title names the needed thing, its words side by side."""
    stems = stems_of(title)
    return any(contains_phrase(stems, name) for name in need.names)


def kind_of(title: str) -> Kind | None:
    """The known kind that a product's title names, if any."""
    stems = stems_of(title)
    for size in range(LONGEST_NAME, 0, -1):
        for start in range(len(stems) - size + 1):
            if kind := kinds_by_name().get(tuple(stems[start : start + size])):
                return kind
    return None


@cache
def kinds_by_name() -> dict[tuple[str, ...], Kind]:
    """Every known kind by each of its names, as stems."""
    return {tuple(stems_of(name)): kind for kind in reversed(ALL_KINDS) for name in (*kind.also, kind.name)}

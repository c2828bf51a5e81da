"""The things that a query's text asks for, and those that it says the shopper has, read from its words.

Read are the kinds of things that query generation knows and phrases made of everyday words. A thing counts as asked
for where it is introduced as something new ("a bird feeder", "better hair clips", "the best dog bed"), outside of
indirect questions; what "my", "I bought" and the like introduce is had. Where only had things are named, as in
"it's time to replace my planner", these are what is asked for.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from drretail.querygen.knowledge import kinds, words
from drretail.querygen.phrases import phrase_of, singular
from drretail.querygen.things import Thing, folded_words, thing_named

Role = Literal["asked", "had", "theirs", "named"]
"""Theirs is what somebody else has: "she already has pruning shears"."""

_TOKEN = re.compile(r"[a-zà-ÿ0-9']+", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;:\n]+(?:\.(?=\w)[^.!?;:\n]*)*")
_NEW = re.compile(
    r"\b(?:an?|some|any|another|more|new|better|different|other|suitable|good|best|right|ideal|perfect|matching|fresh"
    r"|two|three|four|five|six|\d{1,2}|which|what)\s+(?:[\w'-]+\s+){0,2}$"
)
_WANTS = re.compile(
    r"\b(?:need|want|like|looking for|looking at|find|recommend|suggest|buy|get|choose|compare|between|replace|show me"
    r"|order|of|and|or|with|for|would)\s+(?:[\w'-]+\s+)?$|,\s*$"
)
# Whatever is not done with it, what is mine is had: "I never got along with my lamp".
_MINE = re.compile(r"\b(?:my|our|mine)\s+(?!own\b)(?:(?!(?:an?|some|another)\b)[\w'-]+\s+){0,2}$")
_HAD = re.compile(
    r"\b(?:my|our)\s+own\s+(?:[\w'-]+\s+)?$"
    r"|\b(?:bought|ordered|purchased|own|owned|got|had|have|has|using|used|tried)\b(?:(?!\b(?:but|want|need|wonder|look|looking|find|suggest|recommend|help|thinking|like|no|neither)\b)[^,]){0,40}$"
)
_THEIRS = re.compile(r"\b(?:she|he|they|who)\b[^,]{0,20}\b(?:has|have|had|owns?|got|uses?)\b[^,]{0,40}$")
_HAD_AFTER = re.compile(
    r"\s*(?:(?:that|which)\s+)?(?:i|we)(?:'ve)?\s+(?:\w+\s+){0,2}?"
    r"(?:bought|ordered|purchased|got|own|have|had|use|buy|order)\b"
)
_MINE_AFTER = re.compile(r"\s*(?:like|of)\s+(?:mine|ours)\b")
_NEGATED = re.compile(
    r"(?:n't(?!\s+(?:decide|choose))"
    r"|\b(?:not|no|neither|nor|nothing|without|never|anything but|instead of|rather than))"
    r"\s+(?:[\w']+\s+){0,4}$"
)
# An indirect question is one for the web; "which dog bed" and "what about a dog bed" ask for the thing.
_HOW = re.compile(r"\b(?:how|whether|why|when|where)\s[^,]*$")
_WHAT = re.compile(r"\b(?:what|which)\s+(?!(?:[\w'-]+\s+)?$)[^,]*$")
_OF_THE_THING = re.compile(r"\b(?:between|would|should|is|are)\s+(?:[\w'-]+\s+){0,2}$|\b(?:an?|another)\s+$")
_DEFINITE = re.compile(
    r"\b(?:the|this|that|these|those|its|their|your|his|her)\s+(?!best|right|ideal|perfect)(?:[\w'-]+\s+){0,1}$"
)
# What follows a head that stands for itself: the razor of "razor burn" does not.
_FUNCTION_WORD = re.compile(
    r"(?:an?|and|are|as|at|back|because|be|but|by|can|could|for|from|has|i|if|in|is|it|last|like|my|now|of|on|or|over"
    r"|should|since|so|than|that|this|to|too|under|until|we|when|which|will|with|would)"
)
_OR = re.compile(r"\bor\b")
_EITHER = re.compile(r"\b(?:between|either|decide|which of)\b")


@dataclass(frozen=True, slots=True)
class Named:
    """A thing at its place in the text."""

    thing: Thing
    start: int
    end: int
    role: Role


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


def read_asked(text: str) -> Asked:
    """What the text asks for, in text order; nothing where no word of it is known."""
    return asked_of(text, tuple(things_in(text)))


def asked_of(text: str, named: Sequence[Named]) -> Asked:
    """The same from those of the named things that count: "front clips" may be no product, but part of one."""
    had = _distinct(it.thing for it in named if it.role == "had")
    asked = [it for it in named if it.role == "asked"]
    if not asked:
        asked = [it for it in named if it.role == "had"][:1] or [it for it in named if it.role == "named"][:1]
        return Asked(tuple((it.thing,) for it in asked), had, again=bool(had))
    return Asked(tuple(_groups(text, asked)), had, again=all(it.thing in had for it in asked))


def things_in(text: str) -> Iterator[Named]:
    """Every thing that the text names, each place once, the longest phrase first."""
    plain = text.replace("’", "'").casefold()
    for sentence in _SENTENCE.finditer(plain):
        tokens = list(_TOKEN.finditer(plain, sentence.start(), sentence.end()))
        written = [token[0] for token in tokens]
        folded = [singular(word) for word in written]
        ends = {place for place, token in enumerate(tokens) if plain[token.end() : token.end() + 1] == ","}
        index = 0
        while index < len(tokens):
            found = _known(folded, written, index, ends) or _everyday(folded, written, index)
            if found is None:
                index += 1
                continue
            thing, length = found
            start, end = tokens[index].start(), tokens[index + length - 1].end()
            yield Named(thing, start, end, _role(plain[sentence.start() : start], plain[end : sentence.end()], thing))
            index += length


def _known(folded: list[str], written: list[str], index: int, ends: Container[int]) -> tuple[Thing, int] | None:
    """A kind that we know of; not where another noun makes it something else, as the soap of a soap dispenser.

    No compound goes on behind a word of ``ends``: "for the diaper bag, machine washable is a must".
    """
    heads = _heads()
    for run, name in _runs().get(folded[index], ()):
        end = index + len(run)
        if tuple(folded[index:end]) == run:
            # The first noun of a compound is in the singular, and "what makes a bowl stand out" has none.
            compound = folded[end : end + 1] and folded[end] in heads and written[end - 1] == folded[end - 1]
            if not compound or end - 1 in ends or folded[end : end + 2] == ["stand", "out"]:
                return thing_named(name), len(run)
    return None


@cache
def _runs() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """The names of the known kinds by their first word, the longest first."""
    runs: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, kind in kinds().items():
        for text in (name, *kind.titles):
            run = tuple(folded_words(text))
            runs.setdefault(run[0], []).append((run, name))
    return {word: sorted(of_word, key=lambda it: (-len(it[0]), it)) for word, of_word in runs.items()}


@cache
def _heads() -> frozenset[str]:
    return words().heads | words().heads_with_company


def _everyday(folded: list[str], written: list[str], index: int) -> tuple[Thing, int] | None:
    """Up to two modifiers and a head: a head alone says too little of what is meant."""
    known = words()
    for length in (3, 2):
        run = folded[index : index + length]
        names = len(run) == length and run[-1] in _heads()
        if names and all(word in known.modifiers for word in run[:-1]):
            return Thing(phrase_of(" ".join([*run[:-1], written[index + length - 1]]))), length
    following = written[index + 1] if index + 1 < len(written) else "and"
    if folded[index] in known.heads and len(folded[index]) > 4 and _FUNCTION_WORD.fullmatch(following):
        return Thing(phrase_of(written[index])), 1
    return None


def _role(before: str, after: str, thing: Thing) -> Role:
    """What the words around a thing in its sentence make of it."""
    if _THEIRS.search(before):
        return "theirs"
    if _HAD_AFTER.match(after) or _MINE_AFTER.match(after) or _is_had(before):
        return "had"
    if _NEGATED.search(before) or _HOW.search(before) or (_WHAT.search(before) and not _OF_THE_THING.search(before)):
        return "named"
    if _DEFINITE.search(before):
        return "named"
    bare = thing.phrase.plural and (_WANTS.search(before) or not before.strip())
    return "asked" if _NEW.search(before) or bare or _WANTS.search(before) else "named"


def _is_had(before: str) -> bool:
    if _MINE.search(before):
        return True
    match = _HAD.search(before)
    return match is not None and not _NEGATED.search(before[: match.start()])


def _groups(text: str, asked: list[Named]) -> Iterator[tuple[Thing, ...]]:
    """Neighbours that "or" joins within a sentence are one group; so are the two of "between a and b"."""
    plain = text.casefold()
    group: list[Named] = []
    seen: set[str] = set()
    for named in asked:
        if named.thing.name in seen:
            continue
        seen.add(named.thing.name)
        if group and not _are_alternatives(plain, group[-1], named):
            yield tuple(it.thing for it in group)
            group = []
        group.append(named)
    if group:
        yield tuple(it.thing for it in group)


def _are_alternatives(plain: str, first: Named, second: Named) -> bool:
    between = plain[first.end : second.start]
    if re.search(r"[.!?;\n]", between):
        return False
    return bool(_OR.search(between) or _EITHER.search(plain[max(0, first.start - 40) : first.start]))


def _distinct(things: Iterator[Thing]) -> tuple[Thing, ...]:
    return tuple({thing.name: thing for thing in things}.values())

"""Names that stand in a text where a maker stands: "the brand Foo", "a Foo desk lamp", "how does Foo hold up".

Capitals alone make no maker: people, places, breeds, styles and sources of advice have them, too.
"""

import re
from collections.abc import Iterator, Sequence

from drretail.grounding.states import STATES
from drretail.grounding.vocabulary import NO_BRANDS, STYLES
from drretail.querygen.asked import Named
from drretail.querygen.things import folded_words

_NAME = r"(?P<name>[A-ZÀ-ÖØ-Þ][\w&-]+(?:\s+(?:&\s+)?[A-ZÀ-ÖØ-Þ][\w&-]+){0,2})(?:['’]s)?"
_CUES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:[Bb]rands?|makers?|manufacturers?|company|label)\s+(?:(?:called|named|like)\s+)?{_NAME}",
        # Not where a sentence begins: "Which brand", "Whatever products".
        rf"(?<=[a-z,] ){_NAME}\s+(?:[Bb]rand|products|gear|makes|sells)\b",
        rf"\b[Hh]ow\s+(?:well\s+)?(?:do|does|did|would|will|has|have)\s+{_NAME}\s+(?:[a-z]+\s+){{0,4}}?"
        r"(?:hold|holds|held|compares?|stacks?|fares?|performs?|lasts?|measures?|differs?)\b",
        rf"\b(?:fan\s+of|loyal\s+to|swears?\s+by|reputation\s+of|warranty\s+(?:of|from|by)|versus|vs\.?)\s+{_NAME}",
    )
)
_BEFORE_A_THING = re.compile(
    r"\b(?:[Aa]n?|[Tt]he|[Mm]y|[Oo]ur|[Tt]h(?:is|at|ese|ose)|[Aa]nother|[Aa]ny|[Ss]ome|[Oo]ld|[Nn]ew|[Tt]wo|[Oo]f|[Bb]etter)\s+"
    rf"{_NAME}\s+(?:[a-z-]+\s+)?$"
)
_PETS = frozenset({"dog", "cat", "pet", "bird", "puppy", "kitten", "horse", "litter"})
_FROM_SOMEWHERE = re.compile(r"(?:ian|ean|ese|ish|ican|ern)$")
_REACH = 80


def makers_in(text: str, named: Sequence[Named]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each such name with its place; ``named`` are the things that the text names."""
    for cue in _CUES:
        for match in cue.finditer(text):
            if _may_be_a_maker(match["name"]):
                yield match["name"], match.span("name")
    for it in named:
        before = max(0, it.start - _REACH)
        match = _BEFORE_A_THING.search(text[before : it.start])
        # A breed often stands before what is bought for it.
        if match and not _PETS & set(folded_words(it.thing.name)) and _may_be_of_a_thing(match["name"]):
            yield match["name"], (before + match.start("name"), before + match.end("name"))


def _may_be_a_maker(name: str) -> bool:
    words = name.casefold().split()
    return not set(words) & NO_BRANDS and name not in STATES.values()


def _may_be_of_a_thing(name: str) -> bool:
    words = name.casefold().split()
    kinds = any(word in STYLES or _FROM_SOMEWHERE.search(word) for word in words)
    return _may_be_a_maker(name) and not kinds and not name.isupper()

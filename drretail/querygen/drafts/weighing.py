"""Whether something to weigh up has been settled, or named, by the words beside it."""

from collections.abc import Iterable

from drretail.grounding.listing import is_material
from drretail.querygen.things import folded_words

# "Perennial", "perennials"; "washable", "washability".
_STEM = 5
_LEAST = 4
_EMPTY = frozenset(
    {
        *("what", "which", "that", "they", "them", "with", "from", "than"),
        *("much", "does", "have", "well", "look", "best", "both", "more"),
    }
)
# A demand that settles a point of another name.
_ALSO = {
    "fragrance": ("scent", "smell"),
    "unscented": ("scent", "smell"),
    "quiet": ("noise",),
    "compact": ("size", "footprint"),
    "lightweight": ("weight",),
    "rechargeable": ("battery",),
}
_OF_MATERIAL = ("material", "fabric", "wood", "steel", "covering", "fiber")


def clashes(point: str, texts: Iterable[str]) -> bool:
    """True for "perennials against annuals" beside "perennial", and for "price per ounce" beside "the best price"."""
    return not _stems(point).isdisjoint(stem for text in texts for stem in _settled(text))


def _settled(text: str) -> set[str]:
    more = [other for word in folded_words(text) for other in _ALSO.get(word, ())]
    return _stems(" ".join([text, *more, *(_OF_MATERIAL if is_material(text) else ())]))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in folded_words(text) if len(word) >= _LEAST and word not in _EMPTY}

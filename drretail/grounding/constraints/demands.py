"""What a product's record says of a demand: that it is so, that it is not, or nothing.

A record may name a quality by denying it ("non-dimmable", "latex free"). Title and details count before prose; for a
material, the field that names what the product is made of counts first. No other meaning of the words is considered.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from drretail.grounding.text.words import singular
from drretail.records.criteria import State

MATERIALS = frozenset(
    """
    acacia acrylic aluminium aluminum bamboo brass bronze cedar ceramic copper cork cotton crystal denim down
    felt fiberglass flannel fleece glass granite iron jute latex leather linen marble metal microfiber muslin
    nylon oak paper pine plastic polyester porcelain rattan resin rubber satin silicone silk sisal slate
    stainless steel stone suede teak titanium velvet vinyl walnut wicker wood wooden wool
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
) | {"cast iron", "memory foam", "natural rubber", "organic cotton", "stainless steel"}
"""Demands about what a thing is made of, in lower case."""

# Not fields of a part, such as "Handle Material".
_MADE_OF = frozenset({"material", "materials", "material type", "material composition", "fabric type", "fabric"})
# "Containers with bamboo lids", "post for wood floors": after these words, something else is described.
_BESIDE = re.compile(r"\s(?:with|w/|for|on|without|like)\s.*$", re.DOTALL)
_LOOKS = re.compile(r"\b\w+[ -](?:look|like|style|effect|scented|free)\b")
_DENIES = re.compile(
    r"(?:\b(?:no|non|not|without|zero|never|faux|fake|imitation|free\s+(?:of|from))|n't)[\s-]+(?:(?:an?|any|the|added)\s+)?$"
    # "Free of BPA, lead and phthalates"
    r"|\bfree\s+(?:of|from)\s+(?:[\w'-]+(?:\s[\w'-]+)?(?:\s*,\s*|\s+)(?:(?:and|or|nor)\s+)?){1,5}$"
)
# In a list of what a product lacks ("free of lead, BPA free", "zero sugar and alcohol free"), "BPA free" is not denied.
_DENIES_FREE = re.compile(r"\b(?:not|never|isn't|aren't)\s+$")
_FREE_AFTER = re.compile(
    r"[\s-]+free\b(?!\s+(?:shipping|returns?|gift|of|from))|\s*\??:\s*(?:no|none|false|0\s*%)(?!\w)"
)
_REACH = 60
"""Characters before a word in which a denial counts."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NO_MEANING = frozenset("a an and as at be for in is it of on or the to with".split())  # noqa: SIM905
# Joined to the next word: "non-slip", "nonslip".
_PREFIXES = frozenset("anti extra double dual hand heavy multi non pre quick self semi single ultra un".split())  # noqa: SIM905
_SUFFIXES = frozenset({"proof", "resistant"})
_COMPOUND = re.compile(r"(?<=[a-z]{3})(?=(?:proof|resistant|washable)$)")
# "Dishwasher, microwave and oven safe" applies to all three; "fragrance of lavender, BPA free" is not fragrance free.
_SHARED = frozenset({"free", "safe", "friendly"})
_LIST = r"(?:(?:\s*[,/&]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)[\w'+]+){0,4}[\s-]+"
# "Easy to fill and clean": up to three words between, none of which negates.
_BETWEEN = r"(?:[\s/&-]+(?!(?:no|non|not|never|without)\b)[\w'+]+){0,3}?[\s/&-]+"
_NOTHING = r"[\s-]*"


@dataclass(frozen=True, slots=True)
class RecordWords:
    """A record's texts in lower case, by how much they count."""

    title: str
    details: tuple[str, ...]
    """ "material: bpa-free plastic"; "material type free: latex" as "free of latex"."""
    prose: tuple[str, ...]
    made_of: tuple[str, ...]
    """The values of the fields that name what the product is made of."""
    whole: str
    """All texts in one, to see quickly whether a word occurs at all."""
    stances: dict[tuple[str, bool], State] = field(
        default_factory=dict[tuple[str, bool], State], compare=False, repr=False
    )
    """Cached results: every record is asked the same questions many times."""


def record_words(title: str, prose: Iterable[object], table: Mapping[str, Any]) -> RecordWords:
    """``prose`` are features and descriptions, ``table`` the details; values that are not text are ignored."""
    details = [(name, value) for name, value in table.items() if isinstance(value, str)]
    fields = tuple(
        _folded(f"free of {value}" if name.casefold().endswith(" free") else f"{name}: {value}")
        for name, value in details
    )
    parts = tuple(_folded(part) for part in prose if isinstance(part, str))
    return RecordWords(
        title=_folded(title),
        details=fields,
        prose=parts,
        made_of=tuple(
            _folded(value) for name, value in details if name.strip().replace("_", " ").casefold() in _MADE_OF
        ),
        whole="\n".join((_folded(title), *fields, *parts)),
    )


def stance(words: RecordWords, demand: str) -> State:
    """What the record says of a demand: "met" if it affirms it and no weightier text denies it, "broken" if it denies
    it or names another material, else "open".
    """
    if (demand, True) not in words.stances:
        words.stances[demand, True] = _stance(words, demand)
    return words.stances[demand, True]


def stance_against(words: RecordWords, unwanted: str) -> State:
    """What the record says of an unwanted quality: "broken" if the product has it, "met" if the record denies it, else
    "open".
    """
    if (unwanted, False) not in words.stances:
        found = _affirmations((words.title, *words.details, *words.prose), unwanted)
        is_open = not found or not _is_spoken_of(words, unwanted)
        words.stances[unwanted, False] = "open" if is_open else "broken" if True in found else "met"
    return words.stances[unwanted, False]


def _stance(words: RecordWords, demand: str) -> State:
    is_material = demand.casefold().strip() in MATERIALS
    if not _is_spoken_of(words, demand):
        return "broken" if is_material and words.made_of else "open"
    title = _LOOKS.sub(" ", _BESIDE.sub("", words.title)) if is_material else words.title
    if is_material and words.made_of:
        found = _affirmations(words.made_of, demand) or _affirmations((title,), demand)
        return "met" if found == {True} else "broken"
    for texts in ((title, *words.details), words.prose):
        if found := _affirmations(texts, demand):
            return "met" if found == {True} else "broken"
    return "open"


def _is_spoken_of(words: RecordWords, demand: str) -> bool:
    """False if no text can contain the demand, or what it frees the product of; a quick search for a piece of its
    words.
    """
    return any(piece in words.whole for piece in _pieces(demand))


@lru_cache(maxsize=4096)
def _pieces(demand: str) -> tuple[str, ...]:
    """Beginnings of words, of which one occurs in every text that the demand's pattern can match."""
    first_words = (telling[0] for phrase in (demand, _freed_of(demand)) if (telling := _telling(phrase)))
    return tuple(_COMPOUND.split(word)[0][: max(len(word) - 3, 3)] for word in first_words)


def _affirmations(texts: Iterable[str], demand: str) -> set[bool]:
    """For the places that name a demand, whether they affirm it; empty without any."""
    pattern, freed_of = _demand_pattern(demand), _freed_of(demand)
    denies = _DENIES_FREE if freed_of else _DENIES
    found: set[bool] = set()
    for text in texts:
        found |= {not _is_denied(text, place, denies) for place in pattern.finditer(text)}
        # "No fragrance" and "free of fragrance" mean "fragrance free", too.
        if freed_of and any(_is_denied(text, place) for place in _demand_pattern(freed_of).finditer(text)):
            found.add(True)
    return found


def _is_denied(text: str, place: re.Match[str], denies: re.Pattern[str] = _DENIES) -> bool:
    is_free = not place[0].endswith("free") and bool(_FREE_AFTER.match(text, place.end()))
    return is_free or bool(denies.search(text[max(0, place.start() - _REACH) : place.start()]))


@lru_cache(maxsize=2000)
def _demand_pattern(demand: str) -> re.Pattern[str]:
    """Finds the meaningful words of a demand, in order, in a text in lower case; the last one in singular or plural."""
    words = _telling(demand)
    if not words:
        return re.compile(r"(?!)")
    before, last = "", words[-1]
    for word, following in pairwise(words):
        is_glued = word in _PREFIXES or following in _SUFFIXES
        before += re.escape(word) + (_NOTHING if is_glued else _LIST if following in _SHARED else _BETWEEN)
    one = r"[\s-]?".join(_COMPOUND.split(singular(last)))
    ending = rf"{one}(?:{'es' if one.endswith(('s', 'x', 'ch', 'sh')) else 's'}|ing)?"
    if last in MATERIALS:  # "heavy metals" are not a metal
        ending = re.escape(last)
    elif one.endswith("y"):
        ending = rf"{one[:-1]}(?:y|ies)"
    # "Softer than cotton" and "blade material: steel" name another thing.
    return re.compile(rf"(?<!than )(?<!like )(?<!semi-)\b{before}{ending}\b(?!\s+material)")


@lru_cache(maxsize=4096)
def _telling(phrase: str) -> tuple[str, ...]:
    """The meaningful words of a phrase, or all words if none is."""
    words = _WORD.findall(_folded(phrase))
    return tuple([word for word in words if word not in _NO_MEANING] or words)


@lru_cache(maxsize=4096)
def _freed_of(demand: str) -> str:
    """What a product must be without: "fragrance" for "fragrance free"; empty for other demands."""
    freed_of, _, last = " ".join(_telling(demand)).rpartition(" ")
    return freed_of if last == "free" else ""


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("‑", "-")

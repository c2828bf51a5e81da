"""What the words of a product's record say of a demand: that it is so, that it is not, or nothing.

Only where nobody has read the record, and no field decides. A record may name a quality by denying it ("non-dimmable",
"latex free"). Title and details count before prose; for a material, the field that names what the product is made of
counts first. No other meaning of the words is considered: rules for more won nothing on 220 decisions of readers.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from drretail.grounding.text.words import RUN, singular
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
# "Containers with bamboo lids", "mat for wood floors": after these words, a title describes something else.
_BESIDE = re.compile(r"\s(?:with|w/|for|on|without|like)\s.*$", re.DOTALL)
_DENIES = re.compile(
    r"(?:\b(?:no|non|not|without|zero|never|faux|fake|imitation|free\s+(?:of|from))|n't)[\s-]+(?:(?:an?|any|the|added)\s+)?$"
    # "Free of BPA, lead and phthalates"
    r"|\bfree\s+(?:of|from)\s+(?:[\w'-]+(?:\s[\w'-]+)?(?:\s*,\s*|\s+)(?:(?:and|or|nor)\s+)?){1,5}$"
)
_FREE_AFTER = re.compile(
    r"[\s-]+free\b(?!\s+(?:shipping|returns?|gift|of|from))|\s*\??:\s*(?:no|none|false|0\s*%)(?!\w)"
)
_REACH = 60
"""Characters before a word in which a denial counts."""
_NO_MEANING = frozenset("a an and as at be for in is it of on or the to with".split())  # noqa: SIM905
# "Easy to fill and clean": up to three words between, none of which negates.
_BETWEEN = r"(?:[\s/&-]+(?!(?:no|non|not|never|without)\b)[\w'+]+){0,3}?[\s/&-]+"


@dataclass(frozen=True, slots=True)
class RecordWords:
    """A record's texts in lower case, by how much they count."""

    title: str
    details: tuple[str, ...]
    """ "material: bpa-free plastic"; "material type free: latex" as "latex free"."""
    prose: tuple[str, ...]
    made_of: tuple[str, ...]
    """The values of the fields that name what the product is made of."""
    stances: dict[tuple[str, bool], State] = field(
        default_factory=dict[tuple[str, bool], State], compare=False, repr=False
    )
    """Cached results: every record is asked the same questions many times."""


def record_words(title: str, prose: Iterable[object], table: Mapping[str, Any]) -> RecordWords:
    """``prose`` are features and descriptions, ``table`` the details; values that are not text are ignored."""
    details = [(name, value) for name, value in table.items() if isinstance(value, str)]
    fields = tuple(
        _folded(f"{value} free" if name.casefold().endswith(" free") else f"{name}: {value}") for name, value in details
    )
    return RecordWords(
        title=_folded(title),
        details=fields,
        prose=tuple(_folded(part) for part in prose if isinstance(part, str)),
        made_of=tuple(
            _folded(value) for name, value in details if name.strip().replace("_", " ").casefold() in _MADE_OF
        ),
    )


def stance(words: RecordWords, demand: str, *, unwanted: bool = False) -> State:
    """What the record says of a demand: "met" if it affirms it and no weightier text denies it, "broken" if it denies
    it or names another material, else "open". An ``unwanted`` quality is "broken" if any text affirms it.
    """
    if (demand, unwanted) not in words.stances:
        words.stances[demand, unwanted] = (_of_unwanted if unwanted else _of_wanted)(words, demand)
    return words.stances[demand, unwanted]


def _of_unwanted(words: RecordWords, unwanted: str) -> State:
    affirmations = _affirmations((words.title, *words.details, *words.prose), unwanted)
    return "open" if not affirmations else "broken" if True in affirmations else "met"


def _of_wanted(words: RecordWords, demand: str) -> State:
    is_material = demand.casefold().strip() in MATERIALS
    title = _BESIDE.sub("", words.title) if is_material else words.title
    is_named = bool(is_material and words.made_of)
    texts = (words.made_of, (title,)) if is_named else ((title, *words.details), words.prose)
    for part in texts:
        if affirmations := _affirmations(part, demand):
            return "met" if affirmations == {True} else "broken"
    return "broken" if is_named else "open"


def _affirmations(texts: Iterable[str], demand: str) -> set[bool]:
    """For the places that name a demand, whether they affirm it; empty without any."""
    first, pattern = _demand_pattern(demand)
    named = (text for text in texts if first in text)  # a quick look: most texts lack the first word
    return {not _is_denied(text, place) for text in named for place in pattern.finditer(text)}


def _is_denied(text: str, place: re.Match[str]) -> bool:
    is_free = not place[0].endswith("free") and bool(_FREE_AFTER.match(text, place.end()))
    return is_free or bool(_DENIES.search(text[max(0, place.start() - _REACH) : place.start()]))


@lru_cache(maxsize=2000)
def _demand_pattern(demand: str) -> tuple[str, re.Pattern[str]]:
    """The beginning of a demand's first meaningful word, and a pattern that finds all of them, in order, in a text in
    lower case; the last one in singular or plural.
    """
    words = RUN.findall(_folded(demand))
    words = [word for word in words if word not in _NO_MEANING] or words
    if not words:
        return "", re.compile(r"(?!)")
    *before, last = words
    one = re.escape(singular(last))
    ending = rf"{one}(?:{'es' if one.endswith(('s', 'x', 'ch', 'sh')) else 's'}|ing)?"
    if last in MATERIALS:  # "heavy metals" are not a metal
        ending = re.escape(last)
    elif one.endswith("y"):
        ending = rf"{one[:-1]}(?:y|ies)"
    # "Softer than cotton" and "blade material: steel" name another thing.
    pattern = _BETWEEN.join([*map(re.escape, before), ending])
    first = before[0] if before else singular(last)[: max(len(last) - 3, 3)]
    return first, re.compile(rf"(?<!than )(?<!like )(?<!semi-)\b{pattern}\b(?!\s+material)")


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("‑", "-")

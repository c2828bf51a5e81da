"""Whether the words of a product's record say that it is what is demanded.

Prose names a quality also where it denies it ("non-dimmable"), where it holds the product against it ("weighs a fifth
of glass"), and where another thing has it ("also available in glass"). Title and details go before prose, and of a
material a field that names what the product is made of goes before all.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from drretail.grounding.constraints.demand_words import demand_pattern, freed_of, going_in, needles
from drretail.grounding.constraints.materials import MATERIALS, made_of

Stance = Literal["kept", "broken", "open"]
HeadlineGap = Literal["so", "denied", "beside"]
"""What a place in a text does with what it names; "beside": it speaks of something else."""

_MADE_OF = frozenset({"material", "materials", "material type", "material composition", "fabric type", "fabric"})
_DETERMINER = r"(?:(?:an?|any|the|added|real|fully|entirely|completely|truly|100)[\s%]+)?"
_DENIES = re.compile(rf"(?:\b(?:no|non|not|without|zero|never)|n't)[\s-]+{_DETERMINER}$")
_FREES = re.compile(rf"\bfree\s+(?:of|from)\s+{_DETERMINER}$")
# "Without soy, gluten, dairy or nuts", "no dyes or perfumes". Words behind the comma of "no lid, dishwasher safe" are
# in no such list: one ends with "or" or "and".
_LISTS = re.compile(
    r"\b(?:without|no|contains\s+no|free\s+(?:of|from))\s+(?:[\w'-]+(?:\s[\w'-]+)?(?P<joint>\s*,\s*(?:or|nor|and)\s+"
    r"|\s*,\s*|\s+(?:or|nor|and)\s+)){1,6}(?:added\s+|any\s+)?$"
)
_LIST_ENDS = re.compile(r"^(?:\s*,\s*[\w'-]+(?:\s[\w'-]+)?){0,5}\s*,?\s+(?:or|nor|and)\s")
_FREE_AFTER = re.compile(
    r"[\s-]+free\b(?!\s+(?:shipping|returns?|gift|of|from))|\s*\??:\s*(?:no|none|false|0\s*%)(?!\w)"
)
# "Must not be used with glass": the denial reaches over a few words of the same clause, and not to the next verb.
_FAR_DENIAL = re.compile(
    r"(?:\b(?:not(?!\s+(?:only|just|merely)\b)|never|cannot|neither|nor|lacks?)|n't)\s+(?:(?!(?:and|so|is|are)\b)[\w'-]+\s+){0,4}$"
    r"|\bwithout\s+(?:[\w'-]+\s+)?$"
)
_COMPARES = re.compile(
    r"\b(?:than|unlike|(?:instead|half|third|quarter|fifth|tenth|fraction|weight|time|price|cost|look|looks|feel|strength"
    r"|clarity|beauty|warmth|softness|shine) of|rather than|compared (?:to|with)|versus|vs\.?|as [\w-]+ as|similar to"
    r"|(?:look|looks|looking|feel|feels|just|much|almost)? ?like|(?:alternative|substitute|replacement)s? (?:to|for)"
    r"|resembl\w+|mimic\w*|imitat\w+|replac(?:es|ing)|faux|fake|artificial|simulated|mock|synthetic"
    r"|(?:available|sold|comes?) in|also in|not for|semi|between [\w-]+ and)[\s-]+"
    r"(?:(?:an?|the|our|real|solid|pure|traditional|regular)\s+)?$"
)
_LOOKS = re.compile(
    r"\s+material\s*:|[\s-]+(?:like|look|looks|looking|effect|imitation|alternatives?|substitutes?|version)\b"
    r"|(?:\s+[\w'-]+){0,2}\s+(?:(?:is|are)\s+)?(?:not\s+included|sold\s+separately)\b"
)
_PART_OF = re.compile(r"\b(?:with|for|in|on|includ\w+|plus|and)\s+(?:[\w'-]+\s+){0,2}$")
_CLAUSE = re.compile(r"[.,;:!?()\[\]|•–—\n]|\s-\s|\bbut\b")


@dataclass(frozen=True, slots=True)
class RecordWords:
    """What a record says, in lower case, by how much it counts."""

    title: str
    details: tuple[str, ...]
    """ "material: bpa-free plastic"; "material type free: latex" as "free of latex"."""
    prose: tuple[str, ...]
    made_of: tuple[str, ...]
    """The values of the fields that name what the product is made of."""
    own: str
    """The title up to what comes with the product, or what it is for."""
    whole: str
    """All of it in one, to see at a glance whether a word is there at all."""
    stances: dict[str, Stance] = field(default_factory=dict[str, "Stance"], compare=False, repr=False)
    """What was found before, by demand: every record is asked the same many times."""
    stances_against: dict[str, Stance] = field(default_factory=dict[str, "Stance"], compare=False, repr=False)


def record_words(title: str, prose: Iterable[object], table: Mapping[str, Any]) -> RecordWords:
    """``prose`` are features and descriptions, ``table`` the details; what is no text in these says nothing."""
    details = [(name, value) for name, value in table.items() if isinstance(value, str)]
    fields = tuple(_plain(_detail(name, value)) for name, value in details)
    parts = tuple(_plain(part) for part in prose if isinstance(part, str))
    return RecordWords(
        title=_plain(title),
        details=fields,
        prose=parts,
        made_of=tuple(_plain(value) for name, value in details if name.strip().casefold() in _MADE_OF),
        own=_plain(made_of(title, {})),
        whole="\n".join((_plain(title), *fields, *parts)),
    )


def stance(words: RecordWords, demand: str) -> Stance:
    """What the record says of a demand: "kept" where it says so and nowhere weightier denies it, "broken" where it
    denies it, or names another material in its place; else "open"."""
    if demand not in words.stances:
        words.stances[demand] = _stance(words, demand)
    return words.stances[demand]


def _stance(words: RecordWords, demand: str) -> Stance:
    of_material = demand.casefold().strip() in MATERIALS
    if not _is_spoken_of(words, demand):
        return "broken" if of_material and words.made_of else "open"
    if of_material and words.made_of:
        if (said := _said(words.made_of, demand)) is not None:
            return "kept" if said else "broken"
        places = demand_pattern(demand).finditer(words.title)
        own = any(
            _standing(words.title, it) == "so" and not _PART_OF.search(words.title[: it.start()]) for it in places
        )
        return "kept" if own else "broken"
    for texts in ((words.own if of_material else words.title, *words.details), words.prose):
        if (said := _said(texts, demand)) is not None:
            return "kept" if said else "broken"
    return "open"


def stance_against(words: RecordWords, unwanted: str) -> Stance:
    """What the record says of something that must not be: "broken" where it speaks of it as the product's own, "kept"
    where it denies it; "leather free" and "unlike leather" are no leather."""
    if unwanted not in words.stances_against:
        texts = (words.title, *words.details, *words.prose)
        found = _standings(texts, unwanted, far=False) if _is_spoken_of(words, unwanted) else set[HeadlineGap]()
        words.stances_against[unwanted] = "broken" if "so" in found else "kept" if "denied" in found else "open"
    return words.stances_against[unwanted]


def _is_spoken_of(words: RecordWords, phrase: str) -> bool:
    return any(needle in words.whole for needle in needles(phrase))


def _said(texts: Iterable[str], demand: str) -> bool | None:
    """False where any text denies it, else True where any affirms it, else None."""
    standings = _standings(texts, demand)
    return False if "denied" in standings else True if "so" in standings else None


def _standings(texts: Iterable[str], phrase: str, *, far: bool = True) -> set[HeadlineGap]:
    pattern, freed, safe = demand_pattern(phrase), freed_of(phrase), going_in(phrase)
    found: set[HeadlineGap] = set()
    for text in texts:
        found |= {_standing(text, place, far=far) for place in pattern.finditer(text)}
        # "Fragrance free" is said by "no fragrance" and "made without fragrance", too.
        if freed and any(_is_without(text, place) for place in demand_pattern(freed).finditer(text)):
            found.add("so")
        if safe and any(_standing(text, place) == "so" for place in safe.finditer(text)):
            found.add("so")
    return found


def _standing(text: str, place: re.Match[str], *, far: bool = True) -> HeadlineGap:
    before, after = text[: place.start()], text[place.end() :]
    is_free = place[0].endswith("free")
    if _DENIES.search(before) or (not is_free and (_FREE_AFTER.match(after) or _is_without(text, place))):
        return "denied"
    clause = _CLAUSE.split(before)[-1]
    if _COMPARES.search(before) or _LOOKS.match(after) or (far and _FAR_DENIAL.search(clause)):
        return "beside"
    return "so"


def _is_without(text: str, place: re.Match[str]) -> bool:
    before = text[: place.start()]
    if _DENIES.search(before) or _FREES.search(before):
        return True
    listed = _LISTS.search(before)
    if listed is None:
        return False
    return listed["joint"].strip(" ,") in ("or", "nor") or bool(_LIST_ENDS.match(text[place.end() :]))


def _detail(name: str, value: str) -> str:
    return f"free of {value}" if name.casefold().endswith(" free") else f"{name}: {value}"


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return text.casefold().replace("’", "'").replace("‑", "-")

"""What the named fields of a product's record say of a text: that it is so, that it is not, or nothing.

A field holds yes or no ("Is Dishwasher Safe: No") or a measure ("Capacity: 15 Ounces", "Number of Shelves: 3"). A text
speaks of it where one clause has the field's name and, for a measure, its unit, and is about the whole product. It is
contradicted only if nothing else in the record says what the text says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.numerals import Numeral, canonical_unit, find_numerals
from drretail.grounding.text.words import STOP_WORDS, content_stems, is_negation, stem
from drretail.grounding.verify.records import all_words_of
from drretail.records.shop import LIST_PRICE, STOCK, VARIANTS, Product

State = Literal["confirmed", "contradicted"]
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_NAMELESS = re.compile(r"(?P<name>.*\D)\s(?P<value>yes|no)", re.IGNORECASE)
"""Feeds that lose a field's name keep it in the value: "Is Dishwasher Safe Yes"."""
_NO_FIELD = (STOCK, LIST_PRICE, VARIANTS)
_PACKED = re.compile(r"packag|shipping", re.IGNORECASE)
# Words that name the same thing in a field and in a sentence: "Capacity: 20 L" and "holds 30 litres".
_SAME = {
    other: group
    for group, others in {
        **{"capac": "volum hold", "weight": "weigh", "length": "long", "width": "wide", "height": "tall high"},
        **{"depth": "deep", "thick": "thick", "diamet": "across", "warranti": "guarante", "life": "last run"},
        **{"safe": "compat proof friend go goe put keep wash", "requir": "need", "includ": "come suppli"},
    }.items()
    for other in others.split()
}
_SIDES = frozenset({"length", "width", "height", "depth", "thick", "diamet"})
_OF_ANY = frozenset(content_stems("item product total maximum size number rated manufacturer")) | {
    "lxwxh",
    "l",
    "w",
    "h",
}
"""Words of a field's name that do not tell what it says."""
_SCALES = (
    {"ml": "1", "l": "1000", "floz": "29.5735", "qt": "946.353", "gal": "3785.41"},
    {"mg": "0.001", "g": "1", "kg": "1000", "oz": "28.3495", "lb": "453.592"},
    {"mm": "1", "cm": "10", "m": "1000", "in": "25.4", "ft": "304.8", "yd": "914.4"},
    {"s": "1", "min": "60", "h": "3600", "d": "86400", "week": "604800", "month": "2629746", "y": "31556952"},
)
_FACTORS = {unit: (scale, Decimal(factor)) for scale, units in enumerate(_SCALES) for unit, factor in units.items()}
_UNTELLING = frozenset(content_stems("item piece unit count set pack star rating review buyer order percent times")) | {
    "x",
    "pc",
    "%",
    "",
}
"""Units besides those of ``_FACTORS`` that don't tell by themselves which field is meant, as "240 readings" does."""
_CONVERTED = Decimal("0.03")
_SLACK = Decimal("0.05")
"""How far a figure may be from the record's before it is wrong: sellers' own words differ from their fields by less."""
_CLAUSE_END = re.compile(
    r"[;,.()!?|\n–—](?!\d)|\b(?:and|but|while|whereas|though|although|yet|plus|so)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[;!?|\n]|[.](?!\d)")
_OPEN = re.compile(
    r"\b(?:if|unless|whether|would|might|may|maybe|perhaps|than|unlike|instead|versus|vs|each|most|other|another"
    r"|reviewers?|buyers?|customers?|owners?|people|tests?|articles?|ask\w*|want\w*|looking for|prefer\w*|wish\w*"
    r"|(?:you|you'll|your) needs?|ordered|bought|purchased|took delivery|(?:19|20)\d\d)\b|\?"
    r"|(?:\b(?:not|never|nothing|nowhere|neither|no (?:word|mention|field|record|listing))\b|n['’]t\b)[^.;]{0,25}"
    r"\b(?:say|says|said|state[sd]?|mention\w*|list\w*|specif\w*|tell\w*|confirm\w*|promise\w*|whether)\b",
    re.IGNORECASE,
)
"""Sentences on conditions, comparisons, opinions, other days, and on what the record doesn't say."""
_LIMIT = re.compile(r"\b(?:or|per|for|to|your?|every|each|after)(?: an?| the)?\W{0,2}$", re.IGNORECASE)
_RELATIVE = re.compile(
    r" ?(?:more|less|heavier|lighter|longer|shorter|wider|taller|bigger|smaller|extra|over|under|above|below"
    r"|to \d|[$€£])|-\d",
    re.IGNORECASE,
)
_SIDE = re.compile(r"\A\s?(?:[x×](?!\w)|[-–*]\s?\d)|(?:[x×*]|\d\W?\s?[-–])\s?\Z|\bby\s?\Z")
_DETERMINED = re.compile(
    r"(?:\b(?:the|its|their|each|every|an?|this|that|these|those)\s+|['’]s\s+|(?:^|[,;.(:]\s*|\band\s+)(?=[\w-]+s\s+(?:are|have|hold|weigh|measure)\b))"
    r"(?P<phrase>(?:[^\W\d][\w-]*\s+){0,4}?[^\W\d][\w-]*)(?=['’]s\b|\s*(?:[^\w\s'’-]|\d|\Z)"
    r"|\s+(?:is|are|was|has|have|can|can['’]?not|isn|aren|do|does|will|must|should|goes|go|holds?|weighs?|measures?|takes?|lasts?|runs?"
    r"|needs?|requires?|comes?|includes?|of|with|without|in|for|at|from|that|which|and|or|but|also|not|never)\b)",
    re.IGNORECASE,
)
_WHOLE = frozenset(content_stems("one item product pick set thing option model unit listing record winner choice")) | {
    "both"
}
_NEUTRAL = frozenset(content_stems("measures stands lists listed says full overall dimensions size maker comes has"))
_BESIDE = re.compile(r"[,;:|(\[–—]|\s-\s|\s(?:with|for|w/|of|in)\s", re.IGNORECASE)
"""After it, a title names what comes with the product, or what it is for."""
_ANSWER = re.compile(r"\W{0,3}[:=|–—-]\W{0,3}(?P<answer>(?:yes|no)\b|[✓✔✅✗✘❌])", re.IGNORECASE)
_WITH = re.compile(r"(?P<with>with|without|no)\b", re.IGNORECASE)
_QUALITY = re.compile(
    r"[^\W\d_]+[ -](?:safe|free|proof|resistant|washable|friendly|adjustable|rechargeable)", re.IGNORECASE
)
"""A value that names a quality, which a text may deny."""
_IS = re.compile(r"(?:is|are)\b", re.IGNORECASE)
_HAVING = re.compile(r"\b(?:has|have|with|without|no|includ\w+|lacks?)\s(?:[\w-]+\s){0,2}\Z", re.IGNORECASE)
"""Before a thing that a product has or lacks: "The lid fits" says neither."""
_OUT_OF = re.compile(r"\b(?:out of|away from|hardly)\b", re.IGNORECASE)
_WINDOW = 6
"""The most words from the first to the last word of a field's name."""


@dataclass(frozen=True, slots=True)
class FieldStatement:
    """``text[start:end]`` says something of a field, which confirms or contradicts it."""

    start: int
    end: int
    kind: Literal["measure", "yes_no"]
    state: State
    field: str
    """The field with its value: "Capacity: 15 Ounces"."""


def field_statements(text: str, item: Product) -> Iterator[FieldStatement]:
    """What a text says of a product's fields, as far as these decide it."""
    starts = [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        if not _OPEN.search(text, start, end):
            yield from _measure_statements(text, start, end, item)
            yield from _yes_no_statements(text, start, end, item)


def decided_by_field(text: str, item: Product) -> State | None:
    """Whether the product's fields confirm or contradict a text; None where they leave a part of it open.

    One contradiction decides; a text is confirmed if a field confirms something and no numeral is left.
    """
    found = list(field_statements(text, item))
    if any(one.state == "contradicted" for one in found):
        return "contradicted"
    left = (each for each in find_numerals(text) if not any(one.start <= each.start < one.end for one in found))
    return "confirmed" if found and not any(left) else None


def _measure_statements(text: str, start: int, end: int, item: Product) -> Iterator[FieldStatement]:
    amounts = {amount.start: amount for amount in find_amounts(text)}
    known = _measures(all_words_of(item))
    for numeral in find_numerals(text):
        amount = amounts.get(numeral.start)
        if amount is None or not start <= numeral.start < end or not _is_statement(text, numeral, amount):
            continue
        clause = _clause(text, numeral.start, numeral.stop)
        near = _groups(text[slice(*clause)])
        named = [
            (name, value)
            for name, value in _fields(item)
            if _is_of_unit(value, numeral, name) and _is_named(name, value, near, numeral.unit)
        ]
        of_names = _groups(" ".join(name for name, _ in named)) | (near & _SIDES)
        if not named or not _is_of_whole(text, start, numeral.start, item, of_names):
            continue
        fitting = next((one for one in named if _fits(amount, numeral, _measures_of(*one))), None)
        if fitting is not None:
            yield FieldStatement(numeral.start, numeral.stop, "measure", "confirmed", ": ".join(fitting))
        elif (
            not _fits(amount, numeral, known, slack=_SLACK)
            and not any(_PACKED.search(name) for name, _ in named)
            and not _foreign(text, clause, numeral, item, of_names)
        ):
            yield FieldStatement(numeral.start, numeral.stop, "measure", "contradicted", ": ".join(named[0]))


def _foreign(text: str, clause: tuple[int, int], numeral: Numeral, item: Product, names: frozenset[str]) -> set[str]:
    """The words of a clause that name neither the product nor its field: "suction depth", "a 3-inch cork insert".

    Of 320 measures in sellers' own words beside fields of that name, most that differ were of a part. A figure that is
    named by its unit or by a side alone may be of anything behind it, too.
    """
    is_named = bool(names) and not names & {*_SIDES, "dimens"} and numeral.unit in _FACTORS
    words = _lower_words(text[clause[0] : numeral.start if is_named else clause[1]])
    words = [word for word in words if canonical_unit(word) not in (*_FACTORS, numeral.unit)]
    stems = {stem for stem in content_stems(" ".join(words)) if not stem.endswith("li")}
    known = _own(item) | names | _WHOLE | _NEUTRAL | _SIDES
    return {one for one in stems if one not in known and _SAME.get(one) not in known}


def _is_statement(text: str, numeral: Numeral, amount: Amount) -> bool:
    """True for an exact figure with a unit that is no limit, no difference and no side of several."""
    before, behind = text[max(0, numeral.start - 20) : numeral.start], text[numeral.stop : numeral.stop + 12]
    is_other = _LIMIT.search(before) or _RELATIVE.match(behind) or _SIDE.match(behind) or _SIDE.search(before)
    is_exact = amount.low == amount.high == numeral.number  # "2700K" is a color, and no amount of thousands
    is_plain = bool(numeral.unit) and is_exact and amount.kind != "money" and amount.relation in ("is", "about")
    clause = text[slice(*_clause(text, numeral.start, numeral.stop))]
    return is_plain and not is_other and not any(map(is_negation, _lower_words(clause)))


def _is_named(name: str, value: str, near: frozenset[str], unit: str) -> bool:
    """True if the words near a figure have the whole name of a field, or the unit tells it by itself."""
    if unit not in _FACTORS and unit not in _UNTELLING:
        return True
    wanted = _groups(name) - _OF_ANY - {"packag"}
    if "dimens" in wanted:
        wanted = (wanted - {"dimens"}) or near & _SIDES or frozenset({"dimens"})
    return bool(wanted) and wanted <= near


def _is_of_unit(value: str, numeral: Numeral, name: str) -> bool:
    return any(_ratio(unit, numeral.unit) is not None for _, unit in _measures_of(name, value))


def _fits(
    amount: Amount, numeral: Numeral, known: frozenset[tuple[Decimal, str]], slack: Decimal | None = None
) -> bool:
    """True if one of these measures is the amount, as exactly as it is written; less exactly in another unit."""
    for number, unit in known:
        ratio = _ratio(unit, numeral.unit)
        if ratio is None:
            continue
        converted = number * ratio
        is_near = abs(converted - amount.low) <= converted * (slack or (_CONVERTED if ratio != 1 else 0))
        if is_near or amount.agreement(converted) is not None:
            return True
    return False


def _ratio(one: str, other: str) -> Decimal | None:
    """By what a number in one unit is multiplied to be in another; None if they don't measure the same."""
    if one == other or {one, other} == {"oz", "floz"}:
        return Decimal(1)
    scale, factor = _FACTORS.get(one, (None, Decimal(1)))
    other_scale, other_factor = _FACTORS.get(other, (-1, Decimal(1)))
    return factor / other_factor if scale == other_scale else None


def _measures_of(name: str, value: str) -> frozenset[tuple[Decimal, str]]:
    """The measures in a field's value; of "Number of Shelves: 3", three shelves."""
    counted = [stem(word) for word in _lower_words(name)][-1:] if name.casefold().startswith("number of ") else []
    numbers = [numeral.number for numeral in find_numerals(value) if numeral.number is not None] if counted else []
    found = _measures(value) | {(numbers[0], unit) for unit in counted if len(numbers) == 1}
    is_volume = "capac" in _groups(name)
    return frozenset((number, "floz" if is_volume and unit == "oz" else unit) for number, unit in found)


@lru_cache(maxsize=2048)
def _measures(text: str) -> frozenset[tuple[Decimal, str]]:
    """The numbers of a text with their units; in "10 x 15 x 6 inches" all three are in inches."""
    found: list[tuple[Decimal, str]] = []
    unit = ""
    for numeral in reversed(list(find_numerals(text))):
        unit = unit if numeral.unit in ("x", "×", "by") else numeral.unit
        if numeral.number is not None:
            found.append((numeral.number, unit))
    return frozenset(found)


def _fields(item: Product) -> Iterator[tuple[str, str]]:
    for name, value in item.details.items():
        if name not in _NO_FIELD and isinstance(value, str | int | float):
            words = f"{value}".strip()
            nameless = None if name.strip() else _NAMELESS.fullmatch(words)
            yield (nameless["name"], nameless["value"]) if nameless else (name.strip() or words, words)


def _yes_no_statements(text: str, start: int, end: int, item: Product) -> Iterator[FieldStatement]:
    for name, value in _fields(item):
        answer, said_by = _answer(name, value)
        wanted = _groups(said_by) - _OF_ANY
        if answer is None or not wanted:
            continue
        single = set(_lower_words(said_by)) if len(wanted) == 1 else None
        is_thing = single is not None and not _IS.match(said_by)
        for first, last, is_affirmed in _claims(text, start, end, wanted, single):
            if is_thing and not _HAVING.search(text, start, first):
                continue
            if not _is_of_whole(text, start, first, item, wanted) or not _qualifies(text, last, item):
                continue
            state: State = "confirmed" if is_affirmed == answer else "contradicted"
            others = [item.title, *item.features, *item.description]
            others += [f"{other}: {words}" for other, words in _fields(item) if (other, words) != (name, value)]
            said = (one for other in others for _, _, one in _claims(other, 0, len(other), wanted, single))
            if state == "confirmed" or is_affirmed not in said:
                yield FieldStatement(first, last, "yes_no", state, f"{name}: {value}")


def _answer(name: str, value: str) -> tuple[bool | None, str]:
    """The answer of a yes-or-no field and the words that say its question; None for other fields.

    "Lid: Without Lid" answers no, "Care: Machine Washable" yes to its own words.
    """
    if (answer := _YES_NO.get(value.casefold())) is not None:
        return answer, name
    has = _WITH.match(value)
    if has and _groups(name) and _groups(name) <= _groups(value):
        return has["with"].casefold() == "with", name
    is_quality = _QUALITY.fullmatch(value) is not None
    return (True, value) if is_quality else (None, name)


def _claims(
    text: str, start: int, end: int, wanted: frozenset[str], single: set[str] | None
) -> Iterator[tuple[int, int, bool]]:
    """The places where a clause has all words of a field's name close together, and whether it affirms them.

    A name of one word must be written as it is: "fits in the microwave" says nothing of "Is Microwaveable".
    """
    edges = [start, *(cut.end() for cut in _CLAUSE_END.finditer(text, start, end)), end]
    for begin, stop in pairwise(edges):
        words = list(_WORD.finditer(text, begin, stop))
        hits = [
            number
            for number, word in enumerate(words)
            if _group(word[0]) in wanted and (single is None or word[0].casefold() in single)
        ]
        if not hits or not wanted <= {_group(words[number][0]) for number in hits} or hits[-1] - hits[0] > _WINDOW:
            continue
        first, last = words[hits[0]].start(), words[hits[-1]].end()
        answer = _ANSWER.match(text, last)
        denials = sum(is_negation(word[0].casefold().replace("’", "'")) for word in words if word.start() < last)
        denials += bool(_OUT_OF.search(text, begin, last))
        denials += answer is not None and answer["answer"].casefold() in ("no", *"✗✘❌")
        if denials < 2 and not re.search(r"\bnot only\b", text[begin:last], re.IGNORECASE):
            yield first, answer.end() if answer else last, not denials


def _qualifies(text: str, last: int, item: Product) -> bool:
    """False for words that qualify another thing: "a waterproof liner"."""
    behind = re.match(r"\s([^\W\d_]+)", text[last:])
    return behind is None or behind[1].casefold() in STOP_WORDS or stem(behind[1].casefold()) in _own(item)


def _is_of_whole(text: str, start: int, place: int, item: Product, named: frozenset[str]) -> bool:
    """True if the last thing that the sentence names before a place is the product itself and not a part of it."""
    phrases = list(_DETERMINED.finditer(text, start, place))
    if not phrases:
        return True
    stems = [one for one in map(stem, _lower_words(phrases[-1]["phrase"])) if not one.endswith("li")]
    return not stems or stems[-1] in _own(item) | _WHOLE or _SAME.get(stems[-1], stems[-1]) in named


@lru_cache(maxsize=512)
def _own(item: Product) -> frozenset[str]:
    title = _BESIDE.split(item.title)[0]
    return frozenset(content_stems(f"{title} {item.brand or ''} {item.store or ''} {' '.join(item.categories)}"))


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    cuts = [(cut.start(), cut.end()) for cut in _CLAUSE_END.finditer(text)]
    first = max((stop for _, stop in cuts if stop <= start), default=0)
    return first, min((begin for begin, _ in cuts if begin >= end), default=len(text))


def _groups(text: str) -> frozenset[str]:
    return frozenset(_SAME.get(one, one) for one in content_stems(text))


@lru_cache(maxsize=8192)
def _group(word: str) -> str:
    one = stem(word.casefold())
    return _SAME.get(one, one)


def _lower_words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]

"""Figures with a unit and plain denials in a product's record, and sentences that contradict them.

"Keeps coffee hot for 4 hours" against a record with "Keeps coffee hot for 2 hours"; "works on induction" against "Not
for induction".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.text.words import content_stems, is_negation, stem, words
from drretail.grounding.verify.offers import option_in
from drretail.records.shop import LIST_PRICE, STOCK, Product, offers_of

_NUMBER = r"(?<![\w$€£.,/-])(?P<number>\d[\d,]*(?:\.\d+)?)"
_MEASURE = re.compile(rf"{_NUMBER}[ \u00a0-]?(?P<unit>°\s?[CF]|%|[A-Za-z]{{1,14}})?")
_LABEL = re.compile(r"(?<![\w-])(?P<label>[A-Za-z][\w-]+)(?::| of| is)? (?:about |just |only )?$")
_LIMIT = re.compile(
    r"\b(?:under|over|than|least|most|between|if|or|per|need|want|your?|\d+ ?(?:to|-|–))(?: an?| the)?\W{0,2}$", re.I
)
_RELATIVE = re.compile(
    r" ?(?:more|less|heavier|lighter|longer|shorter|wider|taller|bigger|smaller|extra|to \d|[$€£])|-\d", re.IGNORECASE
)
_NOT_NOW = re.compile(r"\b(?:ordered|bought|purchased|took delivery|(?:19|20)\d\d|if|unless)\b", re.IGNORECASE)
"""Words of orders, days and conditions, whose figures are not about the product today."""
_SIDE = re.compile(r"\A\s?[x×\"″”](?!\w)|[x×]\s?\Z")
"""One side of several ("6.5 x 4"), or a count of pieces, of which one record has many."""
_UNITS = {
    **dict.fromkeys(("litre", "liter", "litres", "liters"), "l"),
    **dict.fromkeys(("gram", "grams", "gramme"), "g"),
    **dict.fromkeys(("kilo", "kilos", "kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("millilitre", "millilitres", "milliliters"), "ml"),
    **dict.fromkeys(("hour", "hours", "hrs", "hr"), "h"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("watt", "watts"), "w"),
    **dict.fromkeys(("lumens", "lumen", "lm"), "lumen"),
    **dict.fromkeys(("degrees", "°c"), "°c"),
}
_COMMON = frozenset("l g kg ml mm cm m in inch oz lb h min s day year w v °c °f % mah".split())  # noqa: SIM905
"""Units in which one product may have several figures: here the surrounding words must agree."""
_NO_UNIT = frozenset("in of for and or to with at from on by is are the a an it we i as but per x".split())  # noqa: SIM905
# Fields and verbs that name the same thing: "Capacity: 20 L" and "holds 30 litres".
_FIELDS = {
    **dict.fromkeys(("capac", "volum", "hold"), "capac"),
    **dict.fromkeys(("weight", "weigh"), "weight"),
    **dict.fromkeys(("length", "long"), "length"),
    **dict.fromkeys(("width", "wide"), "width"),
    **dict.fromkeys(("height", "tall", "high"), "height"),
    **dict.fromkeys(("diamet", "across"), "diamet"),
    **dict.fromkeys(("warranti", "guarante"), "warranti"),
}
_AROUND = 40
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_BESIDE = re.compile(r"[,;:|(\[–—]|\s-\s|\s(?:with|for|w/|of|in)\s", re.IGNORECASE)
"""After it, a title names what comes with the product, or what it is for."""
_BRACKET = re.compile(r"\(([^()]*)\)")
_CONDITION = re.compile(r"\b(?:if|unless|whether|without|instead|rather|except|only|than|but)\b|\?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Measure:
    """``units`` are a unit, or the nouns beside a number, ``stems`` those of the surrounding words, ``subject`` the
    words before it.
    """

    number: Decimal
    written: str
    units: frozenset[str]
    stems: frozenset[str]
    subject: str

    def is_like(self, other: "_Measure", item: Product, *, is_alone: bool) -> bool:
        """True if both measure the same thing: for a common unit the surrounding words agree, or a verb names the
        field.
        """
        shared = self.units & other.units
        is_weight = is_alone and "weigh" in self.stems
        fields = {_FIELDS[each] for each in self.stems & _FIELDS.keys()}
        is_field = any(_FIELDS.get(each) in fields for each in other.stems) and speaks_of(item, self.subject)
        return bool(shared) and (not shared <= _COMMON or is_weight or is_field or bool(self.stems & other.stems))


def measure_faults(text: str, item: Product) -> Iterator[str]:
    """A line for each figure of a sentence for which the record has another number in that unit."""
    known = [measure for line in _lines(item) for measure in _measures(line)]
    options = " ".join(value for offer in offers_of(item) for value in offer.options.values())
    fixed = {measure.number for measure in _measures(f"{item.title} {options}")}
    numbers = {measure.number for measure in known} | fixed
    for measure in () if _NOT_NOW.search(text) else _measures(text):
        unit = Decimal(1).scaleb(int(measure.number.as_tuple().exponent))
        if any(number == measure.number or number.quantize(unit) == measure.number for number in numbers):
            continue
        of_unit = [one for one in known if one.units & measure.units]
        alike = [one.written for one in of_unit if measure.is_like(one, item, is_alone=len(of_unit) == 1)]
        if alike:
            yield f"{measure.written}: the record says {', '.join(dict.fromkeys(alike))}"


def speaks_of(item: Product, subject: str) -> bool:
    """True if a subject is the whole product, or a pronoun, and not one of its parts."""
    stems = [each for each in content_stems(subject) if each not in _FIELDS]
    title = content_stems(_BESIDE.split(item.title)[0])
    heads = {*title[-1:], *content_stems(item.leaf_category)[-1:]}
    own = {*heads, *content_stems(f"{item.title} {item.store} {' '.join(item.categories)}")}
    is_whole = not stems or stems[-1] in heads or re.match(r"\s*(?:this|these|our)\b", subject, re.IGNORECASE)
    return stems == title[: len(stems)] or (bool(is_whole) and own.issuperset(stems))


def _measures(text: str) -> Iterator[_Measure]:
    for match in _MEASURE.finditer(text):
        before, behind = text[max(0, match.start() - _AROUND) : match.start()], text[match.end() :][:_AROUND]
        in_front = re.split(r"[;:,.()]", before)[-1]
        is_no_statement = _LIMIT.search(before) or _RELATIVE.match(behind) or _denies(in_front)
        if is_no_statement or _SIDE.match(behind) or _SIDE.search(before[-3:]):
            continue
        near = re.split(r"[;.()]", before)[-1] + " " + re.split(r"[;.()]", behind)[0]
        number = Decimal(match["number"].replace(",", ""))
        written, units = _unit(match, before, behind)
        yield _Measure(number, written, units, frozenset(content_stems(near)) - units, in_front)


def _unit(match: re.Match[str], before: str, behind: str) -> tuple[str, frozenset[str]]:
    """The words of a measure, and its units: a common one, else two nouns after it, else the label before it."""
    unit = (match["unit"] or "").casefold().replace(" ", "")
    unit = _UNITS.get(unit, unit)
    if unit in _COMMON:
        return match[0].strip(), frozenset({unit})
    if unit and unit not in _NO_UNIT:
        following = re.match(r" ([A-Za-z]+)", behind)
        second = "" if following is None or following[1].casefold() in _NO_UNIT else following[1]
        nouns = [stem(word.casefold()) for word in (unit, second) if word]
        return f"{match[0].strip()} {second}".strip(), frozenset(nouns)
    label = _LABEL.search(before)
    if label is None or label["label"].casefold() in _NO_UNIT:
        return match["number"], frozenset()
    return f"{label['label']} {match['number']}", frozenset({stem(label["label"].casefold())})


def denial_faults(text: str, item: Product) -> Iterator[str]:
    """A line for what a sentence affirms and the record explicitly denies."""
    if _CONDITION.search(text):
        return
    clauses = [part for part in re.split(r"[,;.](?= |$)|\bso\b", text) if not _denies(part)]
    for subject, denied, line in _denials(item):
        if not denied or (_denies(text) and not subject):  # "It doesn't work on gas, electric and induction hobs"
            continue
        stems = map(set, map(content_stems, clauses if subject else [text]))
        if any(denied <= own and (not subject or subject & own) for own in stems):
            yield f"the record says “{line}”"


def _denies(text: str) -> bool:
    return any(is_negation(word) or word == "free" for word in words(text))


def _denials(item: Product) -> Iterator[tuple[set[str], set[str], str]]:
    """The subject, what is denied of it, and the line: "Needs two AA batteries (not included)"."""
    for line in _lines(item):
        inner = [(line[: match.start()], match[1]) for match in _BRACKET.finditer(line)]
        for before, part in [*inner, ("", _BRACKET.sub(" ", line))]:
            found = re.search(r"\b(?:not|no|non|never|isn't|doesn't|can't|cannot)\b", part, re.IGNORECASE)
            if found is None or re.match(r" an? ", part[found.end() :]):  # "a supplement, not a medicine"
                continue
            denied = re.split(r"[,:]", part[found.end() :])[0]
            subject = re.split(r"[,:]", part[: found.start()])[-1] or before
            yield set(content_stems(subject)[-2:]), set(content_stems(denied)), line.strip(" .")


def _lines(item: Product) -> Iterable[str]:
    """The sentences of a record about the product, without lists of its options."""
    options = {value for offer in offers_of(item) for value in offer.options.values()}
    features = (line for line in item.features if not any(option_in(line, value) for value in options))
    kept = {key: value for key, value in item.details.items() if key not in (STOCK, LIST_PRICE)}
    details = (f"{key}: {value}" for key, value in kept.items() if isinstance(value, str | int | float))
    return [line for text in (*features, *item.description, *details) for line in _SENTENCE.split(text) if line]

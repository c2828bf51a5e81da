"""Figures with a unit and plain denials in a product's record, and sentences that say otherwise.

"Keeps coffee hot for 4 hours" of a record with "Keeps coffee hot for 2 hours"; "works on induction" of one with "Not
for induction". What the record leaves open is no fault.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.text.words import content_stems, is_negation, stem, words
from drretail.grounding.verify.offers import option_in
from drretail.records.shop import LIST_PRICE, STOCK, Product, offers_of

_NUMBER = r"(?<![\w$€£.,-])(?P<number>\d[\d,]*(?:\.\d+)?)"
_MEASURE = re.compile(rf"{_NUMBER}[ \u00a0-]?(?P<unit>°\s?[CF]|%|[A-Za-z]{{1,14}})?")
_LABEL = re.compile(r"(?<![\w-])(?P<label>[A-Za-z][\w-]+)(?::| of| is)? (?:about |just |only )?$")
_LIMIT = re.compile(r"\b(?:under|over|than|least|most|between|if|or|need|want|your?)(?: an?| the)?\W{0,2}$", re.I)
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
_COMMON = frozenset("l g kg ml mm cm m in inch oz lb h min s day year w v °c °f % x mah".split())  # noqa: SIM905
"""Units that one product may have several figures of: there the words around have to agree."""
_NO_UNIT = frozenset("in of for and or to with at from on by is are the a an it we i as but per x".split())  # noqa: SIM905
_AROUND = 40
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_BRACKET = re.compile(r"\(([^()]*)\)")
_CONDITION = re.compile(r"\b(?:if|unless|whether|without|instead|rather|except|only|than|but)\b|\?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """``units`` are a unit, or the nouns behind or before a number; ``stems`` are those of the words around."""

    number: Decimal
    written: str
    units: frozenset[str]
    stems: frozenset[str]

    def is_like(self, other: "Measure", *, is_alone: bool) -> bool:
        """True where both say how much of one thing there is; of a common unit the words around have to agree."""
        shared = self.units & other.units
        is_weight = is_alone and "weigh" in self.stems
        return bool(shared) and (not shared <= _COMMON or is_weight or bool(self.stems & other.stems))


def measure_faults(text: str, item: Product) -> Iterator[str]:
    """A line for each figure of a sentence where the record gives the same thing another number in that unit."""
    known = [measure for line in _lines(item) for measure in _measures(line)]
    options = " ".join(value for offer in offers_of(item) for value in offer.options.values())
    fixed = {measure.number for measure in _measures(f"{item.title} {options}")}
    numbers = {measure.number for measure in known} | fixed
    for measure in _measures(text):
        if measure.number in numbers:
            continue
        of_unit = [one for one in known if one.units & measure.units]
        alike = [one.written for one in of_unit if measure.is_like(one, is_alone=len(of_unit) == 1)]
        if alike:
            yield f"{measure.written}: the record says {', '.join(dict.fromkeys(alike))}"


def _measures(text: str) -> Iterator[Measure]:
    for match in _MEASURE.finditer(text):
        before, behind = text[max(0, match.start() - _AROUND) : match.start()], text[match.end() :][:_AROUND]
        if _LIMIT.search(before):
            continue
        near = re.split(r"[;.()]", before)[-1] + " " + re.split(r"[;.()]", behind)[0]
        number = Decimal(match["number"].replace(",", ""))
        units = frozenset(_units(match, before, behind))
        yield Measure(number, match[0].strip(), units, frozenset(content_stems(near)) - units)


def _units(match: re.Match[str], before: str, behind: str) -> Iterator[str]:
    """A common unit, else the two nouns behind a number ("90 click settings"), else the label before it."""
    unit = (match["unit"] or "").casefold().replace(" ", "")
    unit = _UNITS.get(unit, unit)
    if unit in _COMMON:
        yield unit
    elif unit and unit not in _NO_UNIT:
        yield stem(unit)
        following = re.match(r" ([A-Za-z]+)", behind)
        if following is not None and following[1].casefold() not in _NO_UNIT:
            yield stem(following[1].casefold())
    elif (label := _LABEL.search(before)) is not None:
        yield stem(label["label"].casefold())


def denial_faults(text: str, item: Product) -> Iterator[str]:
    """A line for what a sentence affirms and the record denies in so many words."""
    if _CONDITION.search(text):
        return
    clauses = [part for part in re.split(r"[,;.](?= |$)|\bso\b", text) if not any(map(is_negation, words(part)))]
    is_denied = any(map(is_negation, words(text)))
    for subject, denied, line in _denials(item):
        if not denied or (is_denied and not subject):  # "It doesn't work on gas, electric and induction hobs"
            continue
        stems = map(set, map(content_stems, clauses if subject else [text]))
        if any(denied <= own and (not subject or subject & own) for own in stems):
            yield f"the record says “{line}”"


def _denials(item: Product) -> Iterator[tuple[frozenset[str], frozenset[str], str]]:
    """What is spoken of, what is denied of it, and the words: "Needs two AA batteries (not included)"."""
    for line in _lines(item):
        inner = [(line[: match.start()], match[1]) for match in _BRACKET.finditer(line)]
        for before, part in [*inner, ("", _BRACKET.sub(" ", line))]:
            found = re.search(r"\b(?:not|no|non|never|isn't|doesn't|can't|cannot)\b", part, re.IGNORECASE)
            if found is None:
                continue
            clause = re.split(r"[,:]", part[found.end() :])[0]
            spoken_of = re.split(r"[,:]", part[: found.start()])[-1] or before
            subject = content_stems(spoken_of)[-2:]
            yield frozenset(subject), frozenset(content_stems(clause)), line.strip(" .")


def _lines(item: Product) -> Iterable[str]:
    """The sentences of a record that tell of the thing, without the lists of its options."""
    options = {value for offer in offers_of(item) for value in offer.options.values()}
    features = (line for line in item.features if not any(option_in(line, value) for value in options))
    kept = {key: value for key, value in item.details.items() if key not in (STOCK, LIST_PRICE)}
    details = (f"{key}: {value}" for key, value in kept.items() if isinstance(value, str | int | float))
    return [line for text in (*features, *item.description, *details) for line in _SENTENCE.split(text) if line]

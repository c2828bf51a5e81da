"""What a record says of the measures in a text, by unit and figure, and of a property by name.

A figure in a text is confirmed if the record states it, in this unit or another; else a part may be meant that no field
speaks of ("a 5 lb plate"). A property is a field's name with a figure, or with yes or no, as a model read them in any
words: the field of this name denies a figure that nothing in the record comes to.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from drretail.grounding.text.amounts import ENGLISH, Amount, Notation, exact_amount, find_amounts, find_dates
from drretail.grounding.text.numerals import SIDES, SIZED, UNCOUNTED, Numeral, conversion, find_numerals
from drretail.grounding.text.words import NUMBERS, answer_words, content_stems, is_negation, words
from drretail.grounding.verify.records import all_words_of, leaves, plain
from drretail.records.reading import Relation
from drretail.records.shop import LIST_PRICE, STOCK, Product

State = Literal["confirmed", "contradicted"]
_NO_FIELD = (STOCK, LIST_PRICE)
_OF_ALL = frozenset(content_stems("item product number count"))
"""What names of fields say of every product and every count."""
_OF_PROPERTIES = frozenset(content_stems("safe compatible friendly suitable certified manufacturer"))
"""What "microwave safe" has more than "microwaveable", and "discontinued by manufacturer" more than "discontinued"."""
_LIMITS = frozenset({"maximum", "minimum"})
_DIGITS = re.compile(r"\d+")
"""In a field's name they make it another field: "orders in 2023"."""
_SENTENCE = re.compile(r"[.;:()\n]|\s[-–—]\s")
_SPACED = re.compile(r"(?<=\d)([,.]) (?=\d{3}\b|(?<=\. )\d)")
_GLUED = re.compile(r"(?<=[\d\"”'])\s?[xX×*]\s?(?=\d)")
_BETWEEN_SIDES = re.compile(r"\s?[^\W\d]{0,6}\.?\s?(?:[x×*]|by)\s?", re.IGNORECASE)
_ANSWER = re.compile(r":\s*(\w+)(?=\s*(?:[.,;)\n]|\Z))")
_CLAUSE = re.compile(rf"{_SENTENCE.pattern}|,|\b(?:but|while|though|although)\b")
_CONVERTED = Decimal("0.03")
"""How far a figure may be from the record's: sellers round when they convert."""
_NEAR = Decimal("0.1")
"""How near a measure in anybody's words is to the record's, so that it is no error; twice this with "about"."""


def field_statements(text: str, item: Product, notation: Notation = ENGLISH) -> Iterator[tuple[int, int, str]]:
    """The start and end of each measure of a text that stands in the product's record, with the record's line. What a
    figure is of that doesn't, no form tells.
    """
    amounts = {amount.start: amount for amount in find_amounts(text, notation)}
    # The figures of "130 x 200 cm" are read together: one alone says nothing.
    together: list[list[Numeral]] = []
    for numeral in find_numerals(text):
        if together and _BETWEEN_SIDES.fullmatch(text, together[-1][-1].end, numeral.start):
            together[-1].append(numeral)
        else:
            together.append([numeral])
    for sides in together:
        lines: list[str] = []
        for numeral in sides:
            amount = amounts.get(numeral.start)
            if amount is None or amount.low != numeral.number or amount.relation not in ("is", "about"):
                break
            side = sides[-1].unit if numeral.unit in SIDES and len(sides) > 1 else numeral.unit
            known = ((number, line) for number, unit, line in _in_unit(side, item) if unit in SIZED)
            lines += [line for number, line in known if _fits(amount, number)][:1]
        if len(lines) == len(sides):
            yield from ((one.start, one.stop, line) for one, line in zip(sides, lines, strict=True))


def decided_property(field: str, text: str, relation: Relation, item: Product) -> tuple[State, str] | None:
    """Whether a record confirms or denies that a field is this, with its line; None where it leaves that open.

    ``text`` is yes, no, or figures with their units, of which each must be the record's. A figure is denied by a field
    of just this name, by a line that has all words of a longer one, and by a field that counts the same ("servings").
    """
    if (answer := yes_or_no(text)) is not None:
        return _answered(field, item, is_so=answer)
    numerals = list(find_numerals(text))
    states = [_figure(field, numeral, numerals[-1].unit, relation, item) for numeral in numerals]
    denied = next((state for state in states if state is not None and state[0] == "contradicted"), None)
    return denied or (None if None in states else next(iter(states), None))


def _figure(
    field: str, numeral: Numeral, last_unit: str, relation: Relation, item: Product
) -> tuple[State, str] | None:
    """What the record says of one figure; of several sides only the last one has its unit.

    Only a figure that is near is open beside a named field: what else a denied one may be, is asked later.
    """
    unit = last_unit if numeral.unit in SIDES else numeral.unit
    if numeral.number is None:
        return None
    known = [(number, line) for number, _, line in _in_unit(unit, item)]
    same = [line for _, its, line in _measures(item) if its == unit and ": " in line and unit not in UNCOUNTED]
    figures, own = Counter(line for _, line in known), {*content_stems(field), *_DIGITS.findall(field)} - _OF_ALL
    # In a user's record each word more counts something else: orders "with unknown price" are others.
    is_longer = len(own) > 1 and bool(item.title)
    longer = (line for line in figures if is_longer and figures[line] == 1 and own.issubset(content_stems(line)))
    named = [*(line for line in figures if _names(field, line)), *longer, *(same if unit else ())]
    if named and len(own) > 1 and not item.title:  # each field of a user's record counts something else
        known = [(number, line) for number, line in known if line in named]
    # "Up to 45 pounds" is the maximum itself.
    amount = exact_amount(numeral.number, "is" if _LIMITS & {*words(field)} else relation)
    if fitting := [line for number, line in known if _fits(amount, number)]:
        own_line = next((line for line in fitting if not named or line in named), None)
        return None if own_line is None else ("confirmed", own_line)
    of_named = [number for number, line in known if line in named]
    slack = amount.low * (0 if unit not in SIZED else 2 * _NEAR if relation == "about" else _NEAR)
    is_near = any(abs(number - amount.low) <= slack or amount.agreement(number) == "loose" for number in of_named)
    others = {number for number, _ in known if unit in SIZED}
    is_open = not named or is_near or _is_composed(amount, of_named, others, item.title)
    return None if is_open else ("contradicted", named[0])


def has_figures(items: Collection[Product], text: str, *, is_about: bool) -> bool:
    """True if each figure stands in one of these records: a measure in any unit, a count whatever it counts; and if
    several stand there as they are written: "1920 x 1080".
    """
    relation: Relation = "about" if is_about else "is"
    figures = [(exact_amount(one.number, relation), one.unit) for one in find_numerals(text) if one.number is not None]
    is_written = len(figures) > 1 and any(plain(text) in plain(all_words_of(item)) for item in items)
    return bool(figures) and (is_written or all(any(_stands_in(item, *figure) for item in items) for figure in figures))


def _stands_in(item: Product, amount: Amount, unit: str) -> bool:
    if unit in UNCOUNTED:
        return any(_fits(amount, number) for number, *_ in _in_unit(unit, item))
    in_words = (NUMBERS[word] for word in words(all_words_of(item)) if word in NUMBERS)
    own = (known for known in (item.price, item.average_rating, item.rating_number, *in_words) if known is not None)
    numbers = [*(number for number, *_ in _in_unit("", item)), *(Decimal(str(known)) for known in own)]
    return any(amount.agreement(number) in ("equal", "rounded") for number in numbers)


def measures_named(field: str, item: Product) -> list[tuple[Decimal, str]]:
    """The figures of the fields of this name, with their units."""
    return [(number, unit) for number, unit, line in _measures(item) if _names(field, line)]


def measures_akin(field: str, items: Iterable[Product]) -> list[tuple[Decimal, str]]:
    """The figures of all fields and texts that share a word with a field's name: of a weight, the package's too."""
    names = ((number, unit, line.partition(": ")) for item in items for number, unit, line in _measures(item))
    return [(number, unit) for number, unit, (name, _, _) in names if _own(field) & set(content_stems(name))]


def _answered(field: str, item: Product, *, is_so: bool) -> tuple[State, str] | None:
    """What fields say of a property ("Is Dishwasher Safe: No"); texts and other fields that agree leave it open."""
    own = _property(field)
    answers: dict[bool, str] = {}
    for name, value in item.details.items():
        is_named = own == _property(name)
        for part in _CLAUSE.split(f"{value}"):
            answer, stems = yes_or_no(part) if is_named else None, _property(part)
            if answer is not None or own == stems or (len(own) > 1 and own < stems):
                answers[not _denies(part) if answer is None else answer] = f"{name}: {value}"
    agreeing = any(is_so in answer for text in _texts(item) for answer in _affirmed(own, text))
    # "Hand wash only" is the other answer to "dishwasher safe".
    clauses = (part for text in _texts(item) for part in _CLAUSE.split(text) if not is_so)
    agreeing |= any("only" in words(part) and _is_akin(own, _property(part)) for part in clauses)
    if not own or len(answers) != 1 or (is_so not in answers and agreeing):
        return None
    (line,) = answers.values()
    return ("confirmed" if is_so in answers else "contradicted"), line


def yes_or_no(value: object) -> bool | None:
    """A field's yes or no, in any language of answers.toml."""
    text = f"{value}".strip().casefold()
    return True if text in answer_words("yes") else False if text in answer_words("no") else None


def _affirmed(own: set[str], text: str) -> Iterator[tuple[bool, bool]]:
    """Whether each clause that names a property affirms it, and whether it does so without a negation before it in its
    sentence, which may reach it: "not for oven, dishwasher".
    """
    # "Dishwasher safe: no." is one statement, though a colon ends most.
    text = _ANSWER.sub(lambda match: {True: "", False: " not", None: match[0]}[yes_or_no(match[1])], text)
    for sentence in _SENTENCE.split(text):
        is_denied = False
        for part in _CLAUSE.split(sentence):
            is_denied |= _denies(part)
            if own <= _property(part):
                yield not _denies(part), not is_denied


def _is_akin(own: set[str], other: Collection[str]) -> bool:
    """True for another way of the same: "wash" of "dishwasher". The stem of "handmade" lacks the e that "made" has."""
    endings = tuple(another.removesuffix("e") for another in other if len(another) > 3)
    return not own.issubset(other) and any(stem.endswith(endings) for stem in own)


def _texts(item: Product) -> Iterator[str]:
    yield from (item.title, *item.features, *item.description, *map(str, item.details.values()))


def _property(text: str) -> set[str]:
    """The words of a property in whatever form: "machine washable" is "Machine Wash"."""
    stems = {stem.removesuffix("abl") for stem in _own(text)}
    return stems - _OF_PROPERTIES or stems


def _denies(text: str) -> bool:
    return any(map(is_negation, words(text)))


def _in_unit(unit: str, item: Product) -> list[tuple[Decimal, str, str]]:
    """The numbers of a record that can be told in a unit, with their own unit and line; those in this very unit first.

    Without a dimension only the same unit will do, or none.
    """
    numbers: list[tuple[Decimal, str, str]] = []
    for number, written, line in sorted(_measures(item), key=lambda measure: measure[1] != unit):
        is_same = written == unit or ("" in (written, unit) and not {written, unit} & UNCOUNTED)
        factor = conversion(written, unit) or (Decimal(1) if is_same else None)
        if factor is not None:
            numbers.append((number * factor, written, line))
    return numbers


def _names(field: str, line: str) -> bool:
    """True if a line's field has the words of this name and no others; "Item Weight" is named by "weight"."""
    name, is_field, _ = line.partition(":")
    own = _own(name)
    return bool(is_field and own) and own == _own(field) and _DIGITS.findall(name) == _DIGITS.findall(field)


def _own(name: str) -> set[str]:
    """The words of a field's name, without those that many have, unless it has no others."""
    return set(content_stems(name)) - _OF_ALL or set(content_stems(name))


def _fits(amount: Amount, number: Decimal) -> bool:
    return (
        amount.agreement(number) in ("equal", "rounded", "bounded") or abs(number - amount.low) <= number * _CONVERTED
    )


def _is_composed(amount: Amount, of_field: Collection[Decimal], others: set[Decimal], title: str) -> bool:
    """True for a field's figure and another measure of the record together, and times or by a count of the title."""
    together = {number + other for number in of_field for other in others.difference(of_field)}
    packs = {one for number in of_field for count in counts_in(title) for one in (number * count, number / count)}
    return any(abs(figure - amount.low) <= figure * _CONVERTED for figure in together | packs)


def counts_in(text: str) -> set[Decimal]:
    """The numbers of a text that count things, in digits or in words: "6 Pack", no "30 cm" or "$5"."""
    digits = {one.number for one in find_numerals(text) if one.number and one.unit not in {*UNCOUNTED, *"$€£¥₹"}}
    return digits | {Decimal(NUMBERS[word]) for word in words(text) if word in NUMBERS}


@lru_cache(maxsize=512)
def _measures(item: Product) -> tuple[tuple[Decimal, str, str], ...]:
    """The numbers of a record with unit and line, fields first; in "10 x 15 x 6 inches" all three are in inches."""
    fields = [f"{path.strip()}: {value}" for path, value in leaves(item.details) if path.strip() not in _NO_FIELD]
    measures: list[tuple[Decimal, str, str]] = []
    for line in (*fields, item.title, *item.features, *item.description):
        # "18, 000" and "99. 9%" may be one number, "15.2x4x4.5in" three.
        for text in dict.fromkeys((line, _GLUED.sub(" x ", _SPACED.sub(r"\1", line)))):
            unit = ""
            days = [date for date in find_dates(text) if len(date.iso) > len("2006")]  # which may be a rank
            for numeral in reversed(list(find_numerals(text, days))):
                unit = unit if numeral.unit in SIDES and unit else numeral.unit
                if numeral.number is not None:
                    measures.append((numeral.number, unit, line))
    return tuple(measures)

"""Whether stated parts come to the stated total: in arithmetic, sentences, lists and tables."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby, pairwise

from drretail.grounding.price_words import is_a_bound
from drretail.grounding.structure import Structure, Unit
from drretail.grounding.table_sums import check_tables, wrong_total
from drretail.grounding.totals import COUNTED, TOTAL_LINE, TOTAL_SAID
from drretail.grounding.values import Value, compare, find_values, parse_number
from drretail.records.evidence import Finding

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SIGNED = rf"(?:\\?[$€£]\s?)?{_NUMBER}"
_OPERATOR = r"\s*[+−–×x*÷/-]\s*"
_ARITHMETIC = re.compile(
    rf"(?<![\w.,$€£(-])(?P<left>{_SIGNED}(?:{_OPERATOR}{_SIGNED})+)\s*\**\s*=\s*\**\s*(?=\\?[$€£\d])"
)
# Characters before an equals sign that can hold its terms.
_REACH = 600
_EQUALS = re.compile(r"=\s*\**\s*(?P<result>\\?[$€£]\s?)")
_RESULT = re.compile(
    rf"(?P<about>(?:about|around|roughly|~|≈)\s*)?\\?[$€£]?\s?(?P<number>{_NUMBER})(?!\s?%)", re.IGNORECASE
)
_MORE = re.compile(r"\s*\**\s*[+−×÷*/]\s*\\?[$\d]")
_TERM = re.compile(rf"(?P<operator>[+−–×x*÷/-]?)\s*\\?[$€£]?\s?(?P<number>{_NUMBER})\s*")


def check_totals(structure: Structure) -> list[Finding]:
    """Every stated sum that its stated parts do not come to, in text order."""
    by_place = {finding.start: finding for finding in _recomputed(structure) if finding is not None}
    return [by_place[place] for place in sorted(by_place, key=lambda place: place or 0)]


def has_sums(structure: Structure) -> bool:
    """True when a stated sum can be recomputed at all."""
    return next(_recomputed(structure), structure) is not structure


def _recomputed(structure: Structure) -> Iterator[Finding | None]:
    """Each sum that can be recomputed: a finding, or None where it is right."""
    yield from _arithmetic(structure)
    yield from check_tables(structure)
    yield from _lists(structure)
    yield from _sentences(structure)


def _arithmetic(structure: Structure) -> Iterator[Finding | None]:
    for unit in structure.units:
        text = structure.text[unit.start : unit.end]
        if "=" not in text:
            continue
        pure = {match.end(): match for match in _ARITHMETIC.finditer(text)}
        for end, match in pure.items():
            result = _result_at(text, end)
            if result is not None and "$" in match["left"] + text[result.start : result.end]:
                yield from compared(structure, unit, match.start(), result, _evaluated(match["left"]))
        for match in _EQUALS.finditer(text):
            result = _result_at(text, match.start("result"))
            if result is not None and match.start("result") not in pure:
                yield from _worded(structure, unit, text, match.start(), result)


def _worded(structure: Structure, unit: Unit, text: str, equals: int, result: Value) -> Iterator[Finding | None]:
    """ "Feeder ($20) + house ($30) = $50": amounts with one plus between each two."""
    left = re.split(r"[;:=|]|\.\s", text[max(0, equals - _REACH) : equals])[-1]
    offset = equals - len(left)
    amounts = [value for value in find_values(left) if value.kind == "money"]
    between = [left[one.end : two.start] for one, two in pairwise(amounts)]
    if len(amounts) < 2 or any(
        gap.count("+") != 1 or re.search(r"[×*−–]|\bx\b", gap.replace("**", "")) for gap in between
    ):
        return
    if any(value.low is not None for value in amounts) or "+" in left[: amounts[0].start] or COUNTED.search(left):
        return
    yield from compared(
        structure, unit, offset + amounts[0].start, result, sum((a.number for a in amounts), Decimal(0))
    )


def _result_at(text: str, start: int) -> Value | None:
    """The amount that begins at ``start``, where nothing is computed further with it."""
    match = _RESULT.match(text, start)
    if match is None or _MORE.match(text, match.end()):
        return None
    return Value(
        "money", start, match.end(), parse_number(match["number"]), bound="about" if match["about"] else "exact"
    )


def _evaluated(left: str) -> Decimal | None:
    """The value of pure arithmetic, products before sums; None for a division by zero."""
    total, product, sign = Decimal(0), Decimal(0), 1
    for match in _TERM.finditer(left):
        number = parse_number(match["number"])
        match match["operator"]:
            case "×" | "x" | "*":
                product *= number
            case "÷" | "/":
                if not number:
                    return None
                product /= number
            case operator:
                total += sign * product
                product, sign = number, -1 if operator in "−–-" and operator else 1
    return total + sign * product


def compared(
    structure: Structure, unit: Unit, start: int, result: Value, truth: Decimal | None
) -> Iterator[Finding | None]:
    """A finding where the stated result is not the true one, None where it is; nothing without a truth."""
    if truth is None:
        return
    digits = max(0, -int(result.number.as_tuple().exponent))
    if abs(result.number - truth) * 2 <= Decimal(1).scaleb(-max(digits, 0)) or compare(result, truth) != "differs":
        yield None
        return
    yield wrong_total(structure, unit.start + start, unit.start + result.end, truth)


def _sentences(structure: Structure) -> Iterator[Finding | None]:
    """ "Get A ($13.99) and B ($10.49). Together that is $24.48": the sentence before holds the parts."""
    for before, unit in pairwise(structure.units):
        if unit.kind == "row" or before.line != unit.line:
            continue
        text, parts_text = structure.text[unit.start : unit.end], structure.text[before.start : before.end]
        said = next((value for value in find_values(text) if value.kind == "money"), None)
        if (
            said is None
            or said.low is not None
            or not re.match(r"\W*(?:together|altogether|in total|all told|combined)\b", text, re.I)
        ):
            continue
        if not TOTAL_SAID.search(text[: said.start]) or is_a_bound(text, said):
            continue
        parts = [value for value in find_values(parts_text) if value.kind == "money"]
        in_brackets = all(parts_text[: value.start].rstrip("* ").endswith("(") for value in parts)
        if (
            len(parts) < 2
            or not in_brackets
            or any(p.low is not None or p.bound != "exact" for p in parts)
            or _counted(parts_text)
        ):
            continue
        yield from compared(structure, unit, said.start, said, sum((part.number for part in parts), Decimal(0)))


def _counted(text: str) -> bool:
    """True when the words outside of names in bold say how many, or leave a choice."""
    return bool(COUNTED.search(re.sub(r"\*\*[^*]+\*\*", " ", text)))


def _lists(structure: Structure) -> Iterator[Finding | None]:
    """The lines of a list whose last line, or the line below it, is a total."""
    grouped = [(line, list(units)) for line, units in groupby(structure.units, key=lambda unit: unit.line)]
    items: list[list[Unit]] = []
    for _, units in grouped:
        first = units[0]
        text = structure.text[first.start : units[-1].end]
        amounts = [value for value in find_values(text) if value.kind == "money"]
        total = amounts[0] if len(amounts) >= 1 and TOTAL_LINE.fullmatch(text[: amounts[0].start]) else None
        if total is not None and len(items) >= 2 and items[0][0].section in _near(structure, first):
            parts = [_item_amount(structure, item) for item in items]
            if total.low is None and all(part is not None for part in parts):
                truth = sum((part for part in parts if part is not None), Decimal(0))
                yield from compared(structure, first, total.start, total, truth)
        if first.kind == "item" and total is None:
            if items and first.level > items[0][0].level:
                continue  # what is said of an item
            if items and (first.section != items[0][0].section or first.level < items[0][0].level):
                items = []
            items.append(units)
        else:
            items = []


def _near(structure: Structure, unit: Unit) -> tuple[int, ...]:
    """The unit's section, and the one before a line in bold, which is a heading only by its looks."""
    own = structure.sections[unit.section]
    return (unit.section, unit.section - 1) if own.level == 7 and unit.kind == "heading" else (unit.section,)


def _item_amount(structure: Structure, item: Sequence[Unit]) -> Decimal | None:
    text = structure.text[item[0].start : item[-1].end]
    amounts = [value for value in find_values(text) if value.kind == "money"]
    if "=" in text and amounts:
        return amounts[-1].number if text[: amounts[-1].start].rstrip("* ").endswith("=") else None
    if len(amounts) != 1 or amounts[0].low is not None or amounts[0].bound != "exact" or _counted(text):
        return None
    return None if is_a_bound(text, amounts[0]) else amounts[0].number

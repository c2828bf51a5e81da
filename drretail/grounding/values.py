"""The values that a sentence names: money, ratings, rating counts, dates and ids, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Literal

Kind = Literal["money", "rating", "count", "date", "id"]
Bound = Literal["exact", "about", "at_least", "at_most"]
Match = Literal["equal", "rounded", "differs"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_CURRENCY = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_SIGN = r"(?:(?:\bUS)?\\?(?P<sign{0}>[$€£¥₹])\s?)"
_TO = r"\s?(?:-|–|—|\bto\b)\s?"
_MONEY = re.compile(
    rf"(?:{_SIGN.format(1)}(?P<low>{_NUMBER})k?{_TO})?{_SIGN.format(2)}(?P<signed>{_NUMBER})(?P<k>k\b)?"
    rf"|{_SIGN.format(3)}(?P<from>{_NUMBER}){_TO}(?P<until>{_NUMBER})(?!\s?(?:%|[-\w]))"
    rf"|(?<![\w.,])(?P<counted>{_NUMBER})\s?(?:dollars|USD|bucks)\b",
    re.IGNORECASE,
)
_RATING = re.compile(
    r"(?<![\w.,$/-])(?P<of>[0-5](?:\.\d{1,2})?)(?P<more_of>\+?)\s?(?:\s?/\s?|(?:stars?\s)?out\s+of\s+|of\s+(?=(?:5"
    r"|five)\s+stars))"
    r"(?:5(?:\.0)?|five)(?![\d/.]\d|\s?(?:inch|in\b|[\"”/-])|\d)(?:\s+stars?\b)?"
    r"|(?<![\w.,$/-])(?P<stars>[0-5](?:\.\d{1,2})?)(?P<more_stars>\+?)(?:[\s-]?stars?\b|\s?[★⭐])(?!\s*(?:hotel"
    r"|reviews?\b|ratings?\s+(?:make|are)))"
    r"|[★⭐]\s?(?P<after_star>[0-5]\.\d{1,2})(?!\d)"
    r"|\b(?:rated|ratings?(?:\s+(?:of|is|at|was)|:)|(?:scores?|averages?|averaging)(?:\s+of)?"
    r"|at)\**\s*:?\**\s+(?:only\s+|just\s+|an?\s+)?"
    r"(?P<rated>[0-5](?:\.\d{1,2})?)(?P<more_rated>\+?)(?![\d,.]*\d)(?=\s*(?:$|[.,;:()\[|—–*]|on\b|by\b|from\b"
    r"|with\b|against\b|and\b|versus\b|vs\b|over\b|stars?))",
    re.IGNORECASE,
)
# "rated 4.4 out of 5 against 4.6"
_AGAINST = re.compile(r"\s*(?:against|versus|vs\.?|compared\s+(?:to|with))\s+(?P<other>[0-5]\.\d{1,2})(?![\d%])")
_COUNT = re.compile(
    rf"(?<![\w.,$/-])(?P<number>{_NUMBER})(?P<k>k)?(?P<more>\+?)[\s-]"
    r"(?:(?:customer|verified|user|global|amazon|buyer|total|shopper|owner|consumer|online)\s+){0,2}"
    r"(?P<unit>ratings?|reviews?|reviewers|voices|votes)\b(?!\s+(?:mention|sa(?:y|id)|complain|prais|report|note"
    r"|describ|criti)\w*)"
    rf"|\b(?:ratings|reviews|rating\s+count|review\s+count|number\s+of\s+(?:ratings"
    rf"|reviews))\**\s*:\**\s*(?P<labelled>{_NUMBER})(?P<labelled_more>\+?)(?![\w./]|\.\d)",
    re.IGNORECASE,
)
# "4.5 (2,067)", the usual short form of a rating with its count
_IN_PARENTHESES = re.compile(rf"\s*\(\s?(?P<number>{_NUMBER})(?P<more>\+?)\s?\)")
_PART_OF_THE_REVIEWS = re.compile(
    r"\b(?:positive|negative|critical|bad|good|recent|top|[1-5]-star|(?:one|two|three|four|five)-star)\s+$",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})(?![\d-])"
    rf"|(?<![\d.])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}})\b"
    rf"|\b{_MONTH.replace('month', 'month2')}\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year2>\d{{4}})\b",
    re.IGNORECASE,
)
_ID = re.compile(r"(?<![\w:/])(?:[PO]:)?(?P<id>B0[0-9A-Z]{8}|\d{10})(?!\w)")


def _before(words: str, signs: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\b(?:{words})|{signs})\s*(?:a\s+)?$".replace(" ", r"\s+"), re.IGNORECASE)


_BEFORE: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    (
        "at_least",
        _before(
            "(?:well |just )?(?:over|above)|(?:more|greater|higher) than|at least|upwards of|exceeding|starting at",
            "[>≥]",
        ),
    ),
    (
        "at_most",
        _before(
            "(?:well |just )?(?:under|below|beneath)|(?:less|lower|fewer|cheaper) than|at most|up to|no more than"
            "|within|max(?:imum)?",
            "[<≤]",
        ),
    ),
    (
        "about",
        _before(
            r"about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|close to|near"
            "|an estimated|estimated",
            "[~≈]",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Value:
    """``text[start:end]`` names a value; of a range ``number`` is the upper end and ``low`` the lower."""

    kind: Kind
    start: int
    end: int
    number: Decimal = Decimal(0)
    low: Decimal | None = None
    bound: Bound = "exact"
    step: Decimal = Decimal(0)
    """Of a number that says itself that it is rounded ("2.1k"): the worth of its last digit."""
    text: str = ""
    """Of ids and dates: the id, or the ISO date."""
    currency: str = "USD"


def find_values(text: str) -> tuple[Value, ...]:
    """All values in text order; none inside another. Offsets are those of ``text``."""
    found = [*_dates(text), *_ids(text), *_ratings_and_counts(text), *_money(text)]
    kept: list[Value] = []
    for value in sorted(found, key=lambda value: (value.start, -value.end)):
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return tuple(kept)


def compare(value: Value, truth: Decimal) -> Match:
    """How a named number stands to the true one.

    "about" allows a tenth of the truth, "over" and "under" any number on their side. "rounded" is a price in
    whole units for one with cents, or a rating with fewer digits (but at least one) than the record has.
    """
    if value.low is not None:
        return "equal" if value.low <= truth <= value.number else "differs"
    said = value.number
    if value.bound == "at_least":
        return "equal" if truth >= said else "differs"
    if value.bound == "at_most":
        return "equal" if truth <= said else "differs"
    if value.bound == "about":
        return "equal" if abs(said - truth) * 10 <= max(truth, said) else "differs"
    if said == truth or (value.step and abs(said - truth) <= value.step):
        return "equal"
    return "rounded" if _is_rounded(value, truth) else "differs"


def parse_number(text: str) -> Decimal:
    """The number in "1,234.50"."""
    return Decimal(text.replace(",", ""))


def _is_rounded(value: Value, truth: Decimal) -> bool:
    digits = _digits(value.number)
    if value.kind == "count" or digits >= _digits(truth) or (value.kind == "rating" and digits == 0):
        return False
    return abs(value.number - truth) * 2 <= Decimal(1).scaleb(-digits)


def _digits(number: Decimal) -> int:
    """How many digits stand behind the point."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _bound(text: str, start: int, more: str | None) -> Bound:
    if more:
        return "at_least"
    before = text[max(0, start - 30) : start]
    for bound, pattern in _BEFORE:
        if pattern.search(before):
            return bound
    return "exact"


def _money(text: str) -> Iterator[Value]:
    for match in _MONEY.finditer(text):
        high = match["signed"] or match["until"] or match["counted"]
        low = match["low"] or match["from"]
        number = parse_number(high) * (1000 if match["k"] else 1)
        step = Decimal(500).scaleb(-_digits(parse_number(high))) if match["k"] else Decimal(0)
        sign = match["sign2"] or match["sign3"] or "$"
        if low and parse_number(low) >= number:
            start = match.start("signed" if match["signed"] else "until")  # "$20 to $15" is a fall, not a range
            yield Value("money", start, match.end(), number, currency=_CURRENCY[sign])
            continue
        bound = "exact" if low else _bound(text, match.start(), None)
        yield Value(
            "money",
            match.start(),
            match.end(),
            number,
            parse_number(low) if low else None,
            bound,
            step,
            currency=_CURRENCY[sign],
        )


def _ratings_and_counts(text: str) -> Iterator[Value]:
    for match in _RATING.finditer(text):
        group = next(name for name in ("of", "stars", "after_star", "rated") if match[name])
        start, end = match.start(group), match.end()
        if group == "rated" and match["rated"] in ("0", "1", "2", "3") and "rated" not in match[0].casefold():
            continue  # "at 2", "scores 3": anything may be counted so
        if match[0].casefold().startswith("at") and "." not in match[group]:
            continue
        more = match[f"more_{group}"] if group != "after_star" else None
        yield Value("rating", start, end, Decimal(match[group]), bound=_bound(text, start, more))
        yield from _behind_a_rating(text, end)
    for match in _COUNT.finditer(text):
        written = match["number"] or match["labelled"]
        start = match.start("number") if match["number"] else match.start("labelled")
        if _PART_OF_THE_REVIEWS.search(text[max(0, start - 20) : start]) or ("." in written and not match["k"]):
            continue
        number = parse_number(written) * (1000 if match["k"] else 1)
        step = Decimal(500).scaleb(-_digits(parse_number(written))) if match["k"] else Decimal(0)
        bound = _bound(text, start, match["more"] or match["labelled_more"])
        yield Value("count", start, match.end(), number, bound=bound, step=step)


def _behind_a_rating(text: str, end: int) -> Iterator[Value]:
    if against := _AGAINST.match(text, end):
        yield Value("rating", against.start("other"), against.end(), Decimal(against["other"]))
    if counted := _IN_PARENTHESES.match(text, end):
        number = parse_number(counted["number"])
        bound: Bound = "at_least" if counted["more"] else "exact"
        if number == number.to_integral_value():
            yield Value("count", counted.start("number"), counted.end("number"), number, bound=bound)


def _dates(text: str) -> Iterator[Value]:
    for match in _DATE.finditer(text):
        if match["iso"]:
            written = match["iso"]
        else:
            month = _MONTHS.index((match["month"] or match["month2"])[:3].casefold()) + 1
            written = f"{match['year'] or match['year2']}-{month:02}-{int(match['day'] or match['day2']):02}"
        try:
            date.fromisoformat(written)
        except ValueError:
            continue
        yield Value("date", match.start(), match.end(), text=written)


def _ids(text: str) -> Iterator[Value]:
    for match in _ID.finditer(text):
        yield Value("id", match.start(), match.end(), text=match["id"])


_CELL_NUMBER = re.compile(rf"\W*(?P<number>{_NUMBER})(?P<k>k)?(?P<more>\+?)\W*", re.IGNORECASE)


def read_cell(text: str, kind: Kind) -> Value | None:
    """The one value of that kind in a table's cell, where a bare number is enough; None where there are several."""
    found = [value for value in find_values(text) if value.kind == kind]
    if found:
        return found[0] if len(found) == 1 else None
    match = _CELL_NUMBER.fullmatch(text)
    if match is None or (kind == "rating" and parse_number(match["number"]) > 5):
        return None
    number = parse_number(match["number"]) * (1000 if match["k"] else 1)
    step = Decimal(500).scaleb(-_digits(parse_number(match["number"]))) if match["k"] else Decimal(0)
    bound: Bound = "at_least" if match["more"] else _bound(text, match.start("number"), None)
    return Value(kind, match.start("number"), match.end("number"), number, bound=bound, step=step)


def moved_by(value: Value, offset: int) -> Value:
    """The value with offsets in the text that its own text begins in at ``offset``."""
    return replace(value, start=value.start + offset, end=value.end + offset)

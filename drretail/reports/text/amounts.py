"""Amounts as written: money, plain numbers, percentages, with their relation; and dates.

Digits with a currency's sign on either side are read; "pounds" count as a weight. Names of months and words of relation
("about $5") are read in English or, by another notation, the months of all other languages, without words of relation.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from typing import Literal

from drretail.records.reading import Relation
from drretail.records.shop import SIGNS
from drretail.reports.text.wording import SYMBOLS
from drretail.reports.text.words import UNSPACED, euro_names, is_english, labels, month_numbers

AmountKind = Literal["money", "number", "percent"]
Agreement = Literal["equal", "rounded", "bounded", "loose"]

_CODES = ("USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY", "INR", "SEK", "NOK", "DKK", "PLN")
_SIGNS = {
    **{"US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD"},
    **{sign: code for code, sign in SYMBOLS.items()},
    **{code: code for code in _CODES},
}
_WORDS = {"dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR"}
_BY_COMMA = frozenset({"€", "EUR", "CHF", "SEK", "NOK", "DKK", "PLN"})
"""Currencies whose decimals follow a comma."""
# 1,234.56 and 1'234.56, 1.234,56 and 1 234,56, 4,5 and 4.5
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:['’\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?"
    r"|\d{1,3}(?:[. ]\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{1,2}|\d+\.\d+|\d+)"
)
_CODE = rf"(?:{'|'.join(_CODES)})(?![^\W\d_])"
# A sign may follow a word without a space, a code may not.
_BEFORE = rf"(?i:\b(?:US|CA|AU|[CA])\$|[$€£¥₹]|(?<!\w){_CODE})"
_BEHIND = rf"(?i:US\$|[$€£¥₹]|{_CODE}|(?:dollars?|bucks|euros?)\b)"


def _amounts_by(number: str, before: str, behind: str, letter: str = r"\w") -> re.Pattern[str]:
    """Finds an amount, or a range of two; a ``letter`` must be separated from a number by a space."""
    figure = (
        rf"(?:(?P<sign%s>{before})\s?|(?<!{letter})(?<![\d.,/]))(?P<digits%s>{number})(?P<k%s>(?i:k)\b)?"
        rf"(?:(?!{letter}|\d|[.,]\d)|(?={behind}))(?:(?:[.,][-–])?[\s-]?(?P<behind%s>{behind})(?!\s?\d))?"
    )
    to = r"(?:(?P<to>\s?[-–—]\s?|\s+(?:to|and|bis)\s+)"
    return re.compile(f"{figure.replace('%s', '')}{to}{figure.replace('%s', '2')})?")


_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|close to|some|circa|ca\."
    r"|(?:just|an? (?:little|bit)) (?:under|over|below|above))|[~≈])"
    r"\s*(?:an?|the)?[^\w\n]{0,4}$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:\b(?:at least|over|more than|above|no less than|upwards of|starting at)[^\w\n]{0,4}|≥\s?|(?<=[^\n>=-]>)\s?)$",
    re.I,
)
_AT_MOST = re.compile(
    r"(?:\b(?:at most|under|below|less than|fewer than|up to|no more than)[^\w\n]{0,4}|[≤<]\s?)$", re.I
)
_OR_MORE = re.compile(
    r"\s{0,2}(?:\+(?!\s{0,2}\W?\d)|(?:\w{1,20} )?(?:or|and) (?:better|more|higher|up|above|over)\b)", re.I
)
_OR_LESS = re.compile(r"\s{0,2}(?:\w{1,20} )?(?:or|and) (?:less|fewer|under|below|lower)\b", re.IGNORECASE)
_RELATIONS_BEHIND: Mapping[re.Pattern[str], Relation] = {_OR_MORE: "at_least", _OR_LESS: "at_most"}
_RELATIONS_BEFORE: Mapping[re.Pattern[str], Relation] = {_ABOUT: "about", _AT_LEAST: "at_least", _AT_MOST: "at_most"}
_PERCENT = re.compile(r"\s?%|\s(?:percent|per ?cent)\b")
_FRACTION = re.compile(r"\s?/\s?(?!(?:5|10)\b)\d")
_NO_RANGE = re.compile(r"\s?[x×-]\s?\w|/")
_BETWEEN = re.compile(r"\bbetween\s*$", re.IGNORECASE)
_MONTHS = "january february march april may june july august september october november december"
_ENGLISH_MONTHS = {"sept": 9} | {
    spelling: number for number, name in enumerate(_MONTHS.split(), start=1) for spelling in (name, name[:3])
}
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ANY_YEAR = re.compile(_YEAR)


def _dates_by(months: Iterable[str], letter: str, of: str) -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
    """Finds dates with a year, and days without one. No ``letter`` stands beside a month's name; one word ``of`` may
    stand between the parts: "12 de marzo de 2024", "2024年3月12日", "1er mars".
    """
    names = "|".join(re.escape(name) for name in sorted(months, key=len, reverse=True))
    month = rf"(?<!{letter})(?P<month>{names})(?!{letter})"
    day = r"(?<![\d.,$€£])(?P<day>\d{1,2})(?!\d)"
    nth = rf"{day}(?:[^\W\d_]{{1,2}}\b|[º°])?"
    between = rf"[\s.,'’-]{{0,3}}(?:{of}[\s.'’]{{1,2}})?"
    joint, sign = r"(?:\s?[./-]\s?|\s?[^\W\d_]\s?)", r"(?:\s?[日号號일])?"
    no_year = rf"(?!{between}{_YEAR.replace('?P<year>', '?:')}|\s?,?\s?['’]\d\d\b)"
    dates = (
        rf"\b{_YEAR}-(?P<number>\d\d)(?:-(?P<day>\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?)?)?\b",
        rf"{nth}{between}{month}{between}{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}[^\W\d_]?{between}{month}{between}{day}{sign}",
        rf"(?<!\d){_YEAR}{joint}(?P<number>\d{{1,2}}){joint}(?P<day>\d{{1,2}})(?!\d){sign}",
        rf"{day}\.\s?(?P<number>\d{{1,2}})\.\s?{_YEAR}(?!\d)",
        rf"{day}(?P<either>[/-])(?P<number>\d{{1,2}})[/-]{_YEAR}(?!\d)",
        rf"{month}(?:\.? {nth},? |{between}){_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}[^\W\d_]?{between}{month}",
        # "1920 x 1200 pixels" holds no year.
        rf"(?<![\w.,$€£/-])(?<!\d [x×*] ){_YEAR}(?![\w%]|[.,]\d|\s?[x×*]\s?\d)",
    )
    days = (rf"{month}\.? {nth}\b(?![.,]?\d|\s?%){no_year}", rf"{nth}{between}{month}{no_year}")
    return [re.compile(date, re.IGNORECASE) for date in dates], [re.compile(day, re.IGNORECASE) for day in days]


@dataclass(frozen=True, slots=True, eq=False)
class Notation:
    """How a text writes amounts and dates; a sign that several currencies share has no code."""

    amounts: re.Pattern[str]
    currencies: Mapping[str, str | None]
    dates: Sequence[re.Pattern[str]]
    days: Sequence[re.Pattern[str]]
    """Those without a year."""
    months: Mapping[str, int]
    is_english: bool


ENGLISH = Notation(
    _amounts_by(_NUMBER, _BEFORE, _BEHIND),
    _SIGNS | {name.upper(): code for name, code in _WORDS.items()},
    *_dates_by(_ENGLISH_MONTHS, r"\w", "of"),
    months=_ENGLISH_MONTHS,
    is_english=True,
)


def notation_of(text: str) -> Notation:
    """The English notation or, for a text in another language, the notation of all others."""
    return ENGLISH if is_english(text) else other_notation()


@cache
def other_notation() -> Notation:
    """The notation from CLDR's languages and the signs that shops print."""
    codes: dict[str, str | None] = {sign.upper(): code[0] if len(code) == 1 else None for sign, code in SIGNS.items()}
    codes |= {code: code for code in _CODES} | {name.upper(): "EUR" for name in euro_names()}
    codes |= dict.fromkeys(map(str.upper, labels(english=False)["dollar"]))
    words = "|".join(re.escape(name) for name in sorted(codes, key=len, reverse=True))
    letter = rf"[^\W\d{UNSPACED}\uac00-\ud7af]"  # in Korean, a following word is joined to the number as well
    sign = rf"(?i:(?:{words})(?!{letter}))"
    # "1 250 €" as well; what follows a short name of a sign is looked at by the sign's own pattern.
    number = rf"(?:[1-9]\d{{0,2}}(?: \d{{3}})+(?![\d.,])|{_NUMBER})"
    amounts = _amounts_by(number, rf"(?<!{letter}){sign}", sign, letter)
    return Notation(
        amounts, codes, *_dates_by(month_numbers(), letter, r"[^\W\d_]{1,3}"), month_numbers(), is_english=False
    )


ABOUT = 20
"""An amount that is about so much agrees with numbers that are at most this part of it off."""


@dataclass(frozen=True, slots=True)
class Amount:
    """``text[start:end]`` names an amount; in a range, ``low`` and ``high`` differ."""

    kind: AmountKind
    low: Decimal
    high: Decimal
    start: int
    end: int
    currency: str | None = None
    relation: Relation = "is"
    places: int = 0
    """Decimal places as written, in the unit of ``low``: cents have two."""
    compound: bool = False
    """True for a part of a word ("16-inch") or of dimensions ("5 x 4")."""

    @property
    def is_range(self) -> bool:
        return self.low != self.high

    def agreement(self, record: Decimal) -> Agreement | None:
        """How the amount fits a record's number; "loose" by its trailing zeros, or with cents cut off."""
        if self.is_range:
            return "bounded" if self.low <= record <= self.high else None
        if self.low == record:
            return "equal"
        unit = Decimal(1).scaleb(-self.places)
        with localcontext(prec=len(record.as_tuple().digits) + self.places + 28):  # of a figure of any length
            roundings = record.quantize(unit, ROUND_HALF_UP), record.quantize(unit, ROUND_HALF_EVEN)
        if self.low in roundings:
            return "rounded"
        if self.relation == "at_least":
            return "bounded" if record >= self.low else None
        if self.relation == "at_most":
            return "bounded" if record <= self.low else None
        if self.relation == "about" and abs(record - self.low) * ABOUT <= abs(self.low):
            return "rounded"
        if self.kind == "money" and not self.places and abs(record - self.low) < 1:
            return "loose"
        if self.places or self.low < 10:
            return None
        # By the last digit that is not zero: 450 may mean 445 to 455.
        grain = Decimal(10) ** max(0, int(self.low.normalize().as_tuple().exponent))
        return "loose" if abs(record - self.low) * 2 <= grain else None


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """``text[start:end]`` names a day, a month or a year; ``iso`` is as precise as the text."""

    iso: str
    start: int
    end: int

    @property
    def is_day(self) -> bool:
        return self.iso.count("-") > 1

    def fits(self, day: date) -> bool:
        iso = day.isoformat()
        return iso.endswith(self.iso[1:]) if self.iso[:2] == "--" else iso.startswith(self.iso)


def find_amounts(text: str, notation: Notation = ENGLISH, *, years: bool = True) -> list[Amount]:
    """All amounts in text order and without overlap, except numbers within dates, words and fractions. Without
    ``years``, what looks like a year alone is an amount: "2052 ratings".
    """
    taken = bytearray(len(text))
    for written in find_dates(text, notation):
        if years or "-" in written.iso:
            taken[written.start : written.end] = b"1" * (written.end - written.start)
    amounts: list[Amount] = []
    position = 0
    while match := notation.amounts.search(text, position):
        has_currency = match["sign"] or match["behind"]
        if not has_currency and any(taken[match.start("digits") : match.end("digits")]):
            position = match.end("digits")
            continue
        amount = _amount(text, match, notation)
        position = max(match.start("digits") + 1, amount.end)
        is_plain = amount.kind == "number" and not amount.places
        if not (is_plain and _FRACTION.match(text, amount.end)):
            amounts.append(amount)
    return amounts


def find_dates(text: str, notation: Notation = ENGLISH) -> list[WrittenDate]:
    """All dates that name a year, in text order; "3/4/2024" is found as both March and April."""
    if _ANY_YEAR.search(text) is None:  # most texts have no date, and each pattern takes many times as long
        return []
    dates: list[WrittenDate] = []
    taken = bytearray(len(text))
    for pattern in notation.dates:
        for match in pattern.finditer(text):
            isos = list(_isos(match, notation.months))
            if isos and not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"1" * (match.end() - match.start())
                dates += [WrittenDate(iso, match.start(), match.end()) for iso in isos]
    return sorted(dates, key=lambda date: date.start)


def find_days(text: str, notation: Notation) -> Iterator[WrittenDate]:
    """Days without a year: "16 March", "am 13. Mai"; their ISO form is "--03-16"."""
    for pattern in notation.days:
        for match in pattern.finditer(text):
            if 1 <= int(match["day"]) <= 31:
                month = notation.months[match["month"].casefold()]
                yield WrittenDate(f"--{month:02}-{int(match['day']):02}", match.start(), match.end())


def number_of(digits: str) -> Decimal:
    """The number written by these digits, with a point or a comma before its decimals."""
    plain = re.sub(r"['’\s]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        return Decimal(plain.replace(",", ""))
    if "," in plain or plain.count(".") > 1:
        return Decimal(plain.replace(".", "").replace(",", "."))
    return Decimal(plain)


def _amount(text: str, match: re.Match[str], notation: Notation) -> Amount:
    start, sign, behind = match.start(), match["sign"], match["behind"]
    low, high = _ends(match, by_comma=not notation.is_english)
    is_range = low < high and not _NO_RANGE.match(text, match.end("k2" if match["k2"] else "digits2"))
    if is_range and match["to"].strip() == "and":
        is_range = bool(_BETWEEN.search(text[max(0, match.start() - 10) : match.start()]))
    if is_range:
        end = max(match.end(name) for name in ("digits2", "k2", "behind2"))
        sign, behind = sign or match["sign2"], behind or match["behind2"]
    else:
        high, end = low, max(match.end(name) for name in ("digits", "k", "behind"))
    places = max(0, -int(low.as_tuple().exponent))
    name = (sign or behind or "").upper()
    currency = notation.currencies.get(name)
    kind: AmountKind = "money" if name in notation.currencies else "number"
    if kind == "number" and (percent := _PERCENT.match(text, end)):
        kind, end = "percent", percent.end()
    before, following = text[max(0, start - 6) : start], text[end : end + 7]
    is_compound = bool(
        re.match(r"-[^\W\d]|\s?[x×]\s?\d|\sby\s\d{1,2}(?![\d,])", following)
        or re.search(r"\d\s?[x×]\s?$|[^\W\d]-$", before)
        or (end - start <= 2 and re.search(r"\d\sby\s$", before))
    )
    before = text[max(0, start - 24) : start]
    relations: list[Relation] = [name for form, name in _RELATIONS_BEHIND.items() if form.match(text, end)]
    relations = relations or [name for form, name in _RELATIONS_BEFORE.items() if form.search(before)]
    relation: Relation = "range" if low != high else relations[0] if relations else "is"
    return Amount(kind, low, high, start, end, currency, relation, places, is_compound)


def _ends(match: re.Match[str], *, by_comma: bool) -> tuple[Decimal, Decimal]:
    """Both numbers: "1-2k" are both thousands, in "900-1k" only the second; ``by_comma``: a comma precedes decimals."""
    low, high = (number_of(match[name] or match["digits"]) for name in ("digits", "digits2"))
    if match["k"] or (match["k2"] and low < high):
        low = Decimal(int(low * 1000))
    if match["k"] or match["k2"]:
        high = Decimal(int(high * 1000))
    # "1.299 €": if decimals follow a comma, three digits after a point are not decimals.
    signs = {match[name] and match[name].upper() for name in ("sign", "behind", "behind2")}
    numbers = filter(None, (match["digits"], match["digits2"]))
    if (by_comma or signs & _BY_COMMA) and all(re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", number) for number in numbers):
        return Decimal(int(low * 1000)), Decimal(int(high * 1000))
    return low, high


def _isos(match: re.Match[str], months: Mapping[str, int]) -> Iterator[str]:
    parts = match.groupdict()
    if parts.get("month"):
        number = months[parts["month"].casefold()]
    elif parts.get("number"):
        number = int(parts["number"])
    else:
        yield parts["year"]
        return
    day = int(parts.get("day") or 0)
    for month, of_month in dict.fromkeys([(number, day), (day, number) if parts.get("either") else (number, day)]):
        if 1 <= month <= 12 and 0 <= of_month <= 31:
            yield f"{parts['year']}-{month:02}" + (f"-{of_month:02}" if parts.get("day") else "")

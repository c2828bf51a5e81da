"""What stands in a cell of a shop's own table: numbers, prices with their currencies, and dates."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from babel.numbers import list_currencies

from drretail.data_ingest.raw.lines import LAST_MILLISECOND, utc_day
from drretail.records.shop import SIGNS

_CODES = {sign.casefold(): codes for sign, codes in (*((code, (code,)) for code in list_currencies()), *SIGNS.items())}
_SIGN = rf"(?:{'|'.join(map(re.escape, sorted(_CODES, key=len, reverse=True)))})\.?"
_NUMBER = r"(?:\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|[.,]?\d(?:[\d.,]*\d)?)"
_PRICE = re.compile(rf"(?P<before>{_SIGN})? ?(?P<number>{_NUMBER})(?:[.,][–—-]+)? ?(?P<behind>{_SIGN})?", re.IGNORECASE)
_PLAIN = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\.\d+")
_DIGITS = str.maketrans("０１２３４５６７８９，．", "0123456789,.")


@dataclass(frozen=True, slots=True)
class Price:
    """A number in a cell."""

    amount: float
    currencies: tuple[str, ...]
    """The codes that its sign, code or word may mean; empty if it names none."""


@lru_cache(maxsize=100_000)
def price_in(text: str | None, decimal: str) -> Price | None:
    """The price, or the plain number, that is all of a cell; None if it is anything else, such as a range.

    ``decimal`` is the mark before the cents.
    """
    match = _PRICE.fullmatch(" ".join((text or "").translate(_DIGITS).split()))
    if match is None:
        return None
    number = re.sub(r"[ '’]", "", match["number"])
    number = number.translate(str.maketrans(".,", ",.")) if decimal == "," else number
    sign = (match["before"] or match["behind"] or "").casefold()
    codes = _CODES.get(sign) or _CODES.get(sign.rstrip("."), ())
    return Price(float(number.replace(",", "")), codes) if _PLAIN.fullmatch(number) else None


Moment = tuple[int, int]
"""Milliseconds UTC, from 1970 to the year 9998, and the minutes that the clock of the text was ahead of UTC."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ZONE = re.compile(r" ([+-]\d\d(?::?\d\d)?)$")


def moment_of(text: str | None, form: str | None = None) -> Moment | None:
    """The moment of seconds, milliseconds or an ISO date, or of a text in a form of strptime; None for other texts.

    Milliseconds have 13 digits: 12 would be before 2001, and are usually a day with its time (202405021200).
    """
    try:
        if form is not None:
            return _moment(datetime.strptime(text or "", form))  # noqa: DTZ007 -- as the form says
        if text and len(text) > 8 and text.isdecimal():
            unit = 1 if len(text) == 13 else 1000
            return (int(text) * unit, 0) if len(text) in (9, 10, 11, 13) else None
        return _moment(datetime.fromisoformat(_ZONE.sub(r"\1", text or "")))
    except (ValueError, OverflowError):
        return None


def _moment(when: datetime) -> Moment | None:
    offset = when.utcoffset() or timedelta()
    milliseconds = (when.replace(tzinfo=UTC) - offset - _EPOCH) // timedelta(milliseconds=1)
    return (milliseconds, int(offset.total_seconds() // 60)) if 0 <= milliseconds <= LAST_MILLISECOND else None


def days_in(texts: Sequence[str], form: str | None) -> tuple[date | None, date | None] | None:
    """The first and the last day of two cells, or of one with a slash between them; None for an end that none names.

    None if one is no date, in ``form`` or in ISO's.
    """
    parts = [part.strip() for text in texts for part in text.split("/")]
    ends = [moment_of(part, form) or moment_of(part) for part in parts]
    if len(parts) > 2 or any(part and end is None for part, end in zip(parts, ends, strict=True)):
        return None
    first, last, *_ = (None if end is None else utc_day(end[0] + end[1] * 60_000) for end in (*ends, None, None))
    return first, last

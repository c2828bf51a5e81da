"""What stands in a cell of a shop's own table: texts, lists, numbers, prices with their currencies, and dates."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import product
from typing import Any

from babel.numbers import list_currencies

from drretail.data_ingest.raw.lines import LAST_MILLISECOND, day_of
from drretail.errors import UserError
from drretail.records.shop import SIGNS

_BLANK = " \t\r\n\u00a0"
_LONGEST_FIRST = sorted(SIGNS, key=len, reverse=True)
_MARKS = "|".join(re.escape(sign) for sign in _LONGEST_FIRST if not sign.isalpha())
_WORDS = "|".join(filter(str.isalpha, _LONGEST_FIRST))
_CODES = {sign.casefold(): codes for sign, codes in SIGNS.items()} | {code: (code,) for code in list_currencies()}
_DIGITS = str.maketrans("０１２３４５６７８９，．", "0123456789,.")
_GAP = r"(?:(?<!\s)\s++)?"
"""White space or none, looked for from its first sign alone: otherwise a search takes quadratic time."""
# Remarks on tax, as in "1,280円（税込）" and "9,90 € inkl. MwSt.".
_TAX = re.compile(
    _GAP + r"(?:[(（]\s*+)?(?:税込み?|税抜き?|税別|含税|TTC|HT|(?:IVA|VAT|GST|tax)\s+incl\w*"
    r"|(?:in[ck]l?|ex[ck]?l?|zzgl|plus)\w{0,6}\.?\s+(?:MwSt|USt|VAT|GST|tax|BTW|TVA|IVA|moms)\.?)\s*[)）]?$",
    re.IGNORECASE,
)
_FROM = re.compile(r"^(?:ab|desde|a partir de|à partir de|dès|da|vanaf|fra|från|od|от)\s+", re.IGNORECASE)
_UPWARDS = re.compile(r"^(?=\D*+\d)(.*\S)\s*(?:[~〜～]|から|起)$")
_CURRENCY = re.compile(rf"\b[A-Z]{{3}}\b|{_MARKS}")
_BEFORE = re.compile(rf"^({_WORDS})\.?\s*(?=\d)", re.IGNORECASE)
_BEHIND = re.compile(rf"(?<=\d)([.,]?[–—-]*)\s*({_WORDS})\.?$", re.IGNORECASE)
_PRICE = re.compile(
    r"(?:from\s+)?(?:\d+(?:\.\d+)?|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\.\d+)(?:\s*[-–]\s*[\d.,]+)?", re.IGNORECASE
)


def text_of(value: Any) -> str | None:
    """The trimmed text of a cell; None if it is empty. Whole numbers have no ".0"."""
    if isinstance(value, str):
        return value.strip(_BLANK) or None
    if isinstance(value, float):
        value = None if not math.isfinite(value) else int(value) if value.is_integer() else value
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text.strip(_BLANK) or None


def parts_of(value: Any, separator: str | None = None) -> list[str]:
    """The elements of a list, the parts between separators, or the text itself."""
    texts = filter(None, map(text_of, value if isinstance(value, list) else [value]))
    parts = (part for text in texts for part in ([text] if separator is None else text.split(separator)))
    return [part for each in parts if (part := each.strip())]


def number_in(value: Any, decimal: str) -> str | None:
    """A number with a dot before the cents and no currency, as far as it can be read; "9.–" has no cents."""
    text = text_of(value)
    if text is None:
        return None
    text = _FROM.sub("from ", _UPWARDS.sub(r"from \1", _TAX.sub("", text.translate(_DIGITS))))
    text = _BEHIND.sub(r"\1", _BEFORE.sub("", _CURRENCY.sub("", text).strip("  " + _BLANK)))
    text = re.sub(r"[.,]\s*[–—-]+$", "", text).strip("  " + _BLANK)
    text = re.sub(r"(\d)[ \u00a0\u202f'’](?=\d{3}\b)", r"\1", text)
    return text.translate(str.maketrans(".,", ",.")) if decimal == "," and isinstance(value, str) else text


def is_price(number: str | None) -> bool:
    """True for a number that ``number_in`` could read to its end."""
    return number is not None and _PRICE.fullmatch(number) is not None


def amount_in(number: str | None) -> float | None:
    """The first number in a price."""
    match = re.search(r"[0-9.,]+", number or "")
    try:
        return None if match is None else float(match[0].replace(",", ""))
    except ValueError:
        return None


def currencies_in(price: str | None) -> tuple[str, ...]:
    """The codes that the sign, code or word of a price may mean; empty if it names no currency."""
    text = price or ""
    plain = _TAX.sub("", text.translate(_DIGITS))
    match = _CURRENCY.search(text) or _BEFORE.search(plain) or _BEHIND.search(re.sub(_GAP + "[~〜～]?$", "", plain))
    sign = "" if match is None else next(group for group in reversed((match[0], *match.groups())) if group)
    return _CODES.get(sign.casefold(), _CODES.get(sign, ()))


Moment = tuple[int, int]
"""Milliseconds UTC, from 1970 to the year 9998, and the minutes that the clock of the text was ahead of UTC."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%a, %d %b %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %H:%M:%S", ", %I:%M %p", " at %I:%M %p")
_ZONE = re.compile(_GAP + r"([+-]\d\d):?(\d\d)?$")


@lru_cache(maxsize=100_000)
def moment_of(text: str | None, form: str | None = None) -> Moment | None:
    """The moment of seconds, milliseconds or an ISO date, or of a text in a form of strptime; None for other texts."""
    try:
        if form is not None:
            return _moment(datetime.strptime(text or "", form))  # noqa: DTZ007 -- as the form says
        if re.fullmatch(r"\d{12,14}", text or ""):
            return _moment(_EPOCH + timedelta(milliseconds=int(text or "")))
        if re.fullmatch(r"\d{9,11}(\.\d+)?", text or ""):
            return _moment(_EPOCH + timedelta(milliseconds=int(float(text or "") * 1000)))
        zoned = _ZONE.sub(lambda zone: f"{zone[1]}:{zone[2] or '00'}", text or "", count=1)
        return _moment(datetime.fromisoformat(zoned if re.search(r":\d\d", text or "") else text or ""))
    except (ValueError, OverflowError):
        return None


def _moment(when: datetime) -> Moment | None:
    offset = when.utcoffset() or timedelta()
    milliseconds = (when.replace(tzinfo=UTC) - offset - _EPOCH) // timedelta(milliseconds=1)
    return (milliseconds, int(offset.total_seconds() // 60)) if 0 <= milliseconds <= LAST_MILLISECOND else None


def form_of(texts: Sequence[str], where: str) -> str | None:
    """The form of strptime that reads most of these dates; None if most are read without one.

    Raises UserError if day and month may change places.
    """
    plain = sum(moment_of(text) is not None for text in texts)
    unread = [text for text in dict.fromkeys(texts) if moment_of(text) is None]
    if 2 * plain >= len(texts) or not unread:
        return None
    counts = Counter({form: _read(unread[:500], form) for form in (day + time for day, time in product(_DAYS, _TIMES))})
    most = max(counts.values())
    best = [form for form, count in counts.items() if count == most]
    if not most:
        return None
    others = [form for form in best if any(moment_of(text, form) != moment_of(text, best[0]) for text in unread)]
    if others:
        raise UserError(
            f"{where} has dates such as {unread[0]!r}, which may be {best[0]} or {others[0]}: write "
            f"date_format = {best[0]!r} in the mapping, or the other."
        )
    return best[0]


def _read(texts: Iterable[str], form: str) -> int:
    return sum(moment_of(text, form) is not None for text in texts)


def days_in(*texts: str | None) -> tuple[date | None, date | None]:
    """The first and the last day of two cells, or of one with a slash between them; None for an end that none names."""
    ends = [part.strip() for text in texts for part in (text or "").split("/")]
    first, last = (moment_of(text or None) for text in [*ends, "", ""][:2])
    return _day(first), _day(last)


def _day(moment: Moment | None) -> date | None:
    return None if moment is None else day_of(moment[0] + moment[1] * 60_000)

"""Search results of any service in one form: cleaned, bounded, with addresses of the web, and each page once."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from pydantic import BaseModel, ConfigDict

from drretail.env.web.base import WebResult
from drretail.env.web.reading.cleaning import LONGEST_SNIPPET, LONGEST_TITLE, clean_line, web_address
from drretail.grounding.evidence_ids import normalise_url

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_AGO = re.compile(r"(\d{1,3}|an?) (minute|hour|day|week)s? ago")
_LENGTHS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_WRITTEN = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y")


class Answer(BaseModel):
    """A piece of a service's answer; what it holds besides is nobody's concern."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def first_results(found: Iterable[WebResult], k: int) -> list[WebResult]:
    """The first ``k`` that lead to the web, two spellings of one address taken as one, texts cleaned as pages are."""
    kept: dict[str, WebResult] = {}
    for result in found:
        url = web_address(result.url)
        if url is not None:
            title, snippet = clean_line(result.title, LONGEST_TITLE), clean_line(result.snippet, LONGEST_SNIPPET)
            kept.setdefault(normalise_url(url), WebResult(title, url, snippet, result.date))
    return list(kept.values())[:k]


def iso_date(text: str | None, now: datetime) -> str | None:
    """YYYY-MM-DD of a date as search engines write it ("Mar 3, 2024", "2 days ago"), None for what is no day.

    "3 months ago" names no day, and a guess would look like knowledge.
    """
    text = (text or "").strip()
    iso = _ISO.match(text)
    try:
        if iso:
            return date(int(iso[1]), int(iso[2]), int(iso[3])).isoformat()
    except ValueError:
        return None
    ago = _AGO.fullmatch(text.lower())
    if ago:
        count = int(ago[1]) if ago[1].isdigit() else 1
        return (now - count * _LENGTHS[ago[2]]).date().isoformat()
    for form in _WRITTEN:
        try:
            # The zone is of no matter to a day.
            return datetime.strptime(text, form).replace(tzinfo=now.tzinfo).date().isoformat()
        except ValueError:
            continue
    return None

"""Whether a text identifies its writer. A shopper's question holds no ids, and nothing by which to reach a person."""

import re
from collections.abc import Iterator

from drretail.querygen.checks.case import Code, QueryCase, finding
from drretail.records.evidence import Finding
from drretail.records.shop import UserProfile
from drretail.reports.text.personal_data import People, Personal, anybodys_data, personal_data

_REMOVE = "take it out of the text"
CODES = {
    "id_in_text": Code("the text holds the id of a product, an order, a user or a piece of evidence", _REMOVE),
    "person_in_text": Code("the text tells who asks, or where to reach or to find somebody", _REMOVE),
}
_ID = re.compile(r"\b(?:B0[0-9A-Z]{8}|\d{10}|[POUWCF]:[\w@.-]+|A[A-Z0-9]{12,27})\b|https?://\S+", re.ASCII)
_AN_ID = "an id"


def identifying(text: str, profile: UserProfile | None = None) -> list[Personal]:
    """The places that identify the writer, or are ids, in text order and without overlaps.

    With a profile also its own data, however spelt.
    """
    people = People() if profile is None else People((profile,), frozenset({profile.user_id}))
    ids = (Personal(*match.span(), _AN_ID) for match in _ID.finditer(text))
    apart: list[Personal] = []
    for place in sorted(
        (*ids, *anybodys_data(text), *personal_data(text, people)), key=lambda place: (place.start, -place.end)
    ):
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
    return apart


def check(case: QueryCase) -> Iterator[Finding]:
    text = case.query.text
    for place in identifying(text, None if case.shopper is None else case.shopper.profile):
        code, words = "id_in_text" if place.what == _AN_ID else "person_in_text", text[place.start : place.end]
        yield finding(code, words, place.what, span=(place.start, place.end))

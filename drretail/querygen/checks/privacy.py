"""Whether a text identifies its writer. A shopper's question holds no ids, and nothing by which to reach a person."""

import re
from collections.abc import Iterator

from drretail.grounding.text.personal_data import People, Personal, personal_data
from drretail.grounding.text.redaction import anybodys_data
from drretail.querygen.checks.case import Code, QueryCase, finding
from drretail.records.evidence import Finding
from drretail.records.shop import UserProfile

_REMOVE = "take it out of the text"
CODES = {
    "id_in_text": Code("the text holds the id of a product, an order, a user or a piece of evidence", _REMOVE),
    "email_in_text": Code("the text holds an e-mail address", _REMOVE),
    "phone_in_text": Code("the text holds a telephone number", _REMOVE),
    "street_in_text": Code("the text holds an address, or a part of one that tells where somebody lives", _REMOVE),
    "name_in_text": Code("the text holds the user's full name", _REMOVE),
}

_ID = re.compile(r"\b(?:B0[0-9A-Z]{8}|\d{10}|[POUWCF]:[\w@.-]+|A[A-Z0-9]{12,27})\b|https?://\S+", re.ASCII)
# The code of the finding for each kind of personal data.
_CODES = {
    "a full name": "name_in_text",
    "an e-mail address": "email_in_text",
    "a telephone number": "phone_in_text",
    "a street": "street_in_text",
}


def identifying(text: str, profile: UserProfile | None = None) -> list[Personal]:
    """The places that identify the writer, or are ids, in text order and without overlaps; ``what`` they are is the
    finding's code. With a profile also its own data, however spelt.
    """
    people = People() if profile is None else People((profile,), frozenset({profile.user_id}))
    places = [Personal(*match.span(), "id_in_text") for match in _ID.finditer(text)]
    of_somebody = (*anybodys_data(text), *personal_data(text, people))
    places += [place._replace(what=_CODES.get(place.what, "id_in_text")) for place in of_somebody]
    apart: list[Personal] = []
    for place in sorted(places, key=lambda place: (place.start, -place.end, place.what)):
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
    return apart


def check(case: QueryCase) -> Iterator[Finding]:
    text = case.query.text
    places = identifying(text, None if case.shopper is None else case.shopper.profile)
    order_ids = () if case.query.wish is None else case.query.wish.orders
    for place in places:
        if text[place.start : place.end] not in order_ids:  # the wish says that the text speaks of this order
            yield finding(place.what, text[place.start : place.end], span=(place.start, place.end))
    user_id = case.query.user_id
    if user_id and user_id in text and not any(place.what == "id_in_text" for place in places):
        yield finding("id_in_text", user_id, "the user's id")

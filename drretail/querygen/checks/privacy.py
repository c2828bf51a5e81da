"""Whether a text tells who asks it: a shopper's question holds no ids, and nothing to reach a person by."""

import re
from collections.abc import Iterator

from drretail.grounding.listing import folded
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.shop import UserProfile

CODES = {
    "id_in_text": "the text holds the id of a product, an order, a user or a piece of evidence",
    "email_in_text": "the text holds an e-mail address",
    "phone_in_text": "the text holds a telephone number",
    "street_in_text": "the text holds a street address",
    "name_in_text": "the text holds the user's full name",
}

_ID = re.compile(r"\b(?:B0[0-9A-Z]{8}|\d{10}|[POUWCF]:[\w@.-]+|A[A-Z0-9]{12,27})\b|https?://\S+", re.ASCII)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\w.$€£])\+?\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}(?!\w)")
_STREET = re.compile(
    r"\b\d{1,6}\s+(?:[A-Z][\w'.]*\s+){1,3}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Terrace|Trail|Highway)\b"
)


def check(case: Case) -> Iterator[Finding]:
    text = case.query.text
    for code, pattern in (
        ("id_in_text", _ID),
        ("email_in_text", _EMAIL),
        ("phone_in_text", _PHONE),
        ("street_in_text", _STREET),
    ):
        for match in pattern.finditer(text):
            yield found(code, match[0], span=match.span())
    if case.shopper is not None:
        yield from _own(text, case.shopper.profile)
    if case.query.user_id and case.query.user_id in text and not _ID.search(text):
        yield found("id_in_text", case.query.user_id, "the user's id")


def _own(text: str, profile: UserProfile) -> Iterator[Finding]:
    words = f" {folded(text)} "
    if f" {folded(f'{profile.first_name} {profile.last_name}')} " in words:
        yield found("name_in_text", f"{profile.first_name} {profile.last_name}", "the name in the profile")
    if f" {folded(profile.address.address1)} " in words and not _STREET.search(text):
        yield found("street_in_text", profile.address.address1, "the street in the profile")

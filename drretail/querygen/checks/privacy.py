"""Whether a text tells who asks it: a shopper's question holds no ids, and nothing to reach a person by."""

from collections.abc import Iterator

from drretail.querygen.checks.case import Case, found
from drretail.querygen.identifying import identifying
from drretail.records.evidence import Finding

CODES = {
    "id_in_text": "the text holds the id of a product, an order, a user or a piece of evidence",
    "email_in_text": "the text holds an e-mail address",
    "phone_in_text": "the text holds a telephone number",
    "street_in_text": "the text holds an address, or a part of one that tells where somebody lives",
    "name_in_text": "the text holds a full name: the user's, or one that the text gives as the writer's",
}


def check(case: Case) -> Iterator[Finding]:
    text = case.query.text
    places = identifying(text, None if case.shopper is None else case.shopper.profile)
    for place in places:
        yield found(place.code, text[place.start : place.end], span=(place.start, place.end))
    user_id = case.query.user_id
    if user_id and user_id in text and not any(place.code == "id_in_text" for place in places):
        yield found("id_in_text", user_id, "the user's id")

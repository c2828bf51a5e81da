"""Whether a text identifies its writer. A shopper's question holds no ids, and nothing by which to reach a person."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drretail.grounding.text.personal_data import People, Personal, personal_data
from drretail.querygen.checks.case import Case, Code, finding
from drretail.records.evidence import Finding
from drretail.records.shop import UserProfile

_REMOVE = "take it out of the text"
CODES = {
    "id_in_text": Code("the text holds the id of a product, an order, a user or a piece of evidence", _REMOVE),
    "email_in_text": Code("the text holds an e-mail address", _REMOVE),
    "phone_in_text": Code("the text holds a telephone number", _REMOVE),
    "street_in_text": Code("the text holds an address, or a part of one that tells where somebody lives", _REMOVE),
    "name_in_text": Code("the text holds a full name: the user's, or one that is given as the writer's", _REMOVE),
}

BLANK = "[…]"
"""Replaces what was taken out."""

_SUFFIX = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|place|terrace|trail|highway|parkway|pkwy"
    "|circle|cir|square|sq|turnpike|expressway|freeway"
)
STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky",
    "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota",
    "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island",
    "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont",
    "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
"""The states of the USA, by their postal codes."""
_STATE = "|".join([*STATES, *STATES.values()])
_ZIP = r"\d{5}(?:-\d{4})?\b"
_DOOR = r"(?:apartment|apt\.?|suite|ste\.?|flat|unit)\s*(?:#\s?|no\.?\s?)?"
_NAME = r"[A-Z][a-zà-ÿ'’]+(?:[- ][A-Z](?:\.|[a-zà-ÿ'’]+))*[- ][A-Z][a-zà-ÿ'’]+(?:-[A-Z][a-zà-ÿ]+)?"
_UNITS = r"(?!\w|\s*(?:lumens?|watts?|pieces?|ml|mah))"
# The group "private" is what is found; without it, the whole match. Capitals mark names of streets, towns and people;
# in small letters, only phrases that can hardly be anything else count.
_PATTERNS = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        ("id_in_text", r"(?a:\b(?:B0[0-9A-Z]{8}|\d{10}|[POUWCF]:[\w@.-]+|A[A-Z0-9]{12,27})\b|https?://\S+)"),
        ("phone_in_text", r"(?<![\w.$€£])(?:\+?\d{1,3}[\s.-])?\(?\d{3}\)?[\s.-]?\d{3}[\s.-]\d{4}(?!\w)"),
        ("phone_in_text", r"\+\d{1,3}(?:[\s.()-]{0,2}\d){7,12}(?!\w)"),
        # Without an area code a number may be a range: "100-2000 lumens".
        ("phone_in_text", rf"(?<![\w.$€£-])555-\d{{4}}{_UNITS}"),
        (
            "phone_in_text",
            r"(?i)\b(?:call|phone|telephone|text|ring|reach|dial|fax|cell|mobile|whatsapp)\b[^.!?\n]{0,30}?"
            rf"(?<![\w.$€£-])(?P<private>\d{{3}}[\s.-]\d{{4}}){_UNITS}",
        ),
        (
            "street_in_text",
            rf"(?<![\w$€£.])\d{{1,6}}(?:\s+[A-Z][\w'’.]*){{1,3}}(?:\s+(?:{_SUFFIX.title()})\b(?!['’]s)\.?|(?=\s+(?:Apt|Suite|Unit)\b))",
        ),
        ("street_in_text", r"(?<![\w$€£.,-])\d{2,5}\s+(?!lane|mile|minute)[a-z]+\s+(?:street|avenue|boulevard|road)\b"),
        ("street_in_text", r"(?i)\bP\.?\s?O\.?\s?Box\s+\d+"),
        # "my apartment 5 years ago" names no apartment number.
        ("street_in_text", rf"(?i)\b{_DOOR}(?:\d{{1,5}}\s?-?[A-Z]\b|\d{{1,5}}(?=\s*(?:[,.;:!?)\n]|$)))"),
        ("street_in_text", rf"(?:\b[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*){{0,2}},?\s+)?\b(?:{_STATE}),?\s+{_ZIP}"),
        ("street_in_text", rf"(?i)\bzip(?:\s+code)?(?:\s+is|:)?\s+{_ZIP}"),
        (
            "name_in_text",
            r"(?:\b[Mm]y\s+(?:full\s+)?name(?:\s+is|['’]s)|\b[Nn]ame:|\bI['’]m\s+called|\b[Ss]hip\s+(?:it|them|this)\s+to"
            rf"|\b(?:[Ss]igned|[Rr]egards|[Ss]incerely|[Yy]ours),)\s+(?P<private>{_NAME})",
        ),
        # "I'm Jane Doe from …", but no "I'm Team Coffee" and no "I'm Italian American."
        (
            "name_in_text",
            rf"\b(?:I['’]m|I\s+am|[Tt]his\s+is)\s+(?P<private>{_NAME})(?=\s+(?:and|from|of|in|at|here|with)\b)",
        ),
    )
)
# The rest of an address after the street, in any case.
_BEHIND_A_STREET = re.compile(
    rf"(?:,?\s+(?:{_DOOR}|\#)\s*\w{{1,6}})?"
    rf"(?:,?\s+(?:in\s+)?(?:[a-z.'’-]+\s){{0,2}}[a-z.'’-]+,?\s+(?:{_STATE}),?\s+{_ZIP})?",
    re.IGNORECASE,
)
_RECORD_ID = re.compile(r"B0[0-9A-Z]{8}|\d{10}|[PO]:[\w.-]+", re.ASCII)
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
    places = [
        Personal(*match.span("private" if "private" in pattern.groupindex else 0), code)
        for code, pattern in _PATTERNS
        for match in pattern.finditer(text)
    ]
    people = People() if profile is None else People((profile,), frozenset({profile.user_id}))
    places += [place._replace(what=_CODES.get(place.what, "id_in_text")) for place in personal_data(text, people)]
    for number, place in enumerate(places):
        # A street's place includes door, town and ZIP code.
        behind = _BEHIND_A_STREET.match(text, place.end) if place.what == "street_in_text" else None
        places[number] = place._replace(end=behind.end() if behind else place.end)
    apart: list[Personal] = []
    for place in sorted(places, key=lambda place: (place.start, -place.end, place.what)):
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
        elif place.end > apart[-1].end:
            apart[-1] = apart[-1]._replace(end=place.end)
    return apart


@dataclass(frozen=True, slots=True)
class Mask:
    """Blanks out what identifies the writer of some texts, wherever it is repeated."""

    profile: UserProfile | None
    words: tuple[str, ...]
    """The identifying words; the longest come first, so that none is replaced in part."""

    @classmethod
    def of(cls, texts: Iterable[str], profile: UserProfile | None = None) -> "Mask":
        words = {text[place.start : place.end] for text in texts for place in identifying(text, profile)}
        return cls(profile, tuple(sorted(words, key=lambda words: (-len(words), words))))

    def text(self, text: str, *, keep_ids: bool = False) -> str:
        """The text with what identifies the writer blanked out; ``keep_ids`` keeps ids of products and orders."""
        for place in reversed(identifying(text, self.profile)):
            if not (keep_ids and _RECORD_ID.fullmatch(text, place.start, place.end)):
                text = f"{text[: place.start]}{BLANK}{text[place.end :]}"
        for words in self.words:
            if not (keep_ids and _RECORD_ID.fullmatch(words)):
                text = text.replace(words, BLANK)
        return text


def check(case: Case) -> Iterator[Finding]:
    text = case.query.text
    places = identifying(text, None if case.shopper is None else case.shopper.profile)
    named = () if case.query.wish is None else case.query.wish.orders
    for place in places:
        if text[place.start : place.end] not in named:  # the wish says that the text speaks of this order
            yield finding(place.what, text[place.start : place.end], span=(place.start, place.end))
    user_id = case.query.user_id
    if user_id and user_id in text and not any(place.what == "id_in_text" for place in places):
        yield finding("id_in_text", user_id, "the user's id")

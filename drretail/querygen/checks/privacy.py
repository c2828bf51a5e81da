"""Whether a text tells who asks it: a shopper's question holds no ids, and nothing to reach a person by."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from drretail.grounding.text.personal_data import People, personal_data
from drretail.grounding.text.place_names import STATES
from drretail.grounding.text.words import NO_BRANDS
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.shop import UserProfile

CODES = {
    "id_in_text": "the text holds the id of a product, an order, a user or a piece of evidence",
    "email_in_text": "the text holds an e-mail address",
    "phone_in_text": "the text holds a telephone number",
    "street_in_text": "the text holds an address, or a part of one that tells where somebody lives",
    "name_in_text": "the text holds a full name: the user's, or one that the text gives as the writer's",
}

BLANK = "[…]"
"""Stands where something was taken out."""

_ID = re.compile(r"\b(?:B0[0-9A-Z]{8}|\d{10}|[POUWCF]:[\w@.-]+|A[A-Z0-9]{12,27})\b|https?://\S+", re.ASCII)
# Tried from the beginning of a word only, or a long one takes its length squared.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(
    r"(?<![\w.$€£])(?:\+?\d{1,3}[\s.-])?\(?\d{3}\)?[\s.-]?\d{3}[\s.-]\d{4}(?!\w)"
    r"|\+\d{1,3}(?:[\s.()-]{0,2}\d){7,12}(?!\w)"
    r"|(?<![\w.$€£-])555-\d{4}(?!\w|\s*(?:lumens?|watts?|pieces?|ml|mah))"
)
# Without an area code a number may be a range: "100-2000 lumens".
_CALLED = re.compile(
    r"\b(?:call|phone|telephone|text|ring|reach|dial|fax|cell|mobile|whatsapp)\b[^.!?\n]{0,30}?"
    r"(?<![\w.$€£-])(?P<number>\d{3}[\s.-]\d{4})(?!\w|\s*(?:lumens?|watts?|pieces?|ml|mah))",
    re.IGNORECASE,
)
_SUFFIXES = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|place|terrace|trail|highway|parkway|pkwy"
    "|circle|cir|square|sq|turnpike|expressway|freeway"
)
# These end the names of products, too, and so only count where the name ends.
_WEAK_SUFFIXES = (
    "alley|bend|bluffs?|branch|bridge|brooks?|canyon|causeway|center|cliffs?|close|common|corners?|course|coves?|creek"
    "|crescent|crest|crossing|dale|dam|divide|estates?|extension|falls|ferry|fields?|flats?|ford|forest|forge|forks?|fort"
    "|gardens?|gateway|glens?|greens?|groves?|harbors?|haven|heights|hills?|hollow|inlet|islands?|isle|junctions?|keys?"
    "|knolls?|lakes?|landing|lodge|loop|mall|manors?|meadows?|mews|mills?|mission|motorway|mountains?|neck|orchard|oval"
    "|parks?|pass|passage|path|pike|pines?|plains?|plaza|points?|ports?|prairie|ramp|ranch|ridges?|river|route|row|run"
    "|shoals?|shores?|skyway|springs?|station|stream|summit|throughway|trace|track|tunnel|underpass|unions?|valleys?"
    "|via|viaduct|views?|villages?|ville|vista|walks?|wall|wells?"
)
_COUNTED = r"(?:Pack|Packs|Piece|Pieces|Count|Inch|Inches|Oz|Ounce|Ft|Foot|Feet|Gallon|Liter|Star|Tier|Set|Pcs|In|Cup)"
# Capitals make it a name: 88 Anything Glen. In small letters only what can hardly be anything else: 14 maple street.
_WORDS_OF_A_STREET = rf"\d{{1,6}}\s+(?!{_COUNTED}\b)(?:[A-Z][\w'’.]*\s+){{1,3}}"
_STREET = re.compile(
    rf"(?<![\w$€£.]){_WORDS_OF_A_STREET}(?:{_SUFFIXES.title()})\b(?!['’]s)\.?"
    rf"|(?<![\w$€£.])(?!(?:19|20)\d\d\s){_WORDS_OF_A_STREET}(?:{_WEAK_SUFFIXES.title()})"
    r"(?=\s*(?:[.,;:!?)\n]|$)|\s+(?:Apt|Apartment|Suite|Unit|#|in\b|and\b))"
)
_NO_NAME = (
    r"(?:an?|the|my|our|your|this|that|these|those|on|in|of|off|at|to|by|down|up|across|along|and|or|from|for|per|with"
    r"|lanes?|miles?|minutes?|hours?|days?|weeks?|months?|years?|yards?|feet|foot|meters?|km|blocks?|times?|old|new|more"
    r"|other|different|busy|quiet|narrow|wide|long|dirt|gravel|city|back|side|percent|people|kids|lights?|is|was|are)"
)
_SMALL_STREET = re.compile(
    rf"(?<![\w$€£.,-])\d{{1,5}}\s+(?:(?!{_NO_NAME}\b)[a-z]+\s+){{1,2}}(?:street|avenue|ave|boulevard|blvd|road|rd|lane)\b",
    re.IGNORECASE,
)
_STATE = "|".join([*STATES, *STATES.values()])
# What goes on behind a street, in whatever letters.
_BEHIND_A_STREET = re.compile(
    r"(?:,?\s+(?:apartment|apt\.?|suite|ste\.?|unit|flat|\#)\s*\#?\s?\w{1,6})?"
    rf"(?:,?\s+(?:in\s+)?(?:[a-z.'’-]+\s){{0,2}}[a-z.'’-]+,?\s+(?:{_STATE}),?\s+\d{{5}}(?:-\d{{4}})?)?",
    re.IGNORECASE,
)
_BOX = re.compile(r"\bP\.?\s?O\.?\s?Box\s+\d+", re.IGNORECASE)
_CITY = re.compile(
    rf"(?:\b[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*){{0,2}},?\s+)?\b(?:{_STATE}),?"
    r"\s+\d{5}(?:-\d{4})?\b|\bzip(?:\s+code)?(?:\s+is|:)?\s+\d{5}(?:-\d{4})?\b"
)
# "my apartment 5 years ago" is no number on a door.
_DOOR = re.compile(
    r"\b(?:apartment|apt\.?|suite|ste\.?|flat|unit)\s*(?:#\s?|no\.?\s?)?"
    r"(?:\d{1,5}\s?-?[A-Z]\b|\d{1,5}(?=\s*(?:[,.;:!?)\n]|$)))",
    re.IGNORECASE,
)
_NAME = r"[A-Z][a-zà-ÿ'’]+(?:[- ][A-Z](?:\.|[a-zà-ÿ'’]+))*[- ][A-Z][a-zà-ÿ'’]+(?:-[A-Z][a-zà-ÿ]+)?"
_INTRODUCED = re.compile(
    rf"(?:\b[Mm]y\s+(?:full\s+)?name(?:\s+is|['’]s)|\b[Nn]ame:|\bI['’]m\s+called|\b(?:[Ss]igned|[Rr]egards|[Ss]incerely|[Yy]ours),"
    rf"|\b[Ss]hip\s+(?:it|them|this)\s+to)\s+(?P<name>{_NAME})"
    # "I'm Jane Doe from …", "I am Jane Doe." but no "I'm Team Coffee".
    rf"|\b(?:I['’]m|I\s+am|[Tt]his\s+is)\s+(?P<self>{_NAME})(?=[.,!]|\s+(?:and|from|of|in|at|here|with)\b)"
)
_TOLD_ID = re.compile(r"B0[0-9A-Z]{8}|\d{10}|[PO]:[\w.-]+", re.ASCII)
# What the records of a user hold, by the kind that is found.
_CODES = {
    "a full name": "name_in_text",
    "an e-mail address": "email_in_text",
    "a telephone number": "phone_in_text",
    "a street": "street_in_text",
}


class Identifying(NamedTuple):
    """``text[start:end]`` tells who writes, or is an id; ``code`` as in the findings."""

    code: str
    start: int
    end: int


def identifying(text: str, profile: UserProfile | None = None) -> list[Identifying]:
    """All such places in text order; with a profile also what it holds, however it is spelt. None overlap."""
    found = sorted({*_by_pattern(text), *_of_profile(text, profile)}, key=lambda it: (it.start, -it.end, it.code))
    apart: list[Identifying] = []
    for place in found:
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
        elif place.end > apart[-1].end:
            apart[-1] = apart[-1]._replace(end=place.end)
    return apart


def _by_pattern(text: str) -> Iterator[Identifying]:
    for code, pattern in (
        ("id_in_text", _ID),
        ("email_in_text", _EMAIL),
        ("phone_in_text", _PHONE),
        *(("street_in_text", pattern) for pattern in (_CITY, _DOOR)),
    ):
        yield from (Identifying(code, *match.span()) for match in pattern.finditer(text))
    for pattern in (_STREET, _SMALL_STREET, _BOX):
        for match in pattern.finditer(text):
            behind = _BEHIND_A_STREET.match(text, match.end())
            yield Identifying("street_in_text", match.start(), behind.end() if behind else match.end())
    yield from (Identifying("phone_in_text", *match.span("number")) for match in _CALLED.finditer(text))
    for match in _INTRODUCED.finditer(text):
        group = "name" if match["name"] else "self"
        if not set(match[group].casefold().split()) & NO_BRANDS:
            yield Identifying("name_in_text", *match.span(group))


def _of_profile(text: str, profile: UserProfile | None) -> Iterator[Identifying]:
    if profile is not None:
        people = People((profile,), frozenset({profile.user_id}))
        for place in personal_data(text, people):
            behind = _BEHIND_A_STREET.match(text, place.end) if place.what == "a street" else None
            yield Identifying(_CODES.get(place.what, "id_in_text"), place.start, behind.end() if behind else place.end)


@dataclass(frozen=True, slots=True)
class Mask:
    """Blanks out what identifies the writer of some texts, wherever it is said again."""

    profile: UserProfile | None
    said: tuple[str, ...]
    """The longest first."""

    @classmethod
    def of(cls, texts: Iterable[str], profile: UserProfile | None = None) -> "Mask":
        found = {text[it.start : it.end] for text in texts for it in identifying(text, profile)}
        return cls(profile, tuple(sorted(found, key=lambda it: (-len(it), it))))

    def text(self, text: str) -> str:
        """The text without all of that, and without whatever else of it stands only here."""
        return self._cut(text, [(it.start, it.end) for it in identifying(text, self.profile)])

    def part(self, part: str, whole: str) -> str:
        """The same for a part of a text, whose ends may have cut what identifies."""
        start = whole.find(part)
        if start < 0:
            return self.text(part)
        end = start + len(part)
        spans = [(it.start, it.end) for it in identifying(whole, self.profile) if it.start < end and it.end > start]
        return self._cut(part, [(max(0, first - start), last - start) for first, last in spans])

    def facts(self, text: str) -> str:
        """The same for what names orders and products by their ids, which are meant to be told."""
        spans = [(it.start, it.end) for it in identifying(text, self.profile)]
        return self._cut(text, [it for it in spans if not _TOLD_ID.fullmatch(text[slice(*it)])], ids=True)

    def _cut(self, text: str, spans: list[tuple[int, int]], *, ids: bool = False) -> str:
        for start, end in reversed(spans):
            text = f"{text[:start]}{BLANK}{text[end:]}"
        for said in self.said:
            if not (ids and _TOLD_ID.fullmatch(said)):
                text = text.replace(said, BLANK)
        return text


def check(case: Case) -> Iterator[Finding]:
    text = case.query.text
    places = identifying(text, None if case.shopper is None else case.shopper.profile)
    named = () if case.query.wish is None else case.query.wish.orders
    for place in places:
        if text[place.start : place.end] not in named:  # the wish says that the text speaks of this order
            yield found(place.code, text[place.start : place.end], span=(place.start, place.end))
    user_id = case.query.user_id
    if user_id and user_id in text and not any(place.code == "id_in_text" for place in places):
        yield found("id_in_text", user_id, "the user's id")

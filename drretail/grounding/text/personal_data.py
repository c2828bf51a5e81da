"""Where a text names people, and rows and texts without that, a word in its place.

Numbers, addresses and e-mail addresses are known by their form, names by a list or by the field that holds them.
"""

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from drretail.errors import UserError
from drretail.files import read_lines
from drretail.grounding.text.untrusted import as_ascii, visible
from drretail.parsing import json_or_none, texts_in
from drretail.records.shop import UserProfile

_FEWEST_DIGITS = 7
"""The fewest digits of a telephone number; with fewer, other numbers would be mistaken for one."""
_AT = r"(?:\s?\*{0,2}@\*{0,2}\s?|\s*[\[({<]\s*(?:at|@)\s*[\])}>]\s*)"
_SPELT_AT = r"\s+at\s+"
_DOT = r"(?:\.|\s\.\s|\s*[\[({<]\s*(?:dot|\.)\s*[\])}>]\s*)"
_SPELT_DOT = r"\s+dot\s+"
# Asterisks are a page's emphasis. A bare " at " also occurs between other words ("price at amazon.com"): it counts only
# if the dot is spelt out too.
# Possessive, and never starting within a word, so that a long word is read once.
EMAIL = re.compile(
    rf"(?<![\w.+-])(?:[\w.+-]++['’])?[\w.+-]++"
    rf"(?:{_AT}[\w-]+(?:(?:{_DOT}|{_SPELT_DOT})[\w-]+){{0,8}}(?:{_DOT}|{_SPELT_DOT})[a-z]{{2,}}"
    rf"|{_SPELT_AT}[\w-]+(?:{_SPELT_DOT}[\w-]+){{0,8}}?{_SPELT_DOT}[a-z]{{2,4}}\b)",
    re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"%(?:25){0,3}(?P<percent>[0-9a-f]{2})|&\#(?P<decimal>\d{1,6});?|&\#x(?P<hexadecimal>[0-9a-f]{1,5});?"
    r"|&(?P<name>[a-z]{2,10});|\\u\{?(?P<code>[0-9a-f]{4})\}?|\\x(?P<byte>[0-9a-f]{2})|=(?P<quoted>40|2e)(?=\w)",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w+")
_NO_LETTER = re.compile(r"[\W_]")
_BETWEEN_DIGITS = r"[\s()./_·–—-]{0,4}"
_LEFT_OVER = re.compile(r"\(\s*\)|\[\s*\]|\"\s*\"|'\s*'|“\s*”|(?<!\w)['’]s\b|(?<=\s)[-,;:.&@/]+(?=\s)")
_AT_AN_END = re.compile(r"^[\s,;:.&@/'\"-]+(?=\w)|(?<![\s,;:&@/-])[\s,;:&@/-]++$")


@dataclass(frozen=True, slots=True)
class People:
    """The people to look for, and the numbers of their orders."""

    profiles: tuple[UserProfile, ...] = ()
    user_ids: frozenset[str] = frozenset()
    order_ids: frozenset[str] = frozenset()


class Personal(NamedTuple):
    """``text[start:end]`` is ``what``: "a full name", "an e-mail address" …"""

    start: int
    end: int
    what: str


def personal_data(text: str, people: People) -> list[Personal]:
    """Every place where the text names one of these people, or has any e-mail address.

    Escapes (``%40``, ``&#64;``) are decoded, full-width letters made plain, invisible characters ignored, "at" and
    "dot" read as signs. A town, a state or a first name alone does not identify anybody.
    """
    plain, spans = decoded(text)
    words = located_words(plain)
    in_plain = [place for profile in people.profiles for place in _of_profile(plain, words, profile)]
    in_plain += [Personal(*match.span(), "an e-mail address") for match in EMAIL.finditer(plain)]
    ids = dict.fromkeys((key.casefold() for key in people.user_ids), "a user id")
    ids |= dict.fromkeys((key.casefold() for key in people.order_ids), "an order id")
    named = ((match, ids.get(match[0].casefold())) for match in _TOKEN.finditer(plain))
    in_plain += [Personal(*match.span(), kind) for match, kind in named if kind is not None]
    places = [as_written(spans, place) for place in in_plain]
    return [*dict.fromkeys(places)]


def located_words(text: str) -> list[tuple[str, int, int]]:
    """The words of a text in lower case, each with its place."""
    return [(match[0].casefold(), *match.span()) for match in WORD.finditer(text)]


def as_written(spans: Sequence[tuple[int, int]], place: Personal) -> Personal:
    """A place of a ``decoded`` text in the text as it was written."""
    return Personal(spans[place.start][0], spans[place.end - 1][1], place.what)


def without_personal_data(text: str, people: People) -> tuple[str, tuple[str, ...]]:
    """The text without personal data, and the kinds that were removed; otherwise the text unchanged."""
    kinds: dict[str, None] = {}
    # A removal may bring a first and a last name together; each round removes at least one character.
    while data := personal_data(text, people):
        kinds |= dict.fromkeys(place.what for place in data)
        gone = bytearray(len(text))
        for place in data:
            gone[place.start : place.end] = b"\1" * (place.end - place.start)
        # A space for what is gone, so that its neighbours do not become one word.
        without = "".join(" " if out else char for char, out in zip(text, gone, strict=True))
        without = " ".join(_LEFT_OVER.sub(" ", without).split())
        text = _AT_AN_END.sub("", without)
    return text, tuple(kinds)


def decoded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without escapes, variants and invisible characters; for each character, its place in the text."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []

    def add(plain: str, start: int, end: int) -> None:
        parts.append(plain)
        spans.extend([(start, end)] * len(plain))

    def add_as_it_stands(start: int, end: int) -> None:
        if (piece := text[start:end]).isascii():
            parts.append(piece)
            spans.extend((place, place + 1) for place in range(start, end))
        else:
            for place in range(start, end):
                add(as_ascii(text[place]), place, place + 1)

    last = 0
    for match in _ESCAPE.finditer(text):
        add_as_it_stands(last, match.start())
        add("".join(map(as_ascii, _unescaped(match))), *match.span())
        last = match.end()
    add_as_it_stands(last, len(text))
    return "".join(parts), spans


def _unescaped(match: re.Match[str]) -> str:
    if match["name"]:
        return html.unescape(match[0])
    digits = next((match[kind] for kind in ("percent", "hexadecimal", "code", "byte", "quoted") if match[kind]), None)
    number = int(match["decimal"]) if digits is None else int(digits, 16)
    # A single byte of a letter beyond ASCII is not decoded.
    return chr(number) if number < 0x80 or (match["percent"] is None and number < 0x110000) else match[0]


def _may_hold(text: str, part: str) -> bool:
    """False if a text certainly lacks a part, whatever its case: to compile a pattern takes longer than a text's rest.

    Beyond ASCII, a letter may have other cases than one: only the pattern tells.
    """
    return not (text.isascii() and part.isascii()) or part.lower() in text.lower()


def _of_profile(text: str, words: Sequence[tuple[str, int, int]], profile: UserProfile) -> Iterator[Personal]:
    first, last = _words(profile.first_name), _words(profile.last_name)
    if first and last:
        for name in (first + last, last + first, ["".join(first + last)], ["".join(last + first)]):
            yield from (Personal(*span, "a full name") for span in _spans(name, words))
    if profile.email:
        # Its signs may be spelt out, and its letters separated.
        signs = {"@": r"[\W_]{0,3}(?:at(?![a-z0-9]))?[\W_]{0,3}", ".": r"[\W_]{0,3}(?:dot(?![a-z0-9]))?[\W_]{0,3}"}
        letters = _NO_LETTER.sub("", text)
        if all(_may_hold(letters, _NO_LETTER.sub("", part)) for part in re.split("[@.]", profile.email)):
            spelt = r"[\W_]?".join(signs.get(sign, re.escape(sign)) for sign in profile.email)
            matches = re.finditer(spelt, text, re.IGNORECASE)
            yield from (Personal(*match.span(), "an e-mail address") for match in matches)
    number = re.sub(r"\D", "", profile.phone_number)
    if len(number) >= _FEWEST_DIGITS and number[-10:] in re.sub(r"\D", "", text):
        spelt = re.compile(rf"(?:\+?\d{{1,3}}{_BETWEEN_DIGITS})?\(?{_BETWEEN_DIGITS.join(number[-10:])}")
        yield from (Personal(*match.span(), "a telephone number") for match in spelt.finditer(text))
    yield from (Personal(*span, "a street") for span in _spans(_words(profile.address.address1), words))


def _spans(part: Sequence[str], words: Sequence[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """Where these words follow one another, whatever separates them."""
    for index, (word, start, _) in enumerate(words if part else ()):
        if word == part[0]:
            there = words[index : index + len(part)]
            if [each for each, _, _ in there] == list(part):
                yield start, there[-1][2]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]


WORDS = {
    "a full name": "[name]",
    "an e-mail address": "[e-mail]",
    "a telephone number": "[phone]",
    "a street": "[street]",
    "a bank account": "[IBAN]",
    "a card": "[card]",
}
"""What is written in place of each kind of personal data."""
# Two digits in a row may have signs between them. A number of other digits, a date, or an evidence id is no telephone
# number, nor is one without its leading 0, + or American grouping: too many ids look like it.
_PHONE = re.compile(
    r"(?<![\w+])(?<!\d[.,:/-])(?<!P:)\(?(?!\d\d([./-])\d\d\1(?:\d\d){1,2}(?!\1?\d))"
    r"(?:(?:\+|00)[1-9](?:[ ()./-]{0,3}\d){7,14}|0[1-9](?:[ ()./-]{0,3}\d){7,10}"
    r"|[2-9]\d\d\)?[ .-]{1,2}\d{3}[ .-]\d{4})(?!-?\w)"
)
_IBAN = re.compile(r"(?<!\w)(?=(?P<code>[A-Z]{2}\d\d(?: ?[A-Z0-9]){11,30}))", re.IGNORECASE | re.ASCII)
_CARD = re.compile(r"(?<![\w-])[2-6]\d{3}(?:[ -]?\d){10,15}(?![\w-])", re.ASCII)
# Bare digits are somebody's only where words say so: "call me at 4155550132".
_NAMED_PHONE = re.compile(
    r"\b(?:telephone|telefono?|phone|mobile|mobil|cell|call|tel|whatsapp|handy|handynummer|telefonnummer|anrufen|rufen"
    r"|movil|appeler|appelez|llamar|llame)\b"
    r"(?:\W{1,3}(?:me|us|him|her|at|on|is|number|under|my|sie|mich|uns|unter|ist|nummer|moi|nous|au|le|est|me|al|es)\b){0,4}"
    r"\W{1,3}(?P<data>\d(?:[ ()./-]{0,3}\d){6,14})(?!-?\w)",
    re.IGNORECASE,
)
# English, German and French. Letters are plain by then: "Straße" is read as "Strase" or "Strasse".
_STREET_NAME = (
    r"(?:(?:[A-Z][a-z]{2,}|[NSEW]\.?) ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Boulevard|Blvd|Drive)\b",
    r"(?:(?:[A-Z][\w.-]{0,40} ){0,3}[\w-]{0,40}(?:[Ss]tra(?:ss|ß|s)e|[Ss]tr\.|(?<=\w)(?:weg|gasse|allee|platz))"
    r"|[A-Z]\w{2,40}e[rn]? (?:Weg|Gasse|Allee|Platz))",
    r"(?:rue|avenue|boulevard|bd|place|chemin|allee|impasse|quai|cours)"
    r" (?:(?:(?:de|du|des|la|le|les) |[dl]['’]){1,3}\w+|[A-Z]\w+)(?:[ -][A-Z]\w+){0,4}",
)
# "4 Wheel Drive" is no street: with a single digit, a Drive needs words before it that say so.
_STREET = re.compile(
    rf"(?<![\w.,])(?!\d (?:[A-Z][a-z]+ ){{1,4}}Drive)\d{{1,5}}[a-z]?,? {_STREET_NAME[0]}"
    rf"|(?<!\w){_STREET_NAME[1]} ?\d{{1,4}}(?: ?[a-z])?\b"
    rf"|(?<![\w.,])\d{{1,4}}(?: ?bis| ?ter)?,? {_STREET_NAME[2]}"
)
_NAMED_STREET = re.compile(
    r"\b(?i:live|lives|living|address|wohnen?|wohnt|adresse|anschrift|habite|deliver|ship|send|liefern)\b"
    r"(?:\W{1,2}(?i:is|it|me|to|at|in|on|the|ist|an|der|die|den|dem|bitte|a|au|est)\b){0,4}\W{1,3}"
    rf"(?P<data>(?:\d{{1,5}}[a-z]?,? )?(?:{'|'.join(_STREET_NAME)}))"
)
_KEY = re.compile(r"[\W_\d]+")
_NAMES = re.compile(
    r"(?:first|last|full|given|family|customer|user|recipient|billing|shipping|sur|vor|nach)name|prenom"
)
_PHONES = ("phone", "phonenumber", "mobile", "telephone", "telefon")
_FIELDS = dict.fromkeys(_PHONES, "[phone]") | dict.fromkeys(("address", "street", "strasse", "rue"), "[street]")
_PEOPLE = frozenset({"customer", "user", "buyer", "recipient", "billingaddress", "shippingaddress", "kunde", "client"})
_IDS = ("id", "asin", "sku", "gtin", "ean", "url", "link", "href")


def anybodys_data(text: str) -> list[Personal]:
    """Every e-mail address, telephone number, IBAN, payment card and street in a text, read as ``decoded`` does."""
    plain, spans = decoded(text)
    in_plain = [Personal(*match.span(), "an e-mail address") for match in EMAIL.finditer(plain)]
    for match in _IBAN.finditer(plain):
        # The words after a code may look like more of it: it ends where its check digits are right.
        for end in range(match.end("code"), match.start() + 14, -1):
            code = plain[match.start() : end].replace(" ", "")
            is_whole = len(code) > 14 and plain[end - 1] != " " and not plain[end : end + 1].isalnum()
            if is_whole and int("".join(str(int(sign, 36)) for sign in code[4:] + code[:4])) % 97 == 1:
                in_plain.append(Personal(match.start(), end, "a bank account"))
                break
    in_plain += [Personal(*match.span(), "a card") for match in _CARD.finditer(plain) if _is_card(match[0])]
    in_plain += [Personal(*match.span(), "a telephone number") for match in _PHONE.finditer(plain)]
    in_plain += [Personal(*match.span(), "a street") for match in _STREET.finditer(plain)]
    for named, kind in ((_NAMED_PHONE, "a telephone number"), (_NAMED_STREET, "a street")):
        in_plain += [Personal(*match.span("data"), kind) for match in named.finditer(plain)]
    return [as_written(spans, place) for place in in_plain]


@dataclass
class Redactor:
    """Removes personal data from rows of logs. ``names`` are people's to remove besides, "Ann Smith" or "Ann"."""

    names: tuple[str, ...] = ()
    _ids: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, redact: bool, names: str | Path | None) -> "Redactor | None":
        """A redactor if one is wanted. Raises UserError if the file of names can't be read, or stands alone."""
        if names is not None and not redact:
            raise UserError("--names says whom --redact removes: add --redact.")
        return cls(tuple(read_lines(Path(names))) if names is not None else ()) if redact else None

    def row(self, row: Any) -> Any:
        """The row, or text, without personal data and hidden characters.

        Whoever the row names in full is not named by a single name there either. Ids that are somebody's address become
        numbers, the same for the same address.
        """
        return self._value(row, self.named(row))

    def named(self, row: Any) -> frozenset[str]:
        """The words of the names in full that the row holds: in a field for names, or anywhere if they are listed."""
        names = [*_held(row)]
        if self.names:
            names += [name for text in texts_in(row) for _, name in self._full_names(text)]
        return frozenset(part for name in names for part in _name_words(name) if len(part) > 1)

    @cached_property
    def _by_first(self) -> Mapping[str, set[tuple[str, ...]]]:
        by_first: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for name in self.names:
            words = tuple(_name_words(name))
            for spelt in {words, (*words[-1:], *words[:-1])} - {()}:
                by_first[spelt[0]].add(spelt)
        return by_first

    def _full_names(self, text: str) -> Iterator[tuple[Personal, str]]:
        plain, spans = decoded(text)
        words = located_words(plain)
        for index, (first, start, _) in enumerate(words):
            for name in self._by_first.get(first, ()):
                there = words[index : index + len(name)]
                is_name = len(name) > 1 or plain[start].isupper()
                if is_name and tuple(word for word, _, _ in there) == name:
                    end = there[-1][2]
                    yield as_written(spans, Personal(start, end, "a full name")), plain[start:end]

    def _value(self, value: Any, named: frozenset[str], *, of_person: bool = False) -> Any:
        if isinstance(value, str):
            inner = _unpacked(value)
            if inner is not value:
                clean = self._value(inner, named)
                return value if clean == inner else json.dumps(clean, ensure_ascii=False)
            return self.text(value, named)
        if isinstance(value, Mapping):
            return {name: self._field(_key(name), item, named, of_person=of_person) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(each, named, of_person=of_person) for each in value]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return self.text(str(value), named) if is_number and anybodys_data(str(value)) else value

    def _field(self, key: str, value: Any, named: frozenset[str], *, of_person: bool) -> Any:
        if isinstance(value, str | int) and not isinstance(value, bool) and value:
            text = str(value)
            if _is_name(key, of_person):
                return "[name]"
            if key in _FIELDS and "://" not in text:
                return _FIELDS[key]
            if key.endswith(_IDS):  # its digits are no telephone number
                changed = text if text.isalnum() else self.text(text, named)
                if changed != text and key.endswith("id"):
                    return self._ids.setdefault(text, f"person-{len(self._ids) + 1}")
                return value if changed == text else changed
        return self._value(value, named, of_person=of_person or key in _PEOPLE)

    def text(self, text: str, named: frozenset[str] = frozenset(), known: Iterable[Personal] = ()) -> str:
        """A text without personal data and ``known`` places, nor single words of names if these are ``named``."""
        places = [*anybodys_data(text), *known]
        if self.names:
            places += [place for place, _ in self._full_names(text)]
        if named:
            plain, spans = decoded(text)
            for match in WORD.finditer(plain):
                if match[0].casefold() in named and match[0][0].isupper():
                    places.append(as_written(spans, Personal(*match.span(), "a full name")))
        position, parts = 0, list[str]()
        for place in sorted(places, key=lambda each: (each.start, -each.end)):
            if place.start >= position:  # of places that overlap, the first and longest gives the word
                parts += [text[position : place.start], WORDS[place.what]]
            position = max(position, place.end)
        return visible("".join([*parts, text[position:]]))


def _held(value: Any, *, of_person: bool = False) -> Iterator[str]:
    """The names in fields that hold the name of a person."""
    value = _unpacked(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            key = _key(name)
            if isinstance(item, str) and _is_name(key, of_person):
                yield item
            else:
                yield from _held(item, of_person=of_person or key in _PEOPLE)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _held(item, of_person=of_person)


def _unpacked(value: Any) -> Any:
    """The object or list that a text holds as JSON, such as a tool's arguments; otherwise the value itself."""
    inner = json_or_none(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else None
    return inner if isinstance(inner, dict | list) else value


def _key(name: object) -> str:
    """A field's name by its letters alone: "customername"."""
    return _KEY.sub("", str(name)).casefold()


def _is_name(key: str, of_person: bool) -> bool:
    return bool(_NAMES.fullmatch(key)) or (of_person and key == "name")


def _name_words(name: str) -> list[str]:
    return [word for word, _, _ in located_words(decoded(name)[0])]


def _is_card(text: str) -> bool:
    """True if the last digit is right by Luhn's algorithm."""
    digits = [int(sign) for sign in reversed(text) if sign.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0

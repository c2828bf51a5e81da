"""Rows and texts without people, a word in the place of each.

Numbers, addresses and e-mail addresses are known by their form, names by a list or by the field that holds them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.files import read_lines
from drretail.grounding.text.personal_data import EMAIL, WORD, Personal, as_written, decoded, located_words
from drretail.grounding.text.untrusted import visible
from drretail.parsing import json_or_none, texts_in

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
                window = words[index : index + len(name)]
                is_name = len(name) > 1 or plain[start].isupper()
                if is_name and tuple(word for word, _, _ in window) == name:
                    end = window[-1][2]
                    yield as_written(spans, Personal(start, end, "a full name")), plain[start:end]

    def _value(self, value: Any, names: frozenset[str], *, of_person: bool = False) -> Any:
        if isinstance(value, str):
            inner = _unpacked(value)
            if inner is not value:
                clean = self._value(inner, names)
                return value if clean == inner else json.dumps(clean, ensure_ascii=False)
            return self.text(value, names)
        if isinstance(value, Mapping):
            return {name: self._field(_key(name), item, names, of_person=of_person) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item, names, of_person=of_person) for item in value]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return self.text(str(value), names) if is_number and anybodys_data(str(value)) else value

    def _field(self, key: str, value: Any, names: frozenset[str], *, of_person: bool) -> Any:
        if isinstance(value, str | int) and not isinstance(value, bool) and value:
            text = str(value)
            if _is_name(key, of_person):
                return "[name]"
            if key in _FIELDS and "://" not in text:
                return _FIELDS[key]
            if key.endswith(_IDS):  # its digits are no telephone number
                changed = text if text.isalnum() else self.text(text, names)
                if changed != text and key.endswith("id"):
                    return self._ids.setdefault(text, f"person-{len(self._ids) + 1}")
                return value if changed == text else changed
        return self._value(value, names, of_person=of_person or key in _PEOPLE)

    def text(self, text: str, names: frozenset[str] = frozenset(), extra: Iterable[Personal] = ()) -> str:
        """A text without personal data and ``known`` places, nor single words of names if these are ``named``."""
        places = [*anybodys_data(text), *extra]
        if self.names:
            places += [place for place, _ in self._full_names(text)]
        if names:
            plain, spans = decoded(text)
            for match in WORD.finditer(plain):
                if match[0].casefold() in names and match[0][0].isupper():
                    places.append(as_written(spans, Personal(*match.span(), "a full name")))
        position, parts = 0, list[str]()
        for place in sorted(places, key=lambda place: (place.start, -place.end)):
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

"""Rows and texts without people, a word in the place of each.

Numbers, addresses and e-mail addresses are known by their form, names by a list or by the field that holds them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

from drretail.errors import UserError
from drretail.files import read_lines, write_once
from drretail.parsing import json_or_none, texts_in
from drretail.records.base import sha256_of
from drretail.reports.text.personal_data import WORD, Personal, as_written, decoded, known_by_form, located_words
from drretail.reports.text.untrusted import visible
from drretail.reports.text.words import UNSPACED

WORDS = {
    "a full name": "[name]",
    "an e-mail address": "[e-mail]",
    "a telephone number": "[phone]",
    "a street": "[street]",
    "a bank account": "[IBAN]",
    "a card": "[card]",
}
"""What is written in place of each kind of personal data."""
_OWNER = "(?:customer|user|buyer|recipient|billing|shipping|delivery)"
_FIELDS = {
    "[name]": re.compile(
        rf"/(?:{_OWNER}?(?:first|last|full|given|family|sur|vor|nach)|{_OWNER})names?$|/prenoms?$"
        r"|/(?:customer|user|buyer|recipient|billingaddress|shippingaddress|kunde|client)/(?:[^\n]*/)?names?$"
    ),
    "[phone]": re.compile(rf"/{_OWNER}?(?:phone|phonenumber|mobile|telephone|telefon)s?$"),
    "[street]": re.compile(rf"/{_OWNER}?(?:address(?:es)?/*(?:line)?|streets?|strasse|rue)$"),
}
"""The fields that hold somebody's data, by their paths: "/customer/name", "/customer//name" of a list."""
_IDS = ("id", "order", "ordernumber", "asin", "sku", "gtin", "ean", "url", "link", "href")
_PEOPLE = ("/user", "/customer", "/enduser")
_NO_LETTERS = re.compile(r"[\W_\d]+")
_UNSPACED = re.compile(rf"[{UNSPACED}\uac00-\ud7af]")  # in Korean, a following word is joined to the name


def key_file_of(to: Path) -> Path:
    """The file with the key of the pseudonyms in ``to``: beside it, since a redacted folder may be handed on."""
    return to.resolve().with_name(f"{to.resolve().name}.redact.key")


@dataclass
class Redactor:
    """Removes personal data from rows of logs. ``names`` are people's to remove besides, "Ann Smith" or "Ann"."""

    names: tuple[str, ...] = ()
    key: str = field(default_factory=token_hex)
    """The secret that pseudonyms are made with."""

    @classmethod
    def of(cls, redact: bool, names: str | Path | None, key_file: Path | None = None) -> "Redactor | None":
        """A redactor if one is wanted. Raises UserError if the file of names can't be read, or stands alone."""
        if names is not None and not redact:
            raise UserError("--names says whom --redact removes: add --redact.")
        listed = tuple(read_lines(Path(names))) if names is not None else ()
        if not redact or key_file is None:
            return cls(listed) if redact else None
        write_once(key_file, token_hex())
        key_file.chmod(0o600)
        return cls(listed, key_file.read_text(encoding="utf-8"))

    def row(self, row: Any) -> Any:
        """The row, or text, without personal data and hidden characters.

        Whoever the row names in full is not named by a single name there either. Ids and names of fields that
        hold such data become pseudonyms, the same for the same text and key.
        """
        return self._value(row, self.named(row))

    def named(self, row: Any) -> frozenset[str]:
        """The words of the names in full that the row holds: in a field for names, or anywhere if they are listed."""
        names = [*_names_in(row)]
        for text in texts_in(row) if self.names else ():
            plain, _ = decoded(text)
            names += [plain[place.start : place.end] for place in self._listed_in(plain)]
        return frozenset(word for name in names for word in _name_words(name) if len(word) > 1)

    def text(self, text: str, names: frozenset[str] = frozenset(), extra: Iterable[Personal] = ()) -> str:
        """A text without personal data, the places in ``extra``, and single words of names that are ``named``."""
        plain, spans = decoded(text)
        in_plain = [*known_by_form(plain), *self._listed_in(plain)]
        for match in WORD.finditer(plain) if names else ():
            if match[0].casefold() in names and match[0][0].isalpha() and not match[0][0].islower():
                in_plain.append(Personal(*match.span(), "a full name"))
        for name in (*self._unspaced, *filter(_UNSPACED.match, names)):
            if name in plain:
                in_plain += [Personal(*match.span(), "a full name") for match in re.finditer(re.escape(name), plain)]
        places = [*(as_written(spans, place) for place in in_plain), *extra]
        position, parts = 0, list[str]()
        for place in sorted(places, key=lambda place: (place.start, -place.end)):
            if place.start >= position:  # of places that overlap, the first and longest gives the word
                in_address = "://" in text[_start_of_word(text, place.start) : place.start]
                word = WORDS[place.what]
                parts += [text[position : place.start], quote(word) if in_address else word]
            position = max(position, place.end)
        return visible("".join([*parts, text[position:]]))

    def _value(self, value: Any, names: frozenset[str], path: str = "") -> Any:
        """A value of the row without personal data. ``path`` names its field and those around it: "/customer/id"."""
        if isinstance(value, Mapping):
            clean_name = partial(self._value, names=names, path="id")
            return {clean_name(name): self._value(item, names, _below(path, name)) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item, names, _below(path)) for item in value]
        if not value or isinstance(value, bool) or not isinstance(value, str | int):
            return value
        text = str(value)
        if (word := _word_for(path, text)) is not None:
            return word
        kind = path.rstrip("/").removesuffix("s")  # a list's items are what it is named after
        if (inner := _unpacked(value)) is not value:
            clean = self._value(inner, names, path)
            clean = text if clean == inner else json.dumps(clean, ensure_ascii=False)
        else:  # the digits of an id are no telephone number
            clean = text if kind.endswith(_IDS) and text.isalnum() else self.text(text, names)
        is_person = clean in WORDS.values() and kind.endswith(_PEOPLE)  # a question may stand in "user" as well
        # Without the key, a list of addresses would tell whose hash it is.
        if clean != text and (kind.endswith("id") or is_person):
            return f"person_{sha256_of([self.key, text])[:16]}"
        return value if clean == text else clean

    @cached_property
    def _unspaced(self) -> tuple[str, ...]:
        """The listed names of writing without spaces, which stand within what looks like one word."""
        joined = ("".join(_name_words(name)) for name in self.names)
        return tuple(name for name in joined if len(name) > 1 and _UNSPACED.match(name))

    @cached_property
    def _by_first(self) -> Mapping[str, set[tuple[str, ...]]]:
        by_first: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for name in self.names:
            words = tuple(_name_words(name))
            for spelt in {words, (*words[-1:], *words[:-1])} - {()}:
                by_first[spelt[0]].add(spelt)
        return by_first

    def _listed_in(self, plain: str) -> Iterator[Personal]:
        """Where a text has a name of the list."""
        words = located_words(plain) if self.names else []
        for index, (first, start, _) in enumerate(words):
            for name in self._by_first.get(first, ()):
                window = words[index : index + len(name)]
                is_name = len(name) > 1 or not plain[start].islower()
                if is_name and tuple(word for word, _, _ in window) == name:
                    yield Personal(start, window[-1][2], "a full name")


def _names_in(value: Any, path: str = "") -> Iterator[str]:
    """The names in fields that hold the name of a person."""
    if isinstance(value, str) and _word_for(path, value) == "[name]":
        yield value
    elif isinstance(value := _unpacked(value), Mapping):
        for name, item in value.items():
            yield from _names_in(item, _below(path, name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names_in(item, _below(path))


def _below(path: str, name: object = "") -> str:
    """The path of a field, by the letters of its name alone: "/customername"."""
    return f"{path}/{_NO_LETTERS.sub('', str(name)).casefold()}"


def _word_for(path: str, text: str) -> str | None:
    """The word for what the field holds by its name; None for other fields, an address of the web, and a phone's name.

    A phone that a product fits, "iPhone 15", has more letters than digits, and fewer than seven of these.
    """
    word = next((word for word, pattern in _FIELDS.items() if pattern.search(path.rstrip("/"))), None)
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    is_product = word == "[phone]" and digits < min(letters, 7)
    return None if is_product or (word != "[name]" and "://" in text) else word


def _unpacked(value: Any) -> Any:
    """The object or list that a text holds as JSON, such as a tool's arguments; otherwise the value itself."""
    inner = json_or_none(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else None
    return inner if isinstance(inner, dict | list) else value


def _name_words(name: str) -> list[str]:
    return [word for word, _, _ in located_words(decoded(name)[0])]


def _start_of_word(text: str, at: int) -> int:
    return max(text.rfind(space, 0, at) for space in " \n\t") + 1

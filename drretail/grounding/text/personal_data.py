"""Where a text names people."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drretail.grounding.text.untrusted import as_ascii
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
_ESCAPED = r"(?:%(?:25){0,3}|=)"
_ESCAPE = re.compile(
    rf"(?P<bytes>{_ESCAPED}[c-f][0-9a-f](?:{_ESCAPED}[89ab][0-9a-f]){{1,3}}|%(?:25){{0,3}}[0-7][0-9a-f]|=(?:40|2e)(?=\w))"
    r"|(?P<entity>&(?:\#\d{1,6};?|\#x[0-9a-f]{1,5};?|[a-z]{2,10};))"
    r"|\\u\{?(?P<code>[0-9a-f]{4})\}?|\\x(?P<byte>[0-9a-f]{2})",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w+")
_BETWEEN_DIGITS = r"[\s()./_·–—-]{0,4}"


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
    tokens = ((match, ids.get(match[0].casefold())) for match in _TOKEN.finditer(plain))
    in_plain += [Personal(*match.span(), kind) for match, kind in tokens if kind is not None]
    places = [as_written(spans, place) for place in in_plain]
    return [*dict.fromkeys(places)]


def located_words(text: str) -> list[tuple[str, int, int]]:
    """The words of a text in lower case, each with its place."""
    return [(match[0].casefold(), *match.span()) for match in WORD.finditer(text)]


def as_written(spans: Sequence[tuple[int, int]], place: Personal) -> Personal:
    """A place of a ``decoded`` text in the text as it was written."""
    return Personal(spans[place.start][0], spans[place.end - 1][1], place.what)


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
    if match["entity"]:
        return html.unescape(match[0])
    if match["bytes"]:
        return bytes.fromhex(re.sub(_ESCAPED, "", match[0])).decode("utf-8", "ignore") or match[0]
    return chr(int(match["code"] or match["byte"], 16))


def _of_profile(text: str, words: Sequence[tuple[str, int, int]], profile: UserProfile) -> Iterator[Personal]:
    first, last = _words(profile.first_name), _words(profile.last_name)
    if first and last:
        for name in (first + last, last + first, ["".join(first + last)], ["".join(last + first)]):
            yield from (Personal(*span, "a full name") for span in _spans(name, words))
    if profile.email:
        # Its signs may be spelt out, and its letters separated.
        signs = {"@": r"[\W_]{0,3}(?:at(?![a-z0-9]))?[\W_]{0,3}", ".": r"[\W_]{0,3}(?:dot(?![a-z0-9]))?[\W_]{0,3}"}
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
            window = words[index : index + len(part)]
            if [word for word, _, _ in window] == list(part):
                yield start, window[-1][2]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]

"""Where a text names people: full names, e-mail addresses, telephone numbers, streets, user and order ids."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drretail.records.shop import UserProfile

_FEWEST_DIGITS = 7
"""Of a telephone number; with fewer, other numbers would be taken for one."""
# A word without a host is taken whole too: no search begins anew at each of its letters.
_EMAIL = re.compile(r"[\w.+-]++(?P<host>@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w+")
_BETWEEN_DIGITS = r"[\s().-]*"
_LEFT_OVER = re.compile(r"\(\s*\)|\[\s*\]|\"\s*\"|'\s*'|“\s*”|(?<!\w)['’]s\b|(?<=\s)[-,;:.&@/]+(?=\s)")
_AT_AN_END = re.compile(r"^[\s,;:.&@/'\"-]+(?=\w)|(?<![\s,;:&@/-])[\s,;:&@/-]++$")


@dataclass(frozen=True, slots=True)
class People:
    """Who is looked for, and the numbers of their orders."""

    profiles: tuple[UserProfile, ...] = ()
    user_ids: frozenset[str] = frozenset()
    order_ids: frozenset[str] = frozenset()


class Personal(NamedTuple):
    """``text[start:end]`` is ``what``: "a full name", "an e-mail address" …"""

    start: int
    end: int
    what: str


def personal_data(text: str, people: People) -> list[Personal]:
    """Every place where the text names one of these people, or anybody's e-mail address.

    A town, a state and a first name alone tell nobody apart.
    """
    words = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    found = [place for profile in people.profiles for place in _of_profile(text, words, profile)]
    found += [Personal(*match.span(), "an e-mail address") for match in _EMAIL.finditer(text) if match["host"]]
    return [*dict.fromkeys([*found, *_ids(text, people)])]


def without_personal_data(text: str, people: People) -> tuple[str, tuple[str, ...]]:
    """The text with all of that taken out, and what it was; the text as it stands where there is nothing of it."""
    kinds: dict[str, None] = {}
    # What is taken out may bring a first and a last name together; each round takes away at least a character.
    while found := personal_data(text, people):
        kinds |= dict.fromkeys(place.what for place in found)
        without = " ".join(_LEFT_OVER.sub(" ", _without(text, found)).split())
        text = _AT_AN_END.sub("", without)
    return text, tuple(kinds)


def _of_profile(text: str, words: Sequence[tuple[str, int, int]], profile: UserProfile) -> Iterator[Personal]:
    first, last = _words(profile.first_name), _words(profile.last_name)
    if first and last:
        for name in (first + last, last + first):
            yield from (Personal(*span, "a full name") for span in _spans(name, words))
    if profile.email:
        email = re.compile(re.escape(profile.email), re.IGNORECASE)
        yield from (Personal(*match.span(), "an e-mail address") for match in email.finditer(text))
    number = re.sub(r"\D", "", profile.phone_number)
    if len(number) >= _FEWEST_DIGITS:
        spelt = re.compile(rf"(?:\+?\d{{1,3}}{_BETWEEN_DIGITS})?\(?{_BETWEEN_DIGITS.join(number[-10:])}")
        yield from (Personal(*match.span(), "a telephone number") for match in spelt.finditer(text))
    yield from (Personal(*span, "a street") for span in _spans(_words(profile.address.address1), words))


def _ids(text: str, people: People) -> Iterator[Personal]:
    ids = dict.fromkeys((key.casefold() for key in people.user_ids), "a user id")
    ids |= dict.fromkeys((key.casefold() for key in people.order_ids), "an order id")
    for token in _TOKEN.finditer(text):
        what = ids.get(token.group().casefold())
        if what is not None:
            yield Personal(*token.span(), what)


def _spans(part: Sequence[str], words: Sequence[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """Where these words stand one after the other, whatever is between them."""
    size = len(part)
    for index in range(len(words) - size + 1 if size else 0):
        there = words[index : index + size]
        if [word for word, _, _ in there] == list(part):
            yield there[0][1], there[-1][2]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _without(text: str, places: Iterable[Personal]) -> str:
    gone = bytearray(len(text))
    for place in places:
        gone[place.start : place.end] = b"\1" * (place.end - place.start)
    # A space for what is gone, so that its neighbours do not become one word.
    return "".join(" " if out else char for char, out in zip(text, gone, strict=True))

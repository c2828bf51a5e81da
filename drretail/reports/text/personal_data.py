"""Where a text names people, and where it has anybody's numbers, addresses and e-mail addresses, by their form."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drretail.records.shop import UserProfile
from drretail.reports.text.untrusted import as_ascii

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


# Two digits in a row may have signs between them. A number of other digits, or a date, is no telephone number, nor is
# one without its leading 0, + or American grouping: too many ids look like it.
_PHONE = re.compile(
    r"(?<![\w+])(?<!\d[.,:/-])\(?(?!\d\d([./-])\d\d\1(?:\d\d){1,2}(?!\1?\d))"
    r"(?:(?:\+|00)[1-9](?:[ ()./-]{0,3}\d){7,14}|0[1-9](?:[ ()./-]{0,3}\d){7,10}"
    r"|[2-9]\d\d\)?[ .-]{1,2}\d{3}[ .-]\d{4})(?!-?\w)"
)
# Their digits are nobody's: evidence ids of products, orders, users and files, and what is called an order.
_IDS_IN_TEXT = re.compile(
    r"(?<!\w)(?:[POF]:|U:[a-z]+@)\w[\w./-]*|(?i:order(?:s|[ _]?(?:ids?|no|number))?(?:\W{1,12}\d{9,}\b)+)"
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


def anybodys_data(text: str) -> list[Personal]:
    """Every e-mail address, telephone number, IBAN, payment card and street in a text, read as ``decoded`` does."""
    plain, spans = decoded(text)
    return [as_written(spans, place) for place in known_by_form(plain)]


def known_by_form(plain: str) -> Iterator[Personal]:
    """The same places of a text that is ``decoded`` already."""
    for match in _IBAN.finditer(plain):
        # The words after a code may look like more of it: it ends where its check digits are right.
        for end in range(match.end("code"), match.start() + 14, -1):
            code = plain[match.start() : end].replace(" ", "")
            is_whole = len(code) > 14 and plain[end - 1] != " " and not plain[end : end + 1].isalnum()
            if is_whole and int("".join(str(int(sign, 36)) for sign in code[4:] + code[:4])) % 97 == 1:
                yield Personal(match.start(), end, "a bank account")
                break
    without_ids = _IDS_IN_TEXT.sub(lambda ids: "x" * len(ids[0]), plain)
    yield from (Personal(*match.span(), "a card") for match in _CARD.finditer(without_ids) if _is_card(match[0]))
    yield from (Personal(*match.span(), "a telephone number") for match in _PHONE.finditer(without_ids))
    yield from (Personal(*match.span(), "an e-mail address") for match in EMAIL.finditer(plain))
    yield from (Personal(*match.span(), "a street") for match in _STREET.finditer(plain))
    for pattern, kind in ((_NAMED_PHONE, "a telephone number"), (_NAMED_STREET, "a street")):
        yield from (Personal(*match.span("data"), kind) for match in pattern.finditer(plain))


def _is_card(text: str) -> bool:
    """True if the last digit is right by Luhn's algorithm."""
    digits = [int(sign) for sign in reversed(text) if sign.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0

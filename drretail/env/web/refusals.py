"""Short pages that came and are no evidence: not found, denied, a bot check, a question of consent, a login, repairs.

A page that refuses is short, and asks for a password or has no subject. A page that is about something names it twice,
in its title beside the site's name and in its first heading. Where it does not, its text decides: that of a refusal
consists of words that all refusals share (refusals.toml), and a recipe or a list of offers has few of them.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self
from unicodedata import normalize
from urllib.parse import urlsplit

from drretail.grounding.text.words import STOP_WORDS, UNSPACED

if TYPE_CHECKING:  # takes long to load, and few runs read pages
    from lxml.html import HtmlElement

REFUSES = (
    "The page says that it is not there or not for us: not found, denied, a bot check, a question of consent, a login."
)
LONGEST = 900
"""The most characters of a page that only refuses; the walls of consent are the longest."""
_PART = re.compile(r"(?<!\s)\s++[|\-–—·•»]++\s+|[|｜\n]|:\s")
_WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_])+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_FRAME = frozenset({"header", "footer", "nav", "aside", "dialog"})
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_MOST = 30
"""Headings that are looked at: they may stand within each other, and each text holds the inner ones'."""
_LONGEST_HEADING = 600
_STEM, _OF_NAME = 5, 4
"""Letters: "feeder" and "feeders" are one subject, and a word of so many may be a part of the site's name."""
_NAMED = 2
"""Words of a title in a text that is about what they name, whatever its headings are; two characters are no word."""
_SHARE, _SHARE_ALONE = 0.4, 0.6
"""The least share of a refusal's words in its text, below a title and a heading of such words alone, and else. Of
the beginnings of a thousand honest pages, half have more than .5 and one in twenty more than .6.
"""


def page_refuses(root: "HtmlElement", title: str, text: str, url: str) -> bool:
    """True if a page of this markup, with this text, asks for a password, or has no subject and a refusal's words."""
    if len(text) > LONGEST:
        return False
    fields = (field for field in root.iter("input") if field.get("type", "").casefold() == "password")
    asks = not all(map(_is_frame, fields))
    return asks or _has_no_subject(root, title, text, url)


def title_refuses(title: str, text: str, url: str) -> bool:
    """True if a short text has a title of a refusal's words alone; no more is known of the page."""
    site = _Site.of(title, url)
    return len(text) <= LONGEST and site.refuses(title) and site.share(text) >= _SHARE


def _has_no_subject(root: "HtmlElement", title: str, text: str, url: str) -> bool:
    site = _Site.of(title, url, footer=" ".join(map(_text, islice(root.iter("footer"), _MOST))))
    first = list(islice(root.iter("h1"), _MOST))
    others = islice((element for element in root.iter(*_HEADINGS) if not _is_frame(element)), _MOST)
    heading = "\n".join(map(_text, [*first, *others]))
    subject = {*site.subject(title)}
    # Without a first heading, the text may begin with what is one only by its looks.
    in_text = [word for word in subject.intersection(site.subject(text)) if len(word) > 2 or not first]
    if not subject.isdisjoint(site.subject(heading)) or len(in_text) >= (_NAMED if first else 1):
        return False
    is_said = site.refuses("\n".join((title, *map(_text, first[:1]))))
    return site.share(text) >= (_SHARE if is_said else _SHARE_ALONE)


@dataclass(frozen=True, slots=True)
class _Site:
    """The names of a site, which say nothing of what a page is about."""

    host: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, title: str, url: str, footer: str = "") -> Self:
        """Those parts of a title that its host or its footer has."""
        host, shown = _letters((urlsplit(url).hostname or "").removeprefix("www.")), _folded(footer)
        parts = {part: _letters(part) for part in map(str.strip, _PART.split(_folded(title))) if part}
        names = (part for part, name in parts.items() if part in shown or (name and (name in host or host in name)))
        return cls(host, tuple(names))

    def without(self, text: str) -> str:
        """The text, a title or headings, folded and without the names."""
        text = _folded(text)
        for name in self.names:
            text = text.replace(name, "\n")
        return text

    def refuses(self, lines: str) -> bool:
        """True if a title or headings say something, and no word of it says what the page is about."""
        return bool(_WORD.search(self.without(lines))) and not self.subject(lines)

    def share(self, text: str) -> float:
        """The share of words, or of characters of unspaced writing, that all refusals share."""
        words = _WORD.findall(self.without(text))
        count = sum(len(word) if re.match(f"[{UNSPACED}]", word) else 1 for word in words)
        return 1 - len(self.subject(text)) / count if count else 1

    def subject(self, text: str) -> list[str]:
        """The words that say what it is about, by their beginnings; of unspaced writing each two characters."""
        words, phrases = _refusal_words()
        parts: list[str] = []
        for word in _WORD.findall(self.without(text)):
            if re.match(f"[{UNSPACED}]", word):
                for run in phrases.sub(" ", word).split():
                    pairs = (run[place : place + 2] for place in range(len(run) - 1))
                    parts += (pair for pair in pairs if not _HIRAGANA.fullmatch(pair))
            elif word not in words and not (len(word) >= _OF_NAME and _letters(word) in self.host):
                parts.append(word[:_STEM])
        return parts


def _text(element: "HtmlElement") -> str:
    return " ".join(str(element.text_content()).strip()[:_LONGEST_HEADING].split())


def _is_frame(element: "HtmlElement") -> bool:
    """True within a part of the page that is beside its content, or that waits for a click."""
    return any(
        parent.tag in _FRAME or parent.get("role") == "dialog" or parent.get("aria-hidden") == "true"
        for parent in element.iterancestors()
    )


def _folded(text: str) -> str:
    return normalize("NFKC", text).casefold().replace("’", "'")


def _letters(text: str) -> str:
    """The Latin letters and digits alone, without accents, as host names have them."""
    return re.sub(r"[^a-z0-9]", "", normalize("NFKD", text.casefold().replace("ß", "ss")))


@cache
def _refusal_words() -> tuple[frozenset[str], re.Pattern[str]]:
    """The words of all languages, and those of unspaced writing as one pattern."""
    text = Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8")
    words = [_folded(word) for language in tomllib.loads(text).values() for word in language.split()]
    unspaced = sorted((word for word in words if re.match(f"[{UNSPACED}]", word)), key=len, reverse=True)
    statuses = frozenset(map(str, range(400, 600)))
    # No page that refuses explains how or why.
    return (frozenset(words) | STOP_WORDS | statuses) - {"how", "why"}, re.compile("|".join(unspaced))

"""Short pages that came and are surely no evidence: not found, denied, a bot check, a question of consent, a login.

The title and first heading of a page that is about something say what it is about. One of a page that refuses says
nothing but the site's name and words that all refusals share (refusals.toml); or the page asks for a password. What
this does not tell, such as the beginning of an article for subscribers, a judge tells who is asked about claims on it
(eval/claims/rulings.py).
"""

import re
import tomllib
from collections.abc import Iterator
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
_FIGURES = 2
"""The most figures of such a page: one with more of them has something to tell, whatever its title says."""
_PART = re.compile(r"(?<!\s)\s++[|\-–—·•»]++\s+|[|｜\n]|:\s")
_WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_])+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_FRAME = frozenset({"header", "footer", "nav", "aside", "dialog"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MOST = 30
"""Headings that are looked at: they may stand within each other, and each text holds the inner ones'."""
_LONGEST_HEADING = 600
_STEM = 5
"""Letters: "feeder" and "feeders" are one subject."""
# No part of an id, an address or a reference number
_FIGURE = re.compile(r"(?<![\w.-])\d{1,4}(?:[.,]\d+)?(?![\w-]|\.\d)")
_SEPARATORS = frozenset("|-–—·•»:｜")


def page_refuses(root: "HtmlElement", title: str, text: str, url: str) -> bool:
    """True if a page of this markup, with this text, asks for a password or surely has no subject."""
    if len(text) > LONGEST:
        return False
    fields = (field for field in root.iter("input") if field.get("type", "").casefold() == "password")
    if not all(map(_is_frame, fields)):
        return True
    if not _tells_little(text):
        return False
    footer = " ".join(text for element in islice(root.iter("footer"), _MOST) for text in _texts_beside_links(element))
    site = _Site.of(title, url, footer)
    first = next(map(_text, root.iter("h1")), "")
    if site.only_refuses(title) or site.only_refuses(first):
        return True
    # Some shops give all pages the shop's name as their title. Few true pages are without a figure.
    headings = islice((element for element in root.iter(*_HEADINGS) if not _is_frame(element)), _MOST)
    is_about_something = bool(_FIGURE.search(text)) and bool(site.subject("\n".join(map(_text, headings))))
    return not site.subject(title) and not is_about_something


def title_refuses(title: str, text: str, url: str) -> bool:
    """True if a short text has a title of a refusal's words alone; no more is known of the page."""
    site = _Site.of(title, url)
    return len(text) <= LONGEST and _tells_little(text) and site.only_refuses(title)


def _tells_little(text: str) -> bool:
    return len(_FIGURE.findall(text)) <= _FIGURES


@dataclass(frozen=True, slots=True)
class _Site:
    """The names of a site, which say nothing of what a page is about."""

    words: frozenset[str]
    """Those of its host name."""
    names: tuple[str, ...]

    @classmethod
    def of(cls, title: str, url: str, footer: str = "") -> Self:
        """Those parts of a title that its host or its footer has."""
        hostname = (urlsplit(url).hostname or "").removeprefix("www.")
        host = _letters(hostname)
        parts = [part for part in map(str.strip, _PART.split(_folded(title))) if part]
        shown = _folded(footer)
        names = tuple(part for part in parts if part in shown or _is_of(host, _letters(part)))
        return cls(frozenset(map(_letters, re.split(r"[.-]", hostname))) - {""}, names)

    def without(self, text: str) -> str:
        """The text, a title or headings, without the names."""
        text = _folded(text)
        for name in self.names:
            text = text.replace(name, "\n")
        text = _WORD.sub(lambda word: "" if _letters(word[0]) in self.words else word[0], text)
        return "\n".join(part for part in map(str.strip, _PART.split(text)) if part and part not in _SEPARATORS)

    def only_refuses(self, title: str) -> bool:
        """True if a title or heading has other words than the site's name, and all refusals share them."""
        return _WORD.search(self.without(title)) is not None and not self.subject(title)

    def subject(self, text: str) -> set[str]:
        """The words that say what it is about, by their beginnings; of unspaced writing each two characters."""
        words, phrases = _refusal_words()
        parts: set[str] = set()
        for word in _WORD.findall(self.without(text)):
            if re.match(f"[{UNSPACED}]", word):
                for run in phrases.sub(" ", word).split():
                    pairs = (run[place : place + 2] for place in range(len(run) - 1))
                    parts.update(pair for pair in pairs if not _HIRAGANA.fullmatch(pair))
            elif word not in words:
                parts.add(word[:_STEM])
        return parts


def _is_of(host: str, name: str) -> bool:
    return bool(name) and (name in host or host in name)


def _text(element: "HtmlElement") -> str:
    return " ".join(str(element.text_content()).strip()[:_LONGEST_HEADING].split())


def _texts_beside_links(element: "HtmlElement") -> Iterator[str]:
    """A link of a footer names a page, maybe this one, where other text there names the site."""
    for text in element.xpath(".//text()[not(ancestor::a)]"):
        yield str(text)


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

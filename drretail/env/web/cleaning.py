"""Texts of the web, cleaned: no hidden characters, no absurd lengths, no marks in the form of our citations.

Characters that show nothing (controls, zero-width and direction marks, tag characters) are removed: they hide words
from people, split words that a filter looks for, or reverse a line. Marks in the form of our own citations get
parentheses, since a page cannot cite a run's evidence. Cleaning twice changes nothing.
"""

import re
from dataclasses import replace
from datetime import date
from urllib.parse import urlsplit

from drretail.env.web.base import WebPage, WebResult
from drretail.reports.text.untrusted import harmless, visible

LONGEST_TEXT = 200_000
"""The most characters that are kept of a page: a guide has 10,000 to 30,000."""
LONGEST_LINE = 4_000
LONGEST_WORD = 1_000
LONGEST_TITLE = 300
LONGEST_SNIPPET = 1_500
LONGEST_URL = 2_000
CUT = "[… the page goes on]"
_KEPT_OF_WORD = 100

_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")


def clean_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """A page's text: lines of words, with at most one blank line between them; it ends in ``CUT`` if it was longer.

    A line is at most ``LONGEST_LINE`` characters; longer ones are broken between words. A word longer than
    ``LONGEST_WORD`` is cut to its beginning.
    """
    # Four times the limit: much may be removed later, mostly white space, and the work must be bounded too.
    shown = visible(text[: 4 * longest])
    lines = [_SPACES.sub(" ", line).strip() for line in shown.split("\n")]
    whole = "\n".join(part for line in lines for part in _broken(line))
    whole = _BLANK_LINES.sub("\n\n", harmless(whole)).strip()
    if len(whole) <= longest and len(text) <= 4 * longest:
        return whole
    # As many whole lines as fit, or a part of the first one.
    room = whole[: longest - len(CUT) - 2]
    kept = room.rpartition("\n")[0] if len(whole) > len(room) and "\n" in room else room
    return f"{kept.rstrip()}\n\n{CUT}"


def clean_line(text: str, longest: int) -> str:
    """A title or snippet on one line; a longer one is cut between words, with …."""
    words = visible(text[: 4 * longest]).split()
    if max(map(len, words), default=0) > LONGEST_WORD:
        words = map(_shortened, words)
    line = harmless(" ".join(words))
    if len(line) <= longest:
        return line
    beginning = line[: longest - 1]
    whole_words = beginning.rpartition(" ")[0]
    return (whole_words if len(whole_words) > longest // 2 else beginning).rstrip() + "…"


def cleaned_result(result: WebResult) -> WebResult | None:
    """A search result of any provider; None if its address is not that of a web page."""
    url = web_address(result.url)
    if url is None:
        return None
    title, snippet = clean_line(result.title, LONGEST_TITLE), clean_line(result.snippet, LONGEST_SNIPPET)
    return WebResult(title, url, snippet, iso_day(result.date))


def cleaned_page(page: WebPage) -> WebPage:
    """A page of any provider; only one in state "ok" has a text, and its state is another if none is left."""
    text = clean_text(page.text) if page.state == "ok" else ""
    title, state = clean_line(page.title, LONGEST_TITLE), page.state
    problem = None if page.problem is None else clean_line(page.problem, LONGEST_TITLE)
    if state == "ok" and not text:
        state = "no_content"
    return replace(page, title=title, text=text, state=state, date=iso_day(page.date), problem=problem)


def web_address(url: str) -> str | None:
    """The address; None if it is not an http(s) address of a page, or too long to be one."""
    address = url.strip()
    if len(address) > LONGEST_URL or visible(address) != address or re.search(r"[\s<>\"]", address):
        return None
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    return address if parts.scheme.lower() in ("http", "https") and host else None


def iso_day(text: str | None) -> str | None:
    """The day at the beginning of an ISO date; None for any other text."""
    match = _ISO_DAY.match(text or "")
    try:
        return None if match is None else date.fromisoformat(match[0]).isoformat()
    except ValueError:
        return None


def _broken(line: str) -> list[str]:
    if len(line) <= LONGEST_WORD:
        return [line]
    parts: list[str] = []
    words: list[str] = []
    length = 0
    for word in map(_shortened, line.split(" ")):
        if words and length + len(word) > LONGEST_LINE:
            parts.append(" ".join(words))
            words, length = [], 0
        words.append(word)
        length += len(word) + 1
    return [*parts, " ".join(words)]


def _shortened(word: str) -> str:
    return word if len(word) <= LONGEST_WORD else f"{word[:_KEPT_OF_WORD]}…"

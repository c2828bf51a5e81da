"""When a page was published and last changed, as its data and its byline say; nothing else in its text is asked."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml.html import HtmlElement

from drretail.env.web.reading.cleaning import iso_day
from drretail.env.web.reading.structured_data import Node, type_names

_PUBLISHED = re.compile(
    r"(?:article|og):published(?:_time)?|article\.published|datepublished|datecreated|date|pub-?date|publish-?date|"
    r"publish_date|publication_date|citation_publication_date|parsely-pub-date|sailthru\.date|"
    r"dc(?:terms)?\.(?:date|date\.issued|issued|created)"
)
_MODIFIED = re.compile(
    r"(?:article|og):(?:modified|updated)(?:_time)?|article\.updated|datemodified|last-?modified|lastmod|modified|revised|"
    r"dc(?:terms)?\.(?:modified|date\.modified)"
)
# A page holds many things with dates (reviews, comments, offers): only these are the page.
_PAGE = re.compile(
    r"(?:(?:news|tech|scholarly)?article|blogposting|report|(?:item|about|collection|faq|qa|medicalweb|web)page|howto|"
    r"recipe|review|product|productgroup)"
)
_DATING = re.compile(r"publi|update|modif|revis|posted|post-?date|entry-?date|date", re.IGNORECASE)
_CHANGED = re.compile(r"update|modif|revis", re.IGNORECASE)
_BYLINE = re.compile(r"date|byline|publi|pub-|update|modif|revis|author|meta|time", re.IGNORECASE)
_LONGEST_BYLINE = 400
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_BYLINE_DATE = re.compile(
    r"\b(?:updated|modified|revised|published|posted)(?: on| at|:)?:? ?"
    r"(?:(?P<iso>\d{4}-\d\d-\d\d)|"
    rf"(?P<month>{_MONTH}) (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})|"
    rf"(?P<day2>\d{{1,2}})\.? (?P<month2>{_MONTH}),? (?P<year2>\d{{4}}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageDates:
    """ISO days (YYYY-MM-DD), None where the page does not say."""

    published: str | None = None
    modified: str | None = None

    @property
    def latest(self) -> str | None:
        """The day up to which the page may know things."""
        return max(filter(None, (self.published, self.modified)), default=None)


def page_dates(page: HtmlElement, nodes: Iterable[Node]) -> PageDates:
    """The dates in a page's head, then in its JSON-LD, then in its byline; the first of each kind."""
    found = [*_in_meta(page), *_in_data(nodes), *_in_times(page), *_in_bylines(page)]
    return PageDates(
        published=next((day for kind, day in found if kind == "published"), None),
        modified=next((day for kind, day in found if kind == "modified"), None),
    )


def _in_meta(page: HtmlElement) -> Iterator[tuple[str, str]]:
    for meta in page.iter("meta"):
        name = next((str(meta.get(key)).casefold() for key in ("property", "name", "itemprop") if meta.get(key)), "")
        yield from _dated(name, meta.get("content"))


def _in_data(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if any(_PAGE.fullmatch(name) for name in type_names(node)):
            for name in ("datePublished", "dateModified"):
                yield from _dated(name.casefold(), node.get(name))


def _in_times(page: HtmlElement) -> Iterator[tuple[str, str]]:
    for element in page.iter("time"):
        names = " ".join(filter(None, (element.get("itemprop"), element.get("class"), element.text_content()[:80])))
        if element.get("pubdate") is not None or _DATING.search(names):
            yield from _dated("modified" if _CHANGED.search(names) else "date", element.get("datetime"))
    for element in page.iter("span", "div", "meta"):
        if (name := str(element.get("itemprop")).casefold()) in ("datepublished", "datemodified"):
            yield from _dated(name, element.get("content") or element.get("datetime") or element.text)


def _in_bylines(page: HtmlElement) -> Iterator[tuple[str, str]]:
    """ "Updated March 13, 2024" in a short element whose name says that it tells of dates or authors."""
    for element in page.iter("p", "div", "span", "small", "time", "li"):
        if not _BYLINE.search(f"{element.get('class') or ''} {element.get('id') or ''}"):
            continue
        text = " ".join(element.text_content()[:_LONGEST_BYLINE].split())
        for match in _BYLINE_DATE.finditer(text):
            yield from _dated("modified" if _CHANGED.search(match[0]) else "date", match["iso"] or _as_iso(match))


def _as_iso(match: re.Match[str]) -> str:
    month = _MONTHS.index((match["month"] or match["month2"])[:3].casefold()) + 1
    return f"{match['year'] or match['year2']}-{month:02}-{int(match['day'] or match['day2']):02}"


def _dated(name: str, value: object) -> Iterator[tuple[str, str]]:
    day = iso_day(value.strip()) if isinstance(value, str) else None
    if day is not None and day >= "1990":
        if _PUBLISHED.fullmatch(name):
            yield "published", day
        elif _MODIFIED.fullmatch(name):
            yield "modified", day

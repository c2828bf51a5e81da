"""Markup whose tags have no absurd number of attributes: libxml2 takes quadratic time for them, minutes for a page."""

import re

MOST_ATTRIBUTES = 200
"""Of one tag; real ones have up to 80."""
_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9:-]*)")
_ATTRIBUTE = re.compile(r"[\s/]*+[^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_RAW = {name: re.compile(rf"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "title")}


def bounded_tags(markup: str) -> str:
    """The markup, with the first ``MOST_ATTRIBUTES`` of every tag; linear in its length."""
    parts: list[str] = []
    kept, place = 0, 0
    while (tag := _TAG.search(markup, place)) is not None:
        place = tag.end()
        count = 0
        cut = None
        while place < len(markup) and markup[place] != ">":
            found = _ATTRIBUTE.match(markup, place)
            end = found.end() if found else place
            if count == MOST_ATTRIBUTES:
                cut = place
            place = end if end > place else place + 1
            count += 1
        if cut is not None:
            parts.append(markup[kept:cut])
            kept = place
        raw = _RAW.get(tag[1].lower())
        if raw is not None:
            closing = raw.search(markup, place)
            place = len(markup) if closing is None else closing.start()
    return "".join([*parts, markup[kept:]])

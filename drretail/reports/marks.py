"""What has the shape of a mark: ids, addresses, square brackets, raised numbers, and markup. One pattern."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

from drretail.records.evidence import UnreadReason
from drretail.reports.page import IMAGE, url_end
from drretail.reports.text.evidence_ids import FILE_ID

UNRESOLVED = "unresolved: "
SQUARE = str.maketrans("【】［］〔〕", "[][][]")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DOMAIN = r"(?:[a-z0-9-]{1,60}\.){1,4}(?-i:[a-z]{2,12})"
_ADDRESS = rf"(?:https?://(?=[^\W_])|(?<![\w@./:-])(?:www\.(?=[^\W_])|{_DOMAIN}(?=/\w)))"
"""The beginning of an address; without a scheme, one with www. or a path."""
_ID_KEY = r"[A-Za-z0-9][A-Za-z0-9_@-]{0,140}(?:/[A-Za-z0-9_-]{1,64})?"
_ID = re.compile(rf"(?:[POUWC]:{_ID_KEY}|{FILE_ID})")
_BARE_ID = rf"(?<![\w:/])(?:[PUWC]:{_ID_KEY}|{FILE_ID})(?!\w)"
_PRODUCT = re.compile(r"P:B0[0-9A-Z]{8}")  # is an id without brackets, even if it is invented
# A raised number behind a digit or a sign, and a raised 2 or 3 behind a unit or a letter: 10³, m², R².
_POWER = (
    rf"(?:(?<![A-Za-z\d.,$€£¥₹])\d{{1,2}}|⁻)(?:[{RAISED}]{{1,6}}|<sup>\d{{1,4}}</sup>)"
    rf"|(?<![A-Za-zÀ-ɏ])(?:[kcdmnµм]?[mм]|ft|in|mi|yd|[A-Za-zα-ω])(?:[²³](?![{RAISED}])|<sup>[23]</sup>)"
)
_MARK = re.compile(
    rf"{IMAGE}|(?P<url>{_ADDRESS})|(?P<id>{_BARE_ID})"
    r"|(?P<square>\[(?>(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400})\])"
    rf"|(?P<power>{_POWER})"
    r"|(?P<raised>(?:<sup\b[^<>]{0,80}>(?:<a\b[^<>]{0,200}#[^<>]{0,200}>)?(?![^<>\n]{0,60}:/)[^<>\n]{1,60}(?:</a>)?</sup>"
    rf"|[{RAISED}]{{1,6}}+(?>(?:[⁻–,][{RAISED}]{{1,4}}+)*))(?![A-Za-z⁺⁻]))"
    # LaTeX's, wikis', and products' own: nothing that a report holds tells where they lead.
    r"|(?P<markup>\\[a-z]{0,9}cite[a-z]{0,9}[^{}\n]{0,80}\{[^{}\n]{1,300}\}"
    r"|<(?:ref\b|[a-z]{1,20}:[a-z]{1,20}\s[^<>]{0,300}?citation)[^<>]{0,300}>"
    r"|cite(?:\W?turn\d{1,3}[a-z]{3,12}\d{1,3})+)",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\( *<?(?P<target>[^\s()<>]*+(?>(?:\([^\s()]*+\)[^\s()<>]*+)*))>?(?: +[\"'][^()\n]*+)? *\)")
_NUMBERED_LINK = re.compile(r"[\"']?[^<>\n]{0,300}>(?:<sup>)?\W{0,2}\d{1,3}\W{0,2}(?:</sup>)?</a>")
"""What follows the address of a link in HTML whose only word is its number."""
_ONLY_A_MARK = re.compile(r"[\^@]|.*†|[^\W\d_]{2,}:\d+$")
"""What stands in square brackets for nothing else, even without an entry: [^e], [@roe, p. 4], 【4:0†file】, [web:1]."""
_INSIDE = re.compile(rf"{_ADDRESS}|{_BARE_ID}|[{RAISED}]|<sup|\][(\[]", re.IGNORECASE)
"""What is a mark of its own within brackets."""


class Mark(NamedTuple):
    """``text[start:end]``, which has the shape of a mark."""

    start: int
    end: int
    form: Literal["address", "ids", "bare", "label", "raised"]
    """An address, ids in brackets, an id without, and what may be labels, in brackets or raised."""
    content: str
    """What stands within the brackets."""
    names: tuple[str, ...] = ()
    """Its ids, or its address."""
    reason: UnreadReason | None = None
    """Why it is not read, unless it has the label of an entry."""


def find_marks(text: str) -> Iterator[Mark]:
    """All that has the shape of a mark, in order, none inside another."""
    text, position = text.translate(SQUARE), 0
    while token := _MARK.search(text, position):
        (start, end), form, content = token.span(), token.lastgroup, token[0]
        mark, position = None, start + 1 if form == "square" else end
        if form == "url":
            body, end = end, url_end(text, end)
            end = url_end(text, body, wide=True) if text[end - 1] == "/" else end  # /中產階級, but not /x的
            name, numbered = text[start:end], _NUMBERED_LINK.match(text, end)
            mark = Mark(start, numbered.end() if numbered else end, "address", name, (_url(name),))
        elif form == "id":
            mark = Mark(start, end, "ids" if _PRODUCT.fullmatch(content) else "bare", content, (content,))
        elif form == "square":
            mark = _square(text, start, end)
        elif form == "raised":
            words = unicodedata.normalize("NFKC", re.sub("<[^<>]*>", "", content)).strip(" []()\\")
            mark = Mark(start, end, "raised", words) if words[:1].isdigit() else None
        elif form == "markup":
            mark = Mark(start, end, "label", content, reason="no_entry")
        if mark is not None:
            yield mark
            position = mark.end


def _square(text: str, start: int, end: int) -> Mark | None:
    """A bracket with the address behind it; None for one with other marks in it: [[1](https://…)]."""
    words = text[start + 1 : end - 1].strip()
    link = _TARGET.match(text, end)
    target = link["target"] if link else ""
    end = link.end() if link else end
    if ids := _ids(words.removeprefix(UNRESOLVED)) or _ids(target):
        return Mark(start, end, "ids", words, ids)
    if re.match(_ADDRESS, target, re.IGNORECASE):
        return Mark(start, end, "address", words, (_url(target),))
    if not link and _INSIDE.search(words):
        return None
    label = re.sub(r"[\[\]\\]", "", words).strip()
    return Mark(start, end, "label", label, reason="no_entry" if _ONLY_A_MARK.match(label) else None)


def _ids(content: str) -> tuple[str, ...]:
    """The ids of which the content of a bracket consists; none if there is anything else."""
    names = tuple(filter(None, re.split(r"[\s,;|，；、]+", content)))
    return names if all(map(_ID.fullmatch, names)) else ()


def _url(text: str) -> str:
    return text if "://" in text[:8] else f"https://{text}"

"""What has the shape of a mark: ids, addresses, square brackets, what is raised, and markup. One pattern."""

import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import FILE_ID
from drretail.grounding.report.page import IMAGE, url_end
from drretail.records.evidence import UnreadReason

UNRESOLVED = "unresolved: "
_DOMAINS = (
    "com|org|net|edu|gov|info|io|example|co|de|uk|fr|it|es|nl|ch|at|eu|jp|kr|cn|ca|au|us|se|pl|br|dev|app|shop"
    "|be|pt|cz|dk|fi|gr|hu|ie|mx|nz|ro|ru|tr|tv|ai|me|blog|news|store|tech|online|site"
)
_DOMAIN = rf"(?:[a-z0-9-]{{1,60}}\.){{1,4}}(?:{_DOMAINS})"
_ADDRESS = rf"(?:https?://(?=[^\W_])|(?<![\w@./:-])(?:doi:[ ]?(?=10\.\d)|www\.(?=[^\W_])|{_DOMAIN}(?=/\w)))"
"""The beginning of an address; without a scheme, one with www., doi: or a path."""
_ID_KEY = r"[A-Za-z0-9][A-Za-z0-9_@-]{0,140}(?:/[A-Za-z0-9_-]{1,64})?"
_ID = re.compile(rf"(?:[POUWC]:{_ID_KEY}|{FILE_ID})")
_BARE_ID = rf"(?<![\w:/])(?:[PUWC]:{_ID_KEY}|{FILE_ID})(?!\w)"
_BETWEEN_IDS = re.compile(r"[\s,;|，；、]+")
SQUARE = str.maketrans("【】［］〔〕", "[][][]")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃ-ᵉ①-⑳†‡"
_MARK = re.compile(
    r"<a\b[^<>]{0,500}?href=[\"']?(?P<href>(?:https?://|#)[^\s\"'<>]{1,2000})[\"']?[^<>]{0,500}>"
    r"(?P<link>(?:[^<>]|</?(?:sup|sub|b|i|em|strong|small|span)\b[^<>]{0,80}>){0,500}+)</a>"
    rf"|{IMAGE}|(?P<url>{_ADDRESS})"
    r"|(?P<square>\[\d{1,3}[,;] ?\n *\d{1,3}\]"
    r"|\[(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400}+\]|【[^【】\n]{1,400}】|［[^［］\n]{1,400}］|〔[^〔〕\n]{1,400}〕)"
    rf"|(?P<id>{_BARE_ID})"
    r"|(?P<raised><sup\b[^<>]{0,80}>(?:<a\b[^<>]{0,200}>)?[^<>\n]{1,60}(?:</a>)?</sup>"
    r"|\$?\^(?:\{[^{}\n]{1,40}\}|[\w, –-]{1,20}\^|\d{1,4}(?:[,–-]\d{1,4})*+(?!\.\d))\$?"
    rf"|※\d{{1,3}}|[{RAISED}]{{1,6}}(?:[⁻–,][{RAISED}]{{1,4}})*)"
    # LaTeX's, wikis', and one product's own: nothing that a report holds tells where they lead.
    r"|(?P<markup>\\[a-z]{0,9}cite[a-z]{0,9}[^{}\n]{0,80}\{[^{}\n]{1,300}\}|<ref\b[^<>]{0,300}>"
    r"|cite(?:\W?turn\d{1,3}[a-z]{3,12}\d{1,3})+)"
    r"|(?P<round>[(（][^()（）\[\]\n]{1,300}+[)）])",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\([ \t]*<?(?P<target>[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,20})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
_INSIDE = re.compile(rf"{_ADDRESS}|{_BARE_ID}|[{RAISED}]|<sup|\][(\[]", re.IGNORECASE)
"""What is a mark of its own within brackets."""
_TAGS = re.compile(r"<[^<>]*>")
_AROUND = " \t[]【】［］〔〕$^{}※"
# A raised number behind a digit or a sign, and a raised 2 or 3 behind a unit or a letter, is a power: 10³, m², R².
_BASE = re.compile(
    r"(?:(?<![A-Za-z\d.,$€£¥₹])\d{1,2}|\d\)|[⁺⁻}]|(?<![A-Za-zÀ-ɏ])(?P<unit>[kcdmnµм]?[mм]|ft|in|mi|yd|[A-Za-zα-ω]))\$?$"
)


class Mark(NamedTuple):
    """``text[start:end]``, which has the shape of a mark."""

    start: int
    end: int
    kind: Literal["source", "ids", "id", "square", "raised", "round"]
    """An address, ids in brackets, an id without; what may be labels, in brackets and raised; and what is said aside,
    which cites nothing, but shows which lines are entries.
    """
    content: str
    """The address, the ids, or what stands within brackets."""
    labels: tuple[str, ...] = ()
    reason: UnreadReason | None = None

    @property
    def names(self) -> list[str]:
        """Its ids, or its address; none of what may be labels."""
        if self.kind == "ids":
            return [*filter(None, _BETWEEN_IDS.split(self.content))]
        return [self.content] if self.kind in ("source", "id") else []


def find_marks(text: str, *, wide: bool = False) -> Iterator[Mark]:
    """All that has the shape of a mark, in order, none inside another; ``wide`` allows ideographs in addresses."""
    position = 0
    while token := _MARK.search(text, position):
        (start, end), form, content = token.span(), token.lastgroup, token[0]
        mark, position = None, start + 1
        if form == "url":
            end = url_end(text, end, wide=wide)
            mark = Mark(start, end, "source", _url(text[start:end]))
        elif form == "link":
            is_place = token["href"][0] == "#"
            words = _TAGS.sub("", content).strip(_AROUND) if is_place else token["href"]
            mark = Mark(start, end, "square" if is_place else "source", words)
        elif form == "square":
            mark = _square(text, start, end)
        elif form == "image":
            position = end
        elif form == "raised" and "http" not in content:
            words = unicodedata.normalize("NFKC", unescape(_TAGS.sub("", content))).strip(_AROUND)
            position = end
            is_power = words.isdecimal() and "<a" not in content and _is_power(text, start, end, words)
            if re.search(r"\d|^[\w†‡]$", words) and not is_power:
                mark = Mark(start, end, "raised", words)
        elif form == "markup":
            mark = Mark(start, end, "square", content, reason="no_entry")
        elif form == "round" and _are_ids(content[1:-1]):
            mark = Mark(start, end, "ids", content[1:-1])
        elif form == "round" and not _INSIDE.search(content):
            mark = Mark(start, end, "round", content[1:-1])
        elif form == "id":
            mark = Mark(start, end, "id", content)
        if mark is not None:
            yield mark
            position = mark.end


def _are_ids(content: str) -> bool:
    """True for a bracket of nothing but ids: then invented ones are ids, too."""
    return ":" in content and all(map(_ID.fullmatch, filter(None, _BETWEEN_IDS.split(content))))


def _square(text: str, start: int, end: int) -> Mark | None:
    """A bracket with the address behind it; None for one with other marks in it: [[1](https://…)]."""
    words = text[start + 1 : end - 1]
    if link := _TARGET.match(text, end):
        label, target = words.strip(_AROUND), link["target"]
        if source := next(filter(_ID.fullmatch, (label, target)), None):
            return Mark(start, link.end(), "ids", source)
        if re.match(_ADDRESS, target, re.IGNORECASE):
            return Mark(start, link.end(), "source", _url(target))
        if target.startswith("#"):
            return Mark(start, link.end(), "square", label)
        is_place = not target.startswith(("mailto:", "tel:", "javascript:"))
        return Mark(start, link.end(), "square", target or label, reason="no_address") if is_place else None
    if _are_ids(words):
        return Mark(start, end, "ids", words)
    if words.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
        return Mark(start, end, "ids", words.removeprefix(UNRESOLVED))
    if _INSIDE.search(words.replace("†", "")):
        return None
    if re.fullmatch(r"[^\s\d]+ \D+", words) and re.match(r"\[[^\]]", text[end : end + 2]):
        return None  # the words of a [key]
    label = re.sub(r"[\[\]]", "", words.translate(SQUARE)).strip(" \\")
    is_key = text[max(0, start - 1)] == "]" and label and " " not in label  # [the words][key]
    return Mark(start, end, "square", label, (label,) if is_key else ())


def _url(text: str) -> str:
    name = re.sub(r"^doi:[ ]?", "doi.org/", text, flags=re.IGNORECASE)
    return name if "://" in name[:8] else f"https://{name}"


def _is_power(text: str, start: int, end: int, raised: str) -> bool:
    base = _BASE.search(text, max(0, start - 4), start)
    is_power = base is not None and (not base["unit"] or raised in ("2", "3"))
    return is_power or re.match(r"[A-Za-z⁺⁻]", text[end : end + 1]) is not None

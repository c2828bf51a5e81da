"""What has the shape of a mark, read or only counted: one pattern; and the labels of a mark."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import FILE_ID
from drretail.grounding.report.page import url_end
from drretail.records.evidence import UnreadReason

UNRESOLVED = "unresolved: "
_DOMAINS = (
    "com|org|net|edu|gov|info|io|example|co|de|uk|fr|it|es|nl|ch|at|eu|jp|kr|cn|ca|au|us|se|pl|br|dev|app|shop"
    "|be|pt|cz|dk|fi|gr|hu|ie|mx|nz|ro|ru|tr|tv|ai|me|blog|news|store|tech|online|site"
)
_DOMAIN = rf"(?:[a-z0-9-]{{1,60}}\.){{1,4}}(?:{_DOMAINS})"
ADDRESS = rf"(?:https?://(?=[^\W_])|(?<![\w@./:-])(?:doi:[ ]?(?=10\.\d)|www\.(?=[^\W_])|{_DOMAIN}(?=/\w)))"
"""The beginning of an address; without a scheme, one with www., doi: or a path."""
_SITE = rf"(?<![\w@./:-])(?-i:{_DOMAIN})(?![\w/-]|\.\w)"
"""A site without a page, in small letters: "Amazon.com" is a company."""
_ID_KEY = r"[A-Za-z0-9][A-Za-z0-9_@-]{0,140}(?:/[A-Za-z0-9_-]{1,64})?"
ID = re.compile(rf"(?:[POUWC]:{_ID_KEY}|{FILE_ID})")
BARE_ID = rf"(?<![\w:/])(?:[PUWC]:{_ID_KEY}|{FILE_ID})(?!\w)"
_BETWEEN_IDS = re.compile(r"[\s,;|，；、]+")
SQUARE = str.maketrans("【】［］〔〕", "[][][]")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃ-ᵉ①-⑳†‡"
_NUMBERS = r"[1-9]\d?(?:, ?[1-9]\d?){0,8}"
_MARK = re.compile(
    r"<a\b[^<>]{0,500}?href=[\"']?(?P<href>(?:https?://|#)[^\s\"'<>]{1,2000})[\"']?[^<>]{0,500}>"
    r"(?P<shown>(?:[^<>]|</?(?:sup|sub|b|i|em|strong|small|span)\b[^<>]{0,80}>){0,500}+)</a>"
    rf"|<(?P<auto>https?://[^\s<>]+)>|(?P<url>{ADDRESS})"
    r"|(?P<square>\[(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400}+\]|【[^【】\n]{1,400}】|［[^［］\n]{1,400}］|〔[^〔〕\n]{1,400}〕)"
    rf"|(?P<id>{BARE_ID})"
    r"|(?P<raised><sup\b[^<>]{0,80}>(?:<a\b[^<>]{0,200}>)?[^<>\n]{1,60}(?:</a>)?</sup>"
    r"|\$?\^(?:\{[^{}\n]{1,40}\}|[\w, –-]{1,20}\^|\d{1,4}(?:[,–-]\d{1,4})*+(?!\.\d))\$?"
    rf"|[{RAISED}]{{1,6}}(?:[⁻–,][{RAISED}]{{1,4}})*)"
    # What is only counted: what LaTeX, wikis and one product write, and what the lists have labels for: round brackets,
    # and numbers behind a word or a stop.
    r"|(?P<markup>\\[a-z]{0,9}cite[a-z]{0,9}[^{}\n]{0,80}\{[^{}\n]{1,300}\}|<ref\b[^<>]{0,300}>"
    r"|cite(?:\W?turn\d{1,3}[a-z]{3,12}\d{1,3})+)"
    rf"|(?P<site>{_SITE})"
    r"|(?P<round>[(（](?:[^()（）\[\]\n]|\([^()\n]{0,20}\)){1,300}+[)）])"
    r"|(?P<bare>(?:(?<=[^\W\d_][.,;:!?])|(?<=[)\]\"”»%.!?][.,;:!?)\"”»])|(?<=[。！？；，])|(?<=[a-zß-ÿ]{4})"
    r"|(?<=\| )(?=\d+, ))"
    rf"{_NUMBERS}(?![\w%]|[.,:]\w))",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\([ \t]*<?(?P<target>[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,20})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
_UNREAD_FORMS: dict[str, UnreadReason] = {"markup": "style", "site": "no_address"}
_INSIDE = re.compile(rf"{ADDRESS}|{_SITE}|{BARE_ID}|[{RAISED}]|<sup|\]\(", re.IGNORECASE)
"""What is a mark of its own within brackets."""
_TAGS = re.compile(r"<[^<>]*>")
_AROUND = " \t[]【】［］〔〕$^{}"
# A raised number behind a digit or a sign, and a raised 2 or 3 behind a unit or a letter, is a power: 10³, m², R².
_BASE = re.compile(
    r"(?:(?<![\w.,$€£¥₹])\d{1,2}|\d\)|[⁺⁻}]|(?<![A-Za-zÀ-ɏ])(?P<unit>[kcdmnµм]?[mм]|ft|in|mi|yd|[A-Za-zα-ω]))\$?$"
)


class Mark(NamedTuple):
    """``text[start:end]``, which has the shape of a mark."""

    start: int
    end: int
    kind: Literal["source", "ids", "perhaps", "label", "raised", "round", "bare"]
    """An address, ids, and a single id without brackets; what may be labels, in square brackets and raised; what may
    be a mark in other brackets and without.
    """
    content: str
    """The address, the ids, or what stands within brackets."""
    labels: tuple[str, ...] = ()
    """Those of the report's lists, or of the form of labels."""
    reason: UnreadReason | None = None

    @property
    def names(self) -> list[str]:
        """Its ids, or its address."""
        return [self.content] if self.kind != "ids" else [*filter(None, _BETWEEN_IDS.split(self.content))]


def find_marks(text: str, *, wide: bool = False) -> Iterator[Mark]:
    """All that has the shape of a mark, in order, none inside another; ``wide`` allows ideographs in addresses."""
    position = 0
    while token := _MARK.search(text, position):
        (start, end), form, content = token.span(), token.lastgroup, token[0]
        mark, position = None, start + 1
        if form == "url":
            end = url_end(text, end, wide=wide)
            mark = Mark(start, end, "source", _url(text[start:end]))
        elif form in ("auto", "shown"):
            target = token[form] if form == "auto" else token["href"]
            words = _TAGS.sub("", token["shown"] or "").strip(_AROUND)
            mark = Mark(start, end, "label", words) if target[0] == "#" else Mark(start, end, "source", target)
        elif form == "square":
            mark = _square(text, start, end)
        elif form == "raised" and "http" not in content:
            words = unicodedata.normalize("NFKC", unescape(_TAGS.sub("", content))).strip(_AROUND)
            position = end
            is_power = words.isdecimal() and _is_power(text, start, end, words)
            if re.search(r"\d|^[\w†‡]$", words) and not is_power:
                mark = Mark(start, end, "raised", words)
        elif form == "round" and _are_ids(content[1:-1]):
            mark = Mark(start, end, "ids", content[1:-1])
        elif form == "round" and not _INSIDE.search(content):
            mark = Mark(start, end, "round", content[1:-1])
        elif form in ("id", "bare", "markup", "site"):
            reason = _UNREAD_FORMS.get(form)
            mark = Mark(start, end, "perhaps" if form == "id" else "bare", content, reason=reason)
        if mark is not None:
            yield mark
            position = mark.end


def _are_ids(content: str) -> bool:
    """True for a bracket of nothing but ids: then invented ones are ids, too."""
    return ":" in content and all(map(ID.fullmatch, filter(None, _BETWEEN_IDS.split(content))))


def _square(text: str, start: int, end: int) -> Mark | None:
    """A bracket with the address behind it; None for one with other marks in it: [[1](https://…)], and for pictures."""
    words = text[start + 1 : end - 1]
    if link := _TARGET.match(text, end):
        label, target = words.strip(_AROUND), link["target"]
        if source := next(filter(ID.fullmatch, (label, target)), None):
            return Mark(start, link.end(), "ids", source)
        if re.match(ADDRESS, target, re.IGNORECASE):
            return Mark(start, link.end(), "source", _url(target))
        if target.startswith("#"):
            return Mark(start, link.end(), "label", label)
        is_place = not target.startswith(("mailto:", "tel:", "javascript:"))
        return Mark(start, link.end(), "label", target or label, reason="no_address") if is_place else None
    if _are_ids(words):
        return Mark(start, end, "ids", words)
    if words.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
        return Mark(start, end, "ids", words.removeprefix(UNRESOLVED))
    if _INSIDE.search(words.replace("†", "")) or text.startswith("![", max(0, start - 1)):
        return None
    if re.fullmatch(r"[^\s\d]+ \D+", words) and re.match(r"\[[^\]]", text[end : end + 2]):  # [the words][key]
        return None
    return Mark(start, end, "label", re.sub(r"[\[\]]", "", words.translate(SQUARE)))


def _url(text: str) -> str:
    name = re.sub(r"^doi:[ ]?", "doi.org/", text, flags=re.IGNORECASE)
    return name if "://" in name[:8] else f"https://{name}"


def _is_power(text: str, start: int, end: int, raised: str) -> bool:
    base = _BASE.search(text, max(0, start - 4), start)
    is_power = base is not None and (not base["unit"] or raised in ("2", "3"))
    return is_power or re.match(r"[A-Za-z⁺⁻]", text[end : end + 1]) is not None


_LABEL = re.compile(r"[^\W\d_]{0,3}\d{1,3}")
_RANGE = re.compile(r"(?P<word>[^\W\d_]{0,3})(?P<first>\d{1,3})\s*[-‐‑–—~⁻−]\s*(?:[^\W\d_]{0,3})(?P<last>\d{1,3})")
_PLACE = re.compile(r"†.*|(?:,\s*|\s)(?:§|[^\W\d_]{1,5}\.)[^;]*")
"""In the source: 1†L3, 1, p. 4."""
_LONGEST_RANGE = 50
LabelOf = Callable[[str], str | None]
"""The label of the lists that is written so."""


def mark_labels(mark: Mark, label_of: LabelOf) -> list[str]:
    """The labels that a mark is made of: of a group, a range, or one with a place behind it; none of anything else."""
    if mark.kind not in ("label", "raised") or mark.reason:
        return []
    content = _PLACE.sub("", mark.content).removeprefix("^")
    content = content if label_of(content) else re.sub(r"^[a-z]{2,10}:(?=\d+(?:, ?\d+)*$)", "", content)  # web:1
    labels: dict[str, None] = {}
    for member in map(str.strip, re.split(r"[,;/|&，；、・]", content)):
        run = _RANGE.fullmatch(member)
        if label := label_of(member):
            labels[label] = None
        elif run and 0 < int(run["first"]) <= int(run["last"]) < int(run["first"]) + _LONGEST_RANGE:
            names = (f"{run['word']}{number}" for number in range(int(run["first"]), int(run["last"]) + 1))
            labels |= dict.fromkeys(label_of(name) or name for name in names)
        elif _LABEL.fullmatch(member) and member.strip("0"):
            labels[member] = None
        else:
            return []
    return [*labels]


_KEY = re.compile(r"^@[A-Za-z]|\d†|^\^\S+$|^\d{1,3}(?:[\s,;/–-]+\d{1,3})+$")
"""@roe, p. 4; 4:0†file; ^e; 41-23."""
_NAME = re.compile(r"(?<!\d )(?<!\w)[^\W\d_]\w+|^(?:19|20)\d\d$")
"""A word that is no unit, or a year behind the name."""
_NAME_AND_YEAR = re.compile(r"[^\W\d_][^\d;]{1,80}[,.] ?(?:19|20)\d\d[a-z]?(?!\w)")
_NUMBERED = re.compile(
    r"(?:[^\W\d_]{1,12}(?:\s?[.:：]\s*|\s+)){0,3}[#№]?[^\W\d_]{0,2}\d{1,3}"
    r"(?:\s*(?:,(?!\d{3})|[;&–、，；-]|\s[^\W\d_]{1,3}\s)\s*[#№]?[^\W\d_]{0,2}\d{1,3})*(?:\s*[,;，(]\s*[^\W\d_].*)?"
)
"""(2), (see 2), (Sources 2 and 4), (S1, S3), (1, p. 37)."""


class Unread:
    """Tells marks in a style that is not read from what else stands in the brackets of a report, by its lists.

    An entry to which nothing leads that is read is the sign that something else does: then each name cites.
    """

    def __init__(self, shown: Iterable[Mark], label_of: LabelOf, names: set[str], *, has_orphans: bool) -> None:
        self._label_of, self._names, self._has_orphans = label_of, names, has_orphans
        rounds = [mark.content.strip() for mark in shown if mark.kind == "round"]
        if not has_orphans:  # (1) alone numbers steps
            rounds = [content for content in rounds if not content.isdecimal()]
        self._by_number = any(map(self._has_number, rounds))
        """True if a round bracket cites by number: then all that have this form do."""

    def has(self, mark: Mark) -> bool:
        """True for a mark in a style that is not read."""
        content, is_sure = mark.content.strip(" ()\\"), mark.kind in ("label", "raised")
        if mark.kind == "bare":
            return self._has_orphans and self._has_number(content)
        if is_sure and (_KEY.search(content) or any(map(self._label_of, re.split(r"[\s,;:()]+", content)))):
            return True
        if (is_sure or self._by_number) and _NUMBERED.fullmatch(content):
            return self._has_number(content) or not (is_sure or content[0].isdigit())
        members = map(str.strip, re.split(r"[,;–-]", content.casefold()))
        if not self._names.isdisjoint(members) or _NAME_AND_YEAR.match(content):
            return True
        is_name = any(not name[0].islower() or name in self._names for name in _NAME.findall(content))
        return self._has_orphans and (is_name or content.endswith("."))  # (ibid.)

    def _has_number(self, content: str) -> bool:
        labels = re.findall(r"[^\W\d_]{0,2}\d+", content)
        return _NUMBERED.fullmatch(content) is not None and any(map(self._label_of, labels))

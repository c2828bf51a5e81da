"""What has the shape of a mark, read or only counted: one pattern; and the labels of a mark."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from html import unescape
from typing import NamedTuple

from drretail.grounding.report.evidence_ids import FILE_ID, parse_evidence_id
from drretail.grounding.report.page import url_end
from drretail.records.evidence import UnreadReason

UNRESOLVED = "unresolved: "
_DOMAINS = "com|org|net|edu|gov|info|io|example|co|de|uk|fr|it|es|nl|ch|at|eu|jp|kr|cn|ca|au|us|se|pl|br|dev|app|shop"
_DOMAIN = rf"(?:[a-z0-9-]{{1,60}}\.){{1,4}}(?:{_DOMAINS})"
ADDRESS = rf"(?:https?://(?=[^\W_])|(?<![\w@./:-])(?:doi:[ ]?(?=10\.\d)|www\.(?=[^\W_])|{_DOMAIN}(?=/\w)))"
"""The beginning of an address; without a scheme, one with www., doi: or a path."""
_KEY = r"[A-Za-z0-9][A-Za-z0-9_@-]{0,140}(?:/[A-Za-z0-9_-]{1,64})?"
ID = re.compile(rf"(?:[POUWC]:{_KEY}|{FILE_ID})")
BARE_ID = rf"(?<![\w:/])(?:[PUWC]:{_KEY}|{FILE_ID})(?!\w)"
SQUARE = str.maketrans("【】［］〔〕", "[][][]")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃ-ᵉ"
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d[a-z]?(?![\w/-])|\b[ns]\. ?[df]\.")
_NUMBERS = r"[1-9]\d?(?:, ?[1-9]\d?){0,8}"
_PIECE = re.compile(
    # What is only counted: exports of other products, LaTeX, wikis, Pandoc, and signs such as ※1.
    r"(?P<markup>\ue200[^\ue200\ue201\n]{1,200}\ue201?|(?:file)?cite(?:\W?turn\d{1,3}[a-z]{3,12}\d{1,3})+"
    r"|\\(?:[a-z]{0,9}cite[a-z]{0,9}|footnote\w{0,9})(?:\[[^\[\]\n]{0,80}\])*\{[^{}\n]{1,300}\}|\{\{[^{}\n]{1,400}\}\}|<<[\w:-]{1,40}>>"
    r"|<(?!cite>)[\w:-]{0,20}(?:cit|ref|card|render|footnote)[\w:-]{0,20}(?=[\s/>])[^<>]{0,300}>"
    r"|(?<![\w.])-?@[a-z][\w:-]{2,60})|(?P<sign>[†‡＊]\d{0,2}|\\\*|※(?!\d))"
    # What is read.
    r"|<a\b[^<>]{0,500}?href=[\"']?(?P<href>(?:https?://|#)[^\s\"'<>]{1,2000})[\"']?[^<>]{0,500}>"
    r"(?P<shown>(?:[^<>]|</?(?:sup|sub|b|i|em|strong|small|span)\b[^<>]{0,80}>){0,500}+)</a>"
    rf"|<(?P<auto>https?://[^\s<>]+)>|(?P<url>{ADDRESS})"
    r"|(?P<square>\[(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400}+\]|【[^【】\n]{1,400}】|［[^［］\n]{1,400}］|〔[^〔〕\n]{1,400}〕)"
    rf"|(?P<id>{BARE_ID})"
    r"|(?P<raised><sup\b[^<>]{0,80}>(?:<a\b[^<>]{0,200}>)?[^<>\n]{1,60}(?:</a>)?</sup>"
    r"|\$?\^(?:\{[^{}\n]{1,40}\}|[\w, –-]{1,20}\^|\d{1,4}(?:[,–-]\d{1,4})*+(?!\.\d))\$?"
    rf"|[{RAISED}]{{1,6}}(?:[⁻–,][{RAISED}]{{1,4}})*|[①-⑳]|※\d{{1,2}}(?:,\d{{1,2}})*)"
    # What is only counted, and where the lists have its labels: numbers in round brackets, and without brackets.
    r"|(?P<round>[(（](?:[^()（）\[\]\n]|\([^()\n]{0,20}\)){1,300}+[)）]|\{\d[^{}\n]{0,40}\}|[<⟨〈《«/|]\d{1,3}[>⟩〉》»/])"
    rf"|(?P<bare>(?:(?<=[^\W\d_(（])|(?<=[.,)\"”。]))\d{{1,2}}\)|(?<!\w)(?-i:[A-Z])\d{{1,2}}(?!\w)"
    r"|(?:(?<=[^\W\d_][.,;:!?])|(?<=[)\]\"”»*%.!?][.,;:!?)\"”»*])|(?<=[。！？；，#№])|(?<=[a-zß-ÿ]{4})|(?<=[.:：→↳] ))"
    rf"{_NUMBERS}(?![\w%]|[.,:]\w))"
    r"|(?:[$€£¥₹][ ]?\d[\d,]{0,9}\.\d\d|(?<![\d.,])\d{1,6}\.(?=\d\d?\s+(?-i:[A-Z][a-z])))"
    rf"(?P<joined>{_NUMBERS})(?![\w%])",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\([ \t]*<?(?P<target>[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,20})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
_INSIDE = re.compile(rf"{ADDRESS}|[⁰¹²³⁴⁵⁶⁷⁸⁹①-⑳※†‡]|<sup|\]\(", re.IGNORECASE)
"""What is a mark of its own within brackets."""
_BETWEEN = re.compile(r"[\s,;|，；、]+")
_TAGS = re.compile(r"<[^<>]*>")
_FIGURE = re.compile(r"(?:[\d★⭐%+] ?|(?:^|\n)[ \t>#*-]*)[(（]\d+[)）]$")
"""A number in brackets behind a figure, such as "4.6 (12)", or before an item."""
_AROUND = " \t\\[]【】［］〔〕$^{}"
# A raised number behind a digit or a sign, and a raised 2 or 3 behind a unit or a letter, is a power: 10³, m², R².
_BASE = re.compile(
    r"(?:(?<![\d.,$€£¥₹])\d{1,2}|\d\)|[⁺⁻}]|(?<![A-Za-zÀ-ɏ])(?P<unit>[kcdmnµм]?[mм]|ft|in|mi|yd|[A-Za-zα-ω]))\$?$"
)


class Piece(NamedTuple):
    """``text[start:end]``, which has the shape of a mark."""

    start: int
    end: int
    kind: str
    """Read are "source" (an address or an id), "id" (one without brackets) and "label"; the others are counted."""
    content: str
    """The address or the id; of brackets and what is raised, all within."""


def find_pieces(text: str, *, wide: bool = False) -> Iterator[Piece]:
    """All that has the shape of a mark, in order, none inside another; ``wide`` allows ideographs in addresses."""
    position = 0
    while token := _PIECE.search(text, position):
        (start, end), kind, content = token.span(), token.lastgroup, token[0]
        position, piece = start + 1, None
        if kind == "url":
            end = url_end(text, token.end(), wide=wide)
            piece = Piece(start, end, "source", _url(text[start:end]))
        elif kind == "auto":
            piece = Piece(start, end, "source", token["auto"])
        elif kind == "shown":
            words = _TAGS.sub("", token["shown"]).strip(_AROUND)
            is_place = token["href"].startswith("#")
            piece = _place(start, end, words, token["href"]) if is_place else Piece(start, end, "source", token["href"])
        elif kind == "square":
            piece = _square(text, start, end)
        elif kind == "round":
            if not _INSIDE.search(content):
                is_figure = _FIGURE.search(text[max(0, start - 4) : end]) is not None
                piece = Piece(
                    start, end, "label" if ids_in(content[1:-1])[1] else "bare" if is_figure else "round", content[1:-1]
                )
        elif kind == "raised":
            words = unicodedata.normalize("NFKC", unescape(_TAGS.sub("", content))).replace("※", "").strip(_AROUND)
            if "http" not in content and not (words.isdecimal() and _is_power(text, start, end, words)):
                kind = "label" if re.search(r"\d|^\w$", words) else "sign"
                piece = Piece(start, end, kind, words) if kind == "label" or re.fullmatch(r"[*†‡§¶]+", words) else None
            position = start + 1 if "http" in content else end
        elif kind is not None:
            piece = Piece(*token.span(kind), "bare" if kind == "joined" else kind, token[kind])
        if piece is not None:
            yield piece
            position = piece.end


def ids_in(content: str) -> tuple[list[str], bool]:
    """The ids in a bracket, and True if it has nothing else: then invented ones are ids, too."""
    names = [*filter(None, dict.fromkeys(_BETWEEN.split(content)))]
    is_only = all(map(ID.fullmatch, names))
    return [name for name in names if is_only or (ID.fullmatch(name) and parse_evidence_id(name))], is_only


def _square(text: str, start: int, end: int) -> Piece | None:
    """A bracket with the address behind it; None for one with other marks in it: [[1](https://…)], and for pictures."""
    words = text[start + 1 : end - 1]
    if link := _TARGET.match(text, end):
        end, label, target = link.end(), words.strip(_AROUND), link["target"]
        if source := next(filter(ID.fullmatch, (label, target)), None) or (
            re.match(ADDRESS, target, re.IGNORECASE) and _url(target)
        ):
            return Piece(start, end, "source", source)
        if target.startswith("#"):
            return _place(start, end, label, target)
        is_place = not target.startswith(("mailto:", "tel:", "javascript:"))
        return Piece(start, end, "file", target or label) if is_place else None
    if _INSIDE.search(words[:1] + words[1:].replace("†", "")) or text.startswith("![", max(0, start - 1)):
        return None
    is_plain = re.fullmatch(r"[^\s\d]+ \D+", words) and not (words.startswith(UNRESOLVED) or ids_in(words)[0])
    if is_plain and re.match(r"\[[^\]]", text[end : end + 2]):  # [the words][key]
        return None
    if words.endswith("\\") and text.endswith("\\", 0, start):  # \[1\], as editors escape what is pasted
        start, words = start - 1, words[:-1]
    return Piece(start, end, "label", re.sub(r"[\[\]]", "", words.translate(SQUARE)))


def _place(start: int, end: int, words: str, target: str) -> Piece:
    """A link within the page: a label, or words for a numbered place."""
    return Piece(start, end, "file" if target[-1:].isdigit() and not re.search(r"\d|^\w$", words) else "label", words)


def _url(text: str) -> str:
    name = re.sub(r"^doi:[ ]?", "doi.org/", text, flags=re.IGNORECASE)
    return name if "://" in name[:8] else f"https://{name}"


def _is_power(text: str, start: int, end: int, raised: str) -> bool:
    base = _BASE.search(text, max(0, start - 4), start)
    is_power = base is not None and (not base["unit"] or raised in ("2", "3"))
    return is_power or re.match(r"[A-Za-z⁺⁻]", text[end : end + 1]) is not None


_LABEL = re.compile(r"(?:[^\W\d_]{0,3}\d{1,3}|(?![xX])[A-Za-z])")
_RANGE = re.compile(r"(?P<word>[^\W\d_]{0,3})(?P<first>\d{1,3})\s*[-‐‑–—~⁻−]\s*(?:[^\W\d_]{0,3})(?P<last>\d{1,3})")
_PLACE = re.compile(r"(?:(?<!\s)\s++)?(?:[†:(]|(?<=\s)(?:[^\W\d_]{1,5}\.|§)).*$")
"""As in "1†L3", "1:12", "1 (p. 4)", "1 p.4"."""
_LONGEST_RANGE = 50
# "see 2", "ref. 3", "1 and 2", "Source 2, p. 4": what is meant is not certain.
_SHAPE = re.compile(
    r"(?:[^\W\d_]{1,12}(?:[.:：]\s*|\s+)|[^\W\d_A-Za-z]{1,4})?(?P<label>[A-Za-z]?\d{1,2})"
    r"(?:\s*(?:[,;/&–-]|\s[^\W\d_]{1,5}\s)\s*[^\W\d_]?\d{1,2})*(?:\s*[,;:：(†]\s*[^\W\d_].*)?"
)
_ABBREVIATED = re.compile(r"(?:[^\W\d_]{2,9}\.\s?){1,2}")
_AUTHOR = re.compile(rf"\W*[^\W\d_][^\d;]{{1,80}}(?:[,.] ?|(?:&|and) \w+ )(?:{YEAR.pattern}).*")
_HOST = re.compile(rf"(?:\w{{2,6}} )?{_DOMAIN}(?:[,+;][ ]?(?:{_DOMAIN}|\d))*", re.IGNORECASE)
Own = Callable[[str], str | None]
"""The label of the lists that is written so."""


def read_labels(content: str, label_of: Own) -> list[str]:
    """The labels that stand in a bracket, with places in the sources behind them; none of prose.

    Groups are apart by semicolons, members by commas. What follows a member and is none is a place: 1, p. 4.
    """
    labels: dict[str, None] = {}
    content = re.sub(r"^[a-z]{2,10}:(?=\d+(?:, ?\d+)*$)", "", content) if not label_of(content) else content
    for group in re.split(r"[;；]", content):
        has = False
        for member in map(str.strip, re.split(r"[,，、/&|・]", group)):
            read = _members(member, label_of)
            if not read and has and not member[:1].isdigit():
                break
            if not read:
                return []
            labels, has = labels | dict.fromkeys(read), True
    return [*labels]


def _members(member: str, label_of: Own) -> list[str]:
    """A label, or those of a range; one that runs backwards is a number with a place: 41-23 is sentence 23 of 41."""
    for text in (member, _PLACE.sub("", member)):
        if label := label_of(text):
            return [label]
        if run := _RANGE.fullmatch(text):
            first, last = int(run["first"]), int(run["last"])
            names = [f"{run['word']}{number}" for number in range(first, max(first, last) + 1)]
            return [label_of(name) or name for name in names] if first and len(names) < _LONGEST_RANGE else []
        if _LABEL.fullmatch(text) and text.strip("0"):
            return [text]
    return []


def unread_reason(piece: Piece, label_of: Own, *, by_name: bool, cites: bool) -> UnreadReason | None:
    """Why a piece that names no entry is not read; None for what has not the shape of a mark.

    ``by_name``: it names an entry by its author and year or its title. ``cites``: the report names entries of its lists
    in square brackets or raised, so that other numbers mean something else.
    """
    kind, content = piece.kind, piece.content.strip()
    if kind == "file" or (kind != "bare" and _HOST.fullmatch(content)):
        return "no_address"
    if kind in ("markup", "sign") or (kind == "label" and re.search(r"@[A-Za-z]|\d:\d+†", content)):
        return "markup"
    if kind != "bare" and (by_name or _AUTHOR.fullmatch(content)):
        return "by_name"
    shape = _SHAPE.fullmatch(content.rstrip(")"))
    label = shape["label"] if shape else ""
    is_key = any(
        label_of(word) and not word.isdecimal() for word in (*re.findall(r"[^\s,;()]+", content), f"{label[:1]}1")
    )
    if kind == "label" and content.startswith("^") and " " not in content:
        return "no_entry"
    if is_key or label_of(label) or (kind != "bare" and _ABBREVIATED.fullmatch(content)):
        is_meant = kind != "bare" or is_key or not cites
        return ("unclear" if kind == "label" else "no_brackets") if is_meant else None
    return "no_brackets" if label.isdecimal() and not cites and (kind == "round" or ")" in content) else None

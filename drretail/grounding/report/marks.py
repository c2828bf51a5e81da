"""What may point to a source, by its form: one pattern. Which of it cites, the report's own lists of sources say."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from drretail.grounding.report.evidence_ids import FILE_ID
from drretail.grounding.report.page import url_end

UNRESOLVED = "unresolved: "
_DOMAINS = "com|org|net|edu|gov|info|io|example|co|de|uk|fr|it|es|nl|ch|at|eu|jp|kr|cn|ca|au|us|se|pl|br|dev|app|shop"
_DOMAIN = rf"(?:[a-z0-9-]{{1,60}}\.){{1,4}}(?:{_DOMAINS})"
ADDRESS = rf"(?:https?://(?=[^\W_])|(?<![\w@./:-])(?:doi:[ ]?(?=10\.\d)|www\.(?=[^\W_])|{_DOMAIN}(?=/\w)))"
"""The beginning of an address; without a scheme, one with www., doi: or a path."""
HOST = re.compile(rf"(?:\w{{2,6}} )?({_DOMAIN})(?:[,+;][ ]?(?:{_DOMAIN}|\d))*", re.IGNORECASE)
"""A host alone, or several, with at most a word before them."""
_KEY = r"[A-Za-z0-9][A-Za-z0-9_@-]{0,140}(?:/[A-Za-z0-9_-]{1,64})?"
ID = re.compile(rf"(?:[POUWC]:{_KEY}|{FILE_ID})")
BARE_ID = rf"(?<![\w:/])(?:[PUWC]:{_KEY}|{FILE_ID})(?!\w)"
SQUARE = str.maketrans("【】［］〔〕{}（）", "[][][][]()")
SIGN = r"[^\w\s\[\](){}<>|\"'`*#$€£¥₹%+=~≈≤≥±×÷°^.,;:!?。，；：、！？…/\\&@–—-]"
"""What may stand before the number of a source, such as ※1."""
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ①-⑳⑴-⒇❶-❿†‡"
TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
"""A source in the exports of ChatGPT, without its address."""
YEAR = re.compile(r"(?:19|20)\d\d[a-z]?\b|n\.d")
_SMALL = r"[1-9]\d{0,2}"
_LABEL = r"(?:#?(?:[a-z]{1,6}:)?[a-z]{0,3}\d{1,3}|[a-z])(?!\w)"
_LABELS = rf"{_LABEL}(?:[ ]?[,;/&、–-][ ]?{_LABEL}){{0,8}}"
_INLINE = r"(?:[^<>]|</?(?:sup|sub|b|i|em|strong|small|span)\b[^<>]{0,80}>)"
SOURCE_WORDS = (
    r"(?:sources?(?:\(s\))?|src|references?|r[eé]fs?|r[eé]f[eé]rences?|(?:oai)?cit(?:ed?|ations?|es)|footnotes|endnotes"
    r"|links|bibliogra\w{1,9}|belege?|(?:einzel)?nachweise?|quellen?\w{0,12}|literatur\w{0,12}|fuentes?|referencias?"
    r"|referências?|citadas|fontes?|fonti|bron(?:nen)?|kaynak\w{0,9}|источники?|\w{0,2}(?:参考|參考|来源|引用|出典|참고|출처)\w{0,2}"
    r"|注)"
)
"""Words for sources: in headings, heads of columns, and before numbers."""
_PIECE = re.compile(
    # What products' exports have instead of an address.
    rf"(?P<export>\ue200[^\ue200\ue201\n]{{1,200}}\ue201?|(?:file)?cite(?:\W?{TURN})+|\\cite[a-z]{{0,9}}\{{[^{{}}\n]{{1,80}}\}}"
    r"|<(?!cite>)[\w:-]{0,20}(?:cit|ref|card|render|footnote)[\w:-]{0,20}(?:\s[^<>]{0,300}>(?:\s{0,9}<argument[^<>]{0,99}>)?\d{0,4}|>\d{1,4}))"
    rf"|<a\b[^<>]{{0,500}}?href=[\"']?(?P<href>(?:https?://|#)[^\s\"'<>]{{1,2000}})[\"']?[^<>]{{0,500}}>(?P<shown>{_INLINE}{{0,500}}+)</a>"
    rf"|<(?P<auto>https?://[^\s<>]+)>|(?P<url>{ADDRESS})"
    r"|(?P<square>\[(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400}+\]|【[^【】\n]{1,400}】|［[^［］\n]{1,400}］|〔[^〔〕\n]{1,400}〕)"
    r"|(?P<round>[(（](?:[^()（）\[\]\n]|\([^()\n]{0,20}\)){1,300}+[)）]|\{[^{}\n]{1,40}\}|<\d{1,3}>)"
    rf"|(?P<id>{BARE_ID})"
    r"|(?P<raised><sup\b[^<>]{0,80}>(?:<a\b[^<>]{0,200}>)?[^<>\n]{1,60}(?:</a>)?</sup>"
    r"|\$?\^(?:\{[^{}\n]{1,40}\}|[\w, –-]{1,20}\^|\d{1,4}(?:[,–-]\d{1,4})*+)\$?"
    rf"|[{RAISED}]{{1,6}}(?:[⁻–,][{RAISED}]{{1,4}})*)"
    rf"|(?P<sign>{SIGN}\d{{1,3}}(?!\d))"
    # Such as "Source: 4", "Sources: A, B", "ref. 3", and a line of nothing but "→ 1, 3".
    rf"|(?P<named>(?<!\w){SOURCE_WORDS}(?:\.[ ]?[:：]?|[ ]?[:：]|(?=[ ]\d))[ ]?(?:{_DOMAIN}(?![\w/])|{_LABELS})(?!%|[.,:]\w|://))"
    rf"|(?:(?<=\n)|\A)[ \t>]*+(?:[-*+][ \t]++)?{SIGN}[ \t]*+(?P<line>{_LABELS})(?=[ \t]*(?:\n|\Z))"
    # "so.4 It", as Gemini's reports cite.
    r"|(?P<glued>(?:(?<=[^\W\d_][.,;:!?])|(?<=[)\]\"”’»*%][.,;:!?])|(?<=[.!?][)\"”’»*])|(?<=[.!?]\*\*)|(?<=[。！？；，]))"
    rf"{_SMALL}(?:,[ ]?{_SMALL}){{0,8}}(?=[\s|<)]|$))"
    # "10 years3", "for £34.504 a piece", "a limit of 90.4 It": only beside the former.
    r"|(?:[$€£¥₹][ ]?\d[\d,]{0,9}\.\d\d|(?<![\d.,])\d{1,6}\.(?=\d\d?\s+(?-i:[A-ZÀ-Þ][a-zß-ÿ]))"
    r"|(?-i:(?<=[a-zß-ÿ]{4})))"
    r"(?P<joined>[1-9]\d?(?:,[1-9]\d?){0,8})(?=[\s|<),;]|[.](?!\d)|$)",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\([ \t]*<?(?P<target>[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,20})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
_AROUND_IDS = re.compile(r"[\s,;|，；、]+")
_ANCHOR = re.compile(r"href=[\"']?(#[^\s\"'<>]{1,99})", re.IGNORECASE)
_TAGS = re.compile(r"<[^<>]*>")
_SIGNS_AROUND = " \t\\[]【】［］〔〕$^{}"
# A raised number behind a unit, a digit, a letter or a term is a power: m², 10³, R², (70/130)². A price has none.
_BASE = re.compile(
    r"(?:(?<![\d.,])\d{1,2}|\.\d{1,4}|(?<![A-Za-z0-9À-ɏ°])(?<!\d )[A-Za-zα-ω]|[⁺⁻}]"
    r"|(?<![A-Za-zÀ-ɏ])(?P<unit>[kcdmnµ]?m|ft|in|mi|yd)|\([\w.]{1,9} ?[+*/×·^−] ?[\w.]{1,9}\))\$?$"
)
_BEGINS_LINE = re.compile(r"(?:^|\n)[ \t>*_+-]*$")
_PRICE = re.compile(r"[$€£¥₹][ ]?\d[\d.,]*$")


class Piece(NamedTuple):
    """``text[start:end]``, which may be a mark."""

    start: int
    end: int
    kind: str
    """The name of its form in the pattern; "source" for addresses and ids, "anchor" and "file" for links to other."""
    content: str
    """The address or the id; of brackets and what is raised, all within."""
    anchor: str = ""
    """The place in the page that a link leads to: "#ref-3"."""


def find_pieces(text: str, *, wide: bool = False) -> Iterator[Piece]:
    """All that may be a mark, in order, none inside another; ``wide`` allows ideographs in plain addresses."""
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
            is_place = token["href"].startswith("#")
            words = _TAGS.sub("", token["shown"]).strip(_SIGNS_AROUND)
            piece = Piece(start, end, "anchor", words, token["href"]) if is_place else None
            piece = piece or Piece(start, end, "source", token["href"])
        elif kind == "square":
            piece = _square(text, start, end)
        elif kind == "round":
            if not _holds_more(content):
                are_ids = all(map(ID.fullmatch, _AROUND_IDS.split(content[1:-1])))
                piece = Piece(start, end, "square" if are_ids else "round", content[1:-1])
        elif kind == "raised":
            if "http" in content:  # its address is a mark of its own
                continue
            position = end
            words = unicodedata.normalize("NFKC", _TAGS.sub("", content)).strip(_SIGNS_AROUND)
            if not (words.isdecimal() and _is_power(text, start, end, words)):
                href, is_note = _ANCHOR.search(content), _BEGINS_LINE.search(text, max(0, start - 24), start)
                piece = Piece(start, end, "note" if is_note else "raised", words, href[1] if href else "")
        elif kind in ("joined", "line"):
            piece = Piece(*token.span(kind), kind, token[kind])
        elif kind is not None:
            piece = Piece(start, end, kind, content)
        if piece is not None:
            yield piece
            if piece.kind != "round":
                position = piece.end


def _holds_more(content: str) -> bool:
    """True for brackets with an address or a raised number, which are marks of their own."""
    return re.search(rf"{ADDRESS}|[⁰¹²³⁴⁵⁶⁷⁸⁹①-⑳]|<sup|\]\(", content, re.IGNORECASE) is not None


def _square(text: str, start: int, end: int) -> Piece | None:
    """A bracket with the address behind it; None for one with other marks in it: [[1](https://…)], and for pictures."""
    words = text[start + 1 : end - 1]
    if link := _TARGET.match(text, end):
        return _link(start, link.end(), words.strip(), link["target"])
    if "](" in words or _holds_more(words) or text.startswith("![", max(0, start - 1)):
        return None
    if words.endswith("\\") and text.endswith("\\", 0, start):  # \[1\], as editors escape what is pasted
        start, words = start - 1, words[:-1]
    return Piece(start, end, "square", words.translate(SQUARE).replace("[", "").replace("]", ""))


def _link(start: int, end: int, words: str, target: str) -> Piece | None:
    """``[words](url)`` or ``[words](P:…)``; ids in the words take precedence."""
    label = words.strip(_SIGNS_AROUND)
    if ID.fullmatch(label):
        return Piece(start, end, "source", label)
    if re.match(ADDRESS, target, re.IGNORECASE):
        return Piece(start, end, "source", _url(target))
    if ID.fullmatch(target):
        return Piece(start, end, "source", target)
    if target.startswith("#") or (words and not target):
        return Piece(start, end, "anchor", label, target)
    is_place = not target.startswith(("mailto:", "tel:", "javascript:")) and re.search(r"[/.:]", target)
    return Piece(start, end, "file", target) if is_place else None


def _url(text: str) -> str:
    name = re.sub(r"^doi:[ ]?", "doi.org/", text, flags=re.IGNORECASE)
    return name if "://" in name[:8] else f"https://{name}"


def _is_power(text: str, start: int, end: int, raised: str) -> bool:
    """True for what is raised and no mark: powers and cents."""
    begin = max(0, start - 24)
    if _PRICE.search(text, begin, start):
        return len(raised) == 2  # cents
    base = _BASE.search(text, begin, start)
    is_unit = base is not None and base["unit"] and not re.search("[23]", raised)  # no unit is raised to 1 or 4
    return bool((base and not is_unit) or re.match(r"[A-Za-z⁺⁻]", text[end : end + 1]))


_GROUPS = re.compile(r"[;；]")
_MEMBERS = re.compile(r"(?:(?<!\s)\s++)?[,，、/&|]\s*+|(?<!\s)\s++\+\s+")
_AND = re.compile(r"(?<!\s)\s++(?:and|und|et|ed?|y|og|och|en|i)\s+|(?:(?<!\s)\s++)?[と和]\s*+", re.IGNORECASE)
_NUMBER = re.compile(r"[#№]?(?P<first>\d{1,4})(?:\s*(?:[-‐‑–—~⁻−]|\bto\b|\bbis\b|à)\s*[A-Za-z]?(?P<last>\d{1,4}))?")
_WORD = re.compile(rf"(?P<word>[^\W\d_]{{1,12}}(?![^\W\d_])\.?|[#^]|{SIGN})[\s:：._-]*(?=\S)")
# As in "1†L3", "1:12", "1 (p. 4)", "1 p.4".
_PLACE = re.compile(r"(?:(?<!\s)\s++)?(?:[†:：(]|(?<=\s)(?:[^\W\d_]{1,5}\.|§)|(?<=[^\W\d_]\s)(?=\d))")
_HIGHEST, _LONGEST_RANGE = 999, 50
Own = Callable[[str], str | None]
"""The label of the lists that is written so."""


class Group(NamedTuple):
    """What the content of a bracket names."""

    labels: dict[str, bool]
    """In order; False for what no list has."""
    word: str
    """Before the labels, such as "see" or "Source"."""

    @property
    def has_number(self) -> bool:
        return any(map(str.isdecimal, self.labels))

    @property
    def is_cited(self) -> bool:
        """True if the lists have all of it."""
        return all(self.labels.values())

    @property
    def may_count(self) -> bool:
        """True without a zero or a year among those that no list has."""
        return all(is_own or 0 < int(label) <= _HIGHEST for label, is_own in self.labels.items())


def read_group(content: str, own: Own) -> Group | None:
    """The labels and numbers that stand in a bracket, with places in the sources behind them; None for prose.

    Groups are apart by semicolons, members by commas or "and". What follows a member and is none is a place: 1, p. 4.
    """
    labels: dict[str, bool] = {}
    first = ""
    for group in _GROUPS.split(content):
        has = False
        for member in _members(group.strip(), own):
            read, word = _labels(member, own), _WORD.match(member)
            if not read and word and (not has or word["word"] == first):
                read, first = _labels(member[word.end() :], own), first or word["word"]
            if not read:
                if has and not member[:1].isdigit():
                    break
                return None
            labels, has = labels | read, True
    return Group(labels, first) if labels else None


def _members(group: str, own: Own) -> list[str]:
    """The members of a group; of "Roe, 2021a, 2021b" the author with each year."""
    if own(group):
        years, author, end, members = [*YEAR.finditer(group)], "", 0, list[str]()
        for year in years:
            before = group[end : year.start()]
            author, end = before if before.strip(" ,") else author, year.end()
            members.append(f"{author}{year[0]}")
        return members if len(years) > 1 else [group]
    members = _MEMBERS.split(group)
    return [part for member in members for part in ([member] if own(member) else _AND.split(member))]


def _labels(member: str, own: Own) -> dict[str, bool]:
    """A label, a number or a range; one that runs backwards is a number with a place: 41-23 is sentence 23 of 41."""
    member = member.strip()
    for text in (member, *(member[: place.start()] for place in _PLACE.finditer(member))):
        if known := own(text):
            return {known: True}
        if number := _NUMBER.fullmatch(text):
            start, last = int(number["first"]), int(number["last"] or 0)
            if last > start + _LONGEST_RANGE:
                return {}
            every = [f"{each}" for each in range(start, max(start, last) + 1)]
            return {own(each) or each: own(each) is not None for each in every}
    return {}

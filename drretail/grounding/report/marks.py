"""What points to a source, by its form: one pattern. Which of them are marks, the report's own lists say."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import FILE_ID, parse_evidence_id
from drretail.grounding.report.page import url_end

UNRESOLVED = "unresolved: "
_DOMAINS = "com|org|net|edu|gov|info|io|example|co|de|uk|fr|it|es|nl|ch|at|eu|jp|kr|cn|ca|au|us|se|pl|br|dev|app|shop"
_DOMAIN = rf"(?:[a-z0-9-]{{1,60}}\.){{1,4}}(?:{_DOMAINS})"
ADDRESS = rf"(?:https?://(?=[^\W_])|(?<![\w@./:-])(?:doi:[ ]?(?=10\.\d)|www\.(?=[^\W_])|{_DOMAIN}(?=/\w)))"
"""The beginning of an address; without a scheme, one with www., doi: or a path."""
_ANY_ID = rf"(?:[POUWC]:[A-Za-z0-9][A-Za-z0-9_@-]{{0,140}}(?:/[A-Za-z0-9_-]{{1,64}})?|{FILE_ID})"
BARE_ID = rf"(?<![\w:/])(?:[PUWC]:[A-Za-z0-9][A-Za-z0-9_@-]{{0,140}}(?:/[A-Za-z0-9_-]{{1,64}})?|{FILE_ID})(?!\w)"
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹†‡"
SQUARE = str.maketrans("【】［］〔〕（）", "[][][]()")
CITES = (
    r"(?:sources?|src|refs?|references?|(?:oai)?cit(?:es?|ed|ations?)|web|file|post|fn|see|cf|vgl|quellen?|fuentes?"
    r"|fontes?|fonti|来源|参考)"
)
"""Words before the number of a source."""
_HIGHEST, _LONGEST_RANGE = 999, 50
_SMALL = r"[#№]?\d{1,3}(?:[ ]?[,;/–-][ ]?\d{1,3}){0,8}"
_RANGE = r"[#№]?\d{1,4}(?:[ \t]*[-‐‑–—~⁻−][ \t]*[A-Za-z]?\d{1,4})?"
GROUP = rf"{_RANGE}(?:\s*(?:[,，；;、/|&]|and)?\s*(?<!\d)(?:{CITES}[\s:]*|[A-Za-z])?{_RANGE})*"
_RAISED = r"[ ]?[\[(]?[\d ,;–-]{1,40}[\])]?[ ]?"
_YEAR = r"(?:19|20)\d\d[a-z]?|n\.d"
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
_TOKEN = re.compile(
    # What products' exports have instead of an address.
    rf"(?P<exported>\ue200[^\ue200\ue201\n]{{1,200}}\ue201?|(?:file)?cite(?:\W?{_TURN})+|\\cite[a-z]{{0,9}}\{{[^{{}}\n]{{1,80}}\}}"
    r"|<(?!cite>)[\w:-]{0,20}(?:cit|ref|card|render|footnote)[\w:-]{0,20}(?:\s[^<>]{0,300}>(?:\s{0,9}<argument[^<>]{0,99}>)?\d{0,4}|>\d{1,4}))"
    r"|<a\b[^<>]{0,500}?href=[\"']?(?P<href>https?://[^\s\"'<>]{1,2000})[\"']?[^<>]{0,500}>[^<>]{0,500}</a>"
    rf"|(?P<domain>[(（\[](?:via |see )?{_DOMAIN}(?:[,+;][ ]?(?:{_DOMAIN}|\d))*[)）\]](?!\())"
    rf"|<(?P<auto>https?://[^\s<>]+)>|(?P<url>{ADDRESS})"
    r"|(?P<bracket>\[(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400}+\]|【[^【】\n]{1,400}】|［[^［］\n]{1,400}］|〔[^〔〕\n]{1,400}〕"
    rf"|[(（]{_ANY_ID}(?:[,;、\s]{{1,3}}{_ANY_ID}){{0,9}}[)）])|(?P<id>{BARE_ID})"
    rf"|(?P<raised><sup>(?:<a\b[^<>]{{0,200}}>)?{_RAISED}(?:</a>)?</sup>"
    rf"|\$?\^(?:\{{{_RAISED}\}}|\d{{1,4}}(?:[,–-]\d{{1,4}})*+\^?)\$?"
    rf"|[{SUPERSCRIPTS}]{{1,6}}(?:[⁻–,][{SUPERSCRIPTS}]{{1,4}})*)"
    # "(Ref. 1)", "It is loud (1).", but not "4.6 ★ (12)"; "so.4 It", as Gemini's reports cite.
    rf"|(?P<named>\b(?:sources?|refs?|references?|quellen?|fuentes?|fontes?)\.?[ ]?[:：][ ]?{_SMALL}(?![\w.%]\w|\w))"
    rf"|(?P<round>[(（]{CITES}[.:：]?[ ]?{_SMALL}[)）]"
    rf"|(?<![\d★⭐+~≈] )(?:(?<=[\w)\]\"”’*%.!?] )|(?<=[)）\u3040-\u9fff])|(?<=[^\W\d_]{{4}}))[(（]{_SMALL}[)）])"
    r"|(?P<loose>(?:(?<=[^\W\d_][.,;:!?])|(?<=[)\]\"”’»*%][.,;:!?])|(?<=[.!?][)\"”’»*])|(?<=[.!?]\*\*)|(?<=[。！？；，]))"
    r"[1-9]\d{0,2}(?:,[ ]?[1-9]\d{0,2}){0,8}(?=[\s|<)]|$))"
    # "(Smith et al., 2018; Ma, 2021)", and the year of "Smith and Jones (2018)".
    rf"|(?P<author>[(（](?:[^()（）\[\]\n/]{{0,300}}?[\W_])??(?:{_YEAR})\b[^()（）\[\]\n/]{{0,200}}[)）])",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\([ \t]*<?(?P<target>[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,20})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
ONLY_LABEL = re.compile(r"\[?\^?(?P<label>[A-Za-z]?\d{1,4})\]?")
ID = re.compile(_ANY_ID)
# [1], [1-3; 5], [1/2], [Source 3], [S2, S3], [1, p. 4], [1†L3]
_NUMBERS = re.compile(
    rf"\s*(?P<word>[^\W\d_]{{1,12}}[\s:：._-]{{0,2}}(?=\d))?(?P<numbers>{GROUP})(?P<place>\s*(?:†|[,，:：]\s*\D|[:：]|\().{{0,80}})?\s*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?P<letter>[A-Za-z]?)(?P<first>\d{1,4})(?:[ \t]*[-‐‑–—~⁻−][ \t]*[A-Za-z]?(?P<last>\d{1,4}))?")
_WORD_THAT_CITES = re.compile(rf"(?:{CITES})?[\s:：._-]*", re.IGNORECASE)
# A raised number behind a unit, a digit, a letter or a term is a power: m², 10³, R², (70/130)². A price has none.
_BASE = re.compile(
    r"(?:(?<![\d.,])\d{1,2}|\.\d{1,4}|(?<![A-Za-z0-9À-ɏ°])(?<!\d )[A-Za-zα-ω]|[⁺⁻}]"
    r"|(?<![A-Za-zÀ-ɏ])(?P<unit>[kcdmnµ]?m|ft|in|mi|yd)|\([\w.]{1,9} ?[+*/×·^−] ?[\w.]{1,9}\))\$?$"
)
_ENDS_CLAUSE = re.compile(r"[ \t]*(?:[.,;:!?。，|(（<\n]|$)")
_BEGINS_LINE = re.compile(r"(?:^|\n)[ \t>*_+-]*$")
_CENTS = re.compile(r"[$€£¥₹][ ]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]*[.,]?(?:<sup>\d\d</sup>|\^\d\d\^?|[⁰¹²³⁴⁵⁶⁷⁸⁹]{2})$")
_PRICE = re.compile(r"[$€£¥₹][ ]?\d[\d.,]*$")
_AUTHOR_AND_YEAR = re.compile(rf"(?P<author>[^;；]{{0,300}}?)(?P<year>\b(?:{_YEAR}))")
_AUTHORED = re.compile(
    rf"[(（]\W*(?:see |cf\.? )?[A-ZÀ-Þ][^\d;]{{1,80}}(?:,|et al\.?,?|(?:&|and) [A-ZÀ-Þ]\w+,?) ?(?:{_YEAR})\b"
)

Shape = Literal["sure", "square", "raised", "word", "round", "open", "loose", "cell", "author", "link"]


class Mark(NamedTuple):
    """``report[start:end]``; one whose shape is not sure counts if the report's list has it, or others of its shape."""

    start: int
    end: int
    targets: tuple[str, ...]
    """URLs, evidence ids, or labels of entries ("3", "^note", "foo", "smith 2018")."""
    shape: Shape = "sure"

    @property
    def labels(self) -> list[str]:
        return [target for target in self.targets if "://" not in target and not ID.fullmatch(target)]

    @property
    def numbers(self) -> list[int]:
        return [int(label) for label in map(plain_label, self.labels) if label.isdecimal()]

    @property
    def may_count(self) -> bool:
        """True for numbers of sources: intervals and years are none."""
        return bool(self.numbers) and 0 not in self.numbers and max(self.numbers) <= _HIGHEST


def folded_label(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3`` → ``source3``, ``⁰³`` → ``3``."""
    label = re.sub(r"[\s:：._+-]+", "", unicodedata.normalize("NFKC", label).casefold())
    return str(int(label)) if label.isdecimal() else label


def plain_label(label: str) -> str:
    """The number of a label, without the word, letter or sign before it."""
    return folded_label(re.sub(rf"^(?:\^|{CITES}|[a-z])(?=\d)", "", folded_label(label)))


def find_marks(text: str, *, wide: bool = False) -> Iterator[Mark]:
    """Every mark of a text in order, none inside another; ``wide`` allows ideographs in plain addresses."""
    position = 0
    while token := _TOKEN.search(text, position):
        start, end = token.span()
        position, targets, shape = start + 1, (token[0],), "sure"
        kind = token.lastgroup
        if kind == "bracket":
            start, end, targets, shape = _bracket(text, start, end)
        elif kind == "url":
            end = url_end(text, token.end(), wide=wide)
            targets = (_url(text[start:end]),)
        elif kind in ("href", "auto"):
            targets = (token[kind],)
        elif kind == "id":
            shape = "word"
        elif kind == "domain":
            targets, shape = (token[0][1:-1],), "link"
        elif kind == "exported":
            names = re.findall(_TURN, token[0]) or re.findall(r"(?<=>)\d+$", token[0]) or [token[0]]
            targets = tuple(dict.fromkeys(names))
        elif kind == "named":
            targets, shape = numbered(re.sub(r"^[^\W\d]+", "", token[0])), "author"
        elif kind == "loose":
            targets, shape = numbered(token[0]), "loose"
        elif kind == "round":
            is_word = token[0][1:2].isalpha()
            targets, shape = (
                numbered(token[0]),
                "sure" if is_word else "round" if _ENDS_CLAUSE.match(text, end) else "open",
            )
        elif kind == "author":
            targets, shape = tuple(_authors(text, start, end)), "sure" if _AUTHORED.match(token[0]) else "author"
        elif "http" in token[0] or _is_power(text, start, end, token[0]):
            targets, position = (), start + 1 if "http" in token[0] else end
        else:
            number = unicodedata.normalize("NFKC", re.sub(r"<[^<>]*>", "", token[0]))
            is_note = _BEGINS_LINE.search(text, max(0, start - 9), start) or _CENTS.search(
                text, max(0, start - 24), end
            )
            is_dagger = set(number) <= {"†", "‡"}
            targets = (number,) if is_dagger else numbered(number)
            shape = "sure" if is_dagger else "word" if is_note else "raised"
        if targets:
            yield Mark(start, end, targets, shape)
            position = end


def _is_power(text: str, start: int, end: int, raised: str) -> bool:
    begin = max(0, start - 24)
    base = None if _PRICE.search(text, begin, start) else _BASE.search(text, begin, start)
    is_unit = base is not None and base["unit"] and not re.search("[23²³]", raised)  # no unit is raised to 1 or 4
    return bool((base and not is_unit) or re.match(r"[A-Za-z⁺⁻]", text[end : end + 1]))


def _url(text: str) -> str:
    name = re.sub(r"^doi:[ ]?", "doi.org/", text, flags=re.IGNORECASE)
    return name if "://" in name[:8] else f"https://{name}"


def _authors(text: str, start: int, end: int) -> Iterator[str]:
    """An author with each year; in "Roe, 2021a, 2021b" the last one, in "Roe (2021)" the words before."""
    author = text[max(0, start - 60) : start]
    for part in _AUTHOR_AND_YEAR.finditer(text, start + 1, end - 1):
        author = part["author"] if part["author"].strip(" ,;") else author
        yield f"{author} {part['year']}"


def _bracket(text: str, start: int, end: int) -> tuple[int, int, tuple[str, ...], Shape]:
    """The mark of a bracket, with the address behind it; without targets if it is none."""
    words = text[start + 1 : end - 1]
    if link := _TARGET.match(text, end):
        return start, link.end(), *_of_link(words.strip(), link["target"])
    if "](" in words or re.search(ADDRESS, words, re.IGNORECASE):  # [[1](https://…)]: what is within is the mark
        return start, end, (), "word"
    if words.endswith("\\") and text.endswith("\\", 0, start):  # \[1\], as editors escape what is pasted
        start, words = start - 1, words[:-1]
    return start, end, *_in_bracket(words.translate(SQUARE).replace("[", "").replace("]", ""))


def _of_link(words: str, target: str) -> tuple[tuple[str, ...], Shape]:
    """``[words](url)`` or ``[words](P:…)``; ids in the words take precedence. ``[3](#ref-3)`` refers to an entry."""
    ids, shape = _ids(words)
    if shape == "sure":
        return ids, shape
    if re.match(ADDRESS, target, re.IGNORECASE):
        return (_url(target),), "sure"
    if ID.fullmatch(target):
        return (target,), "sure"
    if (words and not target) or (ONLY_LABEL.fullmatch(words) and target.startswith("#")):
        return (words.strip("[]"),), "word" if target else "link"
    is_place = target[:1] != "#" and not target.startswith(("mailto:", "tel:")) and re.search(r"[/.:]", target)
    return (target,) if is_place else (), "link"  # a file or a path


def _in_bracket(content: str) -> tuple[tuple[str, ...], Shape]:
    """The targets of a bracket's content, and its shape."""
    if content.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
        return (content.removeprefix(UNRESOLVED),), "sure"
    if content[:1] in ("^", "@") and " " not in content[1:]:
        return (content[0] + content[1:].strip("^").casefold(),), "sure"
    ids, shape = _ids(content)
    parts = [_NUMBERS.fullmatch(part) for part in re.split(r"[;；]", content)]
    words = [(part["word"] or "") if part else "-" for part in parts]
    if ids or not re.search(r"\w", content):
        return ids, shape
    if all(parts) and all(len(word) == 1 or _WORD_THAT_CITES.fullmatch(word) for word in words):
        numbers = (word * (len(word) == 1) + part["numbers"] for word, part in zip(words, parts, strict=True) if part)
        is_sure = "†" in content or any(len(word) > 1 for word in words)
        return numbered("; ".join(numbers)), "sure" if is_sure else "square"
    authors = tuple(_authors(f"[{content}]", 0, len(content) + 2))
    is_word = re.search(r"[^\W\d_]", content)
    return authors or ((content,) if is_word else ()), "sure" if _AUTHORED.match(f"({content}") else "word"


def numbered(content: str) -> tuple[str, ...]:
    """The labels that numbers and ranges name, each once; none for a range that runs too far. What runs backwards is no
    range, but a number with a place: Claude's ``[41-23]`` is sentence 23 of source 41.
    """
    labels: dict[str, None] = {}
    for number in _NUMBER.finditer(content):
        first, last = int(number["first"]), int(number["last"] or 0)
        if last > first + _LONGEST_RANGE:
            return ()
        labels |= dict.fromkeys(f"{number['letter']}{each}" for each in range(first, max(first, last) + 1))
    return tuple(labels)


def _ids(content: str) -> tuple[tuple[str, ...], Shape]:
    """The ids in a bracket; sure if it has nothing else, so that invented ids are found too."""
    parts = re.findall(r"[^\s,;|，；、]+", content)
    ids = [part for part in parts if ID.fullmatch(part)]
    is_only = bool(ids) and len(ids) == len(parts)
    return tuple(
        part for part in dict.fromkeys(ids) if is_only or parse_evidence_id(part)
    ), "sure" if is_only else "word"

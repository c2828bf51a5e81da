"""The marks of a text by their form: brackets, raised numbers, links, addresses, ids. Other forms ("(1)", "so.4", "in
2019") mean something else in most texts, and are marks only where the report's own list has them.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import FILE_ID, parse_evidence_id
from drretail.grounding.report.page import lines, url_end
from drretail.grounding.report.references import (
    ADDRESS,
    BARE_ID,
    SQUARE,
    SUPERSCRIPTS,
    References,
    folded_label,
    is_source_heading,
    plain_label,
)

UNRESOLVED = "unresolved: "
ONLY_LABEL = re.compile(r"\[?\^?(?P<label>[A-Za-z]?\d{1,4})\]?")
_HIGHEST = 999
_FEWEST_UNLISTED = 3
_LONGEST_RANGE = 50
_LEAST_RESOLVED = 0.8
"""The share of loose numbers that must be entries: of numbers that mean something else, fewer are."""
_ANY_ID = rf"(?:[POUWC]:[A-Za-z0-9][A-Za-z0-9_@-]{{0,140}}(?:/[A-Za-z0-9_-]{{1,64}})?|{FILE_ID})"
_BRACKET = (
    r"\[(?:[^\[\]\n]|\[[^\[\]\n]{0,400}\]){0,400}+\]|【[^【】\n]{1,400}】|［[^［］\n]{1,400}］|〔[^〔〕\n]{1,400}〕"
)
_TARGET = re.compile(
    r"\([ \t]*<?(?P<target>[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,20})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
_EXPORTED = (
    rf"\ue200?(?:file)?cite(?:\ue202?{_TURN})+\ue201?|:contentReference\[oaicite:\d{{1,4}}\]\{{index=\d{{1,4}}\}}"
    r"|<grok(?::render|-card)\b[^<>]{0,300}>\s{0,9}(?:<argument[^<>]{0,99}>\d{1,4}</argument>)?\s{0,9}</grok[^<>]{0,9}>"
)
"""What products' exports have instead of an address."""
_TOKEN = re.compile(
    rf"(?P<exported>{_EXPORTED})"
    r"|<a\b[^<>]{0,500}?href=[\"']?(?P<href>https?://[^\s\"'<>]{1,2000})[\"']?[^<>]{0,500}>[^<>]{0,500}</a>"
    rf"|<(?P<auto>https?://[^\s<>]+)>|(?P<url>{ADDRESS})|(?P<bracket>{_BRACKET}|[(（]{_ANY_ID}(?:[,;、\s]{{1,3}}{_ANY_ID}){{0,9}}[)）])|(?P<id>{BARE_ID})"
    rf"|(?P<raised><sup>\s?(?:<a\b[^<>]{{0,200}}>)?\[?[\d ,;–-]{{1,40}}\]?(?:</a>)?\s?</sup>|\^[\d ,;–-]{{1,40}}\^"
    rf"|[{SUPERSCRIPTS}]{{1,6}}(?:[⁻–,][{SUPERSCRIPTS}]{{1,4}})*)",
    re.IGNORECASE,
)
_ID = re.compile(_ANY_ID)
_RANGE = r"\d{1,4}(?:[ \t]*[-–—~⁻−][ \t]*\d{1,4})?"
# [1], [1-3; 5], [1/2], [Source 3], [1, p. 4], [1†L3]
_NUMBERS = re.compile(
    rf"\s*(?P<word>[^\W\d_]{{1,12}}[\s:：._-]{{0,2}})?(?P<numbers>{_RANGE}(?:\s*(?:[,，；、/|&]|and)?\s*(?<!\d){_RANGE})*)"
    r"(?P<place>\s*(?:†|[,，:]\s*\D|:|\().{0,80})?\s*",
    re.IGNORECASE,
)
_ONLY_NUMBERS = re.compile(rf"[ \t]*(?P<numbers>{_RANGE}(?:[ \t]*[,;][ \t]*{_RANGE})*)[ \t]*")
_NAMES = re.compile(r"cit|web|file|post|source|ref", re.IGNORECASE)
# A raised number behind a unit, a digit, a letter or a term is a power: m², 10³, R², (70/130)². A price has none.
_BASE = re.compile(
    r"(?:(?<![\d.,])\d{1,2}|\.\d{1,4}|(?<![A-Za-z0-9À-ɏ])[A-Za-zα-ω]|(?<![A-Za-zÀ-ɏ])(?:[kcdmnµ]?m|ft|in|mi|yd)|[⁺⁻]"
    r"|\([\w.]{1,9} ?[+*/×·^−] ?[\w.]{1,9}\))$"
)
_PRICE = re.compile(r"[$€£¥₹][ ]?\d[\d.,]*$")
_LOOSE = re.compile(
    r"(?:(?<=[^\W\d_][.,;:!?])|(?<=[)\]\"”’»*%][.,;:!?])|(?<=[.!?][)\"”’»*])|(?<=[.!?]\*\*)|(?<=[。！？；，]))"
    r"[1-9]\d{0,2}(?:,[ ]?[1-9]\d{0,2}){0,8}(?=[\s|<)]|$)"
    r"|(?:(?<=[\w)\"”’*%] )|(?<=[)）]))[(（](?:source |来源)?[1-9]\d{0,2}(?:[ ]?[,;–-][ ]?\d{1,3}){0,8}[)）]"
    r"(?=[ \t]*(?:[.,;:!?。，|(\n]|$))",
    re.IGNORECASE,
)
_YEAR = r"(?:19|20)\d\d[a-z]?|n\.d"
_AUTHORED = re.compile(rf"[(（\[][^()（）\[\]\n]{{0,300}}?(?:{_YEAR})[^()（）\[\]\n]{{0,200}}[)）\]]")
_AUTHOR_AND_YEAR = re.compile(rf"(?P<author>[^;；]{{0,300}}?)(?P<year>\b(?:{_YEAR}))")
_ENDS_CLAUSE = re.compile(r"[ \t]*(?:[.,;:!?。，；、|)\[\n]|$)")
_BEHIND_STOP = re.compile(r"[.!?…。！？][\"”’)*_]{0,3}[ ]?$")
_BAR = re.compile(r"(?<!\\)\|")


class Target(NamedTuple):
    """A URL, an evidence id, or the label of an entry ("3", "^note", "foo", "smith 2019")."""

    kind: Literal["url", "id", "label"]
    value: str


class Mark(NamedTuple):
    """``report[start:end]``; an uncertain mark counts only if a target is known."""

    start: int
    end: int
    targets: tuple[Target, ...]
    is_certain: bool = True
    block: tuple[int, int] | None = None
    """The span above that a line of nothing but sources belongs to."""

    @property
    def numbers(self) -> list[int]:
        labels = (plain_label(target.value) for target in self.targets if target.kind == "label")
        return [int(label) for label in labels if label.isdecimal()]


def find_marks(text: str, *, wide: bool = False) -> Iterator[Mark]:
    """Every mark of a text in order, none inside another; ``wide`` allows ideographs in plain addresses."""
    position = 0
    while token := _TOKEN.search(text, position):
        start, end = token.span()
        position, targets, is_certain = start + 1, tuple[Target, ...](), True
        if token["bracket"]:
            start, end, targets, is_certain = _bracket(text, start, end)
        elif token["url"]:
            end = url_end(text, start, wide=wide)
            targets = (_url(text[start:end]),)
        elif token["href"] or token["auto"]:
            targets = (_url(token["href"] or token["auto"]),)
        elif token["id"]:
            targets, is_certain = (Target("id", token["id"]),), False
        elif token["exported"]:
            names = re.findall(_TURN, token[0]) or re.findall(r"(?<=[>:])\d+", token[0]) or ["card"]
            targets = tuple(Target("label", name) for name in dict.fromkeys(names))
        elif not _is_power(text, start, position := end):
            number = unicodedata.normalize("NFKC", re.sub(r"<[^<>]*>", "", token[0]))
            targets = _numbered(number) if re.search(r"\d", number) else (Target("label", number),)
            is_certain = False
        if targets:
            yield Mark(start, end, targets, is_certain)
            position = end


def _is_power(text: str, start: int, end: int) -> bool:
    begin = max(0, start - 24)
    is_base = _BASE.search(text, begin, start) and not _PRICE.search(text, begin, start)
    return bool(is_base or re.match(r"[A-Za-z⁺⁻]", text[end : end + 1]))


def _url(text: str) -> Target:
    return Target("url", text if "://" in text[:8] else f"https://{text}")


def _bracket(text: str, start: int, end: int) -> tuple[int, int, tuple[Target, ...], bool]:
    """The mark of a bracket, with the address behind it; without targets if it is none."""
    words = text[start + 1 : end - 1]
    if link := _TARGET.match(text, end):
        return start, link.end(), _of_link(words.strip(), link["target"]), link["target"][:1] != "#"
    if "](" in words or re.search(ADDRESS, words, re.IGNORECASE):  # [[1](https://…)]: what is within is the mark
        return start, end, (), False
    if words.endswith("\\") and text.endswith("\\", 0, start):  # \[1\], as editors escape what is pasted
        start, words = start - 1, words[:-1]
    return start, end, *_in_bracket(words.translate(SQUARE).replace("[", "").replace("]", ""))


def _of_link(words: str, target: str) -> tuple[Target, ...]:
    """``[words](url)`` or ``[words](P:…)``; ids in the words take precedence. ``[3](#ref-3)`` refers to an entry."""
    ids, is_only = _ids(words)
    label = ONLY_LABEL.fullmatch(words)
    if ids and is_only:
        return ids
    if re.match(r"https?://|www\.", target, re.IGNORECASE):
        return (_url(target),)
    if _ID.fullmatch(target):
        return (Target("id", target),)
    is_label = (words and not target) or (label and target.startswith("#"))
    return (Target("label", folded_label(label["label"] if label else words)),) if is_label else ()


def _in_bracket(content: str) -> tuple[tuple[Target, ...], bool]:
    """The targets of a bracket's content, and whether it can mean nothing else."""
    if content.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
        return (Target("id", content.removeprefix(UNRESOLVED)),), True
    if content.startswith("^") and " " not in content[1:]:
        return (Target("label", "^" + content.strip("^").casefold()),), True
    ids, is_only = _ids(content)
    if ids and is_only:
        return ids, True
    if re.fullmatch(r"\s*[A-Za-z]\d{1,4}(?:[\s,;]+[A-Za-z]\d{1,4})+\s*", content):  # [S2, S3]
        return tuple(Target("label", label) for label in content.casefold().replace(",", " ").split()), False
    parts = [_NUMBERS.fullmatch(part) for part in re.split(r"[;；]", content)]
    if all(parts):
        numbered = (_numbered(part["numbers"], (part["word"] or "").strip()) for part in parts if part)
        is_named = any(
            _NAMES.match(part["word"] or "") or (part["place"] or "").strip()[:1] == "†" for part in parts if part
        )
        return tuple(dict.fromkeys(target for targets in numbered for target in targets)), is_named
    is_word = not ids and re.search(r"[^\W\d_]", content)
    return (Target("label", folded_label(content)),) if is_word else ids, False


def _numbered(content: str, word: str = "") -> tuple[Target, ...]:
    """The labels that numbers and ranges name, each once; none for a range that runs too far. What runs backwards is no
    range, but a number with a place: Claude's ``[41-23]`` is sentence 23 of source 41.
    """
    numbers: dict[int, None] = {}
    for part in re.findall(_RANGE, content):
        first, *last = [int(number) for number in re.findall(r"\d+", part)]
        if last and last[0] > first + _LONGEST_RANGE:
            return ()
        numbers |= dict.fromkeys(range(first, max([first, *last]) + 1))
    return tuple(Target("label", folded_label(f"{word}{number}")) for number in numbers)


def _ids(content: str) -> tuple[tuple[Target, ...], bool]:
    """The ids in a bracket; whether it has nothing else, so that invented ids are found too."""
    parts = re.findall(r"[^\s,;|，；、]+", content)
    ids = [part for part in parts if _ID.fullmatch(part)]
    is_only = len(ids) == len(parts)
    return tuple(Target("id", part) for part in dict.fromkeys(ids) if is_only or parse_evidence_id(part)), is_only


def is_meant(mark: Mark, references: References, highest: int) -> bool:
    """True if the labels of a mark refer to a list, whose numbers go up to ``highest``: intervals do not."""
    numbers = mark.numbers
    if any(references.entry(target.value, mark.start) for target in mark.targets if target.kind == "label"):
        return 0 not in numbers or references.entry("0", mark.start) is not None
    return 0 < len(numbers) <= highest and 0 not in numbers and max(numbers) <= _HIGHEST


def highest_unlisted(text: str, marks: list[Mark]) -> int:
    """The highest number of a report without a list whose numbers in brackets can only be marks: several, behind
    clauses, and 1 among them.
    """
    alone = [
        mark.numbers
        for mark in marks
        if mark.numbers and text[mark.start] in "[【" and 0 not in mark.numbers and max(mark.numbers) <= _HIGHEST
        if _ENDS_CLAUSE.match(text, mark.end) or _BEHIND_STOP.search(text, max(0, mark.start - 6), mark.start)
    ]
    numbers = {number for each in alone for number in each}
    return max(numbers) if len(alone) >= _FEWEST_UNLISTED and len(numbers) > 1 and 1 in numbers else 0


def split_raised(mark: Mark, references: References) -> Mark:
    """A raised ``¹²`` as 1 and 2, if the list is shorter."""
    label = mark.targets[0].value
    is_raised = mark.end - mark.start == len(label) and label.isdecimal() and not references.entry(label, mark.start)
    if not is_raised or not all(references.entry(digit, mark.start) for digit in label):
        return mark
    return mark._replace(targets=tuple(Target("label", digit) for digit in dict.fromkeys(label)))


def marks_in_columns(text: str, references: References) -> Iterator[Mark]:
    """The cells with only numbers in columns whose head names sources."""
    columns: list[int] = []
    for start, end in lines(text) if references.numbers else ():
        edges = [start - 1, *(bar.start() for bar in _BAR.finditer(text, start, end)), end]
        cells = [*pairwise(edges)] if len(edges) > 2 else []
        if not columns or not cells:
            columns = [at for at, (left, right) in enumerate(cells) if is_source_heading(text[left + 1 : right])]
        for at, (left, right) in enumerate(cells):
            number = _ONLY_NUMBERS.fullmatch(text, left + 1, right) if at in columns else None
            targets = _numbered(number["numbers"]) if number else ()
            if number and targets and all(references.entry(target.value, start) for target in targets):
                yield Mark(*number.span("numbers"), targets, False)


def marks_by_author(text: str, references: References) -> Iterator[Mark]:
    """ "(Smith et al., 2018; Ma, 2021)", and the year of "Smith and Jones (2018)", where a list has these."""
    for match in _AUTHORED.finditer(text) if references.has_years else ():
        labels: dict[str, None] = {}
        author = text[max(0, match.start() - 60) : match.start()]
        for part in _AUTHOR_AND_YEAR.finditer(text, match.start() + 1, match.end() - 1):
            author = part["author"] if part["author"].strip(" ,") else author  # "Roe, 2021a, 2021b"
            labels |= dict.fromkeys(references.labels_by_author(author, part["year"]))
        if labels:
            yield Mark(*match.span(), tuple(Target("label", label) for label in labels))


def loose_marks(text: str, references: References) -> list[Mark]:
    """Numbers behind stops and in round brackets, in a report whose list nothing else refers to."""
    marks = [Mark(*match.span(), _numbered(match[0])) for match in _LOOSE.finditer(text)]
    resolved = [mark for mark in marks if mark.targets and all(references.entry(to.value, 0) for to in mark.targets)]
    return resolved if 1 < len(resolved) >= _LEAST_RESOLVED * len(marks) else []

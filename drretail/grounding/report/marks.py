"""Citations in every form: in brackets, links and addresses, and in other forms that a report's own list makes
certain.

What a mark covers is one rule, in what_a_mark_covers.md: prompts for writers and judges quote it word for word, and
text/layout.py follows it.

In most texts these forms mean something else ("in 2010", "m²", "4.5", "first (1) price, then (2) weight"), so that one
counts only if its numbers or names are entries of the list. Raised numbers occur beside brackets in many reports. Of
the loose forms, a report is assumed to use one at most, and only if it outnumbers all other marks, links included.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

from drretail.grounding.report.evidence_ids import FILE_ID, parse_evidence_id
from drretail.grounding.report.markup import CARD, CITE_TAG, URL_START, closing_brackets, url_end, url_run
from drretail.grounding.report.reference_list import NAMED, References, author_and_year

_RULE = Path(__file__).with_name("what_a_mark_covers.md")
_START = re.compile(r"(?i:https?)://(?=[^\W_])|[\[【［〔]")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>", re.IGNORECASE)
_TARGET_OPENS = re.compile(r"\([ \t]*<?")
_NO_TARGET = re.compile(r"\([ \t]*\)")
_TARGET_CLOSES = re.compile(r">?(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)")
_ID = re.compile(rf"[POUWC]:[A-Za-z0-9][A-Za-z0-9_@-]{{0,140}}(?:/[A-Za-z0-9_-]{{1,64}})?|{FILE_ID}")
_SEPARATORS = re.compile(r"[\s,;|，；、]+")
_RANGE = r"\d{1,4}(?:[ \t]*[-–—~⁻][ \t]*\d{1,4})?"
_NUMBERS = re.compile(rf"[ \t]*{_RANGE}(?:[ \t]*[,;，；、][ \t]*{_RANGE})*[ \t]*")
_NAMED_NUMBER = re.compile(rf"(?<!\w){NAMED}(?=\d)", re.IGNORECASE)
# A link within the page is a mark if its words are only a label: [[2]](#ref-2), [S3](#s3).
_IN_PAGE = re.compile(r"#[^\s()]{0,200}\)")
# [^1^][3]: the second number is the reference, the first the one that is shown.
_FOOTNOTE_AND_LINK = re.compile(r"\[\^(?:(?P<number>\d{1,4})\^?\]\[(?P=number)|\d{1,4}\^\]\[(?P<key>\d{1,4}))\]")
# What products' exports have instead of an address: OpenAI's tokens, with or without private characters, and cards
# of Grok.
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
_EXPORTED = re.compile(
    rf"\ue200?(?:file)?cite(?:\ue202?{_TURN})+\ue201?|{CARD}"
    r"|:contentReference\[oaicite:(?P<reference>\d{1,4})\]\{index=\d{1,4}\}"
)
_SURELY_NAMED = re.compile(r"\s*(?:cit(?:ation|e)|web|file|post):", re.IGNORECASE)  # [citation:3], Perplexity's [web:3]
_RUN = r"(?:\[[1-9]\d{0,2}(?:[ ]?[,–-][ ]?\d{1,3}){0,9}\][ ]?){1,9}"
_BESIDE_END = re.compile(
    rf"[.!?…。！？][\"”’)*_]{{0,3}}[ ]?{_RUN}(?=[\s|]|(?<=[ ])\S|$)"
    rf"|[\w%)\"”’*`][ ]?{_RUN}(?=[ \t]*(?:[.,;:!?。，；、|\n]|$))"
)
_FEWEST_UNLISTED = 3
_DOUBLED = re.compile(r"\[[^\[\]]{1,80}\]")  # [[1]], without an address
_ONLY_LABEL = re.compile(r"\[?\^?(?P<label>[A-Za-z]?\d{1,4})\]?")
UNRESOLVED = "unresolved: "
_LABELS = re.compile(r"(?<!\w)[A-Za-z]\d{1,4}(?!\w)")  # [S2, S3]
_LONGEST_RANGE = 50
_LONGEST_CONTENT = 400


@cache
def what_a_mark_covers() -> str:
    """The rule with its examples, for prompts."""
    return _RULE.read_text(encoding="utf-8").strip()


@dataclass(frozen=True, slots=True)
class Target:
    """A URL, an evidence id, or the label of an entry ("3", "^note", "foo")."""

    kind: Literal["url", "id", "label"]
    value: str


@dataclass(frozen=True, slots=True)
class Mark:
    """``text[start:end]`` refers to the targets; an uncertain mark counts only if a target is known."""

    start: int
    end: int
    targets: tuple[Target, ...]
    certain: bool = True


def link_words(marker: str, source: str) -> str:
    """The words of a link, which belong to the sentence; none for ``[[3]](url)``, or if they are the source."""
    words, arrow, _ = marker[1:].partition("](")
    return words if arrow and source not in words and not _ONLY_LABEL.fullmatch(words) else ""


def find_marks(text: str, *, wide: bool = False) -> Iterator[Mark]:
    """Every mark in text order, none inside another; ``wide`` allows ideographs in plain URLs."""
    closing = closing_brackets(text)
    position = 0
    while start := _START.search(text, position):
        begin = start.start()
        if len(start[0]) == 1:
            mark = _bracket(text, begin, closing)
        elif begin and text[begin - 1] == "<" and (match := _AUTOLINK.match(text, begin - 1)):
            mark = Mark(match.start(), match.end(), (Target("url", match[1]),))
        else:
            end = url_end(text, begin, wide=wide)
            mark = Mark(begin, end, (Target("url", text[begin:end]),))
        if mark is not None:
            yield mark
        position = mark.end if mark else begin + 1


def exported_marks(report: str, text: str) -> Iterator[Mark]:
    """The marks of products' exports, which number sources in their own way; ``text`` is the report's prose."""
    index = None
    for tag in CITE_TAG.finditer(report):
        if tag["close"] and index and text.startswith("</", tag.start()):
            numbers = dict.fromkeys(re.findall(r"(\d+)(?:-\d+)?", index))
            yield Mark(*tag.span(), tuple(Target("label", number) for number in numbers))
        index = tag["index"]
    for token in _EXPORTED.finditer(text):
        names = re.findall(_TURN, token[0]) or [token["card"] or token["reference"] or "card"]
        yield Mark(*token.span(), tuple(Target("label", name) for name in dict.fromkeys(names)))


def unlisted_numbers(text: str) -> list[int]:
    """The bracketed numbers that can only be marks in a report without a list: several, at the ends of clauses."""
    runs = _BESIDE_END.findall(text)
    numbers = [int(number) for run in runs for number in re.findall(r"\d+", run[1:])]
    return numbers if len(runs) >= _FEWEST_UNLISTED and len({*numbers}) > 1 and 1 in numbers else []


def _bracket(text: str, start: int, closing: dict[int, int]) -> Mark | None:
    close = closing.get(start)
    if close is None:
        return None
    link = _link(text, start, close)
    if link is not None:
        return link
    if close - start > _LONGEST_CONTENT:
        return None
    content = text[start + 1 : close]
    if "](" in content or URL_START.search(content):  # [[1](https://…)], [https://…]: what is within is the mark
        return None
    if _DOUBLED.fullmatch(content):
        content = content[1:-1]
    if content.endswith("\\") and text.endswith("\\", 0, start):  # \[1\], as editors escape what is pasted
        start, content = start - 1, content[:-1]
    targets, certain = _content(content)
    if both := _FOOTNOTE_AND_LINK.match(text, start):
        return Mark(start, both.end(), (Target("label", both["key"]),) if both["key"] else targets)
    return Mark(start, close + 1, targets, certain) if targets else None


def _link(text: str, start: int, close: int) -> Mark | None:
    """``[text](url)`` or ``[text](P:…)``; ids in the text take precedence over the URL.

    ``[text]()`` refers to the entry of that label, or to nothing.
    """
    opens = _TARGET_OPENS.match(text, close + 1)
    if opens is None:
        return None
    label = text[start + 1 : min(close, start + _LONGEST_CONTENT)].strip()
    if label and (empty := _NO_TARGET.match(text, close + 1)):
        return Mark(start, empty.end(), (Target("label", label.casefold()),))
    if URL_START.match(text, opens.end()):
        target, end = "url", url_run(text, opens.end(), wide=True)
    elif match := _ID.match(text, opens.end()):
        target, end = "id", match.end()
    elif (in_page := _IN_PAGE.match(text, opens.end())) and (named := _ONLY_LABEL.fullmatch(label)):
        return Mark(start, in_page.end(), (Target("label", named["label"].casefold()),), certain=False)
    else:
        return None
    closes = _TARGET_CLOSES.match(text, end)
    if closes is None:
        return None
    ids, certain = _ids(text[start + 1 : min(close, start + _LONGEST_CONTENT)])
    if ids and certain:
        return Mark(start, closes.end(), ids)
    return Mark(start, closes.end(), (Target(target, text[opens.end() : end]),))


def _content(content: str) -> tuple[tuple[Target, ...], bool]:
    """The targets of a bracket's content, and whether it can mean nothing else."""
    if content.startswith("^") and len(content) > 1 and " " not in content:
        return (Target("label", content.casefold()),), True
    if content.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
        return (Target("id", content.removeprefix(UNRESOLVED)),), True
    numbers, dagger, _ = _NAMED_NUMBER.sub("", content).partition("†")
    if _NUMBERS.fullmatch(numbers):
        return numbered_targets(numbers), bool(dagger or _SURELY_NAMED.match(content))
    ids, certain = _ids(content)
    if ids:
        return ids, certain
    labels = _LABELS.findall(content) if _LABELS.sub("", content).strip(" \t,;，；、") == "" else [content.strip()]
    return tuple(Target("label", label.casefold()) for label in labels if label), False


def numbered_targets(content: str) -> tuple[Target, ...]:
    """The labels that numbers and ranges name, each once; none for a range that runs backwards or too far."""
    numbers: dict[int, None] = {}
    for part in re.findall(_RANGE, content):
        first, *last = [int(number) for number in re.findall(r"\d+", part)]
        if last and not first < last[0] <= first + _LONGEST_RANGE:
            return ()
        numbers |= dict.fromkeys(range(first, (last[0] if last else first) + 1))
    return tuple(Target("label", str(number)) for number in numbers)


def _ids(content: str) -> tuple[tuple[Target, ...], bool]:
    """The ids in a bracket; certain if it has nothing else, so that invented ids are found too."""
    parts = [part for part in _SEPARATORS.split(content) if part]
    ids = [part for part in parts if _ID.fullmatch(part)]
    certain = len(ids) == len(parts)
    known = ids if certain else [part for part in ids if parse_evidence_id(part)]
    return tuple(Target("id", part) for part in dict.fromkeys(known)), certain


_NUMERALS = r"[1-9]\d{0,3}(?:[ ]?[–-][ ]?\d{1,4})?(?:[ ]?[,;，；、][ ]?\d{1,4}(?:[ ]?[–-][ ]?\d{1,4})?){0,20}"
_TIGHT = r"[1-9]\d{0,2}(?:,[ ]?[1-9]\d{0,2}){0,8}"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LEAST_RESOLVED = 0.8
"""The share of a loose form's marks that must be entries; of numbers that mean something else, fewer are."""
_FEWEST_BEHIND_WORDS, _FEWEST_DIFFERENT = 5, 3
"""The least count of marks like ``fitting7.``, and of different numbers in them: names end in a number, too."""
_LONGEST_NAME = 5
"""The most words in an organisation's name."""

# Units, one or two digits, decimals, single letters and terms have powers: m², 7m³, 10³, 2.54², R² (also 的R²),
# (70/130)². A year has a mark.
_BASE = re.compile(
    r"(?:(?<![\d.,])\d{1,2}|\.\d{1,4}|(?<![A-Za-z0-9À-ɏ])[A-Za-zα-ω]|(?<![A-Za-zÀ-ɏ])(?:[kcdmnµ]?m|ft|in|mi|yd)|[⁺⁻]"
    r"|\((?:[\d.]{1,9}|[A-Za-zα-ω])[ ]?[+*/×·^−][ ]?(?:[\d.]{1,9}|[A-Za-zα-ω])\))$"
)
_PRICE = re.compile(r"[$€£¥₹][ ]?\d[\d.,]*$")
"""Prices have no powers: $60¹."""
_LONGEST_BASE = 24
_BEHIND_POWER = re.compile(r"[A-Za-z⁺⁻]")
_ABBREVIATION = re.compile(r"(?<!\w)(?:nos?|nrs?|figs?|eqs?|secs?|chs?|vols?|pp?|arts?|tabs?|refs?|vers?|st)\.$", re.I)
_ENDS_CLAUSE = re.compile(r"[ \t]*(?:[.,;:!?…。，；：！？、|)）\]<\n(（]|$)")
_ENUMERATION = re.compile(r"[(（]1[)）][ \t]*[^\W\d_][^\n]{0,400}?[(（]2[)）][ \t]*[^\W\d_]")
_BEGINS_LINE = re.compile(r"(?:^|\n|\|)[ \t>*+•-]*$")
_NUMBERED_NAME = re.compile(r"(?<!\w)[^\W\d_]+\d{1,3}(?=[ \t-]\w)")
_NAME_AND_NUMBER = re.compile(r"(?<!\w)[^\W\d_]+[ ]\d{1,3}(?=[ \t-](?!(?:and|or|is|are|for|to)\b)\w|\.(?:\s|$)|:[ ]\w)")
_LAST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++[ ]?$")
_COUNTED_BY = re.compile(
    r"(?<!\w)(?:of|to|and|or|than|over|under|about|from|by|at|in|for|with|up|next|last|first|top|all|these|those|version"
    r"|level|step|phase|stage|type|size|no|page|part|section|chapter|table|figure|week|day|gen(?:eration)?|series|model"
    r"|score|rated|[a-z]{3,8}uary|march|april|may|june|july|august|[a-z]{3,6}ber)[ ]$",
    re.IGNORECASE,
)
"""Words before a number that is a quantity, a date or part of a name."""
_TABLE = re.compile(
    r"^(?P<head>[^|\n]*\|[^\n]*)\n[ \t>]*+\|?[ \t]*+:?-[ \t:|-]*+\n(?P<rows>(?:[^|\n]*+\|[^\n]*+(?:\n|\Z))+)", re.M
)
_SOURCE_COLUMN = re.compile(r"[ \t*]*(?:sources?|ref(?:erence)?s?\.?|quellen?|fuentes?|来源)[ \t#*]*", re.I)
_CELL_OF_NUMBERS = re.compile(rf"[ \t]*(?P<keys>{_NUMERALS})[ \t]*")
_FIRST_CELL = re.compile(r"(?:^|\n)[ \t>]*\|[^|\n]*$")
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?|\bn\.d\b")
_INITIALS = re.compile(r"[ ]?\[[^\[\]]*\]")
_ET_AL = re.compile(r"(?<![ ,])[ ,]*+(?:\bet[ ]al\.?|等人?)[ ,]*+$", re.I)
_SECOND_AUTHOR = re.compile(r"(?<![ ,])[ ,]*+(?:&|\b(?:and|und|y|et|e)\b)[ ]++\S++$", re.I)


@dataclass(frozen=True, slots=True)
class Style:
    """One form of marks. ``pattern`` has the groups ``mark`` and ``keys``; ``targets`` returns what these refer to."""

    name: str
    pattern: re.Pattern[str]
    targets: Callable[[str, re.Match[str], References], Sequence[Target]]
    kept: Callable[[str, list[Mark]], list[Mark]] = lambda text, marks: marks
    """The marks that count, judged by the report's other ones."""


def styled_marks(text: str, references: References, others: int) -> list[Mark]:
    """The marks of these styles; in ``text`` lists, code and so many other marks are blanked."""
    raised = [mark for style in BESIDE_BRACKETS for mark in _found(style, text, references)]
    # And the cells with only numbers in a column headed "Source" or "Ref.".
    for table in _TABLE.finditer(text):
        columns = [index for index, head in enumerate(table["head"].split("|")) if _SOURCE_COLUMN.fullmatch(head)]
        start = table.start("rows")
        for row in table["rows"].split("\n") if columns else ():
            for index, cell in enumerate(row.split("|")):
                if index in columns and (numbers := _CELL_OF_NUMBERS.fullmatch(cell)):
                    begin, keys = start + numbers.start("keys"), numbers["keys"]
                    raised.append(Mark(begin, begin + len(keys), numbered_targets(keys), certain=False))
                start += len(cell) + 1
    marks = {style.name: _resolved(style, text, references) for style in LOOSE}
    style = max(marks, key=lambda name: len(marks[name]))
    if len(marks[style]) <= others + len(raised):
        return raised
    # Gemini's reports have both.
    apart = _resolved(APART, text, references) if style in ("text.3", "text3.", "字 3。") else []
    return [*raised, *{mark.start: mark for mark in (*apart, *marks[style])}.values()]


def _found(style: Style, text: str, references: References) -> Iterator[Mark]:
    for match in style.pattern.finditer(text):
        if targets := style.targets(text, match, references):
            yield Mark(*match.span("mark"), tuple(targets), certain=False)


def _resolved(style: Style, text: str, references: References) -> list[Mark]:
    """The marks of a loose style whose labels are all entries, if nearly all that look like it resolve."""
    marks = style.kept(text, list(_found(style, text, references)))
    resolved = [mark for mark in marks if all(references.entry(to.value, mark.start) for to in mark.targets)]
    return resolved if len(resolved) >= _LEAST_RESOLVED * len(marks) else []


def _raised(text: str, match: re.Match[str], references: References) -> Sequence[Target]:
    """The labels of a raised number: 12 for ``¹²``, or 1 and 2 if the list is shorter; none for powers and charges."""
    start, end = match.span("mark")
    begin = max(0, start - _LONGEST_BASE)
    is_base = _BASE.search(text, begin, start) and not _PRICE.search(text, begin, start)
    if is_base or _BEHIND_POWER.match(text, end):
        return ()
    numbers = unicodedata.normalize("NFKC", match["keys"]).replace("\N{MINUS SIGN}", "-")
    is_run = match["keys"][0] in _SUPERSCRIPTS and numbers.isdecimal()
    if is_run and not references.entry(str(int(numbers)), start) and all(references.entry(n, start) for n in numbers):
        return [Target("label", digit) for digit in dict.fromkeys(numbers)]
    return numbered_targets(numbers)


def _numbers(text: str, match: re.Match[str], references: References) -> Sequence[Target]:
    """The labels of numbers; none after an abbreviation: "No.5"."""
    start = match.start("mark")
    return () if _ABBREVIATION.search(text, max(0, start - 8), start) else numbered_targets(match["keys"])


def _in_round(text: str, match: re.Match[str], references: References) -> Sequence[Target]:
    """The labels of numbers in round brackets; none where a line or cell begins, or for arguments and clauses: f(2)."""
    before = text[max(0, match.start() - 40) : match.start()]
    is_argument = before[-1:].isascii() and before[-1:].isalnum()
    return () if is_argument or _BEGINS_LINE.search(before) else numbered_targets(match["keys"])


def _behind_statements(text: str, marks: list[Mark]) -> list[Mark]:
    """The round brackets that end a clause, or all if most do, unless such numbers enumerate things."""
    ends = [mark for mark in marks if _ENDS_CLAUSE.match(text, mark.end)]
    return ends if 2 * len(ends) < len(marks) or _ENUMERATION.search(text) else marks


def _behind_words(text: str, marks: list[Mark]) -> list[Mark]:
    """Numbers joined to words, if there are many, and word and number are not a name ("Nav2 runs", "Nav2.")."""
    names = set(_NUMBERED_NAME.findall(text))
    behind = [mark for mark in marks if _with_word(text, mark) not in names]
    different = {target.value for mark in behind for target in mark.targets}
    return behind if len(behind) >= _FEWEST_BEHIND_WORDS and len(different) >= _FEWEST_DIFFERENT else []


def _apart(text: str, marks: list[Mark]) -> list[Mark]:
    """Numbers after a space, before a comma or at the end of a cell ("64 dB 8 |"), without names and quantities."""
    names = {*_NUMBERED_NAME.findall(text), *_NAME_AND_NUMBER.findall(text)}
    heads = {place for table in _TABLE.finditer(text) for place in range(*table.span("head"))}

    def is_part_of_text(mark: Mark) -> bool:
        word, before = _with_word(text, mark), text[max(0, mark.start - 200) : mark.start]
        is_label = word[:1].isupper() and _FIRST_CELL.search(before)
        return bool(word in names or is_label or mark.start in heads or _COUNTED_BY.search(before))

    return [mark for mark in marks if not is_part_of_text(mark)]


def _before_chinese_stops(text: str, marks: list[Mark]) -> list[Mark]:
    """Separate numbers; after Latin words ("Vue CSS 9。") only if others follow Chinese ones."""
    apart = _apart(text, marks)
    return apart if any(not text[max(0, mark.start - 2) : mark.start].isascii() for mark in apart) else []


def _with_word(text: str, mark: Mark) -> str:
    """A number with the word before it; empty without a word."""
    word = _LAST_WORD.search(text, max(0, mark.start - 40), mark.start)
    return text[word.start() : mark.end] if word else ""


def _author_and_year(text: str, match: re.Match[str], references: References) -> Sequence[Target]:
    """The entries that "(Smith et al., 2018; Ma, 2021)", or the year of "Smith and Jones (2018)", names."""
    start = match.start()
    labels: dict[str, None] = {}
    for part in re.split(r"[;；]", match["keys"]):
        author = _YEAR.split(part, maxsplit=1)[0]
        author = author if author.strip(" \t,") else text[max(0, start - 90) : start]
        for year in _YEAR.findall(part):
            names = (name for name in _names(_INITIALS.sub("", author), year) if references.entry(name, start))
            labels |= dict.fromkeys(islice(names, 1))
    return [Target("label", name) for name in labels]


def _names(author: str, year: str) -> Iterator[str]:
    """Possible names of an entry of that author and year: the last words, without further authors."""
    whole = _ET_AL.sub("", author.rstrip(" \t,(（"))
    for name in dict.fromkeys((whole, _SECOND_AUTHOR.sub("", whole), whole.partition(",")[0])):
        words = name.rstrip(" ,").split()
        for count in range(min(_LONGEST_NAME, len(words)), 0, -1):
            yield author_and_year(" ".join(words[-count:]), year)


BESIDE_BRACKETS = (
    Style(
        "<sup>3</sup>",
        re.compile(
            rf"(?P<mark><sup>\s?(?:<a [^<>\n]{{0,99}}#[^<>\n]{{0,99}}>)?\[?(?P<keys>{_NUMERALS})\]?(?:</a>)?\s?</sup>)",
            re.I,
        ),
        _raised,
    ),
    Style("³", re.compile(rf"(?P<mark>(?P<keys>[{_SUPERSCRIPTS}]{{1,6}}(?:[⁻–-][{_SUPERSCRIPTS}]{{1,4}})?))"), _raised),
    Style("^3^", re.compile(rf"(?P<mark>\^(?P<keys>{_NUMERALS})\^)"), _raised),
    Style("(Source 3)", re.compile(rf"(?P<mark>[(（]{NAMED}(?P<keys>{_NUMERALS})[)）])", re.I), _numbers),
)
APART = Style(
    "text 3 |",
    re.compile(
        rf"(?:(?<=[\w)\]\"”’*%€$£¥₹][ ])|(?<=[a-zß-ɏ)\]\"”’*%])(?=[\d, ]{{1,30}}\|))(?P<mark>(?P<keys>{_TIGHT}))"
        r"(?=\*{0,3}(?:[,;)](?!\d)|:[ ]*(?:\n|$)|[ \t]*\|))"
    ),
    _numbers,
    _apart,
)
LOOSE = (
    # A sentence may end in a year ("in 2023.14 The"), but "2023.14 units" is a number.
    Style(
        "text.3",
        re.compile(
            r"(?:(?<=[^\W\d_]{2}[.,;:!?])|(?<=\.[A-Z]\.)|(?<=\d[ \u00a0][A-Za-z]\.)|(?<=°[CF]\.)"
            r"|(?<=[)\]\"”’»*%…€$£¥₹][.,;:!?])|(?<=[.!?][)\"”’»*])|(?<=[.!?]\*\*)"
            r"|(?<=[。！？；，）」』])"
            r"|(?<![\d$€£.,])(?:19|20)\d\d\.(?=[\d,]{1,12}(?:[ \t]{1,4}[A-Z*“\"]|[ \t]{0,4}(?:\n|$))))"
            rf"(?P<mark>(?P<keys>{_TIGHT}))(?=[\s|<)]|$)"
        ),
        _numbers,
    ),
    Style(
        "字 3。",
        re.compile(
            rf"(?:(?<=[^\W\d_][ ])|(?<=[)）”」』%][ ])|(?<=）))(?P<mark>(?P<keys>{_TIGHT}))(?=[ ]?[，。；、！？])"
        ),
        _numbers,
        _before_chinese_stops,
    ),
    Style(
        "text3.",
        re.compile(rf"(?<=[a-zß-ɏ)\]\"”’»*%])(?P<mark>(?P<keys>{_TIGHT}))(?=[.,;:!?)]+(?:[\s|]|$))"),
        _numbers,
        _behind_words,
    ),
    Style("text (3)", re.compile(rf"(?P<mark>[(（](?P<keys>{_NUMERALS})[)）])"), _in_round, _behind_statements),
    Style(
        "(Author, 2019)",
        re.compile(
            r"(?P<mark>[(（\[](?P<keys>(?:[^()（）\[\]\n]|\[[^()（）\[\]\n]{1,20}\]){0,300}?(?:(?:19|20)\d\d|n\.d)"
            r"[^()（）\[\]\n]{0,60})[)）\]])"
        ),
        _author_and_year,
    ),
)

"""The lists of sources in a report, the labels by which marks lead there, and the styles of marks that are not read.

What an entry looks like decides: a label at the beginning of a line, or words by which brackets name it, and an
address. A heading that names sources also makes the other lines with addresses below it entries, and items below these.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.grounding.report.evidence_ids import bare_address
from drretail.grounding.report.marks import RAISED, SOURCE, SOURCE_WORDS, SQUARE, Mark, find_marks
from drretail.grounding.report.page import HEADING, line_kind, lines

_SOURCE_WORDS = re.compile(SOURCE_WORDS, re.IGNORECASE)
_HEADING_WORDS = re.compile(rf"(?:{SOURCE_WORDS}|notes?|links|bibliogra\w{{1,9}}|literatur\w{{0,12}})$", re.IGNORECASE)
_NO_HEADING = re.compile(r"[|]|(?<!\d)[.!?。](?:\s|$)|[^\W\d_].{0,80}\d|[\[【]\^?\d|^\W*\w+\W*[:：]\s*\w")
_MARKER = re.compile(
    # What nothing else begins with: [1], [^1]:, [name]:, ¹, <sup>1</sup>.
    r"[ \t>|+•:-]*+(?:(?P<sure>\[{1,2}\^?(?![ xX]\]|[POUWCF]:)[^\[\]\n]{1,30}\]{1,2}(?:\(#[^\s()]{0,99}\))?(?!\()"
    rf"|<sup>[ \t]*\[?\w{{1,4}}\]?[ \t]*</sup>|\^\w{{1,4}}\^?|[{RAISED}]{{1,4}})"
    # What also numbers steps: "1.", "(1)", "Source 1:", "web:1 =", "1 Title", "Q1 Title", "A.".
    r"|(?P<number>[(（]?(?:[^\W\d_]{1,12}[:._-]?\s?)?\d{1,3}(?:[.)）、:：](?!\d)|[ \t]+[-–—=·](?=\s))"
    r"|[A-Z]?\d{1,3}(?=[ \t]+\S)|[A-Z][.)](?=[ \t])))[ \t]*[:：.,]?",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"<[^<>]*>|\(#[^()]*\)|[\[\]()（）^|]")
_TAG = re.compile(r"<(?!/?sup\b|https?:)[^<>\n]{0,500}>|\*", re.IGNORECASE)
_LONGEST_TITLE, _LINES_BELOW = 80, 2
_OF_BOLD = 7
"""The level of a heading in bold letters, and of one without signs."""
_LABEL = re.compile(r"[^\W\d_]{0,3}\d{1,3}")
_RANGE = re.compile(r"(?P<word>[^\W\d_]{0,3})(?P<first>\d{1,3})\s*[-‐‑–—~⁻−]\s*(?:[^\W\d_]{0,3})(?P<last>\d{1,3})")
_BETWEEN = re.compile(r"[,;/|&，；、・]|\s(?:and|und|et|y|og|och|en)\s")
_PLACE = re.compile(r"†.*|(?:,\s*|\s)(?:§|[^\W\d_]{1,5}\.)[^;]*")
"""In the source: 1†L3, 1, p. 4."""
_LONGEST_RANGE = 50
_ENDS = re.compile(r"(?:^|[^\w.,])([^\W_]{1,4})$")
_KEY = re.compile(r"^@[A-Za-z]|\d†|^\^\S|^\d{1,3}(?:[\s,;/–-]+\d{1,3})+$")
"""@roe, p. 4; 4:0†file; ^e; 41-23."""
_NAMED = re.compile(
    rf"{SOURCE} ?[:：]|ibid|"
    r"[^\W\d_][^\d;]{1,80}[,.] ?(?:(?:19|20)\d\d[a-z]?(?!\w)|[ns]\. ?[df]\.|o\. ?j\.)",
    re.IGNORECASE,
)
"""(Roe et al., 2018), (Roe, n.d.), (Source: Roe)."""
_NAME = re.compile(r"\D*(?<!\w)(?![A-Z]{2,}(?!\w))[^\W\d_a-zß-ÿ]\w\D*|[A-Z]\D* (?:19|20)\d\d[a-z]?|[A-Z]")
"""A capital letter, but no size: XL, 4-8 Hz."""


def folded_label(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3``, ``⁰³``, ``3.`` → ``3``; ``Web-3`` → ``web3``."""
    label = unicodedata.normalize("NFKC", _SIGNS.sub(" ", label)).casefold().strip(" \t.:：=–—-,，、·#")
    label = re.sub(r"(?<=[^\W\d_])[\s:：._-]+(?=\w)", "", label)
    number = label.lstrip("".join(filter(str.isalpha, label)))
    is_number = number.isdecimal() and (number == label or _SOURCE_WORDS.fullmatch(label[: -len(number)]))
    return str(int(number)) if is_number else label


class Entry:
    """A line of a report, with the lines below that hold its address, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        plain = _TAG.sub(lambda tag: " " * len(tag[0]), self.text.translate(SQUARE))
        marker = _MARKER.match(plain)
        self.is_sure = marker is not None and marker["sure"] is not None
        """True if it begins like nothing else than an entry."""
        self.label = folded_label(marker["sure"] or marker["number"]) if marker else ""
        self.start = left + (len(plain[: marker.end()].rstrip()) if marker else 0)
        self.body = self.text[self.start - left :]
        """The text behind the label, from ``start`` on."""
        self.marks = [mark for mark in find_marks(self.body, wide=True) if mark.names]
        """Its addresses and ids, which may lack brackets, by their places in ``body``."""
        self.has_url = any(mark.kind == "source" for mark in self.marks)
        self.kind = line_kind(self.text)
        self.is_blank = self.kind in ("blank", "rule")
        heading = HEADING.match(self.text) if self.kind == "heading" else None
        self.level = 0 if heading is None else len(heading["level"] or "") or _OF_BOLD
        """The level of a heading; 0 for no heading."""

    @cached_property
    def sources(self) -> frozenset[str]:
        """All that it names, each in one form."""
        return frozenset(bare_address(name) or name for mark in self.marks for name in mark.names)

    @cached_property
    def words(self) -> list[str]:
        """Those of its body, in lower case and in order."""
        return _words(self.body)

    @cached_property
    def opening(self) -> str:
        """The words before its first comma or stop, as brackets name it."""
        return folded_label(re.split(r"[^\w\s'’&-]", self.body.strip(" \t*•–—-"), maxsplit=1)[0][:_LONGEST_TITLE])

    def is_definition(self, cited: Counter[str]) -> bool:
        """True for a label of its own with an address; a word in brackets is one if it is cited."""
        begins = bool(self.marks) and not self.body[: self.marks[0].start].strip("[( :,<")
        is_label = self.label[-1:].isdigit() or begins or cited[self.label] > 1
        return self.is_sure and bool(self.marks) and is_label and not self.level


@dataclass(frozen=True)
class References:
    """All entries of a report, and the spans of the lines of its lists, which cite nothing themselves."""

    spans: tuple[tuple[int, int], ...]
    entries: dict[str, list[Entry]]
    """By their labels; those without one under ""."""

    @cached_property
    def every(self) -> list[Entry]:
        return [entry for entries in self.entries.values() for entry in entries]

    def label_of(self, label: str) -> str | None:
        """The list's label that is written so."""
        return key if (key := folded_label(label)) and key in self.entries else None

    def entry(self, label: str) -> Entry | None:
        """The entry of a label of the list; None if several entries with other sources have it."""
        entries = self.entries[label]
        return entries[0] if len({entry.sources for entry in entries}) == 1 else None

    def labelled(self, mark: Mark) -> Mark:
        """The mark with its labels, if its bracket is square or raised, or begins with a word for sources."""
        is_sure = mark.kind in ("square", "raised") or _SOURCE_WORDS.match(mark.content) is not None
        labels = self.labels_in(mark.content) if is_sure and not (mark.names or mark.reason) else []
        return mark._replace(labels=tuple(labels) or (mark.labels if self.entries else ()))

    def labels_in(self, content: str) -> list[str]:
        """The labels that a bracket is made of: a group, a range, or one with a place behind it; none of anything else.
        Those of the lists, or of the form of labels.
        """
        labels: dict[str, None] = {}
        for member in map(str.strip, _BETWEEN.split(_PLACE.sub("", content).removeprefix("^"))):
            if not self.label_of(member):
                member = re.sub(r"^[a-z]{2,10}:(?=\d+$)", "", member)  # web:1
            run, folded = _RANGE.fullmatch(member), folded_label(member)
            if folded and folded in self.entries:
                labels[folded] = None
            elif run and 0 < int(run["first"]) <= int(run["last"]) < int(run["first"]) + _LONGEST_RANGE:
                names = (f"{run['word']}{number}" for number in range(int(run["first"]), int(run["last"]) + 1))
                labels |= dict.fromkeys(self.label_of(name) or name for name in names)
            elif _LABEL.fullmatch(label := folded if folded.isdecimal() else member) and label.strip("0"):
                labels[label] = None
            else:
                return []
        return [*labels]

    def named_in(self, content: str) -> set[Entry]:
        """The entries whose labels are all that is named in a bracket, or else those with a word of it in capitals."""
        members = [_ENDS.search(member.strip()) for member in _BETWEEN.split(_PLACE.sub("", content))]
        labels = [label for member in members if member and (label := self.label_of(member[1]))]
        if len(labels) == len(members):
            return {entry for label in labels for entry in self.entries[label]}
        words = re.findall(r"[^\W\d_]\w+|^\d{4}$", content)
        names = {word.casefold() for word in words if not word[0].islower()}
        return {entry for entry in self.every if not names.isdisjoint(entry.words)}

    def unread(self, marks: Sequence[Mark]) -> set[Mark]:
        """Those of the shown marks in a style that is not read. A form of bracket cites if it names an entry to which
        nothing else leads; then all that have this form, and name something, are marks.
        """
        labels = {label for mark in marks for label in map(self.label_of, mark.labels)}
        places = {bare_address(name) or name for mark in marks for name in mark.names}
        orphans = {entry for entry in self.every if entry.label not in labels and entry.sources.isdisjoint(places)}
        unclear = [mark for mark in marks if not (mark.labels or mark.names or mark.reason)]
        named = {mark: self.named_in(mark.content) for mark in unclear}
        citing = {_form(mark) for mark in unclear if not named[mark].isdisjoint(orphans)}
        forms = {_form(mark) for mark in marks if any(map(self.label_of, mark.labels))}
        citing |= {form for form in forms if form[1] in ("letter", "words")}
        if ("round", "number") in forms:  # who writes (source: 3) also writes (3)
            citing |= {("round", "number"), ("bare", "number")}
        of_form = (mark for mark in unclear if _form(mark) in citing and (named[mark] or _NAME.fullmatch(mark.content)))
        return {*of_form, *filter(self.is_unread, unclear)}

    def is_unread(self, mark: Mark) -> bool:
        """True for what cites whatever else does: a name with a year, a label that is no number, the first words of an
        entry, and in square brackets a label among other words.
        """
        if mark.names or mark.labels or mark.reason:
            return False
        parts = (*_BETWEEN.split(mark.content), *re.split(r"[\s,;:()–-]+", mark.content))
        labels = {*map(self.label_of, parts)} - {None}
        if mark.kind in ("square", "raised") and (labels or _KEY.search(mark.content)):
            return True
        names = [name for name in map(_words, _BETWEEN.split(mark.content)) if name and not name[0].isdecimal()]
        is_title = any(entry.words[: len(name)] == name for name in names for entry in self.every)
        is_label = any(self.label_of(" ".join(name)) for name in names)
        return mark.kind != "bare" and (_NAMED.match(mark.content) is not None or is_title or is_label)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _form(mark: Mark) -> tuple[str, str]:
    """The kind of a bracket, and what stands in it."""
    if any(map(str.isdigit, mark.content)):
        return mark.kind, "number"
    return mark.kind, "letter" if len(mark.content) == 1 else "words" if " " in mark.content else "word"


def read_references(text: str, marks: Iterable[Mark]) -> References:
    """The lists of a text, which has these marks."""
    contents = (mark.content for mark in marks if not mark.names)
    words = ({*map(str.strip, _BETWEEN.split(content)), *re.split(r"\W+", content)} for content in contents)
    cited = Counter(label for of_mark in words for label in {*map(folded_label, of_mark)} if label)
    parts = _parts(text)
    listed = _headed(parts, cited)
    for keys in ([part.label for part in parts], [part.opening for part in parts]):
        listed |= _cited_run(parts, keys, listed, cited)
    labels = {parts[index].label for index in listed}
    for index, part in enumerate(parts):  # what lacks its address
        if part.is_sure and part.label not in labels and not part.level and not part.marks:
            body = part.body.strip(" .,\r")
            is_note = cited[part.label] > 1 and not re.search(r"[\[【]\d", body)
            listed |= {index} if is_note or (not body and not listed.isdisjoint((index - 1, index + 1))) else set()
    entries: dict[str, list[Entry]] = {}
    for part in (parts[index] for index in sorted(listed)):
        if not (part.level or part.is_blank):
            entries.setdefault(part.label, []).append(part)
    for index in reversed(range(len(parts))):  # with the blank lines above
        listed |= {index} if index + 1 in listed and parts[index].is_blank else set()
    return References(tuple((parts[index].left, parts[index].end) for index in sorted(listed)), entries)


def _headed(parts: Sequence[Entry], cited: Counter[str]) -> set[int]:
    """The entries by their look; and the lines with addresses below a heading of sources, with the heading, up to one
    of the same level.
    """
    listed, headings = set[int](), set[int]()
    opened = 0
    """The level of the heading of sources above; 0 without one."""
    for index, part in enumerate(parts):
        names_sources = not part.marks and part.kind != "item" and is_source_heading(part.text)
        is_heading = names_sources or bool(part.level and not part.marks)
        if is_heading and not 0 < opened < (part.level or _OF_BOLD):
            opened, headings = (part.level or _OF_BOLD) if names_sources else 0, set()
        is_entry = part.is_definition(cited)
        if opened and is_heading:
            headings.add(index)
        elif opened:
            is_entry |= part.is_sure or part.has_url or (bool(part.marks) and part.kind == "item")
            is_next = index - 1 in listed and not parts[index - 1].is_blank
            is_entry |= is_next and (bool(part.label) or part.kind == "item")
        if is_entry:
            listed |= {index, *headings}
            headings.clear()
    return listed


def _cited_run(
    parts: Sequence[Entry], keys: Sequence[str], listed: Collection[int], cited: Collection[str]
) -> set[int]:
    """The last run of lines that hold addresses and begin with ``keys``, labels or words, if brackets cite most of
    these, and no other entry has them or nothing but other entries stands below.
    """
    run: list[int] = []
    for index, part in enumerate(parts):
        if keys[index] and part.has_url and not part.is_sure and index not in listed:
            is_next = run and all(between.is_blank for between in parts[run[-1] + 1 : index])
            run = run if is_next else []
            run.append(index)
    is_last = bool(run) and all(part.is_blank or part.is_sure for part in parts[run[-1] + 1 :])
    of_run = {keys[index] for index in run}
    is_free = is_last or of_run.isdisjoint(keys[index] for index in listed)
    return {*run} if is_free and 2 * sum(key in cited for key in of_run) >= len(of_run) else set()


def _parts(text: str) -> list[Entry]:
    """Every line; a label with its title and the address below them are one, and an entry with an indented address."""
    parts: list[Entry] = []
    number = 0
    for start, end in lines(text):
        line = Entry(text, start, end)
        is_numbered = line.text.lstrip().startswith("<li")
        number = 0 if "<ol" in line.text else number + is_numbered
        line.label = line.label or (str(number) if is_numbered else "")
        above = parts[-_LINES_BELOW:] if line.marks and line.kind == "text" and not line.label else []
        for back, part in enumerate(reversed(above), 1):
            is_indented = back == 1 and part.is_sure and text.startswith("  ", start)
            if part.label and not part.level and (is_indented or not part.marks):
                parts[-back:], line = [], Entry(text, part.left, end)
            if part.label or part.marks or part.is_blank or part.level or part.kind == "item":
                break
        parts.append(line)
    return parts


def is_source_heading(text: str) -> bool:
    """True for a short line without a sentence or a mark whose first or last word names sources."""
    title = re.sub(r"[(（][^()（）]*+[)）]|<[^<>]*>", " ", text[:_LONGEST_TITLE])
    words = re.findall(r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]", title)
    is_line = 0 < len(words) <= 8 and len(text) < _LONGEST_TITLE and not _NO_HEADING.search(title)
    return is_line and any(map(_HEADING_WORDS.match, (words[0], words[-1])))

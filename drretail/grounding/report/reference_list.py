"""The entries that numbers and footnotes point to: reference lists, footnote and link definitions."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache

from drretail.grounding.report.markup import lines

_NUMBERED = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?(?:\*\*)?[\[【](?P<label>\d{1,4})[\]】](?:\*\*)?(?![(\[【])"
    r"[ \t]*[:：,，.]?[ \t]*(?P<body>.*)"
)
_DOTTED = re.compile(r"[ \t]*(?:\*\*)?(?P<label>\d{1,4})[.)、](?:\*\*)?[ \t]+(?P<body>.*)")
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[(?P<label>\^[^\[\]\s]{1,80})\][:：][ \t]*(?P<body>.*)")
_DEFINITION = re.compile(
    r"[ \t]{0,3}\[(?P<label>[^\[\]^\n][^\[\]\n]{0,80})\]:[ \t]+(?P<body><?https?://.*)", re.IGNORECASE
)
_URL_FIRST = re.compile(r"<?https?://", re.IGNORECASE)
_URL = re.compile(r"https?://", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,4}[.)])[ \t].*)?[\[【(]?[POUWCF]:[A-Za-z0-9]")
_LONGEST_ENTRY = 3
"""Lines below an entry's first one that may hold its address."""
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_TITLE = re.compile(
    r"""[\s#*_]* (?:(?:\d{1,2}|[ivx]{1,4}|[一二三四五六七八九十]{1,3})[.)、][ ]*)? [*_]*
    (?: (?:(?:list[ ]of[ ]|key[ ]|main[ ])?(?:sources?|references?)(?:[ ](?:list|cited|used|consulted))?)
      (?:[ ](?:and|&)[ ](?:sources?|references?|citations?|links?|further[ ]reading))?
    | bibliography | (?:citations?|works[ ]cited|footnotes|endnotes)(?:[ ](?:and|&)[ ](?:sources|references))?
    | (?:主要)?参考(?:文献|资料|来源|链接) | (?:资料|数据|信息|引用)?来源 | 引用(?:文献)?
    ) [\s*_:：]*#*\s*""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list: its label, and the offsets of what it says behind it."""

    label: str
    start: int
    end: int


@dataclass(slots=True)
class References:
    """All entries of a report, and the spans of the lines they stand on, which cite nothing themselves."""

    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    entries: dict[str, list[Entry]] = field(default_factory=dict[str, list[Entry]])

    def entry(self, label: str, position: int) -> Entry | None:
        """The next entry of this label after ``position``, else the last before it.

        So every section may have its own list that begins again at one.
        """
        entries = self.entries.get(label, [])
        index = bisect_left(entries, position, key=lambda entry: entry.start)
        return entries[min(index, len(entries) - 1)] if entries else None

    @property
    def numbers(self) -> list[int]:
        """All numbers that have an entry."""
        return [int(label) for label in self.entries if label.isdecimal()]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


@lru_cache(maxsize=16)  # the marks of a report and the lines of its list are resolved by the same
def read_references(text: str) -> References:
    """The entries of lists under a heading such as "Sources", at the end of the report, or that begin with a URL."""
    all_lines = [_Line(start, end, text[start:end].rstrip("\r")) for start, end in lines(text)]
    listed = _headed(all_lines) or _tail(all_lines)
    references = References()
    for index, line in enumerate(all_lines):
        entry = _entry(line, listed=index in listed)
        if entry is not None:
            references.entries.setdefault(entry.label, []).append(_continued(entry, all_lines, index, listed))
        if entry is not None or index in listed:
            references.spans.append((line.start, line.end))
    return references


def is_list_frame(text: str) -> bool:
    """True for a line of a list that names no source and says nothing: its heading, a blank, an entry without URL."""
    numbered = _NUMBERED.match(text)
    return not text.strip() or bool(_TITLE.fullmatch(text)) or bool(numbered and not numbered["body"].strip())


def _entry(line: _Line, *, listed: bool) -> Entry | None:
    match = _FOOTNOTE.match(line.text) or _DEFINITION.match(line.text) or _NUMBERED.match(line.text)
    if match is None and listed:
        match = _DOTTED.match(line.text)
    if match is None:
        return None
    if match.re is _NUMBERED and not (listed or _URL_FIRST.match(match["body"])):
        return None  # a sentence that begins with its mark
    label = match["label"].casefold()
    label = str(int(label)) if label.isdecimal() else label
    return Entry(label, line.start + match.start("body"), line.start + match.end("body"))


def _continued(entry: Entry, all_lines: list[_Line], index: int, listed: set[int]) -> Entry:
    """The entry with the address that stands below its title, where its own line has none."""
    if index not in listed or _names_a_source(all_lines[index].text):
        return entry
    for below in range(index + 1, index + 1 + _LONGEST_ENTRY):
        if below not in listed or not all_lines[below].text.strip() or _entry(all_lines[below], listed=True):
            break
        if _names_a_source(all_lines[below].text):
            return Entry(entry.label, entry.start, all_lines[below].end)
    return entry


def _names_a_source(text: str) -> bool:
    return bool(_URL.search(text) or _ITEM.match(text))


def _headed(all_lines: list[_Line]) -> set[int]:
    """The lines from a heading that announces sources to the last line that looks like one."""
    listed: set[int] = set()
    titles = {index for index, line in enumerate(all_lines) if len(line.text) < 80 and _TITLE.fullmatch(line.text)}
    for title in sorted(titles):
        last = None
        for index in range(title + 1, len(all_lines)):
            text = all_lines[index].text
            if _HEADING.match(text) or index in titles:
                break
            # An entry, a URL anywhere, or an id that is not inside a sentence.
            if _NUMBERED.match(text) or _FOOTNOTE.match(text) or _ITEM.match(text) or _URL.search(text):
                last = index
        if last is not None:
            first = title
            while first and not all_lines[first - 1].text.strip():
                first -= 1
            listed |= set(range(first, last + 1))
    return listed


def _tail(all_lines: list[_Line]) -> set[int]:
    """The lines at the very end that are entries without a heading above them."""
    listed: set[int] = set()
    for index in range(len(all_lines) - 1, -1, -1):
        text = all_lines[index].text
        if not text.strip():
            continue
        # What can only be an entry of a list, without a heading that says so.
        if numbered := _NUMBERED.match(text):
            is_entry = not numbered["body"].strip() or _URL.search(numbered["body"]) or _ITEM.match(numbered["body"])
        else:
            is_entry = (dotted := _DOTTED.match(text)) and _URL_FIRST.match(dotted["body"])
        if not is_entry:
            break
        listed.add(index)
    return listed

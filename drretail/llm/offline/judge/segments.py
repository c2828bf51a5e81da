"""Sources cut into passages that can be quoted: the fields of records, the sentences of pages."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

from drretail.llm.offline.judge.states import states_in
from drretail.llm.offline.judge.stems import content_stems

_MONTHS = tuple(calendar.month_name)[1:]
_STRING = r'"(?:[^"\\]|\\.)*"'
_FIELD = re.compile(rf"(?P<key>{_STRING})\s*:\s*(?P<value>{_STRING}|-?\d[\d.eE+-]*|true|false)|(?P<item>{_STRING})")
_SENTENCE = re.compile(r"[^\s].*?(?:[.!?](?=[\"')\]]*\s|[\"')\]]*$)|$|\n)", re.DOTALL)
_LONG = 240


@dataclass(frozen=True, slots=True)
class Segment:
    """A passage as it stands in its source, and the stems of what it says."""

    raw: str
    stems: frozenset[str]


def segments_of(text: str) -> list[Segment]:
    """The passages of a source in order."""
    if text.lstrip().startswith(("{", "[")):
        return list(_fields(text))
    return [_segment(raw) for raw in _sentences(text)]


def _fields(text: str) -> Iterator[Segment]:
    for match in _FIELD.finditer(text):
        value = match["value"] or match["item"] or ""
        if len(value) <= _LONG:
            yield _segment(match[0], said=match[0].replace("_", " "))
            continue
        for raw in _sentences(value[1:-1]):
            yield _segment(raw)


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            yield match[0].strip()


def _segment(raw: str, said: str | None = None) -> Segment:
    return Segment(raw, content_stems((said or raw) + _months(raw) + states_in(raw)))


def _months(text: str) -> str:
    """The names of the months in which ISO dates of the text lie."""
    found = re.findall(r"\b\d{4}-(0[1-9]|1[0-2])-\d{2}", text)
    return "".join(f" {_MONTHS[int(month) - 1]}" for month in dict.fromkeys(found))

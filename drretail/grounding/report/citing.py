"""Which pieces of a report are marks: what names the entries of its lists, and what looks like nothing else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.grounding.report.marks import HOST, ID, TURN, UNRESOLVED, YEAR, Group, Piece, find_pieces, read_group
from drretail.grounding.report.page import find_bars, lines
from drretail.grounding.report.references import NAMES_SOURCES, References, is_source_heading, word_of
from drretail.records.evidence import UnreadReason

_AUTHORED = re.compile(
    rf"\W*(?:see |cf\.? )?[A-ZÀ-Þ][^\d;]{{1,80}}(?:,|et al\.?,?|(?:&|and) [A-ZÀ-Þ]\w+,?) ?(?:{YEAR.pattern})"
)
_NAMES = re.compile(r"[^\s,;|，；、]+")
_BETWEEN_AUTHORS = re.compile(r"[;；()（）\d]")
_EXPORTED = re.compile(rf"{TURN}|(?<=>)\d+$")
# A bracket behind a word is said of it, one behind a number is its count: "4.6 ★ (12)", "f(5)".
_BEHIND_WORDS = re.compile(
    r"(?:(?<![\d★⭐+~≈] )(?<=[\w)\]\"”’*%.!?] )|(?<=[)）\u3040-\u9fff])|(?<=[^\W\d_]{4}))[(（{<]"
)
_ENDS_CLAUSE = re.compile(r"[ \t]*(?:[.,;:!?。，|(（<\n]|$)")
_AS_BEFORE = re.compile(r"(?:ibid(?:em)?|ebd|ebenda|idem|同上|(?:op|loc)\. ?cit)\.?(?:[,:].*)?", re.IGNORECASE)
_WIKI_NOTE = re.compile(
    r"<ref\b(?:\s+name\s*=\s*[\"']?(?P<name>[^\"'<>/]{1,80}))?[^<>/]{0,200}(?P<closed>/?)>", re.IGNORECASE
)
_CELL = re.compile(r"\w(?:.*\S)?")
_FEWEST, _OF_A_WORD, _LONGEST_NOTE = 3, 4, 500
_LEAST_LISTED = 0.8
"""The share of loose numbers that must be entries: of numbers that mean something else, fewer are."""


class Target(NamedTuple):
    """An address, an id or a label; ``form`` says which, and what it is if nothing has it."""

    name: str
    form: Literal["source", "perhaps", "own", "nowhere"] | UnreadReason


class Mark(NamedTuple):
    """``report[start:end]``."""

    start: int
    end: int
    targets: tuple[Target, ...]


def ids_in(content: str) -> tuple[str, ...]:
    """The ids in a bracket: all, if it has nothing else, so that invented ones are found too."""
    ids, is_only = filter(ID.fullmatch, dict.fromkeys(_NAMES.findall(content))), _holds_only_ids(content)
    return tuple(name for name in ids if is_only or parse_evidence_id(name))


def _holds_only_ids(content: str) -> bool:
    return all(map(ID.fullmatch, _NAMES.findall(content)))


@dataclass(frozen=True)
class Citing:
    """The pieces of a report beside its lists of sources."""

    text: str
    pieces: Sequence[Piece]
    references: References

    def marks(self) -> Iterator[Mark]:
        """The marks in order, none inside another."""
        position, before = 0, tuple[Target, ...]()
        named: dict[str, tuple[Target, ...]] = {}
        for piece in self.pieces:
            targets, note = tuple(self._targets(piece)), _WIKI_NOTE.match(piece.content)
            if piece.kind in ("square", "round") and _AS_BEFORE.fullmatch(piece.content):
                targets = before or (Target(piece.content, "no_entry"),)
            elif note and note["closed"]:
                targets = named.get(note["name"], targets)
            elif note:  # its address is a mark of its own
                within = find_pieces(self.text[piece.end : piece.end + _LONGEST_NOTE].partition("</")[0])
                sources = tuple(Target(each.content, "source") for each in within if each.kind == "source")
                named[note["name"]], targets = sources, () if sources else targets
            if piece.start >= position and targets:
                yield Mark(piece.start, piece.end, targets)
                position, before = piece.end, targets

    @cached_property
    def _groups(self) -> dict[Piece, Group]:
        own = self.references.own
        every = ((piece, read_group(self._label_part(piece), own)) for piece in self.pieces if piece.kind in _GROUPED)
        return {piece: group for piece, group in every if group is not None}

    def _label_part(self, piece: Piece) -> str:
        """What names the labels: behind the word; the 1 and the 2 of a raised ¹² beside a short list; with the words
        before, in "Roe (2019)".
        """
        content, own = piece.content, self.references.own
        if piece.kind == "raised" and len(content) > 1 and not own(content) and all(map(own, content)):
            return ",".join(content)
        if YEAR.match(content):
            return f"{_BETWEEN_AUTHORS.split(self.text[max(0, piece.start - 60) : piece.start])[-1]} {content}"
        return _BEFORE.sub("", content) if piece.kind == "named" else content

    @cached_property
    def cites(self) -> bool:
        """True if marks that can be nothing else name the lists' entries."""
        sure = ("square", "raised", "anchor")
        return any(piece.kind in sure and group.is_cited and not group.word for piece, group in self._groups.items())

    @cached_property
    def _usual(self) -> set[tuple[str, str]]:
        """The forms in which several entries are named, and hardly anything else; without a list, those that count from
        1. A bracket counts if it stands behind words and ends a clause.
        """
        forms: dict[tuple[str, str], list[Group]] = {}
        for piece, group in self._groups.items():
            if self._ends_clause(piece):
                forms.setdefault(self._form(piece, group), []).append(group)
        return {form for form, groups in forms.items() if self._is_usual(groups)}

    def _is_usual(self, groups: Sequence[Group]) -> bool:
        several = {tuple(group.labels) for group in groups}
        if not self.references.entries:
            return len(several) >= _FEWEST and ("1",) in several
        return len(several) > 1 and sum(group.is_cited for group in groups) >= _LEAST_LISTED * len(groups)

    def _form(self, piece: Piece, group: Group) -> tuple[str, str]:
        """The kind of bracket with the word before its numbers."""
        label = next(iter(group.labels))
        is_name = not group.word and label in self.references.names
        is_letter = not group.word and re.fullmatch(r"[^\W\d_]|[ivx]{2,4}", label)
        word = "name" if is_name else "letter" if is_letter else group.word.casefold() or word_of(label)
        return piece.kind, word[:_OF_A_WORD]

    def _ends_clause(self, piece: Piece) -> bool:
        behind, before = _BEHIND_WORDS.match(self.text, piece.start), _ENDS_CLAUSE.match(self.text, piece.end)
        return piece.kind != "round" or bool(behind and before)

    def _targets(self, piece: Piece) -> Iterator[Target]:
        kind, content, own = piece.kind, piece.content, self.references.own
        if kind in ("source", "id"):
            yield Target(content, "source" if kind == "source" else "perhaps")
        elif kind == "file":
            yield Target(content, "no_address")
        elif kind == "export":
            yield from (Target(name, "no_entry") for name in dict.fromkeys(_EXPORTED.findall(content) or [content]))
        elif content.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
            yield Target(content.removeprefix(UNRESOLVED), "nowhere")
        elif kind == "square" and (ids := ids_in(content)):
            form = "source" if _holds_only_ids(content) else "perhaps"
            yield from (Target(name, form) for name in ids)
        elif piece.anchor and (place := piece.anchor) in self.references.by_label:
            yield Target(place, "own")
        elif (group := self._groups.get(piece)) is not None and self._counts(piece, group):
            letter, lacking = group.word if len(group.word) == 1 else "", self._lacking(piece, group)
            for label, is_own in group.labels.items():
                yield Target(label, "own") if is_own else Target(letter + label, lacking)
        elif kind == "square" and content[:1] in ("^", "@") and " " not in content[1:]:
            label = content[1:].strip("^").casefold()
            lacking = "nowhere" if self.references.entries else "no_entry"
            yield Target(known, "own") if (known := own(label)) else Target(f"^{label}", lacking)
        elif kind == "anchor" and not piece.anchor:
            yield Target(content, "no_address")
        elif kind in ("square", "round", "named"):
            if HOST.fullmatch(self._label_part(piece).strip()):
                yield Target(content, "no_address")
            elif _AUTHORED.match(content):
                yield Target(content, "no_entry")
            elif kind == "square" and content.strip() and " " not in content.strip():
                yield Target(content.strip(), "perhaps")

    def _lacking(self, piece: Piece, group: Group) -> Literal["nowhere", "no_entry"]:
        """What the labels of a mark are that no list has."""
        is_plain = piece.kind == "square" and not group.word and "†" not in piece.content
        return "nowhere" if is_plain and self.references.entries else "no_entry"

    def _counts(self, piece: Piece, group: Group) -> bool:
        """True if the group is a mark, and means nothing else."""
        kind, word, is_cited = piece.kind, group.word.strip(".").casefold(), group.is_cited
        is_usual = (form := self._form(piece, group)) in self._usual and not (word and self.cites)
        is_known = not word or is_usual or word in self.references.words or NAMES_SOURCES.match(word)
        if kind == "anchor":
            return is_cited or bool(piece.anchor and group.has_number and not word)
        if kind in ("sign", "named", "line"):
            is_loose = kind == "named" and not re.search(r"[.:：]", piece.content)
            return is_cited and not word and not (is_loose and self.cites)
        if not group.may_count:
            return False
        if kind in ("square", "raised"):
            is_link = word and self.text.startswith("[", piece.end)  # [the words][key]
            is_lower = group.word == group.word.casefold() and not is_link
            is_letter = kind == "square" and len(word) == 1 and word.isalpha()
            is_sure = (is_known or is_letter) and (is_cited or group.has_number)
            return bool(is_sure or (is_cited and is_lower))
        if kind in ("glued", "joined"):
            return ("glued", "") in self._usual and not self.cites and (kind == "glued" or is_cited)
        is_key = is_cited and not group.has_number
        is_key = is_key and (form[1] not in ("name", "letter") or HOST.fullmatch(piece.content))
        is_usual = is_usual or (is_cited and word and ("round", "") in self._usual)
        return bool(is_key or (word and is_known) or (is_usual and (not self.cites or self._ends_clause(piece))))

    def columns(self, text: str) -> Iterator[Mark]:
        """The cells of columns of labels: below a head that names sources; or where the list has all of them, if there
        are groups ("1, 3"), or if nothing else refers to the list.
        """
        table: list[list[tuple[int, int]]] = []
        for start, end in (*lines(text), (len(text), len(text))):
            bars = find_bars(text, start, end)
            edges = [*([] if bars[:1] == [start] else [start - 1]), *bars, end]
            if bars:
                table.append([*pairwise(edges)])
                continue
            for at, (left, right) in enumerate(table[0] if len(table) > 2 else ()):
                cells = [_CELL.search(text, row[at][0] + 1, row[at][1]) for row in table[2:] if at < len(row)]
                yield from self._of_column(text[left + 1 : right], at, [*filter(None, cells)])
            table = []

    def _of_column(self, head: str, at: int, cells: Sequence[re.Match[str]]) -> Iterator[Mark]:
        groups = [(cell, read_group(cell[0], self.references.own)) for cell in cells]
        marks = [(cell, group) for cell, group in groups if group is not None and not group.word and group.may_count]
        listed = sum(group.is_cited for _, group in marks)
        is_headed = is_source_heading(head) and (listed or not self.references.entries)
        is_alone = any(len(group.labels) > 1 for _, group in marks) or not self.cites
        if is_headed or (at and 0 < listed == len(cells) and is_alone):
            for cell, group in marks:
                targets = (Target(label, "own" if own else "no_entry") for label, own in group.labels.items())
                yield Mark(*cell.span(), tuple(targets))


_BEFORE = re.compile(r"^[^\W\d_]+(?:\(s\))?(?:\.[ ]?[:：]?|[ ]?[:：]|[ ])")
_GROUPED = ("square", "round", "raised", "glued", "joined", "sign", "named", "line", "anchor")

"""Which pieces of a report are marks: what names the entries of its lists, and what looks like nothing else."""

import re

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.grounding.report.marks import HOST, ID, UNRESOLVED, Group, Piece, find_pieces, read_group
from drretail.grounding.report.references import NAMES_SOURCES, YEAR, References, folded, is_source_heading
from drretail.records.evidence import UnreadReason

_AUTHORED = re.compile(
    rf"\W*(?:see |cf\.? )?[A-ZÀ-Þ][^\d;]{{1,80}}(?:,|et al\.?,?|(?:&|and) [A-ZÀ-Þ]\w+,?) ?(?:{YEAR.pattern})"
)
_BETWEEN_AUTHORS = re.compile(r"[;；()（）\d]")
_EXPORTED = re.compile(r"turn\d{1,3}[a-z]{3,12}\d{1,3}|(?<=>)\d+$")
# A bracket behind a word is said of it, one behind a number is its count: "4.6 ★ (12)", "f(5)".
_BEHIND_WORDS = re.compile(
    r"(?:(?<![\d★⭐+~≈] )(?<=[\w)\]\"”’*%.!?] )|(?<=[)）\u3040-\u9fff])|(?<=[^\W\d_]{4}))[(（{<]"
)
_ENDS_CLAUSE = re.compile(r"[ \t]*(?:[.,;:!?。，|(（<\n]|$)")
_AS_BEFORE = re.compile(r"(?:ibid(?:em)?|ebd|ebenda|idem|同上|(?:op|loc)\. ?cit)\.?(?:[,:].*)?", re.IGNORECASE)
_WIKI_NOTE = re.compile(r"<ref\b(?:\s+name\s*=\s*[\"']?(?P<name>[^\"'<>/]{1,80}))?[^<>/]{0,200}(?P<closed>/?)>", re.IGNORECASE)
_CHECKBOX = re.compile(r"(?:^|\n)[ \t>]*[-*+][ \t]+$")
_FEWEST, _LONGEST_GROUP = 3, 20
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
    parts = re.findall(r"[^\s,;|，；、]+", content)
    ids = [part for part in parts if ID.fullmatch(part)]
    is_only = bool(ids) and len(ids) == len(parts)
    return tuple(part for part in dict.fromkeys(ids) if is_only or parse_evidence_id(part))


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
                within = find_pieces(self.text[piece.end : self.text.find("</", piece.end)])
                sources = tuple(Target(each.content, "source") for each in within if each.kind == "source")
                named[note["name"]], targets = sources, () if sources else targets
            if piece.start >= position and targets:
                yield Mark(piece.start, piece.end, targets)
                position, before = piece.end, targets

    @cached_property
    def _groups(self) -> dict[Piece, Group]:
        groups = {piece: read_group(self._label_part(piece), self.references.own) for piece in self.pieces if piece.kind in _GROUPED}
        return {piece: group for piece, group in groups.items() if group is not None}

    def _label_part(self, piece: Piece) -> str:
        """What names the labels: behind the word; of a raised ¹² the 1 and the 2, if the list is shorter; of "Roe (2019)"
        the words before, too.
        """
        content, own = piece.content, self.references.own
        if piece.kind == "raised" and len(content) > 1 and not own(content) and all(map(own, content)):
            return ",".join(content)
        if YEAR.match(content):
            return f"{_BETWEEN_AUTHORS.split(self.text[max(0, piece.start - 60) : piece.start])[-1]} {content}"
        return _BEFORE.sub("", content) if piece.kind == "named" else content

    @cached_property
    def _words(self) -> set[str]:
        """The words before several labels of the lists."""
        by_word: dict[str, set[tuple[str, ...]]] = {}
        for group in self._groups.values():
            if group.is_cited and len(group.word) > 1:
                by_word.setdefault(group.word.casefold()[:4], set()).add(tuple(group.labels))
        return {word for word, labels in by_word.items() if len(labels) > 1}

    @cached_property
    def cites(self) -> bool:
        """True if marks that can be nothing else name the lists' entries."""
        sure = ("square", "raised", "anchor")
        groups = ((piece.kind, group) for piece, group in self._groups.items())
        return any(kind in sure and group.is_cited and not group.word for kind, group in groups)

    def _is_usual(self, kind: str) -> bool:
        """True if nearly all loose numbers of a kind are entries; without a list, if they count from 1."""
        own = [group for piece, group in self._groups.items() if piece.kind == kind and self._may_stand(piece)]
        own = [group for group in own if not group.word and group.numbers or _are_letters(group)]
        labels = {label for group in own for label in group.labels}
        if not self.references.entries:
            return len(labels) >= _FEWEST and "1" in labels
        return sum(group.is_cited for group in own) >= _LEAST_LISTED * len(own) > 0 and (kind == "round" or len(labels) > 1)

    @cached_property
    def _cites_names(self) -> bool:
        """True if several names of the lists stand in round brackets at the end of clauses."""
        own = (group.labels for piece, group in self._groups.items() if piece.kind == "round" and self._may_stand(piece))
        return len({label for labels in own for label in labels if label in self.references.names}) > 1

    @cached_property
    def _usual(self) -> frozenset[str]:
        usual = {"round"} if self._is_usual("round") else set[str]()
        usual |= {"open"} if usual and not self.cites else set()
        usual |= {"glued", "joined"} if not self.cites and self._is_usual("glued") else set()
        return frozenset(usual)

    def _may_stand(self, piece: Piece) -> bool:
        """True for what stands behind a word and ends a clause."""
        if piece.kind != "round":
            return True
        return bool(_BEHIND_WORDS.match(self.text, piece.start) and _ENDS_CLAUSE.match(self.text, piece.end))

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
            is_sure = all(map(ID.fullmatch, re.findall(r"[^\s,;|，；、]+", content)))
            yield from (Target(name, "source" if is_sure else "perhaps") for name in ids)
        elif piece.anchor and (place := piece.anchor) in self.references.by_label:
            yield Target(place, "own")
        elif (group := self._groups.get(piece)) is not None and (lacking := self._counts(piece, group)):
            yield from (Target(label, "own" if is_own else lacking) for label, is_own in group.labels.items())
        elif kind == "square" and content[:1] in ("^", "@") and " " not in content[1:]:
            label = content[1:].strip("^").casefold()
            yield Target(own(label) or f"^{label}", "own" if own(label) else "nowhere" if self.references.entries else "no_entry")
        elif kind in ("square", "round"):
            if HOST.fullmatch(content):
                yield Target(content, "no_address")
            elif _AUTHORED.match(content):
                yield Target(content, "no_entry")
            elif kind == "square" and content.strip() and " " not in content.strip():
                yield Target(content.strip(), "perhaps")

    def _counts(self, piece: Piece, group: Group) -> Literal["nowhere"] | UnreadReason | None:
        """What the labels are that no list has, if the group is a mark; None for what means something else."""
        kind, word = piece.kind, group.word.strip(".").casefold()
        names = self.references.names
        is_key = group.is_cited and not group.numbers and not _are_letters(group) and names.isdisjoint(group.labels)
        is_known = not word or NAMES_SOURCES.match(word) or (word[:4] in self._words and not self.cites)
        is_like = any(re.sub(r"\d+", "0", folded(group.word + label)) in self._shapes for label in group.labels)
        if kind == "anchor":
            is_number = bool(group.numbers) and not word
            return "no_entry" if piece.anchor and (group.is_cited or is_number) else "no_address" if not piece.anchor else None
        if kind in ("sign", "named", "line"):
            is_loose = kind == "named" and not re.search(r"[.:：]", piece.content)
            return "no_entry" if group.is_cited and not group.word and not (is_loose and self.cites) else None
        if not group.may_count or (not group.is_cited and len(group.labels) > max(len(self.references.by_label), _LONGEST_GROUP)):
            return None
        is_known = is_known or (kind == "square" and len(word) == 1 and word.isalpha())  # "[S1]"
        if kind in ("square", "raised"):
            if kind == "square" and piece.content in "xX" and _CHECKBOX.search(self.text, max(0, piece.start - 40), piece.start):
                return None
            is_lower = group.word == group.word.casefold() and not (word and self.text.startswith("[", piece.end))
            if (is_known or is_like or is_lower) and group.is_cited:
                return "no_entry"
            if not (is_known or is_like) or (kind == "raised" and not group.numbers):
                return None
            is_plain = not word and len(group.numbers) == len(group.labels) and "†" not in piece.content
            return "nowhere" if kind == "square" and self.references.entries and is_plain else "no_entry"
        if kind in ("glued", "joined"):
            return "no_entry" if kind in self._usual and (kind == "glued" or group.is_cited) else None
        are_names = group.is_cited and not names.isdisjoint(group.labels) and self._cites_names
        if is_key or (word and is_known) or is_like or (are_names and self._may_stand(piece)):
            return "no_entry"
        is_usual = "round" in self._usual and self._may_stand(piece)
        if is_usual or "open" in self._usual:
            return "no_entry" if not word or group.is_cited else None
        return None

    @cached_property
    def _shapes(self) -> set[str]:
        """The labels with words, whatever their number."""
        labels = (label for label in self.references.by_label if re.fullmatch(r"[^\W\d]{2,}\d+", label))
        return {re.sub(r"\d+", "0", label) for label in labels}

    def of_column(self, text: str, head: str, at: int, cells: Sequence[tuple[int, int]]) -> Iterator[Mark]:
        """The marks in the cells below a head, if the column is one of sources."""
        trimmed = [_trimmed(text, *cell) for cell in cells]
        groups = [(cell, read_group(text[slice(*cell)], self.references.own)) for cell in trimmed]
        marks = [(cell, group) for cell, group in groups if group is not None and not group.word and group.may_count]
        listed = sum(group.is_cited for _, group in marks)
        names = is_source_heading(head)
        is_whole = bool(at) and listed == len(cells)
        is_group = any(len(group.labels) > 1 for _, group in marks)
        if (names and (listed or not self.references.entries)) or (is_whole and listed and (is_group or not self.cites)):
            for cell, group in marks:
                targets = (Target(label, "own" if own else "no_entry") for label, own in group.labels.items())
                yield Mark(*cell, tuple(targets))


_BEFORE = re.compile(r"^[^\W\d_]+(?:\(s\))?(?:\.[ ]?[:：]?|[ ]?[:：]|[ ])")
_GROUPED = ("square", "round", "raised", "glued", "joined", "sign", "named", "line", "anchor")


def _are_letters(group: Group) -> bool:
    return all(len(label) == 1 and label.isalpha() for label in group.labels)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - (len(inside) - len(inside.rstrip()))

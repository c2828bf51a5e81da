"""The parts of a sentence between its commas, dashes and "and", and how it reads on without some of them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from drretail.grounding.removal import Cut

VALUE = "\x01"
"""Stands for each character of a value."""
LABEL = re.compile(
    r"[\W_]*(?:current\s+|customer\s+|average\s+)?(?:price|rating|rated|cost|reviews?|ratings)[\W_]*", re.IGNORECASE
)
"""Words that are nothing but the name of a value."""
_GAP = re.compile(
    r",\s+(?:(?:and|but|yet)\s+)?|;\s+|:\*{0,2}\s+|\s+(?:and|but|yet)\s+|\s+[-–—·|/]\s+"
    r"|(?P<of>\s+(?:from|based\s+on|across|by|with|on)\s+(?:over\s+|about\s+|some\s+)?)(?=\x01)"
)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch between two separators; ``of`` is one that cannot stand without the one before it."""

    start: int
    end: int
    of: bool = False

    def holds(self, place: int) -> bool:
        return self.start <= place < self.end


def parts_of(coded: str, start: int, end: int) -> list[Part]:
    """The parts of a stretch, at its own depth of brackets."""
    flat = coded[start:end]
    while (inner := re.sub(r"\([^()]*\)", lambda m: "\x02" * len(m[0]), flat)) != flat:
        flat = inner
    parts: list[Part] = []
    position, of = 0, False
    for gap in _GAP.finditer(flat):
        if ":" in gap[0] and LABEL.fullmatch(flat[position : gap.start()]):
            continue
        parts.append(Part(start + position, start + gap.start(), of))
        position, of = gap.end(), gap["of"] is not None
    last = Part(start + position, start + position + len(_stripped(flat[position:])), of)
    return [*parts, last]


def _stripped(text: str) -> str:
    """Without the stop behind it, and without the end of an emphasis that begins before it."""
    text = text.rstrip(" .!?")
    return text.removesuffix("**").rstrip(" .!?") if text.count("**") % 2 else text


def dropping(coded: str, parts: Sequence[Part], dropped: Collection[int]) -> list[Cut]:
    """Parts with one separator each; where the last of several goes, its "and" moves up."""
    kept = [index for index in range(len(parts)) if index not in dropped]
    cuts = [
        _drop(parts, index, before=index > kept[0] and not _leads_on(coded, parts, index, dropped)) for index in dropped
    ]
    last_gap = coded[parts[-2].end : parts[-1].start] if len(parts) > 1 else ""
    joins = re.fullmatch(r",?\s+and\s+", last_gap)
    if joins and dropped and len(kept) > 1:
        before, last = kept[-2], kept[-1]
        gap = coded[parts[last - 1].end : parts[last].start]
        if len(parts) - 1 in dropped and gap.strip() == "," and "and" not in gap:
            cuts.append(Cut(parts[last - 1].end, parts[last].start, " and "))
        elif len(kept) == 2 and gap.startswith(",") and before >= 0 and last == len(parts) - 1 and last - before > 1:
            cuts.append(Cut(parts[last - 1].end, parts[last - 1].end + 1))
    return merged(cuts)


def _leads_on(coded: str, parts: Sequence[Part], index: int, dropped: Collection[int]) -> bool:
    """True when the next part stays and takes this one's place, as in "Kit: $30, 4.5 stars"."""
    if index + 1 >= len(parts) or index + 1 in dropped:
        return False
    gap = coded[parts[index].end : parts[index + 1].start]
    before = coded[parts[index - 1].end : parts[index].start].strip(" *") if index else ""
    announced = before in (":", "–", "—", "-") and gap.startswith((",", ";"))
    return announced or parts[index + 1].of or (gap.strip() == "and" and index + 2 < len(parts))


def _drop(parts: Sequence[Part], index: int, *, before: bool) -> Cut:
    """A part with the separator before or behind it."""
    if before:
        return Cut(parts[index - 1].end, parts[index].end)
    return Cut(parts[index].start, parts[index + 1].start)


def merged(cuts: Sequence[Cut]) -> list[Cut]:
    """Adjacent and overlapping cuts as one, in text order."""
    done: list[Cut] = []
    for cut in sorted(cuts):
        if done and cut.start <= done[-1].end:
            before = done.pop()
            cut = Cut(before.start, max(before.end, cut.end), before.instead or cut.instead)
        done.append(cut)
    return done

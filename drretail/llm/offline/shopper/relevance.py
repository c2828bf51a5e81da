"""How far a product is the needed thing itself, judged by where its title names it."""

import re
from itertools import takewhile

from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.needs import Need
from drretail.llm.offline.shopper.words import STOP_WORDS, stems_of, word_set

# What is sold for a thing, rather than as the thing itself, when it stands right behind the thing's name.
_ACCESSORY = word_set(
    """replacement refill cover case liner bracket mount sticker cleaner adapter part spare remover organizer organiser
    holder stand dispenser storage rack bag box pouch tray hanger hook shelf pump protector tool accessory attachment
    charger filter brush mold decal label strap clip nozzle sprayer reel connector fitting stake hook pole wand lid
    timer tester sharpener"""
)
_REPLACES = word_set("replacement refill spare part compatible")
# Behind these words of a title stands what the thing is for, or what comes with it.
# Behind these words stands what the thing is for, or what merely comes with it.
_MADE_FOR = word_set("for fit fits")
_COMES_WITH = word_set("with including includes plus w")
_SEGMENTS = re.compile(r"[,|;()\[\]–—•/]|\s-\s")
_REACH = 5
_EARLY = 14
"""Words of a title: what is named later is seldom what is sold."""


def relevance_of(need: Need, candidate: Candidate) -> float:
    """1 where the title names the thing, less where words are apart or late, near 0 where it is something else."""
    own = {stem for name in need.names for stem in name} | set(need.wishes)
    best, before = 0.0, 0
    for segment in _SEGMENTS.split(candidate.title):
        stems = stems_of(segment)
        late = 0.7 if before > _EARLY else 1.0
        best = max(best, *(late * _in_segment(name, own, stems) for name in need.names))
        before += len(stems)
    best = max(best, *(_by_category(name, candidate) for name in need.names))
    return 0.35 * best if _REPLACES & set(candidate.title_stems) - own else best


def _in_segment(name: tuple[str, ...], own: set[str], stems: list[str]) -> float:
    place = _place(name, stems)
    if place is None:
        return 0.0
    start, end = place
    score = 1.0 if end - start == len(name) and tuple(stems[start:end]) == name else 0.8
    behind = list(takewhile(lambda stem: stem not in STOP_WORDS, stems[end : end + _REACH]))
    if (_ACCESSORY & set(behind)) - own or _MADE_FOR & set(stems[:start]):
        return 0.35 * score
    return 0.5 * score if _COMES_WITH & set(stems[:start]) else score


def _place(name: tuple[str, ...], stems: list[str]) -> tuple[int, int] | None:
    """Where all words of the name stand within a few words of each other: first and behind the last."""
    longest = len(name) + 2 if len(name) > 1 else 1
    for size in range(len(name), longest + 1):
        for start in range(len(stems) - size + 1):
            part = stems[start : start + size]
            if set(name) <= set(part) and part[0] in name and part[-1] in name:
                return start, start + size
    return None


def _by_category(name: tuple[str, ...], candidate: Candidate) -> float:
    """A title that has the last, heaviest word, on the shelf that has the others: "Cedar Feeder" in "Bird Feeders"."""
    title = candidate.title_stems[:_EARLY]
    missing = set(name) - set(title)
    if not missing or name[-1] in missing or (_ACCESSORY | _MADE_FOR) & set(title):
        return 0.0
    shelf = stems_of(" ".join(str(part) for part in candidate.record.get("categories", [])[-2:]))
    return 0.5 if missing <= set(shelf) else 0.0

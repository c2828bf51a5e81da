"""How far a product is the needed thing itself, judged by where its title names it."""

import re
from itertools import takewhile

from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.need import Need, kind_of
from drretail.llm.offline.shopper.words import STOP_WORDS, stems_of, word_set

# What is sold for a thing, rather than as the thing itself, when it stands right behind the thing's name.
_ACCESSORY = word_set(
    """replacement refill cover case liner bracket mount sticker cleaner adapter part spare remover organizer organiser
    holder stand dispenser storage rack bag box pouch tray hanger hook shelf pump protector tool accessory attachment
    charger filter brush mold decal label strap clip nozzle sprayer reel connector fitting stake hook pole wand lid
    timer tester sharpener fix display"""
)
_REPLACES = word_set("replacement refill spare part compatible")
# Behind these words stands what the thing is for, or what merely comes with it.
_MADE_FOR = word_set("for fit fits remove")
_COMES_WITH = word_set("with including include included plus w contain containing")
_SETS = word_set("set kit bundle trio duo collection")
_SEGMENTS = re.compile(r"[,|;()\[\]–—•/]|\s-\s")
_REACH = 5
_SOLD = 0.5
_COMPOUND = 0.38
"""What is left where the name only qualifies another kind: less than is needed to count as the thing."""
_WITHIN = 0.35
"""What is left where the thing only comes with another."""
_EARLY = 14
"""Words of a title: what is named later is seldom what is sold."""


def relevance_of(need: Need, candidate: Candidate) -> float:
    """1 where the title names the thing, less where words are apart or late, near 0 where it is something else."""
    best = max(_in_title(need, candidate.title), *(_by_category(name, candidate) for name in need.names))
    own = {stem for name in need.names for stem in name} | set(need.wishes)
    return 0.35 * best if _REPLACES & set(candidate.title_stems) - own else best


def is_sold_as(need: Need, title: str) -> bool:
    """True when a title names the thing as what is sold, not as what it is for or what comes with it."""
    return _in_title(need, title) >= _SOLD


def _in_title(need: Need, title: str) -> float:
    own = {stem for name in need.names for stem in name} | set(need.wishes)
    best, before, listing = 0.0, 0, False
    # "Stand for wigs, wig display": what the first part says holds for the rest.
    most = _WITHIN if any(_is_made_for(name, stems_of(_SEGMENTS.split(title)[0])) for name in need.names) else 1.0
    for segment in _SEGMENTS.split(title):
        stems = stems_of(segment)
        late = 0.7 if before > _EARLY else 1.0
        # "Travel kit with soap, shampoo, lotion": the list of what is in it goes on behind the comma.
        within = _WITHIN if listing and before else 1.0
        best = max(best, *(late * within * _in_segment(name, own, stems) for name in need.names))
        listing = listing or _opens_list(stems, before)
        before += len(stems)
    return min(most, best)


def _is_made_for(name: tuple[str, ...], stems: list[str]) -> bool:
    """True where the thing stands right behind "for", and nowhere before it."""
    place = _place(name, stems)
    return place is not None and place[0] > 0 and stems[place[0] - 1] in _MADE_FOR


def _opens_list(stems: list[str], before: int) -> bool:
    """True for "Travel kit with soap", and for a part of its own that begins "Includes soap"."""
    place = next((place for place, stem in enumerate(stems) if stem in _COMES_WITH), None)
    return place is not None and (bool(_SETS & set(stems[:place])) or (place == 0 and before > 0))


def _in_segment(name: tuple[str, ...], own: set[str], stems: list[str]) -> float:
    place = _place(name, stems)
    if place is None:
        return 0.0
    start, end = place
    score = 1.0 if end - start == len(name) and tuple(stems[start:end]) == name else 0.8
    behind = list(takewhile(lambda stem: stem not in STOP_WORDS, stems[end : end + _REACH]))
    if (_ACCESSORY & set(behind)) - own or _MADE_FOR & set(stems[:start]):
        return 0.35 * score
    if _starts_another(need_stems=own, behind=behind):
        return _COMPOUND * score
    return _WITHIN * score if _COMES_WITH & set(stems[:start]) else score


def _starts_another(*, need_stems: set[str], behind: list[str]) -> bool:
    """True for the "lip balm" of a sunscreen lip balm: the name only qualifies another kind."""
    fronts = [behind[:size] for size in range(1, min(3, len(behind)) + 1)]
    return any(kind_of(" ".join(front)) is not None and not need_stems & set(front) for front in fronts)


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

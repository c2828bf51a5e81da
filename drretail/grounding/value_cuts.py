"""How wrong values are taken out of a sentence that stays: with their brackets, commas and verbs; the rest reads on.

Only what says nothing but the value goes: *($32.99, 4.9 out of 5)*, *costs $38.49, …*, *…, rated 4.7, …*. Where more
was said with it, or something is reckoned from it, the sentence cannot stay.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from drretail.grounding.markup import blanked
from drretail.grounding.removal import Cut, Span, balanced
from drretail.grounding.sentence_parts import LABEL, VALUE, Part, dropping, merged, parts_of

# Words with which a value, and nothing else, is said.
_LINK = (
    "a|an|the|it|its|which|that|currently|now|also|just|only|about|around|nearly|at|for|in|to|of|on|by|with|from|out|over"
    "|across|based|is|are|costs?|costing|priced?|prices?|sells?|selling|sold|retails?|retailing|listed|goes|comes?|coming"
    "|has|have|having|holds|carries|carrying|earns?|earning|averages?|averaging|boasts?|boasting|scores?|scoring|rated"
    "|ratings?|reviews?|stars?|customers?|buyers?|shoppers?|users?|average|overall|solid|strong|great|excellent|tag|and|each"
)
_PURE = re.compile(rf"[\W_]*(?:(?:{_LINK})(?![^\W_])[\W_]*)*", re.IGNORECASE)
_FINITE = (
    r"(?:is|are|has|have|costs?|weighs?|holds?|comes?|carries|carry|offers?|includes?|measures?|earns?|averages?|sells?"
    r"|retails?|stands?|takes?|fits?|works?|boasts?|features?|keeps?|runs?|lasts?|needs?|uses?|makes?|gets?|gives?"
    r"|scores?|covers?|goes|does|was|were|will|can|ships?|supports?|provides?|delivers?|resists?|serves?|reaches|suits?)"
)
_VERB_LED = re.compile(rf"[*_]*(?:(?:also|currently|now)\s+)?{_FINITE}\b", re.IGNORECASE)
_TAIL = re.compile(rf"\s+(?:(?:also|currently|now)\s+)?{_FINITE}\b", re.IGNORECASE)
_AT = re.compile(r"[*_\"”]*(?P<at>\s+(?:priced\s+)?(?:at|for)\s+(?:only\s+|just\s+|about\s+)?[*_]*\x01+[*_]*)")
_RECKONED = {
    "price_wrong": re.compile(
        r"\b(?:more|less|cheap\w*|affordab\w*|inexpensive|expensive|pric(?:i|e)(?:er|est)|dear\w*|bargain|deal|sav(?:e|es|ing"
        r"|ings)|half|twice|double|difference|left|leav\w*|remain\w*|budget|lowest|highest|(?:good|great|best|better)\s+"
        r"(?:value|price)|value\s+for)\b|\b(?:under|below|above|over|within)\s+(?:your|our|the|\\?[$€£])|="
        r"|\b(?:together|altogether|combined|total|in\s+all)\W+(?:\w+\W+){0,5}\\?[$€£]|[$€£]\S+\s+(?:together|in\s+total)",
        re.IGNORECASE,
    )
}
_RANKED = re.compile(
    r"\b(?:more|less|fewer|high(?:er|est)|low(?:er|est)|best|better|most|top|popular\w*|well[- ]rated|beats?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wrong:
    """Where a wrong value begins in the statement, and the code of its finding."""

    start: int
    code: str


def cuts_of_values(
    said: str, wrong: Sequence[Wrong], values: Sequence[Span], names: Sequence[Span] = (), *, title: bool = False
) -> list[Cut] | None:
    """What to cut from a statement so that it stands without the wrong values; None where it cannot.

    ``said`` is the statement with its citations blanked, ``values`` all values in it, ``names`` the products that it
    names; offsets are its own. Of a ``title`` nothing is reckoned.
    """
    coded = _coded(said, values)
    cuts: list[Cut] = []
    for place, inside in _places(coded, wrong):
        found = _in_bracket(coded, place, inside) if place else _in_sentence(coded, inside, names)
        if found is None:
            return None
        cuts += found
    cuts = [_capitalised(said, cut) for cut in cuts]
    left = _without(said, cuts)
    if not balanced(left) or LABEL.fullmatch(left) or not re.search(r"[^\W\d_]{2}", left):
        return None
    return None if not title and _rests_on(left, {value.code for value in wrong}) else cuts


def _capitalised(said: str, cut: Cut) -> Cut:
    """A cut at the beginning gives its capital to the word that begins the sentence now."""
    following = said[cut.end : cut.end + 1]
    if cut.start or cut.instead or not said[:1].isupper() or not following.islower():
        return cut
    return Cut(0, cut.end + 1, following.upper())


def says_nothing_but(said: str, values: Sequence[Span]) -> bool:
    """True when there are only linking words besides the values."""
    return _is_pure(_coded(said, values))


def _rests_on(left: str, codes: Collection[str]) -> bool:
    """True when words that are left compare or reckon with what goes."""
    return any(_RECKONED.get(code, _RANKED).search(left) for code in codes)


def _coded(said: str, values: Sequence[Span]) -> str:
    """The statement with every value overwritten, so that its own dots, commas and words separate nothing."""
    for start, end in values:
        said = said[:start] + VALUE * (end - start) + said[end:]
    return said


def _places(coded: str, wrong: Sequence[Wrong]) -> list[tuple[Span | None, list[Wrong]]]:
    """The wrong values by the innermost round brackets that they stand in; those in the open last."""
    by_place: dict[Span | None, list[Wrong]] = {}
    for value in wrong:
        by_place.setdefault(_bracket(coded, value.start), []).append(value)
    return sorted(by_place.items(), key=lambda item: item[0] or (len(coded), 0))


def _bracket(coded: str, place: int) -> Span | None:
    opened: list[int] = []
    for index, character in enumerate(coded[:place]):
        if character == "(":
            opened.append(index)
        elif character == ")" and opened:
            opened.pop()
    closing = coded.find(")", place)
    return (opened[-1], closing + 1) if opened and closing >= 0 else None


def _in_bracket(coded: str, place: Span, wrong: Sequence[Wrong]) -> list[Cut]:
    start, end = place
    parts = parts_of(coded, start + 1, end - 1)
    dropped = {index for index, part in enumerate(parts) if any(part.holds(value.start) for value in wrong)}
    if len(dropped) == len(parts):
        return [Cut(start - (coded[start - 1 : start] == " "), end)]
    return dropping(coded, parts, dropped)


def _in_sentence(coded: str, wrong: Sequence[Wrong], names: Sequence[Span]) -> list[Cut] | None:
    attached = {value: cut for value in wrong if (cut := _behind_a_name(coded, value, names))}
    others = [value for value in wrong if value not in attached]
    found = _in_parts(coded, others, names) if others else []
    return None if found is None else merged([*attached.values(), *found])


def _behind_a_name(coded: str, value: Wrong, names: Sequence[Span]) -> Cut | None:
    """ "… the Kit **at $30**": a price that hangs on the name directly before it."""
    for _, end in names:
        said = _AT.match(coded, end)
        if said and said.start("at") < value.start < said.end():
            return Cut(said.start("at"), said.end())
    return None


def _in_parts(coded: str, wrong: Sequence[Wrong], names: Sequence[Span]) -> list[Cut] | None:
    parts = parts_of(coded, 0, len(coded))
    dropped = {index for index, part in enumerate(parts) if any(part.holds(value.start) for value in wrong)}
    dropped |= {index for index, part in enumerate(parts) if part.of and index - 1 in dropped}
    if len(dropped) == len(parts):
        return None
    first = 0 in dropped and not _is_pure(coded[parts[0].start : parts[0].end])
    for index in dropped - ({0} if first else set()):
        if not _can_go(coded, parts, index, names):
            return None
    if not first:
        return dropping(coded, parts, dropped)
    kept = next(index for index in range(len(parts)) if index not in dropped)
    tail = _tail(coded, parts[0])
    if tail is not None and _VERB_LED.match(coded, parts[kept].start):
        later = {index for index in dropped if index > kept}
        rest = [Part(parts[0].start, tail), *parts[kept:]]
        moved = {index - kept + 1 for index in later}
        return [Cut(tail, parts[kept].start, " "), *dropping(coded, rest, moved)]
    if len(dropped) == 1 and _is_clause(coded, parts[0], names) and _begins_clause(coded, parts[kept], names):
        return [Cut(parts[0].start, parts[kept].start + 1, coded[parts[kept].start].upper())]
    return None


def _is_clause(coded: str, part: Part, names: Sequence[Span]) -> bool:
    """True for a part that says a value of the product that it names, and nothing else."""
    inside = [name for name in names if part.start <= name[0] < part.end]
    bare = blanked(coded, inside)[part.start : part.end]
    return bool(inside) and _is_pure(bare) and bool(re.search(rf"\b{_FINITE}\b", bare, re.IGNORECASE))


def _begins_clause(coded: str, part: Part, names: Sequence[Span]) -> bool:
    """True for a part that has a named product as its subject, and a verb."""
    name = next((it for it in names if part.start <= it[0] < part.end), None)
    if name is None or not re.fullmatch(r"\W*(?:the\s+)?\W*", coded[part.start : name[0]], re.IGNORECASE):
        return False
    return bool(re.match(rf"\W*{_FINITE}\b", coded[name[1] : part.end], re.IGNORECASE))


def _can_go(coded: str, parts: Sequence[Part], index: int, names: Sequence[Span]) -> bool:
    """True for a part that says nothing but its value, and is not one of several that are paired with names."""
    part = parts[index]
    said = coded[part.start : part.end]
    if any(part.start <= name[0] < part.end for name in names):
        return bool(index) and _is_clause(coded, part, names)
    if not _is_pure(said):
        return False
    alone = not re.search(r"[^\W_]", said.replace(VALUE, ""))
    beside = [coded[it.start : it.end] for at, it in enumerate(parts) if abs(at - index) == 1]
    of_names = alone and any(VALUE in it and not re.search(r"[^\W_]", it.replace(VALUE, "")) for it in beside)
    joined = index and re.fullmatch(r"\s+(?:and|but|yet)\s+", coded[parts[index - 1].end : part.start])
    return not (of_names and len(names) > 1) and not (alone and joined and len(names) > 1)


def _is_pure(said: str) -> bool:
    return bool(_PURE.fullmatch(said.replace(VALUE, " ")))


def _tail(coded: str, part: Part) -> int | None:
    """Where the predicate begins with which a sentence says the value, and nothing else, of its subject."""
    for verb in _TAIL.finditer(coded, part.start, part.end):
        if _is_pure(coded[verb.start() : part.end]):
            before = coded[part.start : verb.start()].rsplit(None, 1)
            return None if not before or before[-1].casefold() in ("which", "that", "who") else verb.start()
    return None


def _without(said: str, cuts: Sequence[Cut]) -> str:
    for cut in sorted(cuts, key=lambda it: -it.start):
        said = said[: cut.start] + cut.instead + said[cut.end :]
    return said


def around(cut: Cut, marks: Sequence[Span]) -> list[Cut]:
    """The cut without the citations inside it, which stay."""
    inside = [mark for mark in marks if cut.start < mark[1] and mark[0] < cut.end]
    if not inside:
        return [cut]
    edges = [cut.start, *(edge for mark in inside for edge in mark), cut.end]
    spans = [span for span in list(pairwise(edges))[::2] if span[0] < span[1]]
    return [Cut(*span, cut.instead if span[1] == cut.end else " " if span[0] == cut.start else "") for span in spans]

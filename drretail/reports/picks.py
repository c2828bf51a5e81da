"""The picks that a report declares in a block of its own."""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from drretail.records.reading import REASONS, Because, Outcome, Pick
from drretail.records.shop import Product
from drretail.records.wish import MOST_PIECES

_FRAME_OPENS = re.compile(r"^[ \t]*<report>", re.IGNORECASE | re.MULTILINE)
_FRAME_CLOSES = re.compile(r"</report>[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
_OPENS = re.compile(
    r"(?<![ \t>])[ \t>]*+(?P<fence>(?<!`)`{2,}+|(?<!~)~{2,}+)[ \t]*+picks?\b[ \t]*+:?[ \t\r]*+$", re.I | re.M
)
_CLOSES = {sign: re.compile(rf"^[ \t>]*{sign}{{2,}}[ \t\r]*$", re.MULTILINE) for sign in "`~"}
_AROUND = " \t>-*•+`'\"|,;."
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+")
_NOTHING = re.compile(r"(?:none|nothing|no picks?|n/a|empty|\(.*\)|-*)", re.IGNORECASE)
# "none: too_dear", "swaddle blanket: none: demands", "none (too dear)".
_NONE = re.compile(r"(?:^|[:—–-]\s*)none\b[\s:(—–-]*(?P<why>[a-z_\s/,-]*)\)?$", re.IGNORECASE)
_NEAREST = re.compile(r"\bnearest\b\s*[:—–-]?", re.IGNORECASE)
_KEY = r"[A-Z0-9][A-Z0-9_-]{0,63}"
_ID = re.compile(
    rf"(?:\bP:(?P<offer>{_KEY}/{_KEY}(?!:))|(?:\bP:|ecommerce\.com/)(?P<named>{_KEY})|\b(?P<bare>B0[A-Z0-9]{{8}})\b)",
    re.IGNORECASE,
)
_OR = re.compile(r"\s(?:or|oder|ou|o)\s|\s[/|]\s", re.IGNORECASE)
# The quantity is after the id, before it, or at the end; other words may have numbers of their own.
_SIGN = r"(?:[x×*]|\b(?:qty|quantity)[\":]*+)"
_TIMES = (
    re.compile(rf"^[^\w×*]*{_SIGN}\s*(\d{{1,6}})\b", re.IGNORECASE),
    re.compile(rf"{_SIGN}\s*(\d{{1,6}})\W*$", re.IGNORECASE),
    # Nothing but a number: "P:… (2)", "P:…: 2", a table's cell.
    re.compile(r"^[\s:,|(\]`*]*(\d{1,6})[\s)|`*]*$"),
)
_TIMES_BEFORE = re.compile(r"(?<!\w)(\d{1,6})\s*[x×*]\W*$", re.IGNORECASE)
# "x lots", "x -2", "x 2.5": a quantity is meant, and none can be read.
_UNCLEAR = re.compile(rf"(?:^|[\s\"]){_SIGN}\s*(?!\d{{1,6}}(?![\d.,]*\d))\S", re.IGNORECASE)
REFUSES_ALL = "`none` without the name of a thing refuses everything, and products are picked beside it"


@dataclass(frozen=True, slots=True)
class Declared:
    """A report without its frame and its block of picks, and the contents of the block."""

    report: str
    picks: tuple[Pick, ...] | None
    """None without a block, or if it can't be read."""
    problem: str | None = None
    """Why a block can't be read."""
    outcome: Outcome | None = None
    """The block's decision; None without readable picks."""
    is_framed: bool = False
    """True if the writer framed the report; the text outside the frame is dropped."""


# Cached: a report is checked as it is handed in, and read then.
@lru_cache(maxsize=16)
def take_picks(text: str) -> Declared:
    """The report without its block of picks, with the picks or the reason why they can't be read.

    The report is the text in the frame ``<report>…</report>``, or else the whole text; the block may follow the frame.
    The last of several blocks counts, since a repair declares again.
    """
    framed = _framed(text)
    if framed is None:
        return _declared(text)
    inside = _declared(framed)
    if inside.picks is None and inside.problem is None:
        around = _declared(text)
        inside = replace(around, report=_framed(around.report) or "")
    return replace(inside, is_framed=True)


def is_whole_report(text: str) -> bool:
    """True if a text holds a report in a frame that is opened and closed."""
    opening = _FRAME_OPENS.search(text)
    return opening is not None and _FRAME_CLOSES.search(text, opening.end()) is not None


def _framed(text: str) -> str | None:
    """The content of the last frame, up to the text's end if it is not closed; None without a frame."""
    opening = deque(_FRAME_OPENS.finditer(text), maxlen=1)
    if not opening:
        return None
    begin = opening[0].end()
    closing = _FRAME_CLOSES.search(text, begin)
    return text[begin : closing.start() if closing else len(text)].strip()


def _declared(report: str) -> Declared:
    rest, content = report, None
    while block := _OPENS.search(rest):
        closing = _CLOSES[block["fence"][0]].search(rest, block.end())
        end = closing.end() if closing else len(rest)
        content = rest[block.end() : closing.start() if closing else end]
        before, behind = rest[: block.start()].rstrip(), rest[end:].strip("\n")
        rest = f"{before}\n\n{behind}" if before and behind.strip() else f"{before}{behind.rstrip()}\n"
    if content is None:
        return Declared(report, None)
    picks: list[Pick] = []
    nearest: list[Pick] = []
    refusals: dict[str, list[Because]] = {}
    for line in filter(str.strip, content.splitlines()):
        entry = _NUMBERED.sub("", line.strip(_AROUND), count=1)
        if (refused := _NONE.search(entry)) is not None and not _ID.search(line):
            parts = re.split(r"[,/]", refused["why"].casefold())
            why = {"_".join(part.split()).replace("-", "_").strip("_") for part in parts}
            reasons = refusals.setdefault(entry[: refused.start()].strip(_AROUND), [])
            reasons += [reason for reason in REASONS if reason in why]
            continue
        is_nearest = _NEAREST.search(line)
        read = _read_line(line if is_nearest is None else line[is_nearest.end() :])
        if isinstance(read, str):
            return Declared(rest, None, read)
        (picks if is_nearest is None else nearest).extend(read)
    if picks and "" in refusals:
        return Declared(rest, None, REFUSES_ALL)
    because: list[Because] = list(dict.fromkeys(reason for reasons in refusals.values() for reason in reasons))
    outcome = outcome_of(picks, because, merged(nearest), refused=[name for name in refusals if name])
    return Declared(rest, merged(picks), outcome=outcome)


def outcome_of(
    picks: Sequence[Pick], because: Sequence[Because] = (), nearest: Sequence[Pick] = (), refused: Sequence[str] = ()
) -> Outcome:
    """The decision that picks imply; ``refused`` are the names of the things that are refused besides."""
    decision = "none" if not picks else "part" if refused else "buy"
    offers = tuple(pick.offer_id for pick in nearest)
    return Outcome(decision=decision, because=tuple(because), nearest=offers, refused=tuple(refused))


def merged(picks: Iterable[Pick]) -> tuple[Pick, ...]:
    """One pick for each offer, in the order of their first lines; quantities of equal offers are added."""
    by_offer: dict[str, Pick] = {}
    for pick in picks:
        if (first := by_offer.get(pick.offer_id)) is not None:
            others = dict.fromkeys((*first.alternatives, *pick.alternatives))
            pick = first.model_copy(update={"quantity": first.quantity + pick.quantity, "alternatives": tuple(others)})
        by_offer[pick.offer_id] = pick
    return tuple(by_offer.values())


def by_product(pick: Pick, products: Mapping[str, Product]) -> Pick:
    """The pick with its product, where it names a variant by its id alone; ``products`` are found by either."""
    item = products.get(pick.product)
    if item is None or item.product_id == pick.product:
        return pick
    return pick.model_copy(update={"product": item.product_id, "variant": pick.product})


def picks_block(picks: Sequence[Pick], outcome: Outcome | None = None) -> str:
    """The block that declares these picks and this outcome, as agents write it."""
    lines = [
        " or ".join(f"P:{product}" for product in (pick.offer_id, *pick.alternatives)) + f" x {pick.quantity}"
        for pick in picks
    ]
    if outcome is not None and outcome.decision != "buy":
        refusals = [f"none: {reason}" for reason in outcome.because] or (["none"] if picks else [])
        names = outcome.refused or (("the rest",) if picks else ())
        lines += [f"{name}: {refusal}" for name in names for refusal in refusals] if names else refusals
        lines += [f"nearest: P:{offer_id} x 1" for offer_id in outcome.nearest]
    return "\n".join(["```picks", *lines, "```"])


def _read_line(line: str) -> list[Pick] | str:
    """The picks of a line, or what is wrong with it; commas separate picks, "or" separates alternatives."""
    entry = _NUMBERED.sub("", line.strip(_AROUND), count=1)
    if _NOTHING.fullmatch(entry):
        return []
    picks: list[Pick] = []
    for part in re.split(r"[,;](?=\W{0,40}(?:P:|B0[A-Z0-9]{8}\b))", entry):
        # An id of Amazon's form counts in either case.
        groups = [
            [
                name.upper() if re.fullmatch(r"b0[a-z0-9]{8}", name, re.IGNORECASE) else name
                for match in _ID.finditer(group)
                if (name := match["offer"] or match["named"] or match["bare"])
            ]
            for group in _OR.split(part)
        ]
        groups = [ids for ids in groups if ids]
        if not groups or any(len(set(ids)) > 1 for ids in groups):
            return f"{line.strip()!r} names no product id" if not groups else f"{line.strip()!r} names several products"
        # Of alternatives the first counts, unless the quantity is at the end for all of them.
        words = next(word for word in _OR.split(part) if _ID.search(word))
        times = next((count for count in (_times(words), _times(part)) if count is not None), 1)
        if _UNCLEAR.search(_ID.sub(" ", part)) or not 1 <= times <= MOST_PIECES:
            return f"{line.strip()!r} has no clear quantity"
        first, *others = dict.fromkeys(ids[0] for ids in groups)
        picks.append(Pick(product=first, quantity=times, alternatives=tuple(others)))
    return picks


def _times(part: str) -> int | None:
    ids = list(_ID.finditer(part))
    before, behind = part[: ids[0].start()], part[ids[-1].end() :]
    times = next((match for pattern in _TIMES if (match := pattern.search(behind))), _TIMES_BEFORE.search(before))
    return int(times[1]) if times else None

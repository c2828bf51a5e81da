"""The picks that a report declares in a block of its own, and those that its layout makes certain."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.layout import Layout
from drretail.grounding.verify.ledger import Ledger
from drretail.records.reading import Pick

_OPENS = re.compile(r"[ \t>]*(?P<fence>`{2,}|~{2,}|<)[ \t]*picks?\b[ \t]*[:>]?[ \t]*$", re.IGNORECASE | re.MULTILINE)
_BARE_OPENS = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,})\w*[ \t]*\n[ \t>]*picks?[ \t]*:?[ \t]*$", re.I | re.MULTILINE)
_CLOSES = {
    "`": re.compile(r"^[ \t>]*`{2,}[ \t]*$", re.MULTILINE),
    "~": re.compile(r"^[ \t>]*~{2,}[ \t]*$", re.MULTILINE),
    "<": re.compile(r"^[ \t>]*</picks?>[ \t]*$", re.IGNORECASE | re.MULTILINE),
}
_AROUND = " \t>-*•+`'\"|,;."
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+")
_NOTHING = re.compile(r"(?:none|nothing|no picks?|n/a|empty|\(.*\)|-*)", re.IGNORECASE)
_ID = re.compile(r"(?:\bP:|ecommerce\.com/)(?P<named>[A-Za-z0-9][A-Za-z0-9_-]{0,63})|\b(?P<bare>B0[A-Z0-9]{8})\b")
_OTHER_ID = re.compile(r"\b[OUWCF]:\w+")
_OR = re.compile(r"\s(?:or|oder|ou|o)\s|\s[/|]\s", re.IGNORECASE)
_TIMES = re.compile(
    r"(?:[x×*]|\bqty:?|\bquantity:?)\s*(?P<behind>\d{1,6})\b|(?<![\w:])(?P<before>\d{1,6})\s*[x×*](?!\w)", re.IGNORECASE
)
_MOST = 999


@dataclass(frozen=True, slots=True)
class Declared:
    """A report without its block of picks, and what the block says."""

    report: str
    picks: tuple[Pick, ...] | None
    """None where there is no block, or none that can be read."""
    problem: str | None = None
    """Why a block that is there can't be read; None where it can, and where there is none."""


def take_picks(report: str) -> Declared:
    """The report without its block of picks, with the picks or the reason why they can't be read.

    The last of several blocks counts: a repair declares anew.
    """
    rest, content = report, None
    while block := _OPENS.search(rest) or _BARE_OPENS.search(rest):
        closing = _CLOSES[block["fence"][0]].search(rest, block.end())
        end = closing.end() if closing else len(rest)
        content = rest[block.end() : closing.start() if closing else end]
        before, behind = rest[: block.start()].rstrip(), rest[end:].strip("\n")
        rest = f"{before}\n\n{behind}" if before and behind.strip() else f"{before}{behind.rstrip()}\n"
    if content is None:
        return Declared(report, None)
    picks: list[Pick] = []
    for line in filter(str.strip, content.splitlines()):
        read = _read_line(line)
        if isinstance(read, str):
            return Declared(rest, None, read)
        picks += read
    return Declared(rest, tuple(picks))


def picks_block(picks: Sequence[Pick]) -> str:
    """The block that declares these picks, as agents write it."""
    lines = [
        " or ".join(f"P:{it}" for it in (pick.product, *pick.alternatives)) + f" x {pick.quantity}" for pick in picks
    ]
    return "\n".join(["```picks", *lines, "```"])


def _read_line(line: str) -> list[Pick] | str:
    """The picks of a line, or what is wrong with it; commas stand between picks, "or" between alternatives."""
    said = _NUMBERED.sub("", line.strip(_AROUND), count=1)
    if _NOTHING.fullmatch(said):
        return []
    if (other := _OTHER_ID.search(said)) is not None:
        return f"{other[0]} is no product"
    picks: list[Pick] = []
    for part in re.split(r"[,;](?=[^,;]*(?:P:|\bB0[A-Z0-9]{8}\b))", said):
        groups = [[_id_of(found) for found in _ID.finditer(group)] for group in _OR.split(part)]
        groups = [ids for ids in groups if ids]
        if not groups or any(len(set(ids)) > 1 for ids in groups):
            return f"{line.strip()!r} names no product id" if not groups else f"{line.strip()!r} names several products"
        times = {int(found["behind"] or found["before"]) for found in _TIMES.finditer(_ID.sub(" ", part))}
        if len(times) > 1 or any(not 1 <= it <= _MOST for it in times):
            return f"{line.strip()!r} has no clear quantity"
        first, *others = dict.fromkeys(ids[0] for ids in groups)
        picks.append(Pick(product=first, quantity=times.pop() if times else 1, alternatives=tuple(others)))
    return picks


def _id_of(found: re.Match[str]) -> str:
    said = found["named"] or found["bare"]
    return said.upper() if re.fullmatch(r"b0[a-z0-9]{8}", said, re.IGNORECASE) else said


def picks_by_form(layout: Layout, ledger: Ledger) -> tuple[Pick, ...] | None:
    """The picks of a report that declares none, where its layout leaves no doubt; None where it does.

    A report that advises a purchase says first what to buy: its first statement that cites products names each of them
    with its own price, no order is cited with them, the user has none of them, and the report cites nothing else of
    the shop more often.
    """
    first = next((it for it in layout.stretches if any(cited[:2] == "P:" for cited in it.cited)), None)
    if first is None:
        return None
    inside = [it for it in layout.stretches if it.sentence == first.sentence]
    if any(cited[:2] == "O:" for it in inside for cited in it.cited):
        return None
    owned = set(ledger.ordered.values())
    times = Counter(it for one in layout.stretches for it in one.cited if it[:2] == "P:" and it[2:] not in owned)
    picks: list[Pick] = []
    for stretch in inside:
        products = [it for it in stretch.cited if it[:2] == "P:"]
        if not products:
            continue
        price = ledger.price(products[0][2:])
        amounts = find_amounts(layout.text[stretch.start : stretch.end])
        has_price = price is not None and any(it.kind == "money" and it.agreement(price) for it in amounts)
        if len(products) > 1 or not has_price or products[0][2:] in owned:
            return None
        picks.append(Pick(product=products[0][2:], start=stretch.start, end=stretch.end))
    most = max(times.values(), default=0)
    together = sum((ledger.price(it.product) or 0 for it in picks), start=0)
    if ledger.limit is not None and together > ledger.limit:
        return None
    return tuple(picks) if picks and all(times[f"P:{it.product}"] * 2 >= most for it in picks) else None

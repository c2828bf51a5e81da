"""What falls with a statement that is struck: what hangs on it, what speaks of it, and sums that it was a part of."""

import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

from drretail.grounding.case import Case
from drretail.grounding.facts import exact
from drretail.grounding.recommendations import Recommendation
from drretail.grounding.removal import complete
from drretail.grounding.statements import Layout, Statement
from drretail.grounding.totals import Total
from drretail.grounding.values import Value, find_values
from drretail.records.evidence import Finding

OF_WHAT_WAS_STRUCK = "it speaks of what was left out"
OF_A_SECTION = "it was about what was left out"
OF_A_PART = "a part of this sum was left out"
# "Both the lights and the hose" says itself what it is about.
_BACK = re.compile(
    r"[\"'“‘(*_]*(?:it|its|it['’]s|they|they['’]re|their|them|these|those|this|that|that['’]s"
    r"|(?:both|each|either|one)(?!\s+(?:of\s+)?(?:the|an?|your|my)\b)|such"
    r"|together|combined|altogether|in total|all told|the (?:former|latter|same|two|pair))\b",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:leav\w+|left|remain\w*|to spare|unspent|(?:under|below|within)\s+(?:your|the)\b)", re.IGNORECASE
)


def speaks_back(text: str) -> bool:
    """True for a sentence that begins with a word such as "it", which only the one before it explains."""
    return bool(_BACK.match(text))


def fallen(case: Case, layout: Layout, struck: Mapping[int, Finding], cut: Collection[int] = ()) -> dict[int, Finding]:
    """All statements that go, by number, each with why; those that were struck first of all keep their reason.

    ``cut`` are statements that stay without an amount.
    """
    why = dict(struck)
    size = -1
    while len(why) != size:
        size = len(why)
        for index, reason in [*_completing(layout, why), *_hanging(layout, why), *_speaking(layout, why)]:
            why.setdefault(index, reason)
        for index in _sums(case, layout, why, cut):
            why.setdefault(index, Finding(code="total_wrong", severity="error", said="", found=OF_A_PART))
    return why


def _completing(layout: Layout, why: Mapping[int, Finding]) -> Iterator[tuple[int, Finding]]:
    for index in complete(layout, why):
        if index not in why:
            block = layout.block(layout.statements[index].block)
            yield index, _falls_with(why[next(number for number in block if number in why)])


def _hanging(layout: Layout, why: Mapping[int, Finding]) -> Iterator[tuple[int, Finding]]:
    """What stands below an item that goes, and the list below a line that introduces it."""
    statements = layout.statements
    for index, statement in enumerate(statements):
        if index not in why or statement.kind not in ("item", "text"):
            continue
        block = layout.block(statement.block)
        if block[-1] != index or any(number not in why for number in block):
            continue
        for later in range(index + 1, len(statements)):
            if not _hangs(layout, statement, statements[block[0]], statements[later]):
                break
            yield later, _falls_with(why[index])


def _hangs(layout: Layout, last: Statement, first: Statement, later: Statement) -> bool:
    if later.section != last.section:
        return False
    if last.kind == "item":
        deeper = later.level > last.level
        return deeper and later.kind in ("item", "text")
    leads = layout.text(last).rstrip("* ").endswith(":") or layout.text(first).startswith("**")
    return leads and later.kind == "item"


def _speaking(layout: Layout, why: Mapping[int, Finding]) -> Iterator[tuple[int, Finding]]:
    """Statements that begin with a word such as "it" right behind one that goes."""
    for index, statement in enumerate(layout.statements):
        if index in why or not index or index - 1 not in why or statement.kind not in ("item", "text"):
            continue
        before = layout.statements[index - 1]
        together = before.section == statement.section and before.kind == statement.kind
        if together and before.kind == "item":
            together = before.block == statement.block
        if together and speaks_back(layout.text(statement)):
            yield index, _falls_with(why[index - 1])


def _falls_with(reason: Finding) -> Finding:
    return reason.model_copy(update={"found": OF_WHAT_WAS_STRUCK})


def _sums(case: Case, layout: Layout, why: Mapping[int, Finding], cut: Collection[int]) -> Iterator[int]:
    """Sums that held what goes, and what was reckoned from them; not those that what is left still comes to."""
    totals = {layout.at(total.value.start) for total in case.totals}
    amounts = {index for index in why if index not in totals and _amounts(case, layout.statements[index])}
    left = [spot for spot in case.recommended if layout.at(spot.start) not in why]
    lost = _lost(case, layout, why, left)
    gone: list[Decimal] = []
    for total in case.totals:
        index = layout.at(total.value.start)
        if index is None:
            continue
        if index in why:
            gone += [total.value.number] if total.whole else []
        elif (
            _adds_up(layout, index, cut)
            or (cut and total.whole and not _still_holds(case, total, left))
            or (_held(case, layout, total, index, amounts, lost) and not _still_holds(case, total, left))
        ):
            gone += [total.value.number] if total.whole else []
            yield index
    wrong = {value.number for value in _wrong_prices(why)}
    for index, statement in enumerate(layout.statements):
        said = {value.number for value in _amounts(case, statement)}
        text = case.structure.text[statement.start : statement.end]
        computed = "=" in text and bool(said & wrong)
        if index not in why and said and (computed or (_REST.search(text) and _is_rest(case, said, gone))):
            yield index


def _adds_up(layout: Layout, index: int, cut: Collection[int]) -> bool:
    """True when an amount was cut out above a sum in its paragraph or table: its parts are no longer all there."""
    return any(layout.statements[it].block == layout.statements[index].block and it < index for it in cut)


def _is_rest(case: Case, said: Collection[Decimal], gone: Collection[Decimal]) -> bool:
    """True for amounts that are what the totals that go leave of the budget; without a budget nobody can tell."""
    budget = case.constraints.budget
    return bool(gone) and (budget is None or any(abs(budget.value - total) in said for total in gone))


def _amounts(case: Case, statement: Statement) -> list[Value]:
    return [v for v in find_values(case.structure.text[statement.start : statement.end]) if v.kind == "money"]


def _wrong_prices(why: Mapping[int, Finding]) -> Iterator[Value]:
    for reason in why.values():
        if reason.code == "price_wrong" and reason.found != OF_WHAT_WAS_STRUCK:
            yield from (value for value in find_values(reason.said) if value.kind == "money")


def _lost(case: Case, layout: Layout, why: Mapping[int, Finding], left: Collection[Recommendation]) -> frozenset[int]:
    """The sections that recommended what is recommended no more; that of a thing that the shop does not have, too."""
    still = {spot.product_id for spot in left}
    sections = {spot.unit.section for spot in case.recommended if spot.product_id not in still}
    sections |= {layout.statements[index].section for index, reason in why.items() if reason.code == "not_in_catalog"}
    return frozenset(sections)


def _held(
    case: Case, layout: Layout, total: Total, index: int, amounts: Collection[int], lost: Collection[int]
) -> bool:
    """True when what goes stood in the total's own table, or above it in its section, or was part of the whole."""
    statement = layout.statements[index]
    for gone in amounts:
        it = layout.statements[gone]
        if it.block == statement.block or (it.section == total.section and gone < index and statement.kind != "row"):
            return True
    if not lost:
        return False
    within = set(case.structure.path(total.section))
    parts = {section for number in lost for section in case.structure.path(number) if section.level > 1}
    return total.whole or total.beyond or bool(parts & {section for section in within if section.level > 1})


def _still_holds(case: Case, total: Total, left: Collection[Recommendation]) -> bool:
    """True when the recommended things that are left, or those of the total's section, come to it, one of each."""
    here = case.structure.sections[total.section]
    near = [spot for spot in left if here in case.structure.path(spot.unit.section)]
    return any(_sum(case, spots) == total.value.number for spots in (left, near) if spots)


def _sum(case: Case, spots: Collection[Recommendation]) -> Decimal | None:
    prices = [case.products[product_id].price for product_id in {spot.product_id for spot in spots}]
    return None if None in prices else sum((exact(price) for price in prices if price is not None), Decimal(0))

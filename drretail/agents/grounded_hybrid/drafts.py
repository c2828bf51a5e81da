"""A draft of the report with the verifier's findings, and whether another draft is better; pure.

Whole statements that stayed wrong are struck. No value is corrected, and no sentence is cut.

A statement is a sentence of running text, a list item with what is indented below it, or a table's row. Striking a
heading strikes its section, and striking a table's head its table. A heading or head with nothing left below it goes
too. The report ends with a list of what was struck, which does not repeat the statements.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from drretail.env.session import Session
from drretail.records.evidence import Finding
from drretail.records.query import Query, Task
from drretail.records.shop import Product
from drretail.records.wish import Wish
from drretail.reports.layout import Layout
from drretail.reports.picks import Declared, picks_block
from drretail.reports.text.wording import format_money, short_title
from drretail.shopping.verify.checks import Case, check_report, read_report
from drretail.shopping.verify.findings import CODES

GRAVE = frozenset(
    {"not_in_catalog", "recommended_although_owned", "unwanted_brand", "over_budget", "below_rating", "not_wanted"}
)
"""Errors that send a shopper after the wrong product."""
LEAST_KEPT = 0.5
"""The share of a draft's words, and of its cited sources, that a repaired draft must still have."""


@dataclass(frozen=True)
class Draft:
    """A report under verification; its findings are a function of it and of the run's ledger."""

    case: Case
    note: str | None = None
    """Why its picks are unknown; None if they are known."""

    @property
    def report(self) -> str:
        return self.case.report

    @property
    def as_written(self) -> str:
        """The report with its block of picks, as its writer sees it."""
        picks = self.case.picks
        return self.report if picks is None else f"{self.report}\n\n{picks_block(picks, self.case.outcome)}"

    @cached_property
    def findings(self) -> list[Finding]:
        return check_report(self.case, read_report(self.case))

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    def instead(self, declaration: Declared, note: str | None = None) -> "Draft":
        """A draft of another report and its picks, checked against the same records."""
        return Draft(
            replace(self.case, report=declaration.report, picks=declaration.picks, outcome=declaration.outcome), note
        )

    @property
    def cost(self) -> str | None:
        """What its cart costs by the records, and how far below or above the budget; None if the cost is unknown."""
        ledger = self.case.ledger(self.case.picks)
        if ledger.total is None:
            return None
        if ledger.limit is None:
            return format_money(ledger.total, ledger.currency)
        side = "below" if ledger.total <= ledger.limit else "above"
        rest = format_money(abs(ledger.limit - ledger.total), ledger.currency)
        return f"{format_money(ledger.total, ledger.currency)}, {rest} {side} the budget"

    @cached_property
    def sources(self) -> frozenset[str]:
        """The evidence ids that it cites."""
        return frozenset(cited.evidence_id for cited in self.case.citations if cited.evidence_id is not None)

    def sentence_of(self, finding: Finding) -> str:
        """The sentence of a finding; for a wrong pick, the first that cites only that pick; empty without one."""
        for index, sentence_ in enumerate(self.case.layout.sentences):
            cited = cited_in(self.case.layout, [index])
            alone = len(cited) == 1 and finding.evidence_id in cited
            if alone if finding.start is None else sentence_.start <= finding.start < sentence_.end:
                return self.report[sentence_.start : sentence_.end]
        return ""

    def counts(self) -> str:
        """Its errors by kind: "price_wrong ×2, total_wrong"."""
        counted = sorted(Counter(finding.code for finding in self.errors).items())
        return ", ".join(code if number == 1 else f"{code} ×{number}" for code, number in counted)


@dataclass(frozen=True)
class Refusal:
    """Why a repaired draft must not replace the one before, with the errors that stayed and those it brought."""

    why: str
    mended: Draft
    stayed: tuple[Finding, ...]
    brought: tuple[Finding, ...]

    def __str__(self) -> str:
        """One line: "its picks can't be read; stayed: price_wrong “$29.50”; brought: over_budget “$41.00”"."""
        parts = [self.why]
        for name, errors in (("stayed", self.stayed), ("brought", self.brought)):
            errors_of = [f"{error.code} “{error.text}”" if error.text else error.code for error in errors]
            parts += [f"{name}: {', '.join(errors_of)}"] if errors_of else []
        return "; ".join(parts)


def draft_of(declaration: Declared, task: Task, wish: Wish | None, session: Session, note: str | None) -> Draft:
    """The draft, to be checked against the wish, the session's ledger and the shop's catalog.

    Without a wish nothing is known of budget, brands, quantities, and products that the shopper needs no more of.
    """
    shop = session.settings.world.store
    query = Query(query_id="draft", user_id=task.user_id, text=task.text, wish=wish, source="task")
    evidence = {entry.id: entry for entry in session.ledger.evidence()}
    return Draft(Case(report="", evidence=evidence, query=query, shop=shop)).instead(declaration, note)


def cited_in(layout: Layout, sentences: Iterable[int]) -> frozenset[str]:
    """The products and orders that the sentences at these indexes cite."""
    return frozenset(source for at in sentences for source in layout.cited.get(at, ()) if source[:2] in ("P:", "O:"))


def refusal_of(mended: Draft, before: Draft) -> Refusal | None:
    """Why the repaired draft is not taken; None if it is the better one."""
    why = _why_not(mended, before)
    if why is None:
        return None
    had = {_kind(error) for error in before.errors}
    stayed = tuple(error for error in mended.errors if _kind(error) in had)
    return Refusal(why, mended, stayed, tuple(error for error in mended.errors if error not in stayed))


def _kind(error: Finding) -> tuple[str, str | None]:
    """Equal for the same fault before and after a repair that did not mend it, though its words may have changed."""
    return error.code, error.evidence_id


def _why_not(mended: Draft, before: Draft) -> str | None:
    if mended.case.picks is None and before.case.picks is not None:
        return "its picks can't be read"
    if len(mended.errors) > len(before.errors) or _grave(mended) > _grave(before):
        return "it has more or graver faults than before"
    if (len(mended.errors), _grave(mended)) == (len(before.errors), _grave(before)):
        mended_some = {*map(_kind, before.errors)} - {*map(_kind, mended.errors)}
        return "it brought as many faults as it mended" if mended_some else "it mended nothing"
    if len(mended.sources) < LEAST_KEPT * len(before.sources):
        return f"it cites {len(mended.sources)} sources instead of {len(before.sources)}"
    if len(mended.report.split()) < LEAST_KEPT * len(before.report.split()):
        return "it is less than half as long"
    return None


def _grave(draft: Draft) -> int:
    return sum(finding.code in GRAVE for finding in draft.errors)


STAYS = frozenset({"quantity_wrong"})
"""Errors of picks that are nevertheless the right products."""
_MARKER = re.compile(r"\n[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_RULE_BELOW = re.compile(r"[ \t]*\n[ \t]*\|?[ \t:|-]*-[ \t:|-]*(?=\n|$)")
_PLACELESS = {"start": None, "end": None}


@dataclass(frozen=True, slots=True)
class Stricken:
    """What is left of a draft, and what was struck from it, round by round, each round in text order.

    The ``text`` of a finding is the struck statement as it was written, or the pick. The finding has no position any
    more.
    """

    draft: Draft
    struck: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    """``report[start:end]``, from the beginning of its line unless it is running text."""

    start: int
    end: int
    kind: str
    depth: int
    """The level of a heading, or the indent of an item."""
    leads: bool
    """True if it ends in a colon."""
    cited: frozenset[str]
    """The products and orders that it cites."""


def strike_out(draft: Draft) -> Stricken:
    """The draft without wrong statements and picks. An error of no single statement, such as a budget's, stays."""
    struck: tuple[Finding, ...] = ()
    while True:
        # What is left may be wrong in another way, such as a sum over picks that are gone.
        left, newly_struck = _strike(draft)
        if (left.report, left.case.picks) == (draft.report, draft.case.picks):
            return Stricken(draft, struck)
        draft, struck = left, struck + newly_struck


def _strike(draft: Draft) -> tuple[Draft, tuple[Finding, ...]]:
    statements = _statements(draft.case.layout)
    placeless = (error for error in draft.errors if error.start is None and error.code not in STAYS)
    wrong_picks = {finding.evidence_id: finding for finding in placeless if finding.evidence_id is not None}
    # By statement, its errors, with those of a wrong pick if it cites nothing else: a statement that also cites an
    # order says what is owned, so it is not about the pick.
    why: dict[int, list[Finding]] = {}
    for at, part in enumerate(statements):
        faults = [error for error in draft.errors if error.start is not None and part.start <= error.start < part.end]
        faults += [finding for key, finding in wrong_picks.items() if part.cited == frozenset({key})]
        if faults:
            why[at] = faults
    # With the struck statements falls what hangs on them, and headings, heads and leading sentences with nothing left
    # below.
    gone = {at for index in why for at in (index, *_below(statements, index, ("heading", "item", "table_head")))}
    for index in reversed(range(len(statements))):
        inside = _below(statements, index, ("heading", "table_head", "text"))
        if inside and gone.issuperset(inside):
            gone.add(index)
    report = _without(draft.report, [statements[at] for at in sorted(gone)])
    picks, outcome = draft.case.picks, draft.case.outcome
    left = draft.instead(Declared(report, picks, outcome=outcome), draft.note)
    if picks is not None:  # those that are right and that the report still cites
        picks = tuple(
            pick
            for pick in picks
            if f"P:{pick.product}" not in wrong_picks
            and any(f"P:{product}" in left.case.cited for product in (pick.product, *pick.alternatives))
        )
    if outcome is not None and not picks:
        outcome = outcome.model_copy(update={"decision": "none"})
    texts = {at: draft.report[statements[at].start : statements[at].end].strip() for at in why}
    struck = [
        finding.model_copy(update={"text": texts[at], **_PLACELESS}) for at, faults in why.items() for finding in faults
    ]
    silent = [pick for pick in wrong_picks.values() if not any(pick in faults for faults in why.values())]
    return draft.instead(Declared(report, picks, outcome=outcome), draft.note), (*struck, *silent)


def _statements(layout: Layout) -> list[_Statement]:
    """All statements in their order. The sentences of a list item are one statement."""
    parts: list[list[int]] = []
    for index, sentence in enumerate(layout.sentences):
        before = layout.sentences[index - 1] if index else None
        goes_on = before is not None and before.kind == sentence.kind == "item"
        if goes_on and before and not _MARKER.search(layout.report, before.end, sentence.start):
            parts[-1].append(index)
        else:
            parts.append([index])
    statements: list[_Statement] = []
    for part in parts:
        first, last = layout.sentences[part[0]], layout.sentences[part[-1]]
        line = layout.report.rfind("\n", 0, first.start) + 1
        text = layout.report[line : first.end]
        indent = len(text) - len(text.lstrip())
        level = len(text.strip()) - len(text.strip().lstrip("#"))
        rule = _RULE_BELOW.match(layout.report, last.end) if first.kind == "table_head" else None
        statement = _Statement(
            start=first.start if first.kind == "text" else line,
            end=rule.end() if rule else last.end,
            kind=first.kind,
            depth=level or 7 if first.kind == "heading" else indent,
            leads=layout.report[first.start : last.end].rstrip("*_ ").endswith(":"),
            cited=cited_in(layout, part),
        )
        statements.append(statement)
    return statements


def _below(statements: Sequence[_Statement], index: int, kinds: Iterable[str]) -> list[int]:
    """The indexes of what hangs on a statement of these kinds: a section, deeper items, rows, what a colon heads."""
    start = statements[index]

    def hangs(at: int) -> bool:
        statement = statements[at]
        match start.kind:
            case "heading":
                return statement.kind != "heading" or statement.depth > start.depth
            case "item":
                return statement.kind == "item" and statement.depth > start.depth
            case "table_head":
                return statement.kind == "row"
            case _:
                return start.leads and statement.kind in ("item", "table_head", "row")

    return list(takewhile(hangs, range(index + 1, len(statements)))) if start.kind in kinds else []


def _without(report: str, gone: Sequence[_Statement]) -> str:
    """The report without these statements, and without the empty lines and gaps that they leave."""
    if not gone:
        return report
    left, position = "", 0
    for statement in gone:
        left += report[position : statement.start]
        position = statement.end
        while report[position : position + 1] in (" ", "\t"):
            position += 1
        if report[position : position + 1] in ("\n", ""):
            bare = left[: len(left.rstrip(" \t>"))]
            is_whole_line = not bare or bare.endswith("\n")
            left = bare if is_whole_line else left.rstrip(" \t")
            position += is_whole_line
    return re.sub(r"\n{3,}", "\n\n", left + report[position:]).strip()


TITLE = "What did not hold"
ABOVE = "Statements with these faults were taken out, as the shop's records say otherwise or say nothing of it:"
SUMS = "Sums and comparisons above may still count what was taken out."
_WORDS: Mapping[str, str] = {
    **{code: f"a wrong {kind.replace('_', ' ')}" for kind, code in CODES.items()},
    "unresolved_citation": "a source that was never looked up",
    "url_not_seen": "a page that was never looked up",
    "not_in_catalog": "a product that the shop does not have",
    "recommended_although_owned": "recommended, though owned already",
    "unwanted_brand": "a product of a brand that is not wanted",
    "below_rating": "a product with fewer stars or ratings than asked for",
    "not_wanted": "a product that nobody asked for",
    "price_unknown": "a product of unknown price, though there is a limit",
    "unavailable": "a product that can't be had at the moment",
    "over_budget": "a product above the budget",
    "pick_not_argued": "in the cart, with no word on it",
}


def with_left_out(stricken: Stricken) -> str:
    """The report, ending with what was struck and the errors that striking can't mend; unchanged without any.

    What a record says is given with its source. The struck statement is not repeated.
    """
    draft = stricken.draft
    products = draft.case.ledger(draft.case.picks).products
    lines = list(dict.fromkeys(_line(finding, draft.case.evidence.keys(), products) for finding in stricken.struck))
    # "The budget is $30.00, and the picks cost $39.50."
    left = [
        f"{error.found[0].upper()}{error.found[1:]}." for error in draft.errors if error.start is None and error.found
    ]
    if not lines and not left:
        return draft.report
    listed = ["\n".join([ABOVE, "", *lines]), SUMS] if lines else []
    return "\n\n".join([draft.report, f"## {TITLE}", *listed, *left]).strip() + "\n"


def _line(finding: Finding, ids: Collection[str], products: Mapping[str, Product]) -> str:
    """ "- Tanagrove Hopper Bird Feeder: a wrong price; in fact $39.50 [P:…]." """
    fault = _WORDS.get(finding.code, finding.code.replace("_", " "))
    product = products.get((finding.evidence_id or "").removeprefix("P:"))
    of = f"{short_title(product.title, 60)}: {fault}" if product else f"{fault[0].upper()}{fault[1:]}"
    is_of_record = finding.code in CODES.values() and finding.code != "not_in_catalog"
    record = f"; in fact {finding.found}" if is_of_record and finding.found else ""
    source = f" [{finding.evidence_id}]" if finding.evidence_id in ids else ""
    return f"- {of}{record}{source}."

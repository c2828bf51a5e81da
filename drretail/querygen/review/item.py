"""What a reviewer is shown of each query of a file: the text, findings, basket and shopper, as lines of text."""

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.text.harmless import TURNING
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.budget import told
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Checked, Linter
from drretail.records.evidence import Finding
from drretail.records.query import Constraints, Demand, Query
from drretail.records.score import ProfileSummary


@dataclass(frozen=True, slots=True)
class Item:
    """A query with what the checks found; ``shopper`` is None where there is no user, or the world lacks it."""

    checked: Checked
    shopper: ProfileSummary | None

    @property
    def query(self) -> Query:
        return self.checked.query


class Items:
    """Those of the queries of one file in one world; each is made when it is asked for."""

    def __init__(self, world: World, queries: Sequence[Query]) -> None:
        self.world = world
        self._linter = Linter(world)
        self._summaries = Summaries(world)
        self._known: dict[str, ProfileSummary | None] = {}
        self._checked = {it.query.query_id: it for it in self._linter.check_all(queries)}
        self._texts = Texts(queries)

    def of(self, query: Query) -> Item:
        """The item of a query of the file."""
        return Item(self._checked[query.query_id], self._shopper(query.user_id))

    def check(self, edited: Query) -> Checked:
        """What the checks find in another version of a query of the file, beside all the other queries."""
        duplicate = self._texts.near_duplicate(edited)
        return self._linter.check(edited, also=[] if duplicate is None else [duplicate])

    def _shopper(self, user_id: str | None) -> ProfileSummary | None:
        if user_id is None:
            return None
        if user_id not in self._known:
            try:
                self._known[user_id] = self._summaries.of(user_id)
            except NotFound:  # the checks say so
                self._known[user_id] = None
        return self._known[user_id]


_MARGIN = "  "


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]


SAME_SHOPPER = "The same as of the query before; p shows the summary again."


def page_of(item: Item, width: int, *, same_shopper: bool = False) -> tuple[Section, ...]:
    """Shopper, checks, basket, what is typed, and last, where the eye rests when the questions come, the query."""
    query = item.query
    return (
        Section("The shopper", wrapped([SAME_SHOPPER], width)) if same_shopper else shopper_of(item, width),
        *checks_of(item.checked, width),
        Section("Typed", wrapped(_typed(item), width, bullet="· ")),
        Section("Why it was made", wrapped([query.rationale or "No reason is given."], width)),
        Section("The query", wrapped(query.text.splitlines(), width)),
    )


def shopper_of(item: Item, width: int) -> Section:
    """The profile summary, a statement a line."""
    return Section("The shopper", wrapped(_shopper(item), width, bullet="· "))


def checks_of(checked: Checked, width: int) -> tuple[Section, ...]:
    """What the checks found, and the cheapest basket."""
    findings = [finding_told(finding) for finding in checked.findings] or ["Nothing was found."]
    basket = told(checked.basket) if checked.basket else "There is none."
    return (
        Section("Checks", wrapped(findings, width, bullet="· " if checked.findings else "")),
        Section("The cheapest basket", wrapped([basket], width)),
    )


def finding_told(finding: Finding) -> str:
    """One line: "error budget_unreachable: $20 (the cheapest basket costs …)"."""
    found = f" ({finding.found})" if finding.found else ""
    return f"{finding.severity} {finding.code}: {finding.said}{found}"


def wrapped(texts: Iterable[str], width: int, bullet: str = "") -> tuple[str, ...]:
    """Indented lines of at most ``width`` characters, without anything that could steer a terminal."""
    indent = _MARGIN + " " * len(bullet)
    return tuple(
        line
        for text in texts
        for line in textwrap.wrap(
            harmless(text), width, initial_indent=_MARGIN + bullet, subsequent_indent=indent, break_on_hyphens=False
        )
        or [""]
    )


def harmless(text: str) -> str:
    """The text with control characters replaced, so that a query can neither move the cursor nor hide words."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if (unicodedata.category(it) == "Cc" and it not in "\n\t") or it in TURNING else it
        for it in text
    )


def _shopper(item: Item) -> list[str]:
    if item.shopper is not None:
        return [statement.text for statement in item.shopper.statements]
    if item.query.user_id is None:
        return ["Nobody: the query is for no certain shopper."]
    return ["The world does not know this shopper."]


def _typed(item: Item) -> list[str]:
    tools = ", ".join(item.query.expected_tools) or "none"
    return [*constraints_told(item.query.constraints), f"expected tools: {tools}"]


def constraints_told(constraints: Constraints) -> list[str]:
    """Each constraint that is set, in a few words."""
    lines: list[str] = []
    if constraints.budget is not None:
        each = " for each item" if constraints.budget_scope == "per_item" else " in total"
        lines.append(f"budget: {format_money(constraints.budget.value, constraints.budget.currency)}{each}")
    if constraints.quantities:
        lines.append(f"quantities: {', '.join(f'{count} × {name}' for name, count in constraints.quantities.items())}")
    if constraints.deadline:
        lines.append(f"deadline: {constraints.deadline}")
    lists = {
        "categories": constraints.categories,
        "brands wanted": constraints.brands_wanted,
        "brands unwanted": constraints.brands_unwanted,
        "must": map(_demand, constraints.must),
        "must not": map(_demand, constraints.must_not),
        "owned": constraints.owned,
    }
    told = {name: ", ".join(values) for name, values in lists.items()}
    return [*lines, *(f"{name}: {values}" for name, values in told.items() if values)]


def _demand(demand: Demand) -> str:
    return f"{demand.property} (of the {demand.of})" if demand.of else demand.property

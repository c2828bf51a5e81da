"""What a reviewer reads of a query, as sections of lines that fit the terminal."""

import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.budget import told
from drretail.querygen.lint import Checked
from drretail.querygen.review.dossier import Dossier
from drretail.records.evidence import Finding
from drretail.records.query import Constraints, Demand

_MARGIN = "  "
# They turn the order of what follows on the screen.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]


SAME_SHOPPER = "The same as of the query before; p shows the summary again."


def page_of(dossier: Dossier, width: int, *, same_shopper: bool = False) -> tuple[Section, ...]:
    """Shopper, checks, basket, what is typed, and last, where the eye rests when the questions come, the query."""
    query = dossier.query
    return (
        Section("The shopper", wrapped([SAME_SHOPPER], width)) if same_shopper else shopper_of(dossier, width),
        *checks_of(dossier.checked, width),
        Section("Typed", wrapped(_typed(dossier), width, bullet="· ")),
        Section("Why it was made", wrapped([query.rationale or "No reason is given."], width)),
        Section("The query", wrapped(query.text.splitlines(), width)),
    )


def shopper_of(dossier: Dossier, width: int) -> Section:
    """The profile summary, a statement a line."""
    return Section("The shopper", wrapped(_shopper(dossier), width, bullet="· "))


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
        "\N{REPLACEMENT CHARACTER}" if (unicodedata.category(it) == "Cc" and it not in "\n\t") or it in _TURNING else it
        for it in text
    )


def _shopper(dossier: Dossier) -> list[str]:
    if dossier.shopper is not None:
        return [statement.text for statement in dossier.shopper.statements]
    if dossier.query.user_id is None:
        return ["Nobody: the query is for no certain shopper."]
    return ["The world does not know this shopper."]


def _typed(dossier: Dossier) -> list[str]:
    tools = ", ".join(dossier.query.expected_tools) or "none"
    return [*constraints_told(dossier.query.constraints), f"expected tools: {tools}"]


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

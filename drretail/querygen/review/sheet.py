"""A sheet of queries for a spreadsheet, with columns for a reviewer to fill in."""

from collections.abc import Iterable

from drretail.grounding.wording import format_money
from drretail.querygen.checks.budget import told
from drretail.querygen.review.cells import as_csv
from drretail.querygen.review.dossier import Dossier
from drretail.querygen.review.page import finding_told
from drretail.querygen.revisions import version_of
from drretail.records.base import canonical_json

GIVEN = ("query_id", "version", "query", "shopper", "findings", "cheapest_basket", "budget", "constraints", "rationale")
TO_FILL = (
    "reviewer",
    "deep_research",
    "answerable",
    "fits_profile",
    "decision",
    "edited_text",
    "edited_constraints",
    "note",
)
COLUMNS = (*GIVEN, *TO_FILL)
# So much of a version tells two of the same query apart.
SHORT = 12


def sheet_of(dossiers: Iterable[Dossier], reviewer: str | None) -> bytes:
    """A CSV file with a row for each query; the reviewer's name stands in it where it is known."""
    return as_csv([COLUMNS, *(_row(dossier, reviewer or "") for dossier in dossiers)])


def _row(dossier: Dossier, reviewer: str) -> list[str]:
    query, basket = dossier.query, dossier.checked.basket
    budget = query.constraints.budget
    statements = dossier.shopper.statements if dossier.shopper else ()
    given = {
        "query_id": query.query_id,
        "version": version_of(query)[:SHORT],
        "query": query.text,
        "shopper": "\n".join(statement.text for statement in statements),
        "findings": "\n".join(finding_told(finding) for finding in dossier.checked.findings),
        "cheapest_basket": told(basket) if basket else "",
        "budget": format_money(budget.value, budget.currency) if budget else "",
        "constraints": canonical_json(query.constraints.model_dump(mode="json", exclude_none=True)),
        "rationale": query.rationale,
        "reviewer": reviewer,
    }
    return [given.get(column, "") for column in COLUMNS]

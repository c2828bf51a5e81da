"""The kinds of items that people work on in the browser. What an answer to one becomes is a method of the item."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """The path of a kind's pages, and the words for its items."""

    path: str
    title: str
    one: str
    many: str


KINDS = {
    kind.path: kind
    for kind in (
        Kind("vote", "Compare reports", "comparison", "comparisons"),
        Kind("rate", "Rate reports", "report", "reports"),
        Kind("label", "Check claims", "claim", "claims"),
        Kind("review", "Review queries", "query", "queries"),
    )
}
OF_REPORTS = tuple(KINDS)[:3]
"""The kinds about an experiment's reports, which its voting plan has items of."""

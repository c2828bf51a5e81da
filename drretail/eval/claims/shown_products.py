"""What a judge is shown beside a claim's sources where it says "the cheapest" or "the only one": all that was shown."""

from collections.abc import Iterable

from drretail.eval.claims.claims import Claim
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.superlatives import shown_of_kind
from drretail.records.reading import SUPERLATIVES

SHOWN = "S"
"""How the ids of these lists among the sources begin."""


def shown_products(claims: Iterable[Claim], ledger: Ledger) -> list[dict[str, str]]:
    """For each claim by source id the products of each kind that it speaks of, as far as the run was shown them, a line
    each; claims of one kind share a list."""
    lists: dict[str, str] = {}
    return [
        {lists.setdefault(lines, f"{SHOWN}{len(lists) + 1}"): lines for lines in _lists_of(claim, ledger)}
        for claim in claims
    ]


def _lists_of(claim: Claim, ledger: Ledger) -> dict[str, None]:
    named = (name.removeprefix("P:") for value in claim.values if value.kind in SUPERLATIVES for name in value.of)
    return dict.fromkeys(
        shown_of_kind(ledger.products[name], ledger) for name in dict.fromkeys(named) if name in ledger.products
    )

"""What a judge is shown beside a claim's sources where it says "the cheapest" or "the only one": all that was shown."""

from collections.abc import Iterable

from drretail.eval.claims.claims import Claim
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.superlatives import shown_of_kind
from drretail.records.reading import SUPERLATIVES

SHOWN = "S"
"""How the ids of these lists among the sources begin."""


def shown_products(claims: Iterable[Claim], ledger: Ledger) -> dict[str, str]:
    """By source id the products of one kind that the run was shown, a line each; one list for each kind spoken of."""
    named = (
        name.removeprefix("P:")
        for claim in claims
        for value in claim.values
        if value.kind in SUPERLATIVES
        for name in value.of
    )
    lists = dict.fromkeys(
        shown_of_kind(ledger.products[name], ledger) for name in dict.fromkeys(named) if name in ledger.products
    )
    return {f"{SHOWN}{number}": lines for number, lines in enumerate(lists, 1)}

"""What code finds of a claim's figures in the records: what a judge is shown only where its label says otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass

from drretail.eval.claims.claims import Claim
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.values import verify


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """What the records say of a claim, by code's verification of its values."""

    is_contradicted: bool
    """Of any value; else all of them agree with the records."""
    lines: tuple[str, ...]
    """A line for each value: "price 39.99: the record says $49.99"."""


def check_of(claim: Claim, ledger: Ledger, report: str) -> RecordCheck | None:
    """Of a claim of this report; None where it has no values, or where code knows of no contradiction and can't verify
    all of them."""
    verified = verify(claim.values, ledger, report) if claim.values else ()
    states = {value.state for value in verified}
    if "contradicted" not in states and states != {"verified"}:
        return None
    lines: Iterator[str] = (
        f"{value.kind.replace('_', ' ')} {_amount(value.amount)}: "
        + (value.derivation or "" if value.state == "contradicted" else _agreement(value.derivation))
        for value in verified
        if value.state != "underivable"
    )
    return RecordCheck("contradicted" in states, tuple(lines))


def _amount(amount: str | tuple[str, str]) -> str:
    return amount if isinstance(amount, str) else " to ".join(amount)


def _agreement(derivation: str | None) -> str:
    return f"agrees with the records{f' ({derivation})' if derivation else ''}"

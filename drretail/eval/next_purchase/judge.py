"""One report beside the purchase that was frozen when the experiment opened: a single verdict."""

from pathlib import Path
from typing import Any, NamedTuple

from drretail.eval.judge import Hearing
from drretail.eval.next_purchase.comparing import compare, recommended_goods
from drretail.eval.subject import Subject
from drretail.experiment import read_rubric
from drretail.grounding.case import Case
from drretail.records.next_purchase import METRIC, NextPurchase
from drretail.records.score import VerdictState

STAGE, ITEM = "compare", "report"
NOT_HELD_OUT = "not_held_out"
"""The world keeps no orders apart: then there is nothing to say of any report."""
GONE = "gone"
"""What was bought is no longer in the shop, where nobody could recommend it."""


class Outcome(NamedTuple):
    state: VerdictState
    value: Any
    reason: str
    notes: tuple[str, ...] = ()


def judge_next_purchase(subject: Subject, hearing: Hearing) -> None:
    """Records what is not compared yet, and anew what comes out differently: a ledger may be another's."""
    outcome = _outcome(subject)
    standing = hearing.standing(STAGE, ITEM)
    if standing is None or Outcome(standing.state, standing.value, standing.reason, standing.notes) != outcome:
        hearing.record(STAGE, ITEM, outcome.state, outcome.value, reason=outcome.reason, notes=outcome.notes)


def has_next_purchases(experiment: Path) -> bool:
    """True for an experiment in a world that holds orders out."""
    return any((experiment / "rubrics" / METRIC).glob("*.json"))


def _outcome(subject: Subject) -> Outcome:
    purchase = None if subject.folder is None else _frozen(subject.folder, subject.query.query_id)
    if purchase is None:
        return Outcome("na", None, "no orders are held out of the world", (NOT_HELD_OUT,))
    if purchase.gone and not purchase.bought:
        return Outcome("na", None, f"the shop has no more what was bought: {', '.join(purchase.gone)}", (GONE,))
    if not purchase.bought:
        why = "the query has no user" if purchase.user_id is None else "no order of this user is held out"
        return Outcome("na", None, why)
    recommended = recommended_goods(Case(subject.report or "", subject.evidence, subject.query))
    compared = compare(recommended, purchase)
    return Outcome("scored", compared.model_dump(mode="json"), _said([it.product_id for it in purchase.bought]))


def _frozen(experiment: Path, query_id: str) -> NextPurchase | None:
    return read_rubric(experiment, METRIC, query_id, NextPurchase)


def _said(product_ids: list[str]) -> str:
    return f"bought next: {', '.join(product_ids)}"

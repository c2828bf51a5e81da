"""What is known before the research begins: what the query demands, in types, and what the shop knows of the shopper.

The records of the shopper are fetched through the tools, by code, so that they stand in the run's ledger and can be
cited like anything that a researcher finds.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from drretail.agents.running.new_experiment import profile_summary
from drretail.env.session import Session
from drretail.grounding.constraints.query import read_constraints
from drretail.grounding.report.evidence_ids import order_evidence_id
from drretail.grounding.text.serialisation import whole_items
from drretail.prompts import tagged
from drretail.records.base import canonical_json
from drretail.records.query import Constraints, Task
from drretail.records.score import ProfileSummary, Statement
from drretail.records.shop import VOID_STATUSES
from drretail.tools.toolkit import Toolkit

PATH = "0"
ROLE = "profile"
"""Of the steps that code takes for all researchers."""
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
PAGE = 100
MOST_PAGES = 20
MOST_CITED = 3
"""Orders that a statement names one by one; one that rests on more cites the list."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """``told`` is the tagged text that researchers and the report generator get; ``evidence`` are the ids in it."""

    constraints: Constraints
    profile: str | None = None
    evidence: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        demanded = tagged(
            "constraints", canonical_json(self.constraints.model_dump(mode="json", exclude_defaults=True))
        )
        return (demanded,) if self.profile is None else (tagged("profile", self.profile), demanded)


async def write_briefing(task: Task, session: Session, toolkit: Toolkit) -> Briefing:
    """The query's typed constraints, the shopper's products among them, and the profile where the tools give one.

    Raises ModelError only where a replayed journal lacks an answer.
    """
    constraints = read_constraints(task.text)
    if task.user_id is None or not {PROFILE, STATISTICS, ORDERS} <= set(toolkit.tools):
        return Briefing(constraints)
    user = {"user_id": task.user_id}
    replies = await toolkit.acall_all([(PROFILE, user), (STATISTICS, user)], path=PATH, role=ROLE)
    evidence = [evidence for reply in replies for evidence in reply.evidence]
    orders, cited, failed = await _all_orders(user, toolkit)
    failed = next((reply.text for reply in replies if reply.error is not None), failed)
    if failed is not None:
        return Briefing(constraints, notes=(f"no profile briefing: {failed}",))
    owned = dict.fromkeys([*constraints.owned, *(str(it["product_id"]) for it in orders if _is_kept(it))])
    summary = profile_summary(session.world, task.user_id)
    known = tuple(dict.fromkeys([*evidence, *cited]))
    return Briefing(constraints.model_copy(update={"owned": tuple(owned)}), as_told(summary, known), known)


def as_told(summary: ProfileSummary, known: Collection[str]) -> str:
    """The summary, one statement a line, each with the evidence that it rests on."""
    return "\n".join(
        f"- {it.text} {''.join(f'[{source}]' for source in _sources(it, known))}" for it in summary.statements
    )


def _sources(statement: Statement, known: Collection[str]) -> Sequence[str]:
    if statement.code == "person":
        return ("U:profile",)
    if statement.code == "rhythm":
        return ("U:statistics",)
    named = [order_evidence_id(order) for order in statement.orders]
    return named if 0 < len(named) <= MOST_CITED and set(named) <= set(known) else ("U:orders",)


async def _all_orders(user: dict[str, Any], toolkit: Toolkit) -> tuple[list[dict[str, Any]], list[str], str | None]:
    """All orders, newest first, their evidence, and what went wrong; at most the newest 2,000."""
    orders: list[dict[str, Any]] = []
    evidence: list[str] = []
    for page in range(MOST_PAGES):
        asked = user | {"limit": PAGE, "offset": page * PAGE} if page else user | {"limit": PAGE}
        (reply,) = await toolkit.acall_all([(ORDERS, asked)], path=PATH, role=ROLE)
        if reply.error is not None:
            return orders, evidence, reply.text
        orders += whole_items(reply.value, "orders")
        evidence += reply.evidence
        if len(orders) >= reply.value["total"] or not reply.value["orders"]:
            break
    return orders, evidence, None


def _is_kept(order: dict[str, Any]) -> bool:
    return order["order_status"] not in VOID_STATUSES

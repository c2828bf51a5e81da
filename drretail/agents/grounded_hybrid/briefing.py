"""What is known before the research begins: what the query demands, in types, and what the shop knows of the shopper.

The records of the shopper are fetched through the tools, by code, so that they stand in the run's ledger and can be
cited like anything that a researcher finds.
"""

from dataclasses import dataclass
from typing import Any

from drretail.agents.grounded_hybrid.telling import (
    Owned,
    constraints_on,
    constraints_told,
    profile_told,
    statements_on,
)
from drretail.agents.running.new_experiment import profile_summary
from drretail.env.session import Session
from drretail.grounding.constraints.query import read_constraints
from drretail.grounding.text.serialisation import whole_items
from drretail.records.query import Constraints, Task
from drretail.records.score import Statement
from drretail.records.shop import VOID_STATUSES
from drretail.tools.toolkit import Toolkit

PATH = "0"
ROLE = "profile"
"""Of the steps that code takes for all researchers."""
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
PAGE = 100
MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known of a task; ``told`` and ``told_on`` are the tagged texts that roles get of it."""

    question: str
    constraints: Constraints
    """Those of the question itself: under ``owned`` only what its words name."""
    statements: tuple[Statement, ...] | None = None
    """None where nothing is known of the shopper."""
    owned: tuple[Owned, ...] = ()
    """Each product once that was ordered and kept, the newest first."""
    evidence: tuple[str, ...] = ()
    """The ids of the records that all this comes from."""
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """What the supervisor is told, and who writes the report."""
        demanded = constraints_told(self.constraints, self.owned, self.question)
        return (demanded,) if self.statements is None else (profile_told(self.statements, self.evidence), demanded)

    def told_on(self, part: str) -> tuple[str, ...]:
        """What a researcher is told of it whose sub-problem this is."""
        demanded = constraints_told(constraints_on(self.constraints, part), self.owned, part)
        if self.statements is None:
            return (demanded,)
        return profile_told(statements_on(self.statements, part), self.evidence), demanded

    @property
    def all_constraints(self) -> Constraints:
        """Those that a report is held against: nothing that the shopper has is recommended."""
        owned = dict.fromkeys([*self.constraints.owned, *(it.product_id for it in self.owned)])
        return self.constraints.model_copy(update={"owned": tuple(owned)})


async def write_briefing(task: Task, session: Session, toolkit: Toolkit) -> Briefing:
    """The query's typed constraints, the shopper's products, and the profile where the tools give one.

    Raises ModelError only where a replayed journal lacks an answer.
    """
    constraints = read_constraints(task.text)
    if task.user_id is None or not {PROFILE, STATISTICS, ORDERS} <= set(toolkit.tools):
        return Briefing(task.text, constraints)
    user = {"user_id": task.user_id}
    replies = await toolkit.acall_all([(PROFILE, user), (STATISTICS, user)], path=PATH, role=ROLE)
    evidence = [evidence for reply in replies for evidence in reply.evidence]
    orders, cited, failed = await _all_orders(user, toolkit)
    failed = next((reply.text for reply in replies if reply.error is not None), failed)
    if failed is not None:
        return Briefing(task.text, constraints, notes=(f"no profile briefing: {failed}",))
    kept: dict[str, Owned] = {}
    for it in orders:
        if it["order_status"] not in VOID_STATUSES:
            product_id = str(it["product_id"])
            title = str(it.get("product_title") or product_id)
            kept.setdefault(product_id, Owned(product_id, title, str(it["order_id"]), str(it["order_date"])[:10]))
    return Briefing(
        task.text,
        constraints,
        profile_summary(session.world, task.user_id).statements,
        tuple(kept.values()),
        tuple(dict.fromkeys([*evidence, *cited])),
    )


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

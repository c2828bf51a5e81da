"""The demo's questions: of what a few users would ask, those with the most to decide."""

from decimal import Decimal
from pathlib import Path

from drretail.env.world import World
from drretail.files import write_lines
from drretail.querygen.generate import generate_sampled
from drretail.querygen.reading import read_queries
from drretail.records.query import Query

USERS, PER_USER, QUESTIONS = 8, 2, 3


def demo_queries(world: World, path: Path, seed: str) -> tuple[Query, ...]:
    """Three queries of three users, those with the largest total budgets first; kept in ``path``."""
    if not path.exists():
        made = generate_sampled(world, USERS, per_user=PER_USER, seed=seed)
        ranked = sorted(made.queries, key=lambda query: (-_total_budget(query), query.query_id))
        by_user: dict[str | None, Query] = {}
        for query in ranked:
            by_user.setdefault(query.user_id, query)
        write_lines(path, (query.as_line() for query in list(by_user.values())[:QUESTIONS]))
    return read_queries(path)


def _total_budget(query: Query) -> Decimal:
    budget = query.constraints.budget
    return budget.value if budget is not None and query.constraints.budget_scope == "total" else Decimal(0)

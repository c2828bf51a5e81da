"""The demo's question: of what a few users would ask, the one with the most to decide."""

from decimal import Decimal
from pathlib import Path

from drretail.env.world import World
from drretail.files import write_lines
from drretail.querygen.generate import generate_sampled
from drretail.querygen.reading import read_queries
from drretail.records.query import Query

USERS, PER_USER = 6, 2


def demo_query(world: World, path: Path, seed: str) -> Query:
    """The query of ``path`` with the largest total budget; the file is made first where there is none."""
    if not path.exists():
        made = generate_sampled(world, USERS, per_user=PER_USER, seed=seed)
        write_lines(path, (query.as_line() for query in made.queries))
    return max(read_queries(path), key=lambda query: (_total_budget(query), query.query_id))


def _total_budget(query: Query) -> Decimal:
    budget = query.constraints.budget
    return budget.value if budget is not None and query.constraints.budget_scope == "total" else Decimal(0)

"""``queries`` from Python: questions made from real histories. Each function does what the command of its name does.

asked.py          the queries of a call: from a file, records or plain questions
query_file.py     the file that queries are written to
writing.py        models that write and read queries: opened, asked, and what went wrong
generate.py       generate: by rules, or by a model
questions.py      import_questions: plain questions as queries, typed by a model
check.py          check: what is wrong with queries
decide.py         decide: which products keep their demands, as people or a model read the records
query_sets.py     show, shipped, compare
"""

from typing import TYPE_CHECKING

from drretail.api.queries.check import check
from drretail.api.queries.decide import decide
from drretail.api.queries.generate import generate
from drretail.api.queries.query_sets import compare, shipped, show
from drretail.api.queries.questions import import_questions
from drretail.plugins import addon_function

if TYPE_CHECKING:
    from drretail.addons.difficulty.commands import difficulty, hide, spoil
    from drretail.addons.people.commands import review
    from drretail.addons.personas.commands import context, pair, personas
    from drretail.addons.perturb.commands import carry

__all__ = [
    "carry",
    "check",
    "compare",
    "context",
    "decide",
    "difficulty",
    "generate",
    "hide",
    "import_questions",
    "pair",
    "personas",
    "review",
    "shipped",
    "show",
    "spoil",
]


def __getattr__(name: str) -> object:
    return addon_function("queries", name)

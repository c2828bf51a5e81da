"""``queries`` from Python: questions made from real histories. Each function does what the command of its name does.

writing.py     models that write and read queries, opened and asked, and the file that queries are written to
generate.py    generate: by rules, or by a model
check.py       check: what is wrong with queries
decide.py      decide: which products keep their demands, by fields and as a model reads the records
query_sets.py  show, shipped; spoil: pairs of queries, of which the shop can meet one; converse: conversations made of
               queries; import_questions: plain questions as queries, typed by a model
"""

from importlib import import_module
from typing import TYPE_CHECKING

from drretail.api.queries.check import check
from drretail.api.queries.decide import decide
from drretail.api.queries.generate import generate
from drretail.api.queries.query_sets import converse, import_questions, shipped, show, spoil
from drretail.plugins import addon_names

if TYPE_CHECKING:
    from drretail.addons.personas.commands import context, pair, personas

__all__ = [
    "check",
    "context",
    "converse",
    "decide",
    "generate",
    "import_questions",
    "pair",
    "personas",
    "shipped",
    "show",
    "spoil",
]


def __getattr__(name: str) -> object:
    """What does an add-on's command of this group, by its name in Python. Raises AttributeError if there is none."""
    for command, line in addon_names("commands").items():
        module, _, function = line.get("function", "").partition(":")
        if command.startswith("queries ") and function == name:
            return getattr(import_module(module), function)
    raise AttributeError(f"there is no function {name!r} among those of `drretail queries`")

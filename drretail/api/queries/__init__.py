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

from drretail.api.queries.check import check
from drretail.api.queries.decide import decide
from drretail.api.queries.generate import generate
from drretail.api.queries.query_sets import compare, shipped, show
from drretail.api.queries.questions import import_questions

__all__ = ["check", "compare", "decide", "generate", "import_questions", "shipped", "show"]

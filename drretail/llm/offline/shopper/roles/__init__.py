"""What offline:shopper does in each role that a model has in an agent (paper section 4); a role is a file.

alone.py        the one researcher of react: looks things up, then writes the report
plan.py         plan_to_function: all look-ups in one turn, before anything is known
supervisor.py   hybrid: divides the question among researchers, and looks at what they brought
splitting.py    the sub-problems, each a text that says all that its researcher needs
researcher.py   hybrid: one sub-problem
assignment.py   what a sub-problem asks for: the shopper's record, the shop, the web
synthesis.py    hybrid: a researcher's findings as an intermediate report
records.py      which of the shopper's orders bear on a text
insights.py     its statements
notes.py        its sources: what of a tool's result goes into the facts, and
recall.py       the same facts read again as if the tools had been called
reporting.py    hybrid: the report, from intermediate reports alone
repairing.py    grounded_hybrid: mends a draft of which sentences turned out to be wrong
summariser.py   a web page as an extract

Each has one public function from a turn to the answer, ``play``.
"""

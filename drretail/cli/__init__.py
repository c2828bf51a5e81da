"""The command ``drretail``: parses the command line, calls the function that does the work, and prints.

Heavy modules are imported inside the commands, and ``drretail --help`` loads no command at all.

entry.py         where the command begins and ends: exit codes, one sentence for every error
app.py           the table of the commands, each loaded when it is called; its help under headings
result.py        a command made of a record and a function that returns a result; flags made from the record's fields
watching.py      what a command shows while it works
run_progress.py  the progress of many runs, and an agent's steps, live
"""

DEBUG = "--debug"
"""Anywhere among the arguments: an error is followed by its traceback."""

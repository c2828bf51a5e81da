"""The command ``drretail``: parses the command line, calls the function that does the work, and prints.

Heavy modules are imported inside the commands, and ``drretail --help`` loads no command at all.

entry.py         where the command begins and ends: exit codes, one sentence for every error
app.py           the table of the commands, each loaded when it is called
result.py        a command made of a record and a function that returns a Result
options/         flags that several commands share
demo.py          from a shop to a page of results in one command
run.py           agents over queries, or over one question; the paper's experiment
run_progress.py  the progress of many runs
score.py         judges over runs, and whether a folder can be trusted
compare.py       two systems
report.py        the page, the text, the paper's tables
mcp.py           the nine tools for MCP clients
narration.py     an agent's steps, live, and its report in the terminal
spending.py      what runs and judging took, and are likely to take
"""

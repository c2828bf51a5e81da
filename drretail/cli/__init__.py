"""The command ``drretail``: parses, calls the function of the layer that does the work, prints.

What is heavy is imported inside the commands, and ``drretail --help`` loads no command at all.

entry.py         where the command begins and ends: exit codes, one sentence for every error
app.py           the table of the commands, each loaded when it is called
options/         flags that several commands share
demo.py          the whole path, small
worlds/          raw files → worlds
tools.py         the nine, one of them called
queries/         generate, check, review, compare, shipped
sealed/          a sealed web for each query, a sealed benchmark
run.py           agents over queries, or over one question; the paper's experiment
prompts.py       the prompts of agents and judges, as sent or as files to change
run_progress.py  what is told of many runs while they go on
score.py         judges over runs, and whether a folder can be trusted
compare.py       two systems
lab.py           is the judge any good?
report.py        the page, the text, the paper's tables, other programs' forms, the live view
import_reports.py  reports from elsewhere
mcp.py           the nine for clients from outside
doctor.py        what works on this machine
narration.py     what an agent looks up and finds, live, and its report in the terminal
spending.py      what runs and judging took, and are likely to take
"""

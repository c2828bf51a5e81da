"""Makes recorded experiments readable. Only recorded files are read; nothing is judged or looked up here.

experiment.py    an experiment folder as views of its runs
timeline.py      the experiments of a folder in order of time
judged.py        every judge's last verdicts on a run or on two answers, and whether scores.json still matches them
claims.py        claims with their verdicts, their places in the report, and their quotes in the sources
claim_changes.py which claims two answers share, and which only one makes
run_lines.py     what tables and plots show of a run, and what went wrong in it
arithmetic.py    the sums behind a run's FP and FR
conversation.py  a run's whole conversation, from its journal
cart.py          a report's cart with prices and total
commands.py      the commands that make the experiment again
tables/          scores, pairs and agreement as tables, for all folders below
plots/           plots as SVG
page/            pages for a browser
terminal/        tables and texts for a terminal
paper/           an experiment as the paper's tables
output.py        prints results and JSON documents
summary.py       an experiment as one JSON document
"""

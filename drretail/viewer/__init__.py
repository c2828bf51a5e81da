"""Recorded experiments made readable: only recorded files are read, nothing is judged or looked up here.

experiment.py    an experiment folder as views of its runs
timeline.py      several experiments of a folder in order of time
judged.py        the last verdicts of every judge on a run, and whether scores.json still matches them
claims.py        claims with their verdicts, their place in the report, and their quotes in the sources
arithmetic.py    the sums behind a run's FP and FR
judged_pairs.py  verdicts on two answers to one query
conversation.py  a run's whole conversation, from its journal
cart.py          what a report puts into the cart, with prices and their total
commands.py      the commands that make the experiment again
tables/          scores, pairs and agreement as tables, for every room below
plots/           plots as SVG
page/            pages for a browser
terminal/        tables and texts for a terminal
voting/          what people are asked about reports, and their answers
live/            report, voting and review as a server on this machine
diff/            two systems' answers side by side
paper/           an experiment as the paper's tables
output.py        how results reach the terminal, and JSON documents
summary.py       an experiment as one JSON document
"""

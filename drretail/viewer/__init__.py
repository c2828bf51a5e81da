"""Recorded experiments made readable: only recorded files are read, nothing is judged or looked up here.

reading.py    an experiment folder as views of its runs
judged.py     the last verdicts of every judge on a run
claims.py     claims with what was ruled on them and where they stand in the report
excerpts.py   the part of a source that a quote was taken from
placing.py    markdown as tokens whose every character knows its place in the source
marking.py    those tokens as HTML with spans of the source marked
outdated.py   whether scores.json still tells of the runs and verdicts in the folder
standing.py   scores as tables: systems, floors and ceiling below each other, variants side by side
sliced.py     the same over parts of the queries: by category, kind and constraint
fitting.py    wide tables cut into parts that fit
score_section.py  the tables of the page, with the slices folded below them
repeating.py  the commands that make the experiment again
cards.py      what is said of each claim, finding, source and step
cart.py       what a report puts into the cart, with prices and their total
report_html.py  a report with its claims and findings marked
page.py       the self-contained HTML page; templates/ holds its templates, style and script
terminal.py   the same for the terminal
summary.py    the same as one JSON document
"""

"""Recorded experiments made readable: only recorded files are read, nothing is judged or looked up here.

experiment.py   an experiment folder as views of its runs
judged.py       the last verdicts of every judge on a run, and whether scores.json still tells of them
claims.py       claims with what was said of them, where they stand in the report, and their quotes in the sources
markdown.py     markdown as tokens whose every character knows its place in the source
cart.py         what a report puts into the cart, with prices and their total
report_html.py  a report as HTML with its claims and findings marked
cards.py        what is said of each claim, finding, source and step
tables/         scores, pairs, comparisons and measures as tables
commands.py     the commands that make the experiment again
html_page.py    the self-contained HTML page
templates/      its templates, style and script
terminal.py     the same for the terminal
output.py       how results reach the terminal, and JSON documents
summary.py      an experiment as one JSON document
diff/           two systems' answers side by side
paper/          an experiment as the paper's tables
"""

"""Makes recorded experiments readable. Only recorded files are read; nothing is judged or looked up here.

experiment.py    an experiment folder as views of its runs
judged.py        every judge's last verdicts on a run or on two answers; claims with verdicts, places and quotes
run_lines.py     what is shown of a run in one line, and its faults
cards.py         a question and its answers at a glance; what to look at first
wishes.py        a wish in words
cart.py          a report's cart with prices and total
commands.py      the commands that make the experiment again
drawing/         the one table of all outputs, and how it is drawn: terminal, Markdown, LaTeX, CSV; progress on stderr
tables/          scores, pairs and agreement as tables, for all folders below
page/            pages for a browser
sections.py      for a terminal: the scoreboard, slices, comparisons; every table that scores have, for terminal, text,
                 page, LaTeX and CSV
gates.py         the results of a gate for CI: JUnit, Markdown
paper.py         an experiment as the paper's tables, what its numbers stand on, and how it differs from the paper's
published.py     the paper's own numbers, and tables of an experiment with them below
output.py        prints results and JSON documents
"""

"""A table is built once and drawn by five renderers.

figures.py  numbers as text, one function for each kind
table.py    the record: columns, rows of typed cells, notes
screen.py   all output to a terminal, made safe
markup.py   for repositories, documents and papers: Markdown, LaTeX
sheets.py   for spreadsheets: unrounded values, intervals and counts, no formulas
account.py  what came into a stage and what became of it; the one place that praises
result.py   what a command found, with its tables and sentences; a table as lines that fit a width

The fifth, HTML, is ``viewer/page/templates/table.html.jinja``.
"""

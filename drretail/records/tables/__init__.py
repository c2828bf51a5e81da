"""A table is built once and drawn by five renderers.

figures.py   numbers as text, one function for each kind
table.py     the record: columns, rows of typed cells, notes
screen.py    all output to a terminal, made safe
terminal.py  lines that fit a width: split into parts, with names broken; columns without room are named
markdown.py  for repositories and documents
latex.py     for papers
cells.py     for spreadsheets: unrounded values, intervals and counts in columns of their own, no formulas
sheets.py    sheets that people fill in
result.py    what a command found, with its tables and sentences

The fifth, HTML, is ``viewer/page/templates/table.html.jinja``.
"""

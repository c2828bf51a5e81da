"""A table is built once and drawn by five renderers.

figures.py   numbers as text, one function a kind
table.py     the record: columns, rows of typed cells, notes
terminal.py  as lines that fit a width; columns that find no room are named
widths.py    columns in parts that fit, names broken into lines
markdown.py  for repositories and documents
latex.py     for papers
cells.py     for spreadsheets: rows of cells, guarded; a table's values unrounded, intervals and counts apart

The fifth, HTML, is ``viewer/page/templates/table.html.jinja``.
"""

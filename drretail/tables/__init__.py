"""A table is built once and drawn by five renderers.

figures.py   numbers as text, one function a kind
table.py     the record: columns, rows of typed cells, notes
terminal.py  as lines that fit a width; columns that find no room are named
widths.py    columns in parts that fit, names broken into lines
markdown.py  for repositories and documents
latex.py     for papers
cells.py     rows of cells as spreadsheets take and give them
csv_file.py  for spreadsheets: values unrounded, intervals and counts in columns of their own

The fifth, HTML, is ``viewer/page/templates/table.html.jinja``.
"""

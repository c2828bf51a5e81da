"""A table is built once and drawn by four renderers.

figures.py   numbers as text, one function a kind
table.py     the record: columns, rows of typed cells, notes
terminal.py  as lines that fit a width; columns that find no room are named
widths.py    columns in parts that fit, names broken into lines
markdown.py  for repositories and documents
cells.py     rows of cells as spreadsheets take and give them

The fourth, HTML, is ``viewer/page/templates/table.html.jinja``.
"""

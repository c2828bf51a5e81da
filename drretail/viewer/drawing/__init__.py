"""How everything is drawn that is no page: a table is built once, and drawn by four renderers.

table.py     the table before it is drawn: columns, rows of typed cells, notes; as CSV
result.py    what a command found, with its tables and sentences; what was not used
layout.py    for a terminal: lines that fit a width
markup.py    for repositories, documents and papers: Markdown, LaTeX
screen.py    all output to a terminal, made safe
progress.py  a command's progress on stderr

The fifth, HTML, is ``viewer/page/templates/table.html.jinja``.
"""

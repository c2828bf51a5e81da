"""Serves an experiment on this machine: its report, and people's votes.

options.py       the options of ``view``
view.py          the server, from Python
access.py        access control: this machine, the token, and the server's own pages
app.py           the server's routes, and answers to errors
layout.py        what all pages except the report's share
report_pages.py  the report's own pages, and whether anything in the folder has changed
voting_pages.py  the voting pages, and the answers that they send
"""

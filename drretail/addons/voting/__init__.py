"""Serves the pages on which people vote, on this machine.

options.py       the options of ``vote``
vote.py          the server, from Python
access.py        access control: this machine, the token, and the server's own pages
app.py           the server's routes, and answers to errors
layout.py        what all pages share
voting_pages.py  the voting pages, and the answers that they send
"""

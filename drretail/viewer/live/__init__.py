"""An experiment as a server on this machine: its report while it grows, people's votes, the review of queries.

access.py        who may ask: this machine, who has the token, and pages of its own
app.py           the addresses, and what all pages share
layout.py        what all pages but the report's share
watch.py         whether anything in the folder has changed
report_pages.py  the report's own pages, kept up to date in the browser
experiment_list.py  several experiments in order of time, and the pages of each
voting_pages.py  the voting pages, and what they send
review_pages.py  the review of queries, and what it sends
"""
